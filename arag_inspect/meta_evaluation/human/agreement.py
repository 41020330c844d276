"""Agreement of a scorer's values with human labels, with intervals."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...stats.agreement import kappa, pearson, roc_auc, spearman, tau, varies
from ...stats.estimates import Floats
from .labelled import Split
from .sets import LabelKind

RESAMPLES = 1_000
_SEED = 20_260_101
_FOLDS = 5


class Unit(NamedTuple):
    """A labelled answer or pair with its value."""

    label: float
    value: float
    """Higher is better; NaN if unscored."""

    group: str
    subset: str
    split: Split
    label_text: str = ""


class Figure(NamedTuple):
    """A statistic with its 95 % interval."""

    value: float
    low: float | None
    """None if there are fewer than two groups to resample."""

    high: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of a measure on a set."""

    measure: str
    figures: Mapping[str, Figure]
    """By statistic: mean over the subsets, with groups resampled within each."""

    subsets: Mapping[str, Mapping[str, float]]
    """Each statistic within each subset."""

    verdicts: Mapping[str, tuple[int, int]]
    """By binary label as given: answers at or above the threshold, and below it."""

    threshold: str
    """Origin of the threshold of a binary verdict, with its value if there is one."""

    scored: int
    unscored: int
    groups: int


class _Subset(NamedTuple):
    """Values of one subset."""

    columns: Floats
    """Labels, distances from the threshold, and values, shape (3, answers)."""

    rows: Sequence[NDArray[np.int64]]
    """Answers of each group."""

    def draw(self, groups: NDArray[np.int64]) -> Floats:
        """Return the columns of some groups."""
        return self.columns[:, np.concatenate([self.rows[group] for group in groups])]


def measure_agreement(
    measure: str, units: Sequence[Unit], kind: LabelKind, split: Split
) -> Agreement:
    """Compare values with labels.

    Binary labels: ROC-AUC, balanced accuracy, Cohen's kappa, the share of answers
    judged as labelled, and the rate of false alarms (good answers below the
    threshold). An answer passes at or above a threshold that was chosen for
    balanced accuracy on other answers: the development half for the test half;
    else, fold by fold, the other subsets, or four fifths of the groups if there is
    one subset. Graded labels and pairs: Pearson, Spearman and Kendall's tau-b.

    Args:
        measure: Name of the measure.
        units: All answers, of both halves.
        kind: Kind of the labels.
        split: Half that is reported, or all.
    """
    reported = [unit for unit in units if split in ("all", unit.split)]
    scored = [unit for unit in reported if not np.isnan(unit.value)]
    thresholds, where = _thresholds(units, scored, split) if kind == "binary" else ({}, "")
    margins = [unit.value - thresholds.get(unit, 0.0) for unit in scored]
    by_subset = _by_subset(scored, margins)
    statistics = _BINARY if kind == "binary" else _GRADED
    figures = {
        name: figure
        for name, statistic in statistics.items()
        if (figure := _figure(list(by_subset.values()), statistic)) is not None
    }
    within = {
        subset: {name: statistic(values.columns) for name, statistic in statistics.items()}
        for subset, values in by_subset.items()
    }
    verdicts: dict[str, tuple[int, int]] = {}
    for unit, margin in zip(scored, margins, strict=True):
        if kind == "binary":
            passed, failed = verdicts.get(unit.label_text, (0, 0))
            verdicts[unit.label_text] = (passed + (margin >= 0), failed + (margin < 0))
    return Agreement(
        measure=measure,
        figures=figures,
        subsets={
            subset: {name: value for name, value in row.items() if value is not None}
            for subset, row in within.items()
        },
        verdicts=verdicts,
        threshold=where,
        scored=len(scored),
        unscored=len(reported) - len(scored),
        groups=len({(unit.subset, unit.group) for unit in scored}),
    )


def paired_difference(
    units: Sequence[Unit], others: Sequence[Unit] | None, statistic: str
) -> Figure | None:
    """Return how much better the first values agree with the labels than the others.

    Args:
        units: Labels with the first values, none of them NaN.
        others: The same labels in the same order with other values; None gives the statistic of
            the first alone.
        statistic: `auc`, or `pearson`, `spearman`, `kendall`, averaged over subsets.

    Returns:
        Difference with the interval of a bootstrap that draws the same groups for both; None if
        no subset has two kinds of label.
    """
    function = {**_BINARY, **_GRADED}[statistic]

    def difference(columns: Floats) -> float | None:
        first = function(columns)
        second = function(columns[[0, 1, 1]]) if others is not None else 0.0
        return None if first is None or second is None else first - second

    margins = [unit.value for unit in others or units]
    return _figure(list(_by_subset(units, margins).values()), difference)


def best_threshold(labels: Floats, values: Floats, weights: Floats) -> float:
    """Return the threshold with the highest weighted balanced accuracy."""
    order = np.argsort(values, kind="stable")
    values, good, weights = values[order], labels[order] > 0, weights[order]
    below_good = np.concatenate([[0], np.cumsum(weights * good)])
    below_bad = np.concatenate([[0], np.cumsum(weights * ~good)])
    gain = below_bad / max(below_bad[-1], 1e-12) - below_good / max(below_good[-1], 1e-12)
    edges = np.concatenate([[True], np.diff(values) > 0, [True]])
    best = int(np.argmax(np.where(edges, gain, -np.inf)))
    if best == 0:
        return float(values[0])
    return float(values[-1] + 1 if best == len(values) else (values[best - 1] + values[best]) / 2)


