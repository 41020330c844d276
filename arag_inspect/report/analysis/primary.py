"""Primary measures of a comparison, declared before it is run."""

from collections.abc import Sequence

from ...types.measures import MeasureSpec, Role
from ..load.records import Benchmark

_CORRECTNESS = ("llm_accuracy.correct", "numeric_match", "contain_match")
_SUMMARY = ("geval_faithfulness", "geval_coverage", "retrieval_pr.recall")
_BY_TASK = {
    **dict.fromkeys(("financebench", "finqa", "finder", "docfinqa"), _CORRECTNESS),
    "legal_cases": ("composite_faithfulness",),
    "perspectives": ("evidence_support", "perspective_validity.all"),
    "advisor_facts": ("fact_match.f1",),
}


def primary_measures(benchmark: Benchmark, declared: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the primary measures of a benchmark that it has.

    Faithfulness, coverage and recall of summaries, correctness of answers to
    questions; court summaries, two-sided summaries and client files have their own.

    Args:
        benchmark: Benchmark of the report.
        declared: Names to use instead of the task's own.
    """
    if declared:
        return tuple(name for name in dict.fromkeys(declared) if name in benchmark.measures)
    own = _BY_TASK.get(benchmark.task.split("/")[-1], ())
    main = [spec.key for spec in benchmark.main]
    if own == _CORRECTNESS:
        return _present(benchmark, own)[:1] or _present(benchmark, main)[:1]
    return (
        _present(benchmark, own)
        or _present(benchmark, _SUMMARY)
        or _present(benchmark, (*_CORRECTNESS, *main))[:1]
    )


def primary_of_task(task: str) -> tuple[str, ...]:
    """Name the primary measures of a task before it is run, e.g. of `ectsum`.

    Of measures of correctness, only the first.
    """
    own = _BY_TASK.get(task, _SUMMARY)
    return own[:1] if own == _CORRECTNESS else own


def role_of(measure: MeasureSpec, primary: Sequence[str]) -> Role:
    """Return the role of a measure in a comparison: primary, secondary or diagnostic."""
    if measure.key in primary:
        return "primary"
    return "secondary" if measure.quality and measure.role != "diagnostic" else "diagnostic"


def _present(benchmark: Benchmark, names: Sequence[str]) -> tuple[str, ...]:
    scored = {
        name
        for name in names
        if name in benchmark.measures
        and any(sample.value(name) is not None for _, sample in benchmark.samples())
    }
    return tuple(name for name in names if name in scored)
