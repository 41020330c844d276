"""Cost and time of the answers of each system."""

from itertools import combinations

import pandas as pd

from ..cells import Cell, Over, Usd
from ..study import Study, cached_per_study

TIME = (
    "Time per answer, without waits for connections or retries (live systems: from request to "
    "reply; replayed files: as given). It includes work on other samples in the same process, so "
    "compare only runs with the same --max-samples."
)

IN_PARALLEL = "in parallel"
"""Marks times measured while other samples or systems ran, which may be too long."""


def percentile(times: "pd.Series[float]", share: float) -> Over | None:
    """Return a percentile of the known times, with their number."""
    times = times.dropna()
    return Over(float(times.quantile(share)), len(times)) if len(times) else None


def time_percentiles(study: Study, share: float) -> dict[str, Over | None]:
    """Return a percentile of the time per answer by system, with the number of known times."""
    return {
        system: percentile(answers["latency_ms"], share)
        for system, answers in study.by_system(study.finished)
    }


@cached_per_study
def timed_at_once(study: Study) -> frozenset[str]:
    """Return the systems whose times were measured while several of their samples ran."""
    systems = (run.system for run in study.rows if run.samples_at_once)
    return frozenset(systems) - systems_with_given_times(study)


@cached_per_study
def concurrent_systems(study: Study) -> frozenset[str]:
    """Return the systems that ran while another did, as far as their times are known."""
    runs = study.runs.drop(index=[*systems_with_given_times(study)])
    starts, ends = (
        pd.to_datetime(runs[column], format="ISO8601", errors="coerce", utc=True)
        for column in ("started", "ended")
    )
    concurrent: set[str] = set()
    for first, second in combinations(runs["system"], 2):
        if starts[first] < ends[second] and starts[second] < ends[first]:
            concurrent |= {first, second}
    return frozenset(concurrent)


@cached_per_study
def systems_with_given_times(study: Study) -> frozenset[str]:
    """Return the systems whose times come from a file or a recording, not from their run."""
    systems = set()
    for run, (system, answers) in zip(study.rows, study.by_system(study.answers), strict=True):
        if run.replayed or answers["recordings"].map(bool).any():
            systems.add(system)
    return frozenset(systems)


@cached_per_study
def judge_cost(study: Study) -> "pd.Series[float]":
    """Return the cost in dollars of all first judgements by answer; NaN if a price is unknown."""
    first = study.first_verdicts
    return first.groupby("answer")["cost_usd"].agg(lambda costs: costs.sum(skipna=False))


@cached_per_study
def cost_by_coverage(study: Study) -> dict[str, Cell]:
    """Return the dollars per point of coverage above the lowest of its scale, by system."""
    spec = study.catalogue.spec(study.catalogue.key_of("coverage"))
    coverage = study.scores_of(spec.key).set_index("answer")["value"] - (spec.low or 0.0)
    both = study.finished.assign(coverage=coverage).dropna(subset=["cost_usd", "coverage"])
    cells: dict[str, Cell] = {}
    for system, answers in study.by_system(both):
        points = answers["coverage"].sum()
        dollars = answers["cost_usd"].sum()
        has_points = points > 0
        cells[system] = Over(Usd(float(dollars / points)), len(answers)) if has_points else None
    return cells
