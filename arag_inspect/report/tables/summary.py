"""The first page: six figures per system, and the success criteria."""

from collections.abc import Sequence

from ..analysis.criteria import Outcome
from ..analysis.matrix import ScoreMatrix
from ..load.records import Benchmark
from .cost import known
from .table import Table, Usd, mean_over

_FIGURES = {
    "Faithfulness": "geval_faithfulness",
    "Coverage": "geval_coverage",
    "Retrieval recall": "retrieval_pr.recall",
    "ROUGE-2 F1": "rouge.rouge2",
    "BERTScore F1": "bertscore.bertscore_f1",
}


def six_figures(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return grades, recall, overlap and cost by system; None if none of the measures was taken."""
    present = {label: key for label, key in _FIGURES.items() if key in benchmark.measures}
    if not present:
        return None
    return Table(
        "summary",
        "Six figures a system",
        "Mean with its 95 % interval over companies; cost over the n answers that have one.",
        ("system", *present, "USD a question"),
        tuple(
            (
                run.system,
                *(values.estimate(run.system, key) for key in present.values()),
                mean_over(known(run, lambda sample: sample.cost_usd), Usd),
            )
            for run in benchmark.runs
        ),
    )


def success(outcomes: Sequence[Outcome]) -> Table | None:
    """Return the success criteria with their figures; None if none applies."""
    if not outcomes:
        return None
    return Table(
        "criteria",
        "Success criteria",
        "Met: the whole 95 % interval is at or above the minimum. Not met: all of it is below. "
        "Not shown: it includes the minimum, or there is no figure. Shares of codes and "
        "verdicts are counts of this run.",
        ("criterion", "systems", "at least", "here", "verdict"),
        tuple(
            (one.criterion.name, one.systems, one.criterion.at_least, one.figure, one.verdict)
            for one in outcomes
        ),
    )
