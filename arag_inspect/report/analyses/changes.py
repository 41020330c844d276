"""Tables of a change: what differs, and the samples that got worse or better."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from ..._util.wording import join_names
from ..analysis import Analysis, RowCells, Words, analysis
from ..cells import Signed
from ..comparison.changes import name_of_sample, recorded_differences
from ..comparison.comparability import pair_values
from ..comparison.primary import primary_measures
from ..study import Study, cached_per_study

_MOST_MOVES = 40
"""Maximum number of samples in a table."""

_UNANSWERABLE = " (for unanswerable questions: whether they are declined)"
"""Figure compared where a primary measure of right answers does not apply."""


@analysis(
    "Recorded differences",
    text="""
    Everything recorded in the logs that differs between the two runs. Only the system message of
    the model's messages is compared, and your own code only if its commit or digest is recorded.
    """,
    id="changes",
    section="changes",
    order=10,
)
def differences(study: Study) -> Iterator[RowCells]:
    """Yield the differences between the two runs of a change."""
    if study.choices.is_change:
        new, earlier = study.systems
        for difference in recorded_differences(study):
            yield {
                "what": difference.name,
                "values": {earlier: difference.before, new: difference.after},
            }


@cached_per_study
def _moves(change: Study, better: bool) -> list[RowCells]:
    """Return a row per sample whose primary measure changed, largest change first.

    Measures of right answers do not apply to unanswerable questions: whether these were declined
    counts instead.
    """
    moves: list[tuple[float, RowCells]] = []
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
                row: RowCells = {
                    "measure": measure.label,
                    "sample": name_of_sample(change, sample),
                    "group": {change.cluster: _group_of(change, sample)},
                    "values": {old: before, new: after},
                    "difference": Signed(difference),
                }
                moves.append((size / (measure.range_width or 1.0), row))
    moves.sort(key=lambda move: -move[0])
    return [row for _, row in moves]


def _group_of(change: Study, sample: str) -> str:
    """Return the name of a sample's group; of a sample about several documents, these."""
    name = str(change.samples["company"][sample])
    are_documents = change.cluster == "document" and not name
    return join_names(change.samples["doc_ids"][sample]) if are_documents else name


def _moved_words(change: Study, better: bool) -> Words:
    count = len(_moves(change, better))
    direction = "better" if better else "worse"
    return {
        "extent": f"{min(count, _MOST_MOVES)} of {count:,} shown",
        "direction": direction,
        "unanswerable": _UNANSWERABLE if _has_refusals(change) else "",
    }


def _has_refusals(change: Study) -> bool:
    """Return whether both runs have a sample scored by whether it was rightly declined."""
    key = change.catalogue.key_of("right refusal")
    new, old = (change.values_of(system, key) for system in change.systems)
    return bool(np.isfinite(new - old).any())


def _moved_samples(title: str, order: int, *, better: bool) -> Analysis:
    """Declare the table of the samples that got better, or of the samples that got worse."""

    def rows(study: Study) -> Sequence[RowCells]:
        return _moves(study, better)[:_MOST_MOVES] if study.choices.is_change else []

    declare = analysis(
        title,
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
