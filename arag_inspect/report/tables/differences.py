"""Tables of paired differences, samples needed to show one, repetition, and bounds."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...stats.estimates import samples_needed
from ..advice import BOUNDS
from ..comparisons import compared, family_of
from ..primary import primary_measures
from ..study import Study
from ..table import Cell, P, Signed, Words, tabled

_STEPS, _GRADE_STEPS = (0.01, 0.02, 0.05, 0.1), (0.025, 0.05, 0.075, 0.125)
"""Differences of interest, for measures from 0 to 1 and as shares of a scale of grades."""

_LISTED = 5
"""Most samples named in a cell."""

_FEWEST = 10
"""Samples for a comparison at equal budget."""

_SAME_BUDGET = 1.25
"""Largest ratio of two costs that count as equal."""


def _about(study: Study) -> Words:
    pairs = compared(study)
    first = sum(pair.role == "primary" for pair in pairs)
    text = family_of(study).text(pairs)
    return {"family": text, "primary": str(first), "secondary": str(len(pairs) - first)}


@tabled("comparisons", _about)
def comparisons(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the paired differences of a family; None if there is nothing to compare."""
    for pair in compared(study):
        paired = pair.paired
        yield (
            *(pair.role, pair.measure.label, pair.a, pair.b, paired.n),
            Signed(paired.difference, paired.low, paired.high),
            *(P(paired.p), P(pair.p_adjusted), Signed(paired.effect), pair.detectable),
            f"{paired.wins}/{paired.ties}/{paired.losses}",
            pair.verdict,
        )


