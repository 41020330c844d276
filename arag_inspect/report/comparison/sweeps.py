"""Sweeps of several models by several systems: each contrast on every level of the other factor."""

from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from ..._util.wording import join_names
from ...measure import MeasureSpec
from ...stats.bootstrap import percentile_interval, resample_means
from ...stats.estimates import Floats, paired_difference
from ...stats.multiple_tests import holm
from ...stats.power import ALPHA
from ...stats.strata import Codes
from ..study import Study, cached_per_study
from .comparability import pair_values
from .comparisons import swaps_for
from .primary import primary_measures
from .retests import noise_floors

Factor = Literal["system", "model"]

MEAN = ""
"""Level of a contrast that is averaged over all levels."""

_CONTRAST = ["measure", "a", "b"]
_COLUMNS = [*_CONTRAST, "level", "n", "difference", "low", "high", "p"]
_ROUNDING = 1e-9
"""Differences smaller than this are rounding errors."""


class ModelLead(NamedTuple):
    """A lead of one model over another that is shown, averaged over the systems of both."""

    measure: MeasureSpec
    winner: str
    loser: str
    difference: float
    """Difference of the winner to the loser; negative if lower values are better."""

    low: float
    high: float


class Reversal(NamedTuple):
    """A contrast that changes sign between the levels of the other factor."""

    measure: MeasureSpec
    a: str
    b: str
    ahead: tuple[str, ...]
    """Levels on which a is better, or higher if the measure has no direction."""

    behind: tuple[str, ...]
    shown: bool
    """Whether an interval excludes zero on either side."""


