"""Parts of the first screen: the leaderboard's marks, and what the figures rest on."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
    own = list(names)
    return listed(own) if len(own) <= _MOST_NAMED else counted(len(own), noun)


def about(report: BenchmarkReport) -> Iterator[str]:
    """Yield how much was run, with what, when and at what price."""
    benchmark = report.benchmark
    models = dict.fromkeys(run.model for run in benchmark.rows)
    graders = dict.fromkeys(grader for run in benchmark.rows for grader in run.graders)
    noun = "question" if set(benchmark.answers["style"]) == {"qa"} else "sample"
    clusters = len(set(benchmark.clusters.tolist()))
    grouped = f" of {counted(clusters, benchmark.cluster)}" if benchmark.cluster != "sample" else ""
    yield counted(len(benchmark.sample_ids), noun) + grouped
    yield f"{benchmark.dataset or 'no data set named'}, version {benchmark.version}"
    corpora = dict.fromkeys(run.corpus[:12] for run in benchmark.rows if run.corpus)
    if corpora:
        yield f"corpus {named(corpora, 'corpus digest')}"
    yield f"written by {named(map(_model, models), 'model')}"
    yield f"judged by {named(map(_model, graders), 'judge')}" if graders else "no judge"
    dates = sorted(run.created[:10] for run in benchmark.rows)
    yield dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    spent = [benchmark.answers["cost_usd"], benchmark.first_verdicts["cost_usd"]]
    dollars = float(sum(costs.sum() for costs in spent))
    total = show(Usd(dollars)) if dollars else "$0"
    unknown = any(costs.isna().any() for costs in spent)
    yield f"{total} spent{', as far as prices are known' if unknown else ''}"


def _model(name: str) -> str:
    return f"{name} (rules, no language model)" if name.startswith("offline/") else name


def explain_measure(report: BenchmarkReport, measure: MeasureSpec) -> str:
    """Return definition, direction and n of a measure."""
    scored = report.benchmark.statuses.loc[measure.key, "scored"]
    ends = sorted({int(count) for count in scored if count})
    n = f"n {' to '.join(map(str, ends[:: max(1, len(ends) - 1)]))}" if ends else "no value"
    better = {True: "higher is better", False: "lower is better", None: "no direction"}
    text = (
        f"{(measure.description or measure.label).rstrip('.')}. Mean with its 95 % interval over "
    )
    return f"{text}{plural(report.benchmark.cluster)}; {n}; {better[measure.higher_is_better]}."


def mark(report: BenchmarkReport, system: str, measure: MeasureSpec, own: Standing) -> IntervalMark:
    """Return where the mean of a system lies on the scale of a measure, and its differences."""
    low, high = _scale(report, measure)

    def share(value: float) -> float:
        return round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 1)

    mean = own.mean
    start, end = (share(mean.mean if end is None else end) for end in (mean.low, mean.high))
    brackets = "" if mean.low is None or mean.high is None else f"[{mean.low:.2f}, {mean.high:.2f}]"
    gaps = dict(_gaps(report, system, measure))
    title = f"{show(mean)}, n {mean.n}"
    return IntervalMark(brackets, title, start, round(end - start, 1), share(mean.mean), gaps)


def _gaps(
    report: BenchmarkReport, system: str, measure: MeasureSpec
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the differences to each system with which one is compared."""
    for pair in report.comparisons:
        if pair.measure.key == measure.key and system in (pair.a, pair.b):
            baseline = pair.b if system == pair.a else pair.a
            yield baseline, (show(pair.seen_from(baseline)[1]), pair.verdict)


def missing_reason(report: BenchmarkReport, system: str, measure: str) -> str:
    """Return the most frequent reason why a system has no value, in words."""
    scores = report.benchmark.scores
    own = scores[(scores["measure"] == measure) & (scores["system"] == system)]
    reasons = own["reason"].dropna().value_counts()
    return str(reasons.index[0] if len(reasons) else "not scored").replace("_", " ")


def _scale(report: BenchmarkReport, measure: MeasureSpec) -> tuple[float, float]:
    """Return the measure's own scale, or else from zero to the end of the intervals."""
    if measure.low is not None and measure.high is not None:
        return measure.low, measure.high
    position = report.leaderboard.measures.index(measure)
    rows = [row.standings[position] for row in report.leaderboard.rows]
    ends = [0.0, *(end for own in rows if own for end in own.mean[:3] if end is not None)]
    return (min(ends), max(ends)) if min(ends) < max(ends) else (min(ends) - 1, max(ends) + 1)
