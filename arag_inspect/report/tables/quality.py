"""Tables of answer quality."""

from typing import Any

from ...stats.estimates import Estimate
from ...types.measures import Family, MeasureSpec
from ..benchmark import Benchmark
from ..table import Cell, Share, Table, mean_over

_HEADLINE: tuple[Family, ...] = ("judgement", "facts", "retrieval", "overlap", "human", "other")
_DIRECTIONS = {True: "high", False: "low", None: "-"}


def headline(benchmark: Benchmark) -> Table:
    """Return every measure by system: mean and 95 % interval."""
    return Table(
        "headline",
        "Scores",
        "Mean with its 95 % interval over companies (Wilson's with the design effect if the "
        "measure has bounds, else Student's). Epochs of a sample are averaged first. An "
        "interval without width means that all values are equal, not that the mean is certain. "
        "Samples: scored / unscored / skipped, system by system if these differ; all of them "
        "are in the table of denominators.",
        ("measure", "better", *benchmark.systems, "samples"),
        tuple(
            (
                measure.label,
                _DIRECTIONS[measure.higher_is_better],
                *_estimates(benchmark, measure),
                _counts(benchmark, measure),
            )
            for measure in benchmark.specs
            if measure.family in _HEADLINE
        ),
    )


def by_question(benchmark: Benchmark) -> Table | None:
    """Return the main measures by type of question and of reasoning.

    None if all questions are of one kind.
    """
    first = benchmark.answers.drop_duplicates("id").set_index("id")
    rows: list[tuple[Cell, ...]] = []
    for by in ("type", "reasoning"):
        kinds = first[f"question_{by}"].fillna("")
        for kind in sorted({*kinds} - {""}) if kinds.nunique() > 1 else ():
            own = benchmark.values.loc[kinds.index[kinds == kind]]
            for main in benchmark.main:
                values = (own.get((main.key, system)) for system in benchmark.systems)
                means = (None if column is None else mean_over(column) for column in values)
                rows.append((by, kind, main.label, *means))
    if not rows:
        return None
    return Table(
        "by_question",
        "By kind of question",
        "Mean of the main measures over the n questions of a type or kind of reasoning that "
        "have a value. Epochs of a sample are averaged first.",
        ("by", "questions", "measure", *benchmark.systems),
        tuple(rows),
    )


def errors(benchmark: Benchmark) -> Table | None:
    """Return the error codes by system; None if no taxonomy was applied."""
    codes = [code for code in benchmark.specs if code.family == "errors"]
    rows = tuple((code.label, *_estimates(benchmark, code)) for code in codes)
    if not any(isinstance(cell, Estimate) for row in rows for cell in row):
        return None
    return Table(
        "errors",
        "Errors",
        "Share of answers with each error, with its 95 % interval, over those with the grade on"
        " which the error depends; a dash: not looked for.",
        ("error", *benchmark.systems),
        rows,
    )


def failures(benchmark: Benchmark) -> Table | None:
    """Count each error code and its share in all codes; None if no code was given."""
    rows = tuple(
        (system, code, count, Share(count / counts.sum()))
        for system, answers in benchmark.by_system(benchmark.answers)
        for counts in [answers["codes"].explode().dropna().value_counts()]
        for code, count in counts.items()
    )
    if not rows:
        return None
    return Table(
        "failures",
        "All failures",
        "Answers with each error, each epoch counted, and the share of each error in all that were "
        "found in the answers of a system. An answer counts once for each of its errors.",
        ("system", "error", "answers", "share of all errors"),
        rows,
    )


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
