"""Tables of answer quality."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...stats.estimates import Estimate
from ...types.measures import Family, MeasureSpec
from ..benchmark import Benchmark
from ..table import Cell, Share, mean_over, tabled

_HEADLINE: tuple[Family, ...] = ("judgement", "facts", "retrieval", "overlap", "human", "other")
_DIRECTIONS = {True: "high", False: "low", None: "-"}


@tabled("headline")
def headline(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return every measure by system: mean and 95 % interval."""
    for spec in benchmark.specs:
        if spec.family in _HEADLINE:
            better, counts = _DIRECTIONS[spec.higher_is_better], _counts(benchmark, spec)
            yield spec.label, better, *_estimates(benchmark, spec), counts


@tabled("by_question")
def by_question(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the main measures by type of question and of reasoning.

    None if all questions are of one kind.
    """
    first = benchmark.answers.drop_duplicates("id").set_index("id")
    for by in ("type", "reasoning"):
        kinds = first[f"question_{by}"].fillna("")
        for kind in sorted({*kinds} - {""}) if kinds.nunique() > 1 else ():
            own = benchmark.values.loc[kinds.index[kinds == kind]]
            for main in benchmark.main:
                values = (own.get((main.key, system)) for system in benchmark.systems)
                means = (None if column is None else mean_over(column) for column in values)
                yield by, kind, main.label, *means


@tabled("errors")
def errors(benchmark: Benchmark) -> Sequence[Sequence[Cell]]:
    """Return the error codes by system; None if no taxonomy was applied."""
    codes = [code for code in benchmark.specs if code.family == "errors"]
    rows = [(code.label, *_estimates(benchmark, code)) for code in codes]
    return rows if any(isinstance(cell, Estimate) for row in rows for cell in row) else []


@tabled("failures")
def failures(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Count each error code and its share in all codes; None if no code was given."""
    for system, answers in benchmark.by_system(benchmark.answers):
        counts = answers["codes"].explode().dropna().value_counts()
        for code, count in counts.items():
            yield system, benchmark.error(code), int(count), Share(count / counts.sum())


def _estimates(benchmark: Benchmark, measure: MeasureSpec) -> list[Cell]:
    return [benchmark.estimate(system, measure.key) for system in benchmark.systems]


def _counts(benchmark: Benchmark, measure: MeasureSpec) -> str:
    """Return samples scored / unscored / skipped, once if all systems have the same."""
    own: Any = benchmark.statuses.loc[measure.key]
    counted = [
        " / ".join(str(own.loc[system, status]) for status in ("scored", "unscored", "skipped"))
        for system in benchmark.systems
    ]
    return counted[0] if len(set(counted)) == 1 else "; ".join(counted)
