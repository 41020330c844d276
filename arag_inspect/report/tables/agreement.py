"""Tables of agreement: of judges with each other, with themselves, and of measures."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...stats.agreement import alpha, both_known, kappa, pearson, spearman, tau, varies
from ...stats.estimates import Estimate, Floats, estimate
from ...types.measures import MeasureSpec, find_measure
from ..benchmark import Benchmark, once
from ..table import Cell, P, Share, Signed, Table, tabled


class Consistency(NamedTuple):
    """A measure taken again on the same answers of one system."""

    measure: MeasureSpec
    system: str
    change: Estimate
    """Mean of repetition minus first value: change of the system's mean when only judging is
    repeated.
    """

    absolute: float
    """Mean absolute change of a sample."""

    exact: float
    """Share of samples with the same value."""

    @property
    def floor(self) -> float:
        """Largest difference of means explained by judging again.

        The larger end of the change's interval.
        """
        ends = (self.change.low, self.change.high, self.change.mean)
        return max(abs(end) for end in ends if end is not None)


@once
def consistencies(benchmark: Benchmark) -> tuple[Consistency, ...]:
    """Return every repeated measure by system."""
    first = benchmark.scores[["answer", "measure", "value"]].dropna()
    both = benchmark.repeats.merge(first, on=["answer", "measure"], suffixes=("", "_first"))
    both["change"] = both["value"] - both["value_first"]
    both = both.dropna(subset=["change"])
    results = []
    for name in benchmark.measures:
        for system, own in benchmark.by_system(both[both["measure"] == name]):
            if own.empty:
                continue
            companies = own["company"].where(own["company"] != "", own["id"])
            clusters = np.unique(companies.astype(str), return_inverse=True)[1].astype(np.int64)
            change = own["change"].to_numpy(float)
            results.append(
                Consistency(
                    benchmark.spec(name),
                    system,
                    change=estimate(change, clusters),
                    absolute=float(np.abs(change).mean()),
                    exact=float((np.abs(change) < benchmark.spec(name).tie).mean()),
                )
            )
    return tuple(results)


def noise_floors(retests: tuple[Consistency, ...]) -> dict[str, float]:
    """Return the largest noise floor of any system, by measure."""
    floors: dict[str, float] = {}
    for retest in retests:
        floors[retest.measure.key] = max(floors.get(retest.measure.key, 0.0), retest.floor)
    return floors


@tabled("self_consistency")
def self_consistency(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the self-consistency of judges; None if nothing was judged again."""
    for retest in consistencies(benchmark):
        change = Signed(retest.change.mean, retest.change.low, retest.change.high)
        sizes = change, retest.absolute, Share(retest.exact), retest.floor
        yield retest.measure.label, retest.system, retest.change.n, *sizes


class Ratings(NamedTuple):
    """First verdicts of every judge in one dimension."""

    label: str
    verdicts: pd.DataFrame
    """Shape (answers, judges), judges by name; NaN if a judge has no verdict."""

    systems: Floats
    """System of each answer, shape (answers,)."""

    words: Floats
    """Words of each answer, shape (answers,)."""


@once
def ratings(benchmark: Benchmark) -> list[Ratings]:
    """Return the first verdicts of all judges, by dimension.

    Judges are grouped by the dimension in the signature of their scorer.
    """
    first = benchmark.first_verdicts.dropna(subset=["value"])
    signed = first["signature"].map(lambda s: s.split("|")[0] if s else None, na_action="ignore")
    dimension = signed.where(signed.notna(), first["scorer"])
    results = []
    for name, own in first.groupby(dimension, sort=False):
        table = own.pivot_table(index="answer", columns="judge", values="value", aggfunc="first")
        scales = benchmark.scales.get(str(own["scorer"].iloc[-1]), ())
        answers = benchmark.answers.loc[table.index]
        results.append(
            Ratings(
                find_measure(str(name), benchmark.declared, scales).label,
                table,
                answers["system"].to_numpy(),
                answers["words"].to_numpy(float),
            )
        )
    return results


