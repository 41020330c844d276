"""Tables of a change: what differs, and the samples that got worse or better."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from ..analysis import Analysis, Words, analysis
from ..cells import Cell, Signed
from ..comparison.changes import name_of_sample, recorded_differences
from ..comparison.comparability import pair_values
from ..comparison.primary import primary_measures
from ..study import Study, cached_per_study

_MOST_MOVES = 40
"""Maximum number of samples in a table."""

_UNANSWERABLE = " (for unanswerable questions: whether they are declined)"
"""What is compared where a primary measure of right answers does not apply."""


def _names(change: Study) -> Words:
    return {"earlier": change.systems[1], "new": change.systems[0]}


@analysis(
    "Recorded differences",
    columns="what | {earlier} | {new}",
    text="""
    Everything recorded in the logs that differs between the two runs. Only the system message of
    the model's messages is compared, and your own code only if its commit or digest is recorded.
    """,
    id="changes",
    words=_names,
    section="changes",
    order=10,
)
def differences(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the differences between the two runs of a change."""
    if study.choices.is_change:
        for difference in recorded_differences(study):
            yield difference[:3]


@cached_per_study
def _moves(change: Study, better: bool) -> list[tuple[Cell, ...]]:
    """Return a row per sample whose primary measure changed, largest change first.

    Measures of right answers do not apply to unanswerable questions: whether these were declined
    counts instead.
    """
    moves: list[tuple[float, tuple[Cell, ...]]] = []
    new, old = change.systems
    keys = dict.fromkeys((*primary_measures(change), change.catalogue.key_of("right refusal")))
    for measure in map(change.catalogue.spec, keys):
        if measure.higher_is_better is None:
            continue
        sign = 1 if better == bool(measure.higher_is_better) else -1
        values = pair_values(change, new, old, measure.key)
        if values.nowhere_alike:
            continue
        compared = zip(change.sample_ids, values.a.tolist(), values.b.tolist(), strict=True)
        for sample, after, before in compared:
            difference = after - before
            size = sign * difference
            if size > measure.tie:
                group = change.samples["company"][sample]
                name = name_of_sample(change, sample)
                cells = measure.label, name, group, before, after, Signed(difference)
                moves.append((size / (measure.range_width or 1.0), cells))
    moves.sort(key=lambda move: -move[0])
    return [cells for _, cells in moves]


def _moved_words(change: Study, better: bool) -> Words:
    count = len(_moves(change, better))
    direction = "better" if better else "worse"
    return {
        "extent": f"{min(count, _MOST_MOVES)} of {count:,} shown",
        "cluster": change.cluster,
        "direction": direction,
        "unanswerable": _UNANSWERABLE if _has_refusals(change) else "",
        **_names(change),
    }


def _has_refusals(change: Study) -> bool:
    """Return whether both runs have a sample scored by whether it was rightly declined."""
    key = change.catalogue.key_of("right refusal")
    new, old = (change.values_of(system, key) for system in change.systems)
    return bool(np.isfinite(new - old).any())


def _moved_samples(title: str, order: int, *, better: bool) -> Analysis:
    """Declare the table of the samples that got better, or of those that got worse."""

    def rows(study: Study) -> Sequence[Sequence[Cell]]:
        return _moves(study, better)[:_MOST_MOVES] if study.choices.is_change else []

    declare = analysis(
        title,
        columns="measure | sample | {cluster} | {earlier} | {new} | difference",
        text="""
        Every sample whose primary measure{unanswerable} is {direction}; the largest change, as a
        share of the scale, comes first ({extent}).
        """,
        id=title.lower(),
        words=partial(_moved_words, better=better),
        meanings={"difference": "New minus earlier"},
        section="moves",
        order=order,
    )
    return declare(rows)


regressions = _moved_samples("Regressions", 10, better=False)
gains = _moved_samples("Gains", 20, better=True)
