"""Tables of answer quality: key figures, success criteria, every measure, and errors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...stats.estimates import Estimate
from ...types.measures import Family, MeasureSpec
from ..benchmark import Benchmark
from ..criteria import judge_criteria
from ..primary import primary_measures
from ..table import Cell, Share, Usd, mean_over, tabled
from .human import HUMAN, corrected_by

_HEADLINE: tuple[Family, ...] = ("judgement", "facts", "retrieval", "overlap", "human", "other")
_FIGURES = (
    "geval_faithfulness",
    "geval_coverage",
    "retrieval_pr.recall",
    "rouge.rouge2",
    "bertscore.bertscore_f1",
)
"""Key figures that follow the primary ones."""

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


def _figures(benchmark: Benchmark) -> dict[str, Callable[[str], Estimate | None]]:
    """Return what gives the mean of a system, by heading.

    A judged measure with people's marks of the same run is headed by the mean
    corrected by them; what the judge alone gives stands beside it.
    """
    candidates = dict.fromkeys((*primary_measures(benchmark), *_FIGURES))
    keys = [key for key in candidates if key in benchmark.measures]
    present = {benchmark.spec(key).label.split(" (1-")[0]: key for key in keys}
    columns: dict[str, Callable[[str], Estimate | None]] = {}
    marked = _marks(benchmark, present)
    for label, key in present.items():
        alone = partial(benchmark.estimate, measure=key)
        if label in marked:
            people = partial(corrected_by, benchmark, marked[label], key)
            columns |= {f"{label}, corrected by people": people, f"{label}, judge alone": alone}
        else:
            columns[label] = alone
    return columns


@tabled("summary", lambda benchmark: {"figures": list(_figures(benchmark))})
def six_figures(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return primary measures, grades, recall, overlap and cost by system; None without measures."""
    figures = _figures(benchmark)
    for system, answers in benchmark.by_system(benchmark.finished) if figures else ():
        means = (figure(system) for figure in figures.values())
        yield system, *means, mean_over(answers["cost_usd"], Usd)


def _marks(benchmark: Benchmark, present: Mapping[str, str]) -> dict[str, str]:
    """Return the key of human marks for each judged figure.

    `human.NAME`, or `human` if only one figure is judged.
    """
    judged = {
        label: key for label, key in present.items() if benchmark.spec(key).family == "judgement"
    }
    human_keys = {}
    for label, key in judged.items():
        names = [f"{HUMAN}.{key}", f"{HUMAN}.{label.lower()}"]
        names += [HUMAN] if len(judged) == 1 else []
        if name := next((name for name in names if name in benchmark.measures), None):
            human_keys[label] = name
    return human_keys


@tabled("criteria")
def success(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the success criteria with their figures; None if none applies."""
    yield from judge_criteria(benchmark)
