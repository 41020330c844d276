"""Differences that pool questions and summaries, and what each kind shows alone."""

from collections.abc import Sequence
from dataclasses import replace

from ..._util.wording import format_count, join_names
from ...stats.power import ALPHA
from ...types.sample import QUESTION
from ..cells import P, Signed, show
from ..comparison.comparability import compare_pair, without_empty_interval
from ..comparison.comparisons import Comparison
from ..comparison.leads import largest_of
from ..study import Study, cached_per_study


@cached_per_study
def pooled_kinds(study: Study, won_pairs: tuple[Comparison, ...]) -> str:
    """Say what questions and summaries each show, if the largest lead pools both.

    E.g. `This pools 20 questions (+0.217, p 0.109) and 12 summaries (+0.236, p 0.062); neither kind
    shows it alone.` Empty for samples of one kind, and without a lead.
    """
    if not won_pairs:
        return ""
    lead = largest_of(study, won_pairs)
    is_question = (study.samples["style"] == QUESTION).to_numpy()
    parts: list[Comparison] = []
    texts: list[str] = []
    for noun, is_of_kind in (("question", is_question), ("summary", ~is_question)):
        paired = compare_pair(study, lead.a, lead.b, lead.measure.key, among=is_of_kind)
        if paired is None:
            return ""
        part = replace(lead, paired=without_empty_interval(paired, paired.clusters))
        difference = show(Signed(part.seen_from(lead.loser or "").value))
        texts.append(f"{format_count(paired.n, noun)} ({difference}, p {show(P(paired.p))})")
        parts.append(part)
    subject = "This" if len(won_pairs) == 1 else f"The lead of {lead.winner} over {lead.loser}"
    return f"{subject} pools {join_names(texts)}{_shown_alone(lead, parts)}."


def _shown_alone(lead: Comparison, parts: Sequence[Comparison]) -> str:
    """Return a clause if no kind of samples shows a lead alone, before correction."""
    for part in parts:
        is_beyond_zero = (part.paired.low or 0) * (part.paired.high or 0) > 0
        if is_beyond_zero and part.paired.p < ALPHA and part.behind == lead.behind:
            return ""
    return "; neither kind shows it alone"
