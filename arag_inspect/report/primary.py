"""Primary measures of a comparison, declared before it is run, and which could not be judged."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from .._util.registry import PRIMARY
from ..types.measures import MeasureSpec, Role
from .benchmark import Benchmark, once

_ANSWER = (("llm_accuracy.correct",), ("numeric_match",), ("contain_match",))
_SUMMARY = (("geval_faithfulness", "geval_coverage", "retrieval_pr.recall"),)
_FAILED = ("grader_failed", "part_unscored", "scoring_failed")


@once
def primary_measures(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the primary measures of a benchmark, also those that no judge could judge.

    Those that the reader chose, else those of `primary_of`.
    """
    if declared := benchmark.choices.primary:
        return tuple(name for name in dict.fromkeys(declared) if name in benchmark.measures)
    scores = benchmark.scores
    tried = scores[scores["value"].notna() | scores["reason"].isin(_FAILED)]
    scored = set(tried["measure"])
    main = [spec.key for spec in benchmark.main if spec.key in scored]
    headlines = dict.fromkeys(name for name in benchmark.runs["headline"] if name in scored)
    by_style = primary_of(benchmark.answers["style"], scored) or tuple(headlines)
    return by_style or tuple(main[:1] or sorted(scored, key=benchmark.measures.index)[:1])


def primary_of(styles: Iterable[str], scored: Collection[str]) -> tuple[str, ...]:
    """Return the primary measures of samples, from what they are and what is scored.

    Correctness of answers to questions; faithfulness, coverage and recall of summaries;
    a benchmark may have its own for a style (`PRIMARY`). Of the groups of measures of a style
    the first one with a measure that is scored counts.

    Args:
        styles: Kind of answer of each sample.
        scored: Measures that some scorer gives.
    """
    primary: dict[str, None] = {}
    for style, _ in Counter(styles).most_common():
        usual = (*_ANSWER, *_SUMMARY) if style == "qa" else (*_SUMMARY, *_ANSWER)
        groups = (*PRIMARY.get(style, ()), *usual)
        present = ([name for name in group if name in scored] for group in groups)
        primary.update(dict.fromkeys(next(filter(None, present), ())))
    return tuple(primary)


def role_of(measure: MeasureSpec, primary: Sequence[str]) -> Role:
    """Return the role of a measure in a comparison: primary, secondary or diagnostic."""
    if measure.key in primary:
        return "primary"
    return "secondary" if measure.quality and measure.role != "diagnostic" else "diagnostic"


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
            f"of {self.system} ({self.reason})"
        )


@once
def unjudged(benchmark: Benchmark) -> tuple[Unjudged, ...]:
    """Return the primary measures that could not be judged, those with most samples first."""
    failures = []
    for measure in map(benchmark.spec, primary_measures(benchmark)):
        own = benchmark.scores[benchmark.scores["measure"] == measure.key]
        for system, scores in benchmark.by_system(own):
            failed, scored = scores[could_not_be_judged(scores)], scores[scores["value"].notna()]
            of = len(scored) + len(failed)
            if len(failed):
                why = why_unjudged(benchmark, failed)
                failures.append(Unjudged(measure, system, len(failed), of, why))
            verdicts = benchmark.first_verdicts
            verdicts = verdicts[verdicts["scorer"] == measure.scorer]
            verdicts = verdicts[verdicts["answer"].isin(scored["answer"])]
            for judge, reasons in verdicts.groupby("judge", sort=False)["reason"]:
                if reasons.notna().all():
                    why = str(reasons.value_counts().index[0])
                    failures.append(Unjudged(measure, system, len(reasons), of, why, str(judge)))
    return tuple(sorted(failures, key=lambda failure: -failure.failed / failure.of))


def silent_judges(benchmark: Benchmark) -> tuple[str, ...]:
    """Name each judge without a readable verdict in a run, or on a primary measure of it."""
    scorers = {benchmark.spec(name).scorer for name in primary_measures(benchmark)}
    silent: dict[str, None] = {}
    for _, verdicts in benchmark.by_system(benchmark.first_verdicts):
        for own in (verdicts, *(verdicts[verdicts["scorer"] == name] for name in scorers)):
            heard = own["reason"].isna().groupby(own["judge"], sort=False).any()
            silent |= dict.fromkeys(map(str, heard.index[~heard]))
    return tuple(silent)


def could_not_be_judged(scores: pd.DataFrame) -> "pd.Series[bool]":
    """Return which scores are missing since their scorer was asked, and failed."""
    failed: pd.Series[bool] = scores["reason"].isin(_FAILED)
    return failed


def why_unjudged(benchmark: Benchmark, scores: pd.DataFrame) -> str:
    """Return the most frequent reason why scores could not be judged: the judges', or their own."""
    judged = benchmark.first_verdicts.dropna(subset=["reason"])
    own = scores.drop(columns="reason").merge(judged[["answer", "scorer", "reason"]])
    rest = scores[~scores["answer"].isin(own["answer"])]
    reasons = pd.concat([own["reason"], rest["text"].fillna(rest["reason"])])
    return str(reasons.value_counts().index[0])
