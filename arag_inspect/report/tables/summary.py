"""The first page: six figures per system, and the success criteria."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from ...stats.estimates import Estimate
from ..benchmark import Benchmark
from ..criteria import judge_criteria
from ..primary import primary_measures
from ..table import Cell, Usd, mean_over, tabled
from .human import HUMAN, corrected_mean

_FIGURES = (
    "geval_faithfulness",
    "geval_coverage",
    "retrieval_pr.recall",
    "rouge.rouge2",
    "bertscore.bertscore_f1",
)
"""Measures that follow the primary ones."""


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
            people = partial(_corrected, benchmark, marked[label], key)
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


def _corrected(benchmark: Benchmark, marks: str, key: str, system: str) -> Estimate | None:
    return corrected_mean(benchmark.of(system, marks), benchmark.of(system, key))


@tabled("criteria")
def success(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the success criteria with their figures; None if none applies."""
    for criterion, systems, figure, verdict in judge_criteria(benchmark):
        yield criterion.name, systems, criterion.at_least, figure, verdict