def _thresholds(
    units: Sequence[Unit], scored: Sequence[Unit], split: Split
) -> tuple[dict[Unit, float], str]:
    """Return a threshold for each unit, chosen on units of other groups."""
    all_scored = [unit for unit in units if not np.isnan(unit.value)]
    if split == "test":
        threshold = _fit([unit for unit in all_scored if unit.split == "development"])
        return dict.fromkeys(scored, threshold), f"development half: {threshold:.3f}"
    by_subset = split == "all" and len({unit.subset for unit in all_scored}) > 2
    groups = sorted({unit.group for unit in scored})
    fold_of = {group: index % _FOLDS for index, group in enumerate(groups)}
    fold = {unit: unit.subset if by_subset else str(fold_of[unit.group]) for unit in scored}
    fitted = {
        name: _fit([unit for unit in scored if fold[unit] != name]) for name in set(fold.values())
    }
    where = "the other subsets" if by_subset else f"the other of {_FOLDS} folds of groups"
    return {unit: fitted[fold[unit]] for unit in scored}, where


def _fit(units: Sequence[Unit]) -> float:
    """Return the threshold for the mean over subsets."""
    if not units:
        return 0.0
    sizes = Counter((unit.subset, unit.label > 0) for unit in units)
    weights = [1 / sizes[unit.subset, unit.label > 0] for unit in units]
    columns = ([unit.label for unit in units], [unit.value for unit in units], weights)
    return best_threshold(*(np.asarray(column, dtype=np.float64) for column in columns))


def _by_subset(units: Sequence[Unit], margins: Sequence[float]) -> dict[str, _Subset]:
    subsets = np.array([unit.subset for unit in units])
    groups = np.array([unit.group for unit in units])
    columns = np.array(
        [[unit.label for unit in units], margins, [unit.value for unit in units]], dtype=float
    )
    result = {}
    for subset in dict.fromkeys(unit.subset for unit in units):
        own = np.flatnonzero(subsets == subset)
        names, codes = np.unique(groups[own], return_inverse=True)
        rows = [np.flatnonzero(codes == code) for code in range(len(names))]
        result[subset] = _Subset(columns[:, own], rows)
    return result


Statistic = Callable[[Floats], float | None]
"""Of columns as in `_Subset`."""


def _figure(subsets: Sequence[_Subset], statistic: Statistic) -> Figure | None:
    """Return the mean over the subsets where a statistic is defined; None if there are none.

    Its interval is that of a percentile bootstrap over groups, drawn within each subset.
    """
    with_value = [subset for subset in subsets if statistic(subset.columns) is not None]
    if not with_value:
        return None

    def mean(*drawn: NDArray[np.int64]) -> float:
        values = [statistic(s.draw(groups)) for s, groups in zip(with_value, drawn, strict=True)]
        return float("nan") if None in values else fmean(v for v in values if v is not None)

    sizes = [len(subset.rows) for subset in with_value]
    value = mean(*map(np.arange, sizes))
    if min(sizes) < 2:
        return Figure(value, None, None)
    random = np.random.default_rng(_SEED)
    samples = [random.integers(0, size, (RESAMPLES, size)) for size in sizes]
    drawn = np.array([mean(*groups) for groups in zip(*samples, strict=True)])
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return Figure(value, None, None)
    low, high = np.quantile(defined, [0.025, 0.975])
    return Figure(value, float(low), float(high))


def _rates(columns: Floats) -> tuple[float, float] | None:
    """Return the share of good answers that pass, and of bad ones that do not."""
    good, passed = columns[0] > 0, columns[1] >= 0
    if not varies(columns[0]):
        return None
    return float(passed[good].mean()), float((~passed[~good]).mean())


def _balanced_accuracy(columns: Floats) -> float | None:
    rates = _rates(columns)
    return None if rates is None else fmean(rates)


def _false_alarms(columns: Floats) -> float | None:
    rates = _rates(columns)
    return None if rates is None else 1 - rates[0]


def _agreement(columns: Floats) -> float | None:
    return float(((columns[0] > 0) == (columns[1] >= 0)).mean())


def _pearson(columns: Floats) -> float | None:
    correlation = pearson(columns[0], columns[2])
    return None if correlation is None else correlation.r


_BINARY: Mapping[str, Statistic] = {
    "auc": lambda columns: roc_auc(columns[0] > 0, columns[2]),
    "balanced_accuracy": _balanced_accuracy,
    "kappa": lambda columns: kappa(columns[0] > 0, columns[1] >= 0),
    "agreement": _agreement,
    "false_alarms": _false_alarms,
}
_GRADED: Mapping[str, Statistic] = {
    "pearson": _pearson,
    "spearman": lambda columns: spearman(columns[0], columns[2]),
    "kendall": lambda columns: tau(columns[0], columns[2]),
}
