"""Differences that pool several kinds of samples, and what each kind shows alone."""

from collections.abc import Iterator, Sequence

from ..._util.wording import format_count, join_names
from ..cells import P, Signed, show
from ..comparison.comparisons import Comparison, primary_pairs
from ..comparison.kinds import KindDifference, differences_by_kind, reversals_by_type
from ..comparison.leads import largest_of
from ..comparison.primary import primary_measures
from ..labels import in_sentence
from ..study import Study, cached_per_study
from .gap_text import baseline_of_lead


@cached_per_study
def pooled_kinds(study: Study, won_pairs: tuple[Comparison, ...]) -> str:
    """Say what each kind of samples shows, if the largest lead pools several.

    E.g. `This pools 20 questions (+0.217, p 0.109) and 12 summaries (+0.236, p 0.062); neither kind
    shows it alone.` Empty for samples of one kind, and without a lead.
    """
    if not won_pairs:
        return ""
    lead = largest_of(study, won_pairs)
    parts = differences_by_kind(study, lead)
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
    before correction).` A type of question that reverses the order of two systems is stated too,
    whether or not they have a lead. Of several such differences in a measure, the largest is
    stated.
    """
    for measure in map(study.catalogue.spec, primary_measures(study)):
        pairs = [pair for pair in primary_pairs(study, measure) if pair.is_comparable]
        parts: list[KindDifference] = []
        if not any(pair.winner for pair in pairs):
            for pair in pairs:
                parts += [part for part in differences_by_kind(study, pair) if part.is_shown]
        for several in (parts, [part for pair in pairs for part in reversals_by_type(study, pair)]):
            if several:
                yield _describe_alone(max(several, key=_size))


def _size(of_kind: KindDifference) -> float:
    return abs(of_kind.pair.paired.difference)


def _describe_alone(of_kind: KindDifference) -> str:
    """State the difference of two systems on samples of one kind."""
    part = of_kind.pair
    ahead = part.other(part.behind)
    count = format_count(part.paired.n, of_kind.noun)
    return (
        f"On {count} alone, {ahead} is ahead of {part.behind} in "
        f"{in_sentence(part.measure)}: {show(part.seen_from(part.behind))} "
        f"(p {show(P(part.paired.p))}, before correction)."
    )


def _shown_alone(lead: Comparison, parts: Sequence[KindDifference]) -> str:
    """Return a clause if no kind of samples shows a lead alone, before correction."""
    if any(part.is_shown and part.pair.behind == lead.behind for part in parts):
        return ""
    return f"; {'neither' if len(parts) == 2 else 'no'} kind shows it alone"