@tabled("power")
def power(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the samples needed to show a difference; None if no difference varies."""
    for pair in compared(study):
        span = (pair.measure.high or 0) - (pair.measure.low or 0)
        if not pair.paired.deviation or not (pair.measure.graded or span == 1):
            continue
        steps = [span * step for step in _GRADE_STEPS] if pair.measure.graded else _STEPS
        spread = pair.paired.deviation, pair.paired.design_effect
        needed = {step: samples_needed(step, *spread) for step in steps}
        samples = ", ".join(f"{step:g}: {n:,}" for step, n in needed.items() if n)
        yield pair.measure.label, pair.a, pair.b, pair.paired.n, pair.needed, samples


@tabled("equal_budget")
def equal_budget(study: Study) -> Iterator[Sequence[Cell]]:
    """Return differences on samples that cost both systems about the same; None without ten."""
    for budget, column in (("tokens", "tokens"), ("dollars", "cost_usd")):
        spent = study.answers.groupby(["id", "system"])[column].mean().unstack("system")
        spent = spent.reindex(list(study.sample_ids))
        for a, b in family_of(study).pairs:
            low, high = spent[[a, b]].min(axis=1), spent[[a, b]].max(axis=1, skipna=False)
            same = ((low > 0) & (high <= _SAME_BUDGET * low)).to_numpy()
            for measure in study.main if same.sum() >= _FEWEST else ():
                paired = study.compare(a, b, measure.key, among=same)
                if paired is not None and paired.n >= _FEWEST:
                    difference = Signed(paired.difference, paired.low, paired.high)
                    means = paired.mean_a, paired.mean_b
                    yield budget, measure.label, a, b, paired.n, *means, difference


@tabled("consistency")
def consistency(study: Study) -> Iterator[Sequence[Cell]]:
    """Return pass^k, flips and spread of every primary measure; None with a single epoch."""
    for measure, system, values in _repeated(study):
        spec = study.spec(measure)
        low, span = spec.low or 0.0, spec.span or 1.0
        passed = values >= low + 0.75 * span
        if spec.higher_is_better is False:
            passed = values <= low + 0.25 * span
        flips = passed.any(axis=1) & ~passed.all(axis=1)
        names = list(values.index[flips])
        listed = ", ".join(map(str, names[:_LISTED])) + (" ..." if len(names) > _LISTED else "")
        yield (
            system,
            spec.label,
            values.shape[1],
            len(values),
            _mean(study, passed.mean(axis=1)),
            _mean(study, passed.all(axis=1).astype(float)),
            _mean(study, flips.astype(float)),
            listed or None,
            float(values.std(axis=1, ddof=1).mean()),
            _half_width(values),
        )


@tabled("beyond_chance")
def beyond_chance(study: Study) -> Iterator[Sequence[Cell]]:
    """Compare differences with what repetition alone would give; None with a single epoch."""
    by_measure: dict[str, dict[str, pd.DataFrame]] = {}
    for measure, system, values in _repeated(study):
        by_measure.setdefault(measure, {})[system] = values
    for measure, systems in by_measure.items():
        for a, b in combinations(systems, 2):
            both = systems[a].index.intersection(systems[b].index)
            if len(both):
                first, second = systems[a].loc[both], systems[b].loc[both]
                gap = float((first.mean(axis=1) - second.mean(axis=1)).mean())
                noise = float(np.hypot(_half_width(first), _half_width(second)))
                larger = "yes" if abs(gap) > noise else "no"
                yield study.spec(measure).label, a, b, Signed(gap), noise, larger


def _repeated(study: Study) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield the values of each primary measure and system, shape (samples, epochs), if several."""
    is_repeated = study.answers["epoch"].nunique() > 1
    for measure in primary_measures(study) if is_repeated else ():
        own = study.scores[study.scores["measure"] == measure]
        for system, rows in study.by_system(own):
            values = rows.pivot_table(index="id", columns="epoch", values="value", sort=False)
            values = values.dropna()
            if values.shape[1] > 1 and len(values):
                yield measure, system, values


def _half_width(values: pd.DataFrame) -> float:
    """Return the half-width that the variance within samples gives the mean of all."""
    samples, epochs = values.shape
    variance = float(values.var(axis=1, ddof=1).mean())
    return float(1.96 * np.sqrt(variance / (samples * epochs)))


def _mean(study: Study, values: "pd.Series[float]") -> Cell:
    aligned = values.reindex(list(study.sample_ids)).to_numpy(float)
    return study.mean(aligned, (0, 1))


class Position(NamedTuple):
    """A system between the closed book and the oracle of its model."""

    measure: str
    system: str
    floor: float
    mean: float
    ceiling: float
    share: Signed
    """Share of the way from floor to ceiling."""


def positions(study: Study, only: str | None = None) -> Iterator[Position]:
    """Yield the place of every system whose model has a closed book and an oracle.

    On the samples of all three. The interval is that of the ratio of two means over companies
    (linearised). Where the ceiling is not above the floor there is no place.

    Args:
        study: What is compared.
        only: The only measure; None for the primary ones and the share of facts stated.
    """
    deciding = (*primary_measures(study), study.key_of("facts stated"))
    keys = [key for key in deciding if key in study.measures]
    for measure in [only] if only else dict.fromkeys(keys):
        for run in study.rows:
            low, high = (_bound(study, solver, run.model) for solver in BOUNDS[:2])
            if run.solver in BOUNDS or low is None or high is None:
                continue
            floor, own, ceiling = (study.of(name, measure) for name in (low, run.system, high))
            answered = ~np.isnan(floor + own + ceiling)
            if not answered.any():
                continue
            least, mean, most = (float(values[answered].mean()) for values in (floor, own, ceiling))
            gap = most - least
            better = study.spec(measure).higher_is_better is not False
            if gap == 0 or (gap > 0) != better:
                continue
            share = (mean - least) / gap
            rest = np.where(answered, (own - floor - share * (ceiling - floor)) / gap, np.nan)
            error = study.mean(rest)
            position = Signed(share)
            if error is not None and error.low is not None and error.high is not None:
                position = Signed(share, share + error.low, share + error.high)
            yield Position(measure, run.system, least, mean, most, position)


@tabled("bounds")
def bounds(study: Study) -> Iterator[Sequence[Cell]]:
    """Return every system's place; None without a closed book and an oracle."""
    for own in positions(study):
        label = study.spec(own.measure).label
        yield label, own.system, own.floor, own.mean, own.ceiling, own.share


def _bound(study: Study, solver: str, model: str) -> str | None:
    return next(
        (run.system for run in study.rows if (run.solver, run.model) == (solver, model)), None
    )