def grid(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the run of each system (rows) with each model (columns), NaN where there is none."""
    cells = runs[runs["named_model"] != ""]
    wide = cells.pivot(index="variant", columns="named_model", values="system")
    return wide.reindex(index=cells["variant"].unique(), columns=cells["named_model"].unique())


@cached_per_study
def contrasts(study: Study, factor: Factor) -> pd.DataFrame:
    """Contrast systems on every model, or models on every system, and average over these.

    The mean weights all levels equally. Intervals are percentiles of bootstrap means over groups of
    samples; each draw is shared by all levels, whose means vary together.

    Args:
        study: Several runs on the same samples.
        factor: Factor to contrast.

    Returns:
        A row for each primary measure, two systems or models, and level of the other factor where
        both ran and were measured alike; then one with level `MEAN`. Contrasts with fewer than two
        levels are left out. Columns: measure, a, b, level, n, difference (a - b), low and high
        (NaN with a single group), and p (only of means; by swaps of the two sides on all samples
        of a group, with Holm's correction over all means).
    """
    runs = grid(study.runs)
    runs = runs if factor == "system" else runs.T
    keys: list[tuple[str, str, str, str]] = []
    columns: list[Floats] = []
    for measure in primary_measures(study):
        for a, b in combinations(runs.index, 2):
            by_level = _by_level(study, runs.loc[a], runs.loc[b], measure)
            if len(by_level) > 1:
                keys += [(measure, a, b, level) for level in by_level]
                columns += by_level.values()
    if not keys:
        return pd.DataFrame([], columns=_COLUMNS)
    values = np.column_stack(columns)
    draws = resample_means(values, study.clusters)
    rows = []
    numbered = pd.DataFrame(keys, columns=[*_CONTRAST, "level"])
    p_by_contrast = _corrected_ps(values, numbered, study.clusters)
    for contrast, levels in numbered.groupby(_CONTRAST, sort=False):
        columns_by_level = {level: [number] for number, level in levels["level"].items()}
        columns_by_level[MEAN] = list(levels.index)
        for level, numbers in columns_by_level.items():
            estimate = _estimate(values[:, numbers], draws[:, numbers], study.clusters)
            p = p_by_contrast[contrast] if level == MEAN else np.nan
            rows.append((*contrast, level, *estimate, p))
    return pd.DataFrame(rows, columns=_COLUMNS)


def model_leads(study: Study) -> list[ModelLead]:
    """Return the leads of models that are shown, on the first primary measure with any.

    As for a winner, the interval must exclude zero, p after correction be below 0.05, and the
    difference exceed the change when judged again.
    """
    floors = noise_floors(study)
    estimates = contrasts(study, "model")
    means = estimates[(estimates["level"] == MEAN) & (estimates["p"] < ALPHA)]
    leads = []
    for row in means[means["low"] * means["high"] > 0].itertuples():
        measure = study.catalogue.spec(row.measure)
        is_noise = abs(row.difference) <= floors.get(measure.key, 0)
        if measure.higher_is_better is None or is_noise:
            continue
        if measure.sign * row.difference > 0:
            lead = ModelLead(measure, row.a, row.b, row.difference, row.low, row.high)
        else:
            lead = ModelLead(measure, row.b, row.a, -row.difference, -row.high, -row.low)
        leads.append(lead)
    return [lead for lead in leads if lead.measure.key == leads[0].measure.key]


@cached_per_study
def reversals(study: Study, factor: Factor) -> tuple[Reversal, ...]:
    """Return the contrasts that change sign between the levels of the other factor."""
    estimates = contrasts(study, factor)
    by_level = estimates[estimates["level"] != MEAN]
    changed = []
    for (key, a, b), levels in by_level.groupby(_CONTRAST, sort=False):
        measure = study.catalogue.spec(key)
        ahead = levels[measure.sign * levels["difference"] > 0]
        behind = levels[measure.sign * levels["difference"] < 0]
        if len(ahead) and len(behind):
            excludes_zero = [(side["low"] * side["high"] > 0).any() for side in (ahead, behind)]
            names = tuple(ahead["level"]), tuple(behind["level"])
            changed.append(Reversal(measure, a, b, *names, shown=all(excludes_zero)))
    return tuple(changed)


def _by_level(
    study: Study, first: "pd.Series[str]", second: "pd.Series[str]", measure: str
) -> dict[str, Floats]:
    """Return the differences of two systems, or models, by sample on each level of both."""
    least = max(study.catalogue.spec(measure).tie, _ROUNDING)
    differences = {}
    for level in first.index[first.notna() & second.notna()]:
        pair = pair_values(study, first[level], second[level], measure)
        difference = pair.a - pair.b
        if not (pair.nowhere_alike or np.isnan(difference).all()):
            differences[level] = np.where(np.abs(difference) < least, 0.0, difference)
    return differences


def _corrected_ps(
    values: Floats, numbered: pd.DataFrame, clusters: Codes
) -> dict[tuple[str, str, str], float]:
    """Return p of each contrast's mean over levels, with Holm's correction over all contrasts.

    Args:
        values: Differences by sample, shape (samples, columns).
        numbered: Contrast of each column.
        clusters: Group of each sample, shape (samples,).
    """
    columns_by_contrast = {
        contrast: list(levels.index) for contrast, levels in numbered.groupby(_CONTRAST, sort=False)
    }
    swaps = swaps_for(len(columns_by_contrast))
    ps = []
    for columns in columns_by_contrast.values():
        differences = values[:, columns]
        samples_by_level = (~np.isnan(differences)).sum(axis=0)
        # a sample counts on each level with the inverse of the samples there, as in the mean
        weighted = np.nansum(differences / samples_by_level, axis=1) * len(differences)
        paired = paired_difference(weighted, np.zeros(len(weighted)), clusters, resamples=swaps)
        ps.append(1.0 if paired is None else paired.p)
    return dict(zip(columns_by_contrast, holm(ps), strict=True))


def _estimate(values: Floats, draws: Floats, clusters: Codes) -> tuple[int, float, float, float]:
    """Return samples, mean over levels of equal weight, and its interval.

    Args:
        values: Differences by sample and level, shape (samples, levels).
        draws: Their means in each draw, shape (draws, levels).
        clusters: Group of each sample, shape (samples,).
    """
    is_known = ~np.isnan(values).all(axis=1)
    mean = float(np.nanmean(values, axis=0).mean())
    ends = (np.nan, np.nan)
    if len(np.unique(clusters[is_known])) > 1:
        ends = percentile_interval(draws.mean(axis=1))
    return int(is_known.sum()), mean, *ends


def describe_reversal(change: Reversal) -> str:
    """Describe the levels on which one side is ahead and the levels on which it is behind."""
    ahead = "ahead of"
    behind = "behind"
    if change.measure.higher_is_better is None:
        ahead = "above"
        behind = "below"
    text = f"{change.a} is {ahead} {change.b} with {join_names(change.ahead)}"
    return f"{text} and {behind} it with {join_names(change.behind)}"
