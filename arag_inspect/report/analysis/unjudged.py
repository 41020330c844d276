"""Primary measures that were asked for and could not be judged."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...types.measures import MeasureSpec
from ..load.records import Benchmark, Run, SampleResult
from ..load.systems import label_of

_FAILED = ("grader_failed", "part_unscored", "scoring_failed")


class Unjudged(NamedTuple):
    """A primary measure of one system without a value on some or all samples."""

    measure: MeasureSpec
    system: str
    failed: int
    of: int
    """Samples on which the measure was asked for."""

    reason: str
    """The most frequent one."""

    judge: str | None = None
    """The judge without any readable verdict, if the others of its panel gave one."""

    def __str__(self) -> str:
        by = f" by {self.judge}" if self.judge else ""
        return (
            f"{self.measure.label} could not be judged{by} on {self.failed} of {self.of} samples "
            f"of {label_of(self.system)} ({self.reason})"
        )


def unjudged(benchmark: Benchmark, primary: Sequence[str]) -> tuple[Unjudged, ...]:
    """Return the primary measures that could not be judged, those with most samples first."""
    failures = [
        failure
        for name in primary
        for run in benchmark.runs
        for failure in _of_run(run, benchmark.spec(name))
    ]
    return tuple(sorted(failures, key=lambda failure: -failure.failed / failure.of))


def silent_judges(benchmark: Benchmark, primary: Sequence[str]) -> tuple[str, ...]:
    """Name each judge without a readable verdict in a run, or on a primary measure of it."""
    silent: dict[str, None] = {}
    for run in benchmark.runs:
        judgements = [j for sample in run.samples for j in sample.judgements if not j.repeat]
        scorers = {benchmark.spec(name).scorer for name in primary}
        for own in (judgements, *([j for j in judgements if j.scorer == s] for s in scorers)):
            readable = {judgement.grader for judgement in own if judgement.reason is None}
            silent |= {j.grader: None for j in own if j.grader not in readable}
    return tuple(silent)


def could_not_be_judged(sample: SampleResult, measure: str) -> bool:
    """Return whether the scorer of a measure was asked, and failed."""
    return sample.mark(measure).reason in _FAILED


def why_unjudged(samples: Sequence[SampleResult], measure: str) -> str:
    """Return the most frequent reason why samples could not be judged."""
    reasons = Counter(reason for sample in samples for reason in _reasons(sample, measure))
    return reasons.most_common(1)[0][0]


def _reasons(sample: SampleResult, measure: str) -> Iterator[str]:
    scorer = measure.split(".")[0]
    own = [j.reason for j in sample.judgements if j.scorer == scorer and j.reason and not j.repeat]
    scoring = sample.scorings.get(scorer)
    explained = scoring.explanation if scoring else None
    yield from own or [explained or sample.mark(measure).reason or "no reason is given"]


def _of_run(run: Run, measure: MeasureSpec) -> Iterator[Unjudged]:
    samples = [sample for sample in run.samples if sample.mark(measure.key).value is not None]
    failed = [sample for sample in run.samples if could_not_be_judged(sample, measure.key)]
    of = len(samples) + len(failed)
    if failed:
        yield Unjudged(measure, run.system, len(failed), of, why_unjudged(failed, measure.key))
    judgements = [
        (judgement.grader, judgement.reason)
        for sample in samples
        for judgement in sample.judgements
        if judgement.scorer == measure.scorer and not judgement.repeat
    ]
    readable = {grader for grader, reason in judgements if reason is None}
    for grader in dict.fromkeys(grader for grader, _ in judgements if grader not in readable):
        reasons = Counter(reason for name, reason in judgements if name == grader)
        reason, _ = reasons.most_common(1)[0]
        yield Unjudged(measure, run.system, reasons.total(), of, str(reason), grader)
