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
from .gap_text import baseline_of_lead

_NOUNS = ("question", "summary")


@cached_per_study
def pooled_kinds(study: Study, won_pairs: tuple[Comparison, ...]) -> str:
    """Say what questions and summaries each show, if the largest lead pools both.

    E.g. `This pools 20 questions (+0.217, p 0.109) and 12 summaries (+0.236, p 0.062); neither kind
    shows it alone.` Empty for samples of one kind, and without a lead.
    """
    if not won_pairs:
        return ""
    lead = largest_of(study, won_pairs)
    parts = _by_kind(study, lead)
    if not parts:
        return ""
    baseline = baseline_of_lead(study, lead)
    texts = []
    for noun, part in zip(_NOUNS, parts, strict=True):
        difference = show(Signed(part.seen_from(baseline).value))
        count = format_count(part.paired.n, noun)
        texts.append(f"{count} ({difference}, p {show(P(part.paired.p))})")
    subject = "This" if len(won_pairs) == 1 else f"The lead of {lead.winner} over {lead.loser}"
    return f"{subject} pools {join_names(texts)}{_shown_alone(lead, parts)}."


@cached_per_study
def one_kind_alone(study: Study, pairs: tuple[Comparison, ...]) -> str:
    """Say what one kind of samples shows alone, if no lead is shown on both kinds together.

    E.g. `On 6 summaries alone, B is ahead of A: +0.600 [+0.412, +0.788] (p 0.031, before
    correction).` Of several such differences, the largest is stated.
    """
    statements: list[tuple[float, str]] = []
    for pair in pairs:
        if not pair.is_comparable or pair.measure.higher_is_better is None:
            continue
        for noun, part in zip(_NOUNS, _by_kind(study, pair), strict=False):
            if _is_shown(part):
                size = abs(part.paired.difference)
                statements.append((size, _describe_alone(part, noun)))
    return max(statements, default=(0.0, ""))[1]


def _describe_alone(part: Comparison, noun: str) -> str:
    """State the difference of two systems on samples of one kind."""
    ahead = part.other(part.behind)
    return (
        f"On {format_count(part.paired.n, noun)} alone, {ahead} is ahead of {part.behind}: "
        f"{show(part.seen_from(part.behind))} (p {show(P(part.paired.p))}, before correction)."
    )


def _by_kind(study: Study, pair: Comparison) -> list[Comparison]:
    """Return one comparison on questions and one on summaries; empty unless both have values."""
    is_question = (study.samples["style"] == QUESTION).to_numpy()
    parts = []
    for is_of_kind in (is_question, ~is_question):
        paired = compare_pair(study, pair.a, pair.b, pair.measure.key, among=is_of_kind)
        if paired is None:
            return []
        parts.append(replace(pair, paired=without_empty_interval(paired, paired.clusters)))
    return parts


def _is_shown(part: Comparison) -> bool:
    """Return whether a difference is shown, before correction."""
    is_beyond_zero = (part.paired.low or 0) * (part.paired.high or 0) > 0
    return is_beyond_zero and part.paired.p < ALPHA


def _shown_alone(lead: Comparison, parts: Sequence[Comparison]) -> str:
    """Return a clause if no kind of samples shows a lead alone, before correction."""
    if any(_is_shown(part) and part.behind == lead.behind for part in parts):
        return ""
    return "; neither kind shows it alone"
