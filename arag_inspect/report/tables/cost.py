"""Tables of the cost of answers."""

from collections.abc import Callable

import numpy as np

from ...stats.estimates import Floats
from ..load.records import Benchmark, Run, SampleResult
from .table import Cell, Over, Share, Table, Usd, mean_over, median_over

_COVERAGE = "geval_coverage"


def cost(benchmark: Benchmark) -> Table:
    """Return dollars, time, tokens and loops by system."""
    coverage = benchmark.spec(_COVERAGE).label.lower()
    return Table(
        "cost",
        "Cost and latency",
        "Cost of the system under test per question; the judges' cost is separate. Every mean is "
        "over the n answers that have the figure: skipped and failed samples do not count, and "
        "only the sum has what was spent on it. p50, p90 and p99 ms are working time, "
        "without waits for a connection; wall ms is the median from the first call to the answer, "
        "waits included. A dash: not known, e.g. a model without a known price. Cost by coverage point "
        f"is mean cost / mean {coverage}. Stopped: share of answers at the loop or token limit.",
        (
            "system",
            "skipped",
            "USD a question",
            "USD in all",
            "USD a coverage point",
            "p50 ms",
            "p90 ms",
            "p99 ms",
            "wall ms",
            "tokens in",
            "tokens out",
            "loops",
            "words",
            "stopped",
            "judge USD a question",
        ),
        tuple(_effort(run) for run in benchmark.runs),
    )


def known(run: Run, take: Callable[[SampleResult], float | None]) -> Floats:
    """Return the known values of a figure over the answers of a run.

    Skipped or failed samples have no answer.
    """
    figures = (take(sample) for sample in run.samples if sample.finished)
    return np.array([value for value in figures if value is not None], float)


def skipped(run: Run) -> int:
    """Return the number of samples skipped by the system."""
    return sum(sample.outcome == "skipped" for sample in run.samples)


def judge_cost(sample: SampleResult) -> float | None:
    """Return the dollars of all first judgements of a sample.

    None if there are no judgements, or a price is unknown.
    """
    costs = [judgement.cost_usd for judgement in sample.judgements if judgement.repeat == 0]
    priced = [cost for cost in costs if cost is not None]
    return sum(priced) if priced and len(priced) == len(costs) else None


def _effort(run: Run) -> tuple[Cell, ...]:
    costs = known(run, lambda sample: sample.cost_usd)
    spent = [sample.cost_usd for sample in run.samples if sample.cost_usd is not None]
    times = known(run, lambda sample: sample.latency_ms)
    limited = known(run, lambda sample: sample.stopped_by in ("max_loops", "token_budget"))
    judging = known(run, judge_cost)
    return (
        run.system,
        skipped(run),
        mean_over(costs, Usd),
        Usd(sum(spent)) if spent else None,
        _by_coverage(run),
        *(
            Over(float(np.percentile(times, q)), times.size) if times.size else None
            for q in (50, 90, 99)
        ),
        median_over(known(run, lambda sample: sample.wall_ms)),
        mean_over(known(run, lambda sample: sample.input_tokens)),
        mean_over(known(run, lambda sample: sample.output_tokens)),
        mean_over(known(run, lambda sample: sample.loops)),
        mean_over(known(run, lambda sample: sample.word_count)),
        mean_over(limited, Share),
        mean_over(judging, Usd),
    )


def _by_coverage(run: Run) -> Cell:
    both = [
        (sample.cost_usd, value)
        for sample in run.samples
        if sample.finished
        and sample.cost_usd is not None
        and (value := sample.value(_COVERAGE)) is not None
    ]
    points = sum(value for _, value in both)
    return Over(Usd(sum(cost for cost, _ in both) / points), len(both)) if points else None
