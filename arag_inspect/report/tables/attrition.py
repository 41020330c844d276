"""Tables of what became of the samples, and of the figures' denominators."""

from collections.abc import Iterator, Sequence
from typing import get_args

from ..benchmark import Benchmark
from ..frames import Outcome
from ..table import Cell, Share, tabled


@tabled("attrition")
def attrition(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the outcomes of the samples of each system."""
    unscored = set(benchmark.scores.loc[benchmark.scores["status"] == "unscored", "answer"])
    for system, answers in benchmark.by_system(benchmark.answers):
        counts = answers["outcome"].value_counts()
        yield (
            system,
            int(benchmark.runs.loc[system, "planned"]),
            len(answers),
            *(int(counts.get(outcome, 0)) for outcome in get_args(Outcome)),
            int(answers["answer"].isin(unscored).sum()),
        )


@tabled("stuffable")
def stuffable(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the share of samples that fit into one call; None if no system tried."""
    for system, answers in benchmark.by_system(benchmark.answers):
        if benchmark.runs.loc[system, "solver"] == "stuffing" and len(answers):
            long = answers["outcome"] == "skipped"
            yield system, len(answers), int(long.sum()), Share(1 - float(long.mean()))


@tabled("reasons")
def reasons(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return why scores have no value; None if all have one."""
    scores = benchmark.scores
    absent = scores[scores["value"].isna() & (scores["status"] != "missing")]
    keys = ["system", "scorer", "status", "reason"]
    for key, count in absent.fillna({"reason": "-"}).groupby(keys).size().items():
        yield *key, int(count)


@tabled("denominators")
def denominators(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the number of samples behind each figure."""
    for spec in benchmark.specs:
        for system in benchmark.systems:
            yield spec.label, system, *map(int, benchmark.statuses.loc[(spec.key, system)])


@tabled("runs")
def runs(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """List the reported runs."""
    counts = benchmark.answers["system"].value_counts()
    for run in benchmark.rows:
        graders, name = ", ".join(run.graders) or "-", run.location.split("/")[-1]
        samples = int(counts.get(run.system, 0))
        yield run.system, run.solver, run.model, graders, samples, run.status, run.created, name
