"""Tables of what became of the samples, and of the figures' denominators."""

from typing import get_args

from ..benchmark import Benchmark
from ..frames import Outcome, Status
from ..table import Cell, Share, Table


def attrition(benchmark: Benchmark) -> Table:
    """Return the outcomes of the samples of each system."""
    outcomes = get_args(Outcome)
    unscored = set(benchmark.scores.loc[benchmark.scores["status"] == "unscored", "answer"])
    rows: list[tuple[Cell, ...]] = []
    for system, answers in benchmark.by_system(benchmark.answers):
        counts = answers["outcome"].value_counts()
        rows.append(
            (
                system,
                int(benchmark.runs.loc[system, "planned"]),
                len(answers),
                *(int(counts.get(outcome, 0)) for outcome in outcomes),
                int(answers["answer"].isin(unscored).sum()),
            )
        )
    return Table(
        "attrition",
        "Attrition",
        "Samples, each epoch counted. Refused: the provider's filter stopped the answer. "
        "Truncated: it was cut off, or a limit of Inspect ended the sample. Unscored: at least one "
        "measure has no value, for the reasons below.",
        ("system", "planned", "run", *outcomes, "unscored"),
        tuple(rows),
    )


def stuffable(benchmark: Benchmark) -> Table | None:
    """Return the share of samples that fit into one call; None if no system tried."""
    tried = benchmark.runs.index[benchmark.runs["solver"] == "stuffing"]
    rows = [
        (system, len(answers), int(long.sum()), Share(1 - float(long.mean())))
        for system, answers in benchmark.by_system(benchmark.answers)
        for long in [answers["outcome"] == "skipped"]
        if system in tried and len(answers)
    ]
    if not rows:
        return None
    return Table(
        "stuffable",
        "Stuffable share",
        "Samples whose whole document fits into one call. Skipped samples can only be answered "
        "by retrieval.",
        ("system", "samples", "too long", "stuffable"),
        tuple(rows),
    )


def reasons(benchmark: Benchmark) -> Table | None:
    """Return why scores have no value; None if all have one."""
    scores = benchmark.scores
    absent = scores[scores["value"].isna() & (scores["status"] != "missing")]
    if absent.empty:
        return None
    counts = absent.fillna({"reason": "-"}).groupby(["system", "scorer", "status", "reason"]).size()
    return Table(
        "reasons",
        "Why scores have no value",
        "Missing values, of every key of a scorer.",
        ("system", "scorer", "status", "reason", "values"),
        tuple((*key, int(count)) for key, count in counts.items()),
    )


def denominators(benchmark: Benchmark) -> Table:
    """Return the number of samples behind each figure."""
    statuses = get_args(Status)
    return Table(
        "denominators",
        "Denominators",
        "Samples, each epoch counted, by the status of their score. Unscored: the scorer gave a"
        " reason instead of a value. Skipped: the system did not answer. Errored: the sample "
        "failed. Missing: there is no score.",
        ("measure", "system", *statuses),
        tuple(
            (spec.label, system, *(int(counts.loc[system, status]) for status in statuses))
            for spec in benchmark.specs
            for counts in [benchmark.statuses.loc[spec.key]]
            for system in benchmark.systems
        ),
    )


def runs(benchmark: Benchmark) -> Table:
    """List the reported runs."""
    counts = benchmark.answers["system"].value_counts()
    return Table(
        "runs",
        "Runs",
        "One log per system.",
        ("system", "solver", "model", "graders", "samples", "status", "started", "log"),
        tuple(
            (
                run.system,
                run.solver,
                run.model,
                ", ".join(run.graders) or "-",
                int(counts.get(run.system, 0)),
                run.status,
                run.created,
                run.location.split("/")[-1],
            )
            for run in benchmark.rows
        ),
    )
