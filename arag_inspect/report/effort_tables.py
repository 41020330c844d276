"""Tables of what the answers cost."""

from collections.abc import Callable, Iterable

import numpy as np

from .measures import measure
from .results import Benchmark, Run, SampleResult
from .statistics import Floats
from .tables import Cell, Share, Table, Usd

_COVERAGE = "geval_coverage"


def effort(benchmark: Benchmark) -> Table:
    """Dollars, time, tokens and loops by system."""
    coverage = measure(_COVERAGE, benchmark.scales).label.lower()
    return Table(
        "effort",
        "Cost and latency",
        "Of the system under test alone, by question; the judges' cost stands apart. Latency is "
        "working time, without waits for a connection. A dash: not known, e.g. a model without a "
        "known price. Cost by coverage point is mean cost / mean "
        f"{coverage}. Stopped: share of answers at the loop or token limit.",
        (
            "system",
            "USD a question",
            "USD in all",
            "USD a coverage point",
            "p50 ms",
            "p90 ms",
            "p99 ms",
            "tokens in",
            "tokens out",
            "loops",
            "words",
            "stopped",
            "judge USD a question",
        ),
        tuple(_effort(run) for run in benchmark.runs),
    )


def _effort(run: Run) -> tuple[Cell, ...]:
    costs = _known(run.samples, lambda sample: sample.cost_usd)
    times = _known(run.samples, lambda sample: sample.latency_ms)
    limited = [sample.stopped_by in ("max_loops", "token_budget") for sample in run.samples]
    judging = [cost for sample in run.samples if (cost := judge_cost(sample)) is not None]
    return (
        run.system,
        Usd(float(costs.mean())) if costs.size else None,
        Usd(float(costs.sum())) if costs.size else None,
        _by_coverage(run),
        *(float(np.percentile(times, q)) if times.size else None for q in (50, 90, 99)),
        _mean(run.samples, lambda sample: sample.input_tokens),
        _mean(run.samples, lambda sample: sample.output_tokens),
        _mean(run.samples, lambda sample: sample.loops),
        _mean(run.samples, lambda sample: sample.word_count),
        Share(sum(limited) / len(limited)) if limited else None,
        Usd(sum(judging) / len(judging)) if judging else None,
    )


def judge_cost(sample: SampleResult) -> float | None:
    """Dollars that all first judgements of a sample cost; None where one has no known price, or none was made."""
    costs = [judgement.cost_usd for judgement in sample.judgements if judgement.repeat == 0]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _by_coverage(run: Run) -> Cell:
    both = [
        (sample.cost_usd, value)
        for sample in run.samples
        if sample.cost_usd is not None and (value := sample.value(_COVERAGE)) is not None
    ]
    points = sum(value for _, value in both)
    return Usd(sum(cost for cost, _ in both) / points) if points else None


def _known(samples: Iterable[SampleResult], take: Callable[[SampleResult], float | None]) -> Floats:
    return np.array([value for sample in samples if (value := take(sample)) is not None], float)


def _mean(
    samples: Iterable[SampleResult], take: Callable[[SampleResult], float | None]
) -> float | None:
    found = _known(samples, take)
    return float(found.mean()) if found.size else None
