"""The first page: six figures per system, and the success criteria."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from ...stats.estimates import Estimate
from ..benchmark import Benchmark
from ..criteria import judge_criteria
from ..primary import primary_measures
from ..table import Cell, Table, Usd, mean_over, tabled
from .human import HUMAN, corrected_mean

_FIGURES = (
    "geval_faithfulness",
    "geval_coverage",
    "retrieval_pr.recall",
    "rouge.rouge2",
    "bertscore.bertscore_f1",
)
"""Measures that follow the primary ones."""


def six_figures(benchmark: Benchmark) -> Table | None:
    """Return primary measures, grades, recall, overlap and cost by system; None without measures.

    A judged measure with people's marks of the same run is headed by the mean
    corrected by them; what the judge alone gives stands beside it.
    """
    candidates = dict.fromkeys((*primary_measures(benchmark), *_FIGURES))
    keys = [key for key in candidates if key in benchmark.measures]
    present = {benchmark.spec(key).label.split(" (1-")[0]: key for key in keys}
    if not present:
        return None
    columns: dict[str, Callable[[str], Estimate | None]] = {}
    marked = _marks(benchmark, present)
    for label, key in present.items():
        alone = partial(benchmark.estimate, measure=key)
        if label in marked:
            columns[f"{label}, corrected by people"] = partial(
                _corrected, benchmark, marked[label], key
            )
            columns[f"{label}, judge alone"] = alone
        else:
            columns[label] = alone
    note = " Corrected: prediction-powered, see the means corrected by people." if marked else ""
    return Table(
        "summary",
        "Key figures by system",
        f"Mean with its 95 % interval over companies; cost over the n answers that have one.{note}",
        ("system", *columns, "cost per question (USD)"),
        tuple(
            (
                system,
                *(figure(system) for figure in columns.values()),
                mean_over(answers["cost_usd"], Usd),
            )
            for system, answers in benchmark.by_system(benchmark.finished)
        ),
    )


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


@tabled(
    "criteria",
    "Success criteria",
    "Met: the whole 95 % interval is at or above the minimum. Not met: all of it is below. "
    "Not shown: it includes the minimum, or there is no figure. Shares of codes and "
    "verdicts are counts of this run.",
    ("criterion", "systems", "at least", "here", "verdict"),
)
def success(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the success criteria with their figures; None if none applies."""
    for criterion, systems, figure, verdict in judge_criteria(benchmark):
        yield criterion.name, systems, criterion.at_least, figure, verdict
