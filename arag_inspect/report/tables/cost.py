"""Costs: dollars, time, tokens and loops."""

from collections.abc import Iterator, Sequence

import pandas as pd

from ..benchmark import Benchmark
from ..table import Cell, Over, Share, Usd, mean_over, tabled

_COVERAGE = "geval_coverage"


@tabled("cost", lambda benchmark: {"coverage": benchmark.spec(_COVERAGE).label.lower()})
def cost(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return dollars, time, tokens and loops by system."""
    judging = judge_cost(benchmark)
    skipped = benchmark.answers["outcome"] == "skipped"
    for system, answers in benchmark.by_system(benchmark.finished):
        yield (
            system,
            int(skipped[benchmark.answers["system"] == system].sum()),
            *_effort(benchmark, system, answers),
            mean_over(judging.reindex(answers.index), Usd),
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
