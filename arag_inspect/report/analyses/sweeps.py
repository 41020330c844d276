"""Tables of a sweep: systems compared over several models, and models over several systems."""

import math
from collections.abc import Iterator
from typing import Any

from ..analysis import RowCells, analysis
from ..cells import P, Signed
from ..comparison.sweeps import MEAN, Factor, contrasts, describe_reversal, reversals
from ..study import Study

_MEANINGS = {"p corrected": "p of the mean, corrected for the number of rows of the table"}


def _levels(study: Study, factor: Factor) -> list[str]:
    levels = contrasts(study, factor)["level"].unique()
    return [level for level in levels if level != MEAN]


@analysis(
    "Best system, averaged over models",
    text="""
    Difference a - b between two systems with each model, and its mean over these models with equal
    weight, on samples that both answered and that were measured the same way. Samples: samples of
    at least one model. 95 % intervals by resampling {clusters} (percentiles; none with a single
    one), with the same draw for every model. p corrected: p of the mean, with Holm's correction for
    all rows; the intervals are not corrected. Sign changes: describes where the sign depends on the
    model.
    """,
    meanings=_MEANINGS,
    section="quality",
    order=60,
)
def which_system(study: Study) -> Iterator[RowCells]:
    """Yield the contrasts of systems, by model."""
    yield from _rows(study, "system")


@analysis(
    "Which model, over all systems",
    text="""
    Difference a - b between two models with each system, and its mean over these systems with
    equal weight, as in the table before.
    """,
    meanings=_MEANINGS,
    section="quality",
    order=70,
)
def which_model(study: Study) -> Iterator[RowCells]:
    """Yield the contrasts of models, by system."""
    yield from _rows(study, "model")


def _rows(study: Study, factor: Factor) -> Iterator[RowCells]:
    estimates = contrasts(study, factor)
    levels = _levels(study, factor)
    sentences = {
        (change.measure.key, change.a, change.b): describe_reversal(change)
        for change in reversals(study, factor)
    }
    for (measure, a, b), contrast in estimates.groupby(["measure", "a", "b"], sort=False):
        cells = {row.level: _signed_difference(row) for row in contrast.itertuples()}
        mean = contrast[contrast["level"] == MEAN].iloc[0]
        yield {
            "measure": study.catalogue.spec(measure).label,
            "a": a,
            "b": b,
            "samples": int(mean["n"]),
            "mean of a - b": cells[MEAN],
            "p corrected": P(mean["p"]),
            "levels": {f"a - b, {level}": cells.get(level) for level in levels},
            "sign changes": sentences.get((measure, a, b)),
        }


def _signed_difference(contrast: Any) -> Signed:
    """Return the difference of a row of `contrasts`, with its interval if it has one."""
    if math.isnan(contrast.low):
        return Signed(contrast.difference)
    return Signed(contrast.difference, contrast.low, contrast.high)
