"""Primary measures of a comparison, declared before it is run."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ...types.measures import MeasureSpec, Role
from ..load.records import Benchmark
from .unjudged import could_not_be_judged

_ANSWER = (("llm_accuracy.correct",), ("numeric_match",), ("contain_match",))
_SUMMARY = (("geval_faithfulness", "geval_coverage", "retrieval_pr.recall"),)
_TWO_SIDED = ("evidence_support", "perspective_validity.all")
_BY_STYLE = {
    "qa": (*_ANSWER, _TWO_SIDED, *_SUMMARY),
    "legal": (("composite_faithfulness",), *_SUMMARY, *_ANSWER),
    "client_file": (("fact_match.f1",), *_SUMMARY, *_ANSWER),
}
"""Groups of measures by kind of answer; the first group with one that was scored counts."""


def primary_measures(benchmark: Benchmark, declared: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the primary measures of a benchmark, also those that no judge could judge.

    Args:
        benchmark: Benchmark of the report.
        declared: Names to use instead of those of `primary_of`.
    """
    if declared:
        return tuple(name for name in dict.fromkeys(declared) if name in benchmark.measures)
    samples = [sample for _, sample in benchmark.samples()]
    scored = {
        name
        for name in benchmark.measures
        if any(sample.value(name) is not None for sample in samples)
        or any(could_not_be_judged(sample, name) for sample in samples)
    }
    main = [spec.key for spec in benchmark.main if spec.key in scored]
    return primary_of((sample.style for sample in samples), scored) or tuple(main[:1])


def primary_of(styles: Iterable[str], scored: Collection[str]) -> tuple[str, ...]:
    """Return the primary measures of samples, from what they are and what is scored.

    Correctness of answers to questions; faithfulness, coverage and recall of summaries; court
    summaries, two-sided summaries and client files have their own.

    Args:
        styles: Kind of answer of each sample.
        scored: Measures that some scorer gives.
    """
    primary: dict[str, None] = {}
    for style, _ in Counter(styles).most_common():
        groups = _BY_STYLE.get(style, (*_SUMMARY, *_ANSWER))
        present = ([name for name in group if name in scored] for group in groups)
        primary.update(dict.fromkeys(next(filter(None, present), ())))
    return tuple(primary)


def role_of(measure: MeasureSpec, primary: Sequence[str]) -> Role:
    """Return the role of a measure in a comparison: primary, secondary or diagnostic."""
    if measure.key in primary:
        return "primary"
    return "secondary" if measure.quality and measure.role != "diagnostic" else "diagnostic"
