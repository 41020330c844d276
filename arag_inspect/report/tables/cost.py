"""Costs: dollars, time, tokens and loops."""

import pandas as pd

from ..benchmark import Benchmark
from ..table import Cell, Over, Share, Table, Usd, mean_over

_COVERAGE = "geval_coverage"


def cost(benchmark: Benchmark) -> Table:
    """Return dollars, time, tokens and loops by system."""
    coverage = benchmark.spec(_COVERAGE).label.lower()
    judging = judge_cost(benchmark)
    skipped = benchmark.answers["outcome"] == "skipped"
    rows = [
        (
            system,
            int(skipped[benchmark.answers["system"] == system].sum()),
            *_effort(benchmark, system, answers),
            mean_over(judging.reindex(answers.index), Usd),
        )
        for system, answers in benchmark.by_system(benchmark.finished)
    ]
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
            "cost per question (USD)",
            "USD in all",
            "cost per coverage point (USD)",
            "p50 ms",
            "p90 ms",
            "p99 ms",
            "wall ms",
            "tokens in",
            "tokens out",
            "loops",
            "words",
            "stopped",
            "judge cost per question (USD)",
        ),
        tuple(rows),
    )


def percentile(times: "pd.Series[float]", share: float) -> Over | None:
    """Return a percentile of the known times, with n."""
    times = times.dropna()
    return Over(float(times.quantile(share)), len(times)) if len(times) else None


def judge_cost(benchmark: Benchmark) -> "pd.Series[float]":
    """Return the dollars of all first judgements by answer; NaN if a price is unknown."""
    first = benchmark.first_verdicts
    return first.groupby("answer")["cost_usd"].agg(lambda costs: costs.sum(skipna=False))


def _effort(benchmark: Benchmark, system: str, answers: pd.DataFrame) -> tuple[Cell, ...]:
    every = benchmark.answers.loc[benchmark.answers["system"] == system, "cost_usd"].dropna()
    limited = answers["stopped_by"].isin(("max_loops", "token_budget"))
    return (
        mean_over(answers["cost_usd"], Usd),
        Usd(float(every.sum())) if len(every) else None,
        _by_coverage(benchmark, answers),
        *(percentile(answers["latency_ms"], share) for share in (0.5, 0.9, 0.99)),
        percentile(answers["wall_ms"], 0.5),
        *(mean_over(answers[name]) for name in ("input_tokens", "output_tokens", "loops", "words")),
        mean_over(limited, Share),
    )


def _by_coverage(benchmark: Benchmark, answers: pd.DataFrame) -> Cell:
    scores = benchmark.scores[benchmark.scores["measure"] == _COVERAGE].set_index("answer")
    both = answers.assign(coverage=scores["value"]).dropna(subset=["cost_usd", "coverage"])
    points = both["coverage"].sum()
    return Over(Usd(float(both["cost_usd"].sum() / points)), len(both)) if points else None
