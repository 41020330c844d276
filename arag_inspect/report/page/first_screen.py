"""Parts of the first screen: the leaderboard's marks, and what the figures rest on."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...types.measures import MeasureSpec
from ..build import BenchmarkReport
from ..labels import counted, listed, plural
from ..table import Usd, show
from ..tables.leaderboard import Standing

_MOST_NAMED = 4
"""Most systems or models that are named together."""


class IntervalMark(NamedTuple):
    """A system on one measure of the leaderboard; lengths are in per cent of the bar."""

    ends: str
    title: str
    start: float
    width: float
    dot: float
    gaps: dict[str, tuple[str, str]]
    """By system as baseline: the difference to it, and its verdict."""


def named(names: Iterable[str], noun: str) -> str:
    """Join names, or count them if they are many."""
    own = list(dict.fromkeys(names))
    return listed(own) if len(own) <= _MOST_NAMED else counted(len(own), noun)


def about(report: BenchmarkReport) -> Iterator[str]:
    """Yield how much was run, with what, when and at what price."""
    benchmark, rows = report.benchmark, report.benchmark.rows
    graders = [grader for run in rows for grader in run.graders]
    noun = "question" if set(benchmark.answers["style"]) == {"qa"} else "sample"
    groups = counted(len(set(benchmark.clusters.tolist())), benchmark.cluster)
    of_groups = f" of {groups}" if benchmark.cluster != "sample" else ""
    yield f"{counted(len(benchmark.sample_ids), noun)}{of_groups}"
    yield f"{benchmark.dataset or 'no data set named'}, version {benchmark.version}"
    if corpora := [run.corpus[:12] for run in rows if run.corpus]:
        yield f"corpus {named(corpora, 'corpus digest')}"
    yield f"written by {named((_model(run.model) for run in rows), 'model')}"
    yield f"judged by {named(map(_model, graders), 'judge')}" if graders else "no judge"
    dates = [run.created[:10] for run in rows]
    yield " to ".join(dict.fromkeys([min(dates), max(dates)]))
    spent = [benchmark.answers["cost_usd"], benchmark.first_verdicts["cost_usd"]]
    dollars = float(sum(costs.sum() for costs in spent))
    unpriced = ", as far as prices are known" if any(own.isna().any() for own in spent) else ""
    yield f"{show(Usd(dollars)) if dollars else '$0'} spent{unpriced}"


def _model(name: str) -> str:
    return f"{name} (rules, no language model)" if name.startswith("offline/") else name


def explain_measure(report: BenchmarkReport, measure: MeasureSpec) -> str:
    """Return definition, direction and n of a measure."""
    scored = report.benchmark.statuses.loc[measure.key, "scored"]
    ends = sorted({int(count) for count in scored if count})
    n = f"n {' to '.join(map(str, ends[:: max(1, len(ends) - 1)]))}" if ends else "no value"
    better = {True: "higher is better", False: "lower is better", None: "no direction"}
    text = f"{measure.description or measure.label}. Mean with its 95 % interval over "
    return f"{text}{plural(report.benchmark.cluster)}; {n}; {better[measure.higher_is_better]}."


def mark(report: BenchmarkReport, system: str, measure: MeasureSpec, own: Standing) -> IntervalMark:
    """Return where the mean of a system lies on the scale of a measure, and its differences.

    A measure without bounds has the scale from zero to the end of the intervals.
    """
    mean, low, high = own.mean, measure.low, measure.high
    if low is None or high is None:
        position = report.leaderboard.measures.index(measure)
        standings = (row.standings[position] for row in report.leaderboard.rows)
        ends = [end for other in standings if other for end in other.mean[:3] if end is not None]
        low, high = min(0.0, *ends), max(0.0, *ends) or 1.0
    marks = [mean.mean if end is None else end for end in mean[:3]]
    dot, start, end = np.interp(marks, [low, high], [0, 100]).round(1).tolist()
    brackets = "" if mean.low is None or mean.high is None else f"[{mean.low:.2f}, {mean.high:.2f}]"
    gaps = {
        baseline: (show(pair.seen_from(baseline)[1]), pair.verdict)
        for pair in report.comparisons
        if pair.measure.key == measure.key and system in (pair.a, pair.b)
        for baseline in [pair.b if system == pair.a else pair.a]
    }
    title = f"{show(mean)}, n {mean.n}"
    return IntervalMark(brackets, title, start, round(end - start, 1), dot, gaps)


def missing_reason(report: BenchmarkReport, system: str, measure: str) -> str:
    """Return the most frequent reason why a system has no value, in words."""
    scores = report.benchmark.scores
    own = scores[(scores["measure"] == measure) & (scores["system"] == system)]
    reasons = own["reason"].dropna().value_counts()
    return str(reasons.index[0] if len(reasons) else "not scored").replace("_", " ")
