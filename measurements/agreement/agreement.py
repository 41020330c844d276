"""Agreement of scorers with human labels, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from arag_inspect.stats.agreement import kappa, pearson, spearman, tau, varies
from arag_inspect.stats.estimates import Floats

from .sets import LabelKind, Split

RESAMPLES = 1_000
_SEED = 20_260_101
_FOLDS = 5

Statistic = Callable[[Floats], float | None]
"""Of labels, distances from the threshold, and values, shape (3, units)."""


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

    threshold: str
    """Origin of the threshold of a binary verdict, with its value if there is one."""

    scored: int
    unscored: int


def measure_agreement(
    measure: str, units: pd.DataFrame, kind: LabelKind, split: Split
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
        units: All labelled answers or pairs, of both halves: label, value (higher is
            better; NaN if unscored), group, subset, split.
        kind: Kind of the labels.
        split: Half that is reported, or all.
    """
    reported = units if split == "all" else units[units["split"] == split]
    valued = units.dropna(subset="value")
    scored = valued.loc[valued.index.intersection(reported.index)]
    thresholds, where = _thresholds(valued, scored, split) if kind == "binary" else (0.0, "")
    scored = scored.assign(margin=scored["value"] - thresholds)
    statistics = BINARY if kind == "binary" else GRADED
    figures = {name: resampled(scored, statistic) for name, statistic in statistics.items()}
    return Agreement(
        measure=measure,
        figures={name: figure for name, figure in figures.items() if figure is not None},
        threshold=where,
        scored=len(scored),
        unscored=len(reported) - len(scored),
    )


def resampled(units: pd.DataFrame, statistic: Statistic) -> Figure | None:
    """Return the mean of a statistic over the subsets where it is defined; None if there are none.

    Its interval is that of a percentile bootstrap over groups, drawn within each subset.

    Args:
        units: Label, margin, value, group, subset.
        statistic: Of label, margin and value.
    """
    drawn, random = [], np.random.default_rng(_SEED)
    for _, subset in units.groupby("subset", sort=False):
        columns: Floats = subset[["label", "margin", "value"]].to_numpy(float).T
        if statistic(columns) is not None:
            codes = subset["group"].factorize(sort=True)[0]
            rows = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
            drawn.append(_draws(columns, rows, statistic, random))
    if not drawn:
        return None
    means = np.mean(drawn, axis=0)
    value, samples = float(means[0]), means[1:][~np.isnan(means[1:])]
    if not samples.size:
        return Figure(value, None, None)
    low, high = np.quantile(samples, [0.025, 0.975])
    return Figure(value, float(low), float(high))


def _draws(
    columns: Floats,
    rows: Sequence[NDArray[np.int64]],
    statistic: Statistic,
    random: np.random.Generator,
) -> Floats:
    """Return a statistic of all groups, then of samples of groups; NaN where it is not defined."""
    values = [statistic(columns)]
    for groups in random.integers(0, len(rows), (RESAMPLES, len(rows))):
        chosen = np.concatenate([rows[group] for group in groups])
        values.append(statistic(columns[:, chosen]) if len(rows) > 1 else None)
    return np.array(values, dtype=float)


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


def _thresholds(valued: pd.DataFrame, scored: pd.DataFrame, split: Split) -> tuple[pd.Series, str]:
    """Return a threshold for each scored unit, chosen on units of other groups."""
    if split == "test":
        threshold = _fit(valued[valued["split"] == "development"])
        return pd.Series(threshold, scored.index), f"development half: {threshold:.3f}"
    if split == "all" and valued["subset"].nunique() > 2:
        folds, where = scored["subset"], "the other subsets"
    else:
        codes = scored["group"].factorize(sort=True)[0]
        folds = pd.Series(codes % _FOLDS, scored.index)
        where = f"the other of {_FOLDS} folds of groups"
    return folds.map({fold: _fit(scored[folds != fold]) for fold in folds.unique()}), where


def _fit(units: pd.DataFrame) -> float:
    """Return the threshold for the mean over subsets."""
    if units.empty:
        return 0.0
    weights = 1 / units.groupby(["subset", units["label"] > 0])["label"].transform("size")
    return best_threshold(*units[["label", "value"]].assign(weight=weights).to_numpy(float).T)


def _balanced_accuracy(columns: Floats) -> float | None:
    good, passed = columns[0] > 0, columns[1] >= 0
    if not varies(columns[0]):
        return None
    return fmean((float(passed[good].mean()), float((~passed[~good]).mean())))


def _roc_auc(columns: Floats) -> float | None:
    """Return the share of good-bad pairs in which the good one has the higher value.

    A tie is a half. By ranks (Mann and Whitney 1947).
    """
    good = columns[0] > 0
    count = int(good.sum())
    pairs = count * (len(good) - count)
    if not pairs:
        return None
    return float((rankdata(columns[2])[good].sum() - count * (count + 1) / 2) / pairs)


def _false_alarms(columns: Floats) -> float | None:
    passed = columns[1][columns[0] > 0] >= 0
    return 1 - float(passed.mean()) if varies(columns[0]) else None


def _pearson(columns: Floats) -> float | None:
    correlation = pearson(columns[0], columns[2])
    return None if correlation is None else correlation.r


BINARY: Mapping[str, Statistic] = {
    "auc": _roc_auc,
    "balanced_accuracy": _balanced_accuracy,
    "kappa": lambda columns: kappa(columns[0] > 0, columns[1] >= 0),
    "agreement": lambda columns: float(((columns[0] > 0) == (columns[1] >= 0)).mean()),
    "false_alarms": _false_alarms,
}
GRADED: Mapping[str, Statistic] = {
    "pearson": _pearson,
    "spearman": lambda columns: spearman(columns[0], columns[2]),
    "kendall": lambda columns: tau(columns[0], columns[2]),
}
