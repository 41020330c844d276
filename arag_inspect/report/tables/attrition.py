"""Tables of what became of the samples, and of the figures' denominators."""

import re
from collections.abc import Iterator, Sequence
from typing import get_args

import pandas as pd

from ..benchmark import Benchmark
from ..frames import Outcome
from ..table import Cell, Share, tabled

_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST = 10
"""Causes that are listed."""


def _causes(benchmark: Benchmark) -> dict[str, str]:
    """Return why samples were skipped, failed or cut off, the most frequent causes first.

    Texts that differ in figures alone are one cause, e.g. `8,412 to 9,120 tokens`.
    """
    stopped = benchmark.answers.dropna(subset=["error"])
    keys = ["system", "outcome", stopped["error"].map(_without_figures)]
    causes = [
        (len(texts), f"{system}, {len(texts):,} {outcome}: {_ranged(texts).rstrip('.')}.")
        for (system, outcome, _), texts in stopped.groupby(keys, sort=False)["error"]
    ]
    causes.sort(key=lambda cause: -cause[0])
    rest = sum(count for count, _ in causes[_MOST:])
    more = [f"{rest:,} samples for other causes."] if rest else []
    return {"causes": " ".join([text for _, text in causes[:_MOST]] + more)}


def _without_figures(text: str) -> tuple[str, ...]:
    return tuple(_FIGURE.split(text))


def _ranged(texts: "pd.Series[str]") -> str:
    """Return texts that differ in figures alone as one."""
    columns = zip(*map(_FIGURE.findall, texts), strict=True)
    ordered = (sorted(own, key=lambda figure: float(figure.replace(",", ""))) for own in columns)
    ends = (" to ".join(dict.fromkeys((own[0], own[-1]))) for own in ordered)
    return _FIGURE.sub(lambda _: next(ends), texts.iloc[0])


@tabled("attrition", _causes)
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
    absent = absent.fillna({"reason": "-"})
    keys = ["system", "scorer", "status", absent["reason"].map(_without_figures)]
    for (*key, _), texts in absent.groupby(keys)["reason"]:
        yield *key, _ranged(texts), len(texts)


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
