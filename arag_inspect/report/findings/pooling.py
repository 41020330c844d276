"""Differences that pool several kinds of samples, and what each kind shows alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..._util.wording import format_count, join_names
from ...stats.power import ALPHA
from ...types.sample import QUESTION, UNANSWERABLE
from ..cells import P, Signed, show
from ..comparison.comparability import compare_pair, without_empty_interval
from ..comparison.comparisons import Comparison, primary_pairs
from ..comparison.leads import largest_of
from ..comparison.primary import primary_measures
from ..labels import in_sentence
from ..study import Study, cached_per_study
from .gap_text import baseline_of_lead

_FEWEST = 2
"""Minimum number of samples of a kind."""


class _KindDifference(NamedTuple):
    """A comparison on samples of one kind."""

    noun: str
    pair: Comparison


@cached_per_study
def pooled_kinds(study: Study, won_pairs: tuple[Comparison, ...]) -> str:
    """Say what each kind of samples shows, if the largest lead pools several.

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
    for noun, part in parts:
        difference = show(Signed(part.seen_from(baseline).value))
        count = format_count(part.paired.n, noun)
        texts.append(f"{count} ({difference}, p {show(P(part.paired.p))})")
    subject = "This" if len(study.systems) == 2 else f"The lead of {lead.winner} over {lead.loser}"
    return f"{subject} pools {join_names(texts)}{_shown_alone(lead, parts)}."


def kinds_alone(study: Study) -> Iterator[str]:
    """Yield what one kind of samples shows alone in a measure on which both together show no lead.

    E.g. `On 6 summaries alone, B is ahead of A in coverage: +0.600 [+0.412, +0.788] (p 0.031,
    before correction).` Of several such differences in a measure, the largest is stated.
    """
    for measure in map(study.catalogue.spec, primary_measures(study)):
        pairs = [pair for pair in primary_pairs(study, measure) if pair.is_comparable]
        if any(pair.winner for pair in pairs):
            continue
        statements: list[tuple[float, str]] = []
        for pair in pairs:
            for noun, part in _by_kind(study, pair):
                if _is_shown(part):
                    size = abs(part.paired.difference)
                    statements.append((size, _describe_alone(part, noun)))
        if statements:
            yield max(statements)[1]


def _describe_alone(part: Comparison, noun: str) -> str:
    """State the difference of two systems on samples of one kind."""
    ahead = part.other(part.behind)
    return (
        f"On {format_count(part.paired.n, noun)} alone, {ahead} is ahead of {part.behind} in "
        f"{in_sentence(part.measure)}: {show(part.seen_from(part.behind))} "
        f"(p {show(P(part.paired.p))}, before correction)."
    )


def _by_kind(study: Study, pair: Comparison) -> list[_KindDifference]:
    """Return a comparison on each kind of samples; empty unless several kinds have values."""
    is_question = (study.samples["style"] == QUESTION).to_numpy()
    is_unanswerable = (study.samples["question_type"] == UNANSWERABLE).to_numpy()
    kinds = {
        "question": is_question & ~is_unanswerable,
        "unanswerable question": is_question & is_unanswerable,
        "summary": ~is_question,
    }
    parts = []
    for noun, is_of_kind in kinds.items():
        paired = compare_pair(study, pair.a, pair.b, pair.measure.key, among=is_of_kind)
        if paired is not None and paired.n >= _FEWEST:
            paired = without_empty_interval(paired, paired.clusters)
            parts.append(_KindDifference(noun, replace(pair, paired=paired)))
    return parts if len(parts) > 1 else []


def _is_shown(part: Comparison) -> bool:
    """Return whether a difference is shown, before correction."""
    is_beyond_zero = (part.paired.low or 0) * (part.paired.high or 0) > 0
    return is_beyond_zero and part.paired.p < ALPHA


def _shown_alone(lead: Comparison, parts: Sequence[_KindDifference]) -> str:
    """Return a clause if no kind of samples shows a lead alone, before correction."""
    if any(_is_shown(part.pair) and part.pair.behind == lead.behind for part in parts):
        return ""
    return f"; {'neither' if len(parts) == 2 else 'no'} kind shows it alone"
