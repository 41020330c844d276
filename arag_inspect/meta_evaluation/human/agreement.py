"""Agreement of a scorer's values with human labels, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ...stats.agreement import spearman, tau, varies
from .labelled import LabelKind, Split

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats], float | None]

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

    threshold: str
    """Origin of the threshold of a binary verdict, with its value if there is one."""

    scored: int
    unscored: int
    groups: int


def measure_agreement(
    measure: str, units: Sequence[Unit], kind: LabelKind, split: Split
) -> Agreement:
    """Compare values with labels.

    Binary labels: ROC-AUC, balanced accuracy, Cohen's kappa and the rate of
    false alarms (good answers below the threshold). An answer passes at or
    above a threshold that was chosen for balanced accuracy on other answers:
    the development half for the test half; else, fold by fold, the other
    subsets, or four fifths of the groups if there is one subset. Graded
    labels and pairs: Pearson, Spearman and Kendall's tau-b.

    Args:
        measure: Name of the measure.
        units: All answers, of both halves.
        kind: Kind of the labels.
        split: Half that is reported, or all.
    """
    reported = [unit for unit in units if split in ("all", unit.split)]
    scored = [unit for unit in reported if not np.isnan(unit.value)]
    thresholds, where = _thresholds(units, scored, split) if kind == "binary" else ({}, "")
    values = [
        unit._replace(value=unit.value - thresholds[unit]) if thresholds else unit
        for unit in scored
    ]
    columns = {subset: _columns(values, scored, subset) for subset in _subsets(scored)}
    statistics = _BINARY if kind == "binary" else _GRADED
    within = {
        subset: {name: statistic(*column[:3]) for name, statistic in statistics.items()}
        for subset, column in columns.items()
    }
    random = np.random.default_rng(_SEED)
    draws = {subset: _draws(column[3], random) for subset, column in columns.items()}
    figures = {}
    for name, statistic in statistics.items():
        subsets = [subset for subset in columns if within[subset][name] is not None]
        if subsets:
            samples = [_resampled(statistic, columns[s], draws[s]) for s in subsets]
            value = float(np.mean([within[subset][name] for subset in subsets]))
            figures[name] = Figure(value, *_interval(samples))
    return Agreement(
        measure=measure,
        figures=figures,
        subsets={
            subset: {name: value for name, value in row.items() if value is not None}
            for subset, row in within.items()
        },
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
    random = np.random.default_rng(_SEED)
    values, samples = [], []
    for subset in _subsets(units):
        first = _columns(units, units, subset)
        second = None if others is None else _columns(others, others, subset)
        results = [function(*column[:3]) for column in (first, second) if column is not None]
        if None in results:
            continue
        draws = _draws(first.groups, random)
        resampled = [_resampled(function, column, draws) for column in (first, second) if column]
        values.append(_minus(results))
        samples.append(_minus(resampled))
    return Figure(float(np.mean(values)), *_interval(samples)) if values else None


def _minus(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else values[0] - values[1]


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
    by_subset = split == "all" and len(_subsets(all_scored)) > 2
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
    sizes = {
        key: sum((unit.subset, unit.label > 0) == key for unit in units)
        for key in {(unit.subset, unit.label > 0) for unit in units}
    }
    weights = [1 / sizes[unit.subset, unit.label > 0] for unit in units]
    columns = ([unit.label for unit in units], [unit.value for unit in units], weights)
    return best_threshold(*(np.asarray(column, dtype=np.float64) for column in columns))


class _Columns(NamedTuple):
    labels: Floats
    values: Floats
    """Distance from the threshold."""

    raw: Floats
    groups: NDArray[np.int64]


def _columns(values: Sequence[Unit], scored: Sequence[Unit], subset: str) -> _Columns:
    pairs = [(v, s) for v, s in zip(values, scored, strict=True) if s.subset == subset]
    _, groups = np.unique([unit.group for unit, _ in pairs], return_inverse=True)
    return _Columns(
        np.array([unit.label for unit, _ in pairs]),
        np.array([unit.value for unit, _ in pairs]),
        np.array([unit.value for _, unit in pairs]),
        groups,
    )


def _draws(groups: NDArray[np.int64], random: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return the rows of each bootstrap sample of whole groups."""
    rows = [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]
    if len(rows) < 2:
        return []
    drawn = random.integers(0, len(rows), size=(RESAMPLES, len(rows)))
    return [np.concatenate([rows[index] for index in draw]) for draw in drawn]


def _resampled(
    statistic: "_OfColumns", columns: _Columns, draws: Sequence[NDArray[np.int64]]
) -> Floats:
    labels, values, raw, _ = columns
    results = [statistic(labels[rows], values[rows], raw[rows]) for rows in draws]
    return np.array([np.nan if value is None else value for value in results])


def _interval(samples: Sequence[Floats]) -> tuple[float | None, float | None]:
    if not all(len(sample) for sample in samples):
        return None, None
    means = np.mean(samples, axis=0)
    means = means[~np.isnan(means)]
    if not len(means):
        return None, None
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _subsets(units: Sequence[Unit]) -> list[str]:
    return list(dict.fromkeys(unit.subset for unit in units))


_OfColumns = Callable[[Floats, Floats, Floats], float | None]


def _auc(labels: Floats, values: Floats, raw: Floats) -> float | None:
    """Return the share of good-bad pairs in which the good answer scores higher.

    A tie is a half. By ranks (Mann and Whitney 1947), as resampling computes it a thousand times.
    """
    good = labels > 0
    count = int(good.sum())
    pairs = count * (len(good) - count)
    if not pairs:
        return None
    return float((rankdata(raw)[good].sum() - count * (count + 1) / 2) / pairs)


def _rates(labels: Floats, values: Floats) -> tuple[float, float]:
    """Return the share of good answers that pass, and of bad ones that do not."""
    good, passed = labels > 0, values >= 0
    return float(passed[good].mean()), float((~passed[~good]).mean())


def _balanced_accuracy(labels: Floats, values: Floats, raw: Floats) -> float | None:
    return sum(_rates(labels, values)) / 2 if varies(labels) else None


def _false_alarms(labels: Floats, values: Floats, raw: Floats) -> float | None:
    return 1 - _rates(labels, values)[0] if varies(labels) else None


def _kappa(labels: Floats, values: Floats, raw: Floats) -> float | None:
    good, passed = labels > 0, values >= 0
    observed = float((good == passed).mean())
    by_chance = float(good.mean() * passed.mean() + (1 - good.mean()) * (1 - passed.mean()))
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else None


def _pearson(labels: Floats, values: Floats, raw: Floats) -> float | None:
    if not (varies(labels) and varies(raw)):
        return None
    return float(np.corrcoef(labels, raw)[0, 1])


def _of_raw(statistic: Statistic, labels: Floats, values: Floats, raw: Floats) -> float | None:
    return statistic(labels, raw)


_BINARY: Mapping[str, _OfColumns] = {
    "auc": _auc,
    "balanced_accuracy": _balanced_accuracy,
    "kappa": _kappa,
    "false_alarms": _false_alarms,
}
_GRADED: Mapping[str, _OfColumns] = {
    "pearson": _pearson,
    "spearman": partial(_of_raw, spearman),
    "kendall": partial(_of_raw, tau),
}
