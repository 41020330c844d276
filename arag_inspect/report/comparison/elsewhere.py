"""List secondary measures on which a system is worse."""

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd

from ..._util.wording import format_count, milliseconds
from ...stats.estimates import Floats, Paired, paired_difference
from ...stats.power import clusters_needed
from ..labels import in_sentence
from ..study import Study
from ..table import Usd, show
from .basis import counted_groups
from .comparability import pair_values, without_empty_interval
from .comparisons import ALPHA, Comparison, all_comparisons
from .leads import largest_lead
from .pairs import fixed_baseline
from .retests import noise_floors

_LEAST_RISE = 1.1
"""Smallest ratio of two costs or times that is reported."""


_LARGE = 0.5
"""Share of a scale from which a difference is reported whatever its interval."""


def worse_elsewhere(study: Study, stated: Collection[str], most: int | None = None) -> str:
    """Name measures, except those stated already, on which the winner or the newer run is worse.

    E.g. `figures supported -0.350 [-0.550, -0.150] (uncorrected intervals)`. It is worse if the
    interval excludes zero, or by half of the scale, or by the same on every sample (few samples
    that all got worse have no interval). For a change, rises in cost, tokens and time are named
    too. Without a winner or a baseline, the measures are those on which any system is worse than
    another. Systems are named unless they are those of the headline. Empty if nothing is worse.

    Args:
        study: Systems that are compared.
        stated: Measures to leave out.
        most: Maximum number of measures to name, differences of half the scale first; None for all.
    """
    worst: dict[str, Comparison] = {}
    for pair in sorted(_losses(study), key=lambda pair: (not _is_large(pair), pair.paired.p)):
        if pair.measure.key not in stated:
            worst.setdefault(pair.measure.key, pair)
    texts = [_describe(study, pair) for pair in worst.values()]
    more = len(texts) - (most or len(texts))
    if more > 0:
        texts[most:] = [f"and {more} more measure{'s' if more > 1 else ''}"]
    if any(pair.paired.low != pair.paired.high for pair in worst.values()):
        texts[-1] += " (uncorrected intervals)"
    texts += _rises(study, stated) if study.choices.is_change else []
    return "; ".join(texts)


def _losses(study: Study) -> Iterator[Comparison]:
    """Yield the comparisons that the system of the headline, or else any system, loses."""
    lead = largest_lead(study)
    baseline = fixed_baseline(study)
    floors = noise_floors(study)
    for pair in all_comparisons(study):
        low, high = pair.paired.low or 0.0, pair.paired.high or 0.0
        is_beyond = abs(pair.paired.difference) > floors.get(pair.measure.key, 0)
        is_shown = low * high > 0 or _is_uniform(pair.paired) or _is_large(pair)
        if not (is_beyond and is_shown and pair.is_alike):
            continue
        is_winner = not baseline and (lead is None or pair.behind == lead.winner)
        if is_winner or (baseline and pair.behind != baseline):
            yield pair


def _is_large(pair: Comparison) -> bool:
    """Return whether a difference is at least half of the scale of its measure."""
    span = pair.measure.range_width
    return span is not None and abs(pair.paired.difference) >= _LARGE * span


def _is_uniform(paired: Paired) -> bool:
    """Return whether two systems differ by the same on every one of several samples."""
    return paired.n > 1 and paired.difference != 0 and paired.deviation == 0


def _describe(study: Study, pair: Comparison) -> str:
    """Return a measure and the difference of the worse system to the better one."""
    ahead = pair.other(pair.behind)
    difference = pair.seen_from(ahead)
    figures = show(difference)
    counts = _counts(study, pair)
    if counts:
        extent = difference.why or figures
        if difference.low is None:
            extent = "too few for an interval"
        figures = f"{counts} ({extent})"
    text = f"{in_sentence(pair.measure)} {figures}"
    is_obvious = study.choices.is_change or (len(study.systems) == 2 and largest_lead(study))
    return text if is_obvious else f"{text} ({pair.behind} than {ahead})"


def _counts(study: Study, pair: Comparison) -> str:
    """Return e.g. `4 of 4 → 0 of 4` for a change of a measure that is 0 or 1, else nothing."""
    ahead = pair.other(pair.behind)
    values = pair_values(study, ahead, pair.behind, pair.measure.key)
    both = np.array([values.a, values.b])
    both = both[:, ~np.isnan(both).any(axis=0)]
    if not np.isin(both, (0, 1)).all():
        return ""
    before, after = (f"{count:.0f} of {both.shape[1]:,}" for count in both.sum(axis=1))
    return f"{before} → {after}" if study.choices.is_change else f"{after} against {before}"


def _rises(study: Study, stated: Collection[str]) -> Iterator[str]:
    """Yield the cost, or else the tokens, and the time that rose.

    A rise beyond its interval, or by the same on every sample, is named alone; one that most groups
    share is named with their number.
    """
    new, earlier = study.systems
    is_cost_stated = study.catalogue.key_of("cost") in stated
    is_cost_known = bool(study.finished["cost_usd"].notna().any())
    columns = {
        "cost_usd": ("cost per question", is_cost_stated),
        "tokens": ("tokens per question", is_cost_stated or is_cost_known),
        "latency_ms": ("time per question", study.catalogue.key_of("latency") in stated),
    }
    for column, (name, is_stated) in columns.items():
        by_sample = study.finished.groupby(["id", "system"])[column].mean().unstack("system")
        aligned = by_sample.reindex(index=list(study.sample_ids), columns=[new, earlier])
        values = aligned.to_numpy(float)
        paired = paired_difference(values[:, 0], values[:, 1], study.clusters, resamples=1)
        if paired is None or is_stated:
            continue
        before, after = paired.mean_b, paired.mean_a
        if not before or after < _LEAST_RISE * before:
            continue
        text = f"{name} {_amount(column, before)} → {_amount(column, after)}"
        low = without_empty_interval(paired, paired.clusters).low
        extent = _extent_of_rise(study, values[:, 0] - values[:, 1])
        if _is_uniform(paired) or (low is not None and low > 0):
            yield text
        elif extent:
            yield f"{text} ({extent})"


def _extent_of_rise(study: Study, rises: Floats) -> str:
    """Return how many groups share a rise: `higher in 4 of 4 companies`; empty if too few do.

    Enough are all of fewer than six, or so many that a sign test finds p below 0.05. If all samples
    are of one group, samples are counted.

    Args:
        study: Systems that are compared.
        rises: Difference on each sample, shape (samples,); NaN if unknown.
    """
    is_known = ~np.isnan(rises)
    groups = study.clusters[is_known]
    is_by_group = 1 < len(set(groups)) < len(groups)
    means = pd.Series(rises[is_known].round(12))  # sums of equal amounts differ in their last bits
    if is_by_group:
        means = means.groupby(groups).mean()
    count = len(means)
    risen = int((means > 0).sum())
    if count < 2 or not _is_shared(risen, int((means < 0).sum()), count):
        return ""
    counted = counted_groups(count, study) if is_by_group else format_count(count, "sample")
    return f"higher in {risen} of {counted}"


def _is_shared(risen: int, fallen: int, groups: int) -> bool:
    """Return whether nearly all of several groups rose."""
    from scipy.stats import binomtest  # slow to import

    if groups < clusters_needed(1):
        return risen == groups
    return risen > fallen and binomtest(risen, risen + fallen).pvalue < ALPHA


def _amount(column: str, amount: float) -> str:
    match column:
        case "cost_usd":
            return show(Usd(amount))
        case "latency_ms":
            return milliseconds(amount)
        case _:
            return f"{amount:,.0f}"