@tabled("agreement")
def agreement(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the agreement between judges; None with a single judge."""
    for label, verdicts, systems, _ in ratings(benchmark):
        grid = verdicts.to_numpy(float)
        if grid.shape[1] > 2:
            n = int((~np.isnan(grid)).any(axis=1).sum())
            yield label, "all", n, alpha(grid), None, None, None
        for a, b in combinations(range(grid.shape[1]), 2):
            both = ~np.isnan(grid[:, [a, b]]).any(axis=1)
            first, second = grid[both, a], grid[both, b]
            means = pd.DataFrame({"a": first, "b": second}).groupby(systems[both]).mean()
            yield (
                label,
                f"{verdicts.columns[a]} / {verdicts.columns[b]}",
                len(first),
                alpha(grid[:, [a, b]]),
                kappa(first, second),
                tau(first, second),
                tau(means["a"].to_numpy(), means["b"].to_numpy()),
            )


@tabled("length_bias")
def length_bias(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Correlate score and length of answers; None if nothing was judged."""
    for label, verdicts, systems, words in ratings(benchmark):
        for judge in verdicts:
            yield label, str(judge), *_length(verdicts[judge].to_numpy(float), words, systems)
    rated = benchmark.scores.dropna(subset=["value"])
    for spec in benchmark.specs:
        if spec.family in ("overlap", "facts"):
            own = rated[rated["measure"] == spec.key]
            words = benchmark.answers.loc[own["answer"], "words"].to_numpy(float)
            cells = _length(own["value"].to_numpy(float), words, own["system"].to_numpy())
            yield spec.label, "-", *cells


def _length(scores: Floats, words: Floats, systems: Floats) -> tuple[Cell, Cell, Cell]:
    both = pd.DataFrame({"scores": scores, "words": words})
    centred = both - both.groupby(systems).transform("mean")
    a, b = both_known(centred["scores"].to_numpy(), centred["words"].to_numpy())
    agreement = pearson(a, b)
    if agreement is None:
        return len(a), None, None
    return len(a), Signed(agreement.r, agreement.low, agreement.high), P(agreement.p)


def _varying(benchmark: Benchmark) -> list[tuple[str, Floats]]:
    """Return label and values of all systems of each measure that varies."""
    return [
        (measure.label, pooled)
        for measure in benchmark.specs
        if measure.family != "cost" and varies(pooled := benchmark.pooled(measure.key))
    ]


@tabled("correlations", lambda benchmark: {"varying": [name for name, _ in _varying(benchmark)]})
def correlations(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the correlation of every two measures; None if fewer than two vary."""
    columns = _varying(benchmark)
    for label, a in columns if len(columns) > 1 else ():
        yield label, *(spearman(*both_known(a, b)) for _, b in columns)


@tabled("overlap_against_judges")
def overlap_against_judges(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Compare the order of answers by overlap measures and by judges.

    None if either is missing.
    """
    for a in benchmark.specs:
        for b in benchmark.specs if a.family in ("overlap", "facts") else ():
            if b.family in ("judgement", "human"):
                yield a.label, b.label, *_order(benchmark, a, b)


def _order(benchmark: Benchmark, a: MeasureSpec, b: MeasureSpec) -> Iterator[Cell]:
    x, y = both_known(benchmark.pooled(a.key), benchmark.pooled(b.key))
    columns = [[benchmark.of(s, key) for s in benchmark.systems] for key in (a.key, b.key)]
    means = both_known(*(np.array([_mean(own) for own in values]) for values in columns))
    yield from (len(x), spearman(x, y), tau(x, y), tau(*means))
    signs = [
        np.sign(columns[0][i] - columns[0][j]) * np.sign(columns[1][i] - columns[1][j])
        for i, j in combinations(range(len(benchmark.systems)), 2)
    ]
    products = np.concatenate(signs) if signs else np.array([])
    apart = products[~np.isnan(products) & (products != 0)]
    yield Share(float((apart > 0).mean())) if apart.size else None


def _mean(values: Floats) -> float:
    rated = values[~np.isnan(values)]
    return float(rated.mean()) if rated.size else float("nan")


MOST_CASES = 60
"""Rows of a table of cases; the worst-graded cases come first."""


def cases_by_judge(benchmark: Benchmark) -> Table | None:
    """Return the mean severity of each case by judge and system.

    None with fewer than two judges or cases.
    """
    grades = benchmark.first_verdicts[benchmark.first_verdicts["scorer"] == "severity_judge"]
    if grades["judge"].nunique() < 2:
        return None
    return case_table(
        benchmark,
        grades,
        "cases_by_judge",
        "Cases by judge",
        f"Mean grade (1 to 5) of the severity judges, worst cases first, at most {MOST_CASES}. A row that "
        "is low throughout is a hard case; one with a single low value is a judge to look at.",
    )


def case_table(
    benchmark: Benchmark, values: pd.DataFrame, table_id: str, title: str, text: str
) -> Table | None:
    """Return the mean value of each case by judge and system; None with fewer than two cases.

    Args:
        benchmark: Benchmark of the cases.
        values: Rows with `id`, `judge`, `system` and `value`.
        table_id: Id of the table.
        title: Title of the table.
        text: Text of the table.
    """
    values = values.dropna(subset=["value"])
    if values["id"].nunique() < 2:
        return None
    worst = values.groupby("id", sort=False)["value"].mean().sort_values(kind="stable")
    cells = values.groupby(["id", "judge", "system"], sort=False)["value"].mean()
    order = {system: number for number, system in enumerate(benchmark.systems)}
    columns = sorted(set(cells.index.droplevel("id")), key=lambda c: (c[0], order[c[1]]))
    alone = len(benchmark.systems) == 1
    return Table(
        table_id,
        title,
        text,
        ("case", *(judge if alone else f"{judge}: {system}" for judge, system in columns)),
        tuple(
            (str(case), *(cells.get((case, *column)) for column in columns))
            for case in worst.index[:MOST_CASES]
        ),
    )
