"""The first screen: systems, leaderboard, and a sentence per primary measure."""

import html

from ...types.measures import MeasureSpec
from ..benchmark import Benchmark
from ..build import BenchmarkReport
from ..charts.chart import color_of
from ..judge_card import unproven_judges
from ..labels import label_of, listed
from ..table import Over, raw, show
from ..tables.leaderboard import ORDER, Leaderboard, LeaderboardRow, Standing, headline

_LEGEND = (
    "Dot: mean; bar and brackets: its 95 % interval, on the measure's whole scale; where all "
    "samples agree it is as wide as so few allow. Tied: no difference is shown. Cost, median "
    "latency (working time, without waits) and tokens are per question."
)


def first_screen(number: int, report: BenchmarkReport) -> str:
    """Render the leaderboard of a benchmark with its verdicts."""
    benchmark = report.benchmark
    title = f"{benchmark.task}: {listed(map(label_of, benchmark.systems))}"
    verdicts = "".join(
        f'<li class="{"shown" if finding.shown else "open"}">'
        f"<strong>{html.escape(finding.topic)}</strong> {html.escape(finding.text)}</li>"
        for finding in report.findings
    )
    return "\n".join(
        [
            '<div class="hero">',
            f'<h2 id="part-{number}">{html.escape(title)}</h2>',
            f'<p class="quiet">{html.escape(_about(report))}</p>',
            f'<p class="headline">{html.escape(headline(report.leaderboard))}</p>',
            *(f'<p class="judge">{html.escape(line)}.</p>' for line in unproven_judges(benchmark)),
            _board(report.leaderboard, benchmark),
            f'<ul class="verdicts">{verdicts}</ul>',
            f'<p class="legend">{html.escape(_legend(report))}</p>',
            "</div>",
        ]
    )


def _legend(report: BenchmarkReport) -> str:
    if len(report.benchmark.systems) < 2:
        return _LEGEND
    return " ".join([_LEGEND, ORDER, report.family.text(report.comparisons)])


def _about(report: BenchmarkReport) -> str:
    benchmark = report.benchmark
    models = dict.fromkeys(run.model for run in benchmark.rows)
    graders = dict.fromkeys(grader for run in benchmark.rows for grader in run.graders)
    companies, samples = len(set(benchmark.clusters.tolist())), len(benchmark.sample_ids)
    grouped = f" of {companies} companies" if benchmark.answers["company"].any() else ""
    return " · ".join(
        [
            f"Written by {listed(map(_model, models))}",
            f"judged by {listed(map(_model, graders))}" if graders else "no judge",
            f"{samples} samples" + grouped,
            f"{benchmark.dataset}, version {benchmark.version}",
        ]
    )


def _model(name: str) -> str:
    return f"{name} (rules, no language model)" if name.startswith("offline/") else name


def _board(board: Leaderboard, benchmark: Benchmark) -> str:
    heads = "".join(
        f'<th scope="col">{html.escape(name)}</th>'
        for name in (
            "System",
            *(measure.label for measure in board.measures),
            *("Cost", "Latency", "Tokens", "Answered"),
        )
    )
    rows = "".join(_row(board, row, benchmark) for row in board.rows)
    return (
        '<table class="board" aria-label="Leaderboard">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(board: Leaderboard, row: LeaderboardRow, benchmark: Benchmark) -> str:
    index = benchmark.systems.index(row.system)
    color = color_of(index)
    cells = "".join(
        _standing(benchmark, board, row, measure, standing)
        for measure, standing in zip(board.measures, row.standings, strict=True)
    )
    effort = (
        ("Cost", _cost(row.cost)),
        ("Latency", _seconds(row.latency)),
        ("Tokens", f"{row.tokens.value:,.0f}" if row.tokens else "-"),
        ("Answered", f"{row.count} of {row.of}"),
    )
    more = "".join(
        f'<td class="effort" data-label="{name}">{html.escape(text)}</td>' for name, text in effort
    )
    name = html.escape(row.label)
    head = f'<th scope="row"><span class="swatch"></span>{name}</th>'
    return f'<tr style="--system: {color}">{head}{cells}{more}</tr>'


def _cost(cell: Over | None) -> str:
    if cell is None:
        return "-"
    return show(cell.value) if raw(cell) else "$0"


def _seconds(cell: Over | None) -> str:
    return f"{float(cell.value) / 1000:.1f} s" if cell and isinstance(cell.value, float) else "-"


def _standing(
    benchmark: Benchmark,
    board: Leaderboard,
    row: LeaderboardRow,
    measure: MeasureSpec,
    own: Standing | None,
) -> str:
    label = html.escape(measure.label)
    if own is None:
        reason = html.escape(_missing_reason(benchmark, row.system, measure.key))
        return f'<td data-label="{label}"><span class="quiet">{reason}</span></td>'
    standings = [other.standings[board.measures.index(measure)] for other in board.rows]
    low, high = _scale(measure, [other for other in standings if other is not None])
    rank = f'<span class="rank">{own.place}</span>' if own.place else ""
    return (
        f'<td data-label="{label}"{" class=best" if own.place.startswith("best") else ""}>'
        f'<span class="value">{own.mean.mean:.2f}</span>'
        f"{_bar(own, low, high)}{rank}"
        f'<span class="ends">{_ends(own)}</span></td>'
    )


def _missing_reason(benchmark: Benchmark, system: str, measure: str) -> str:
    """Return the most frequent reason why a system has no value, in words."""
    scores = benchmark.scores
    own = scores[(scores["measure"] == measure) & (scores["system"] == system)]
    reasons = own["reason"].dropna().value_counts()
    return str(reasons.index[0] if len(reasons) else "not scored").replace("_", " ")


def _ends(own: Standing) -> str:
    low, high = own.mean.low, own.mean.high
    return "" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"


def _bar(own: Standing, low: float, high: float) -> str:
    """Render the interval on the scale, with text for screen readers."""

    def share(value: float) -> float:
        return round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 1)

    ends = (own.mean.low, own.mean.high)
    start, end = (own.mean.mean if bound is None else bound for bound in ends)
    label = html.escape(show(own.mean))
    return (
        f'<span class="bar" role="img" aria-label="{label}" title="{label}">'
        f'<span class="range" style="left: {share(start)}%; '
        f'width: {round(share(end) - share(start), 1)}%"></span>'
        f'<span class="dot" style="left: {share(own.mean.mean)}%"></span></span>'
    )


def _scale(measure: MeasureSpec, standings: list[Standing]) -> tuple[float, float]:
    """Return the measure's own scale, or else the range of the intervals."""
    if measure.low is not None and measure.high is not None:
        return measure.low, measure.high
    ends = [end for own in standings for end in own.mean[:3] if end is not None]
    return (min(ends), max(ends)) if min(ends) < max(ends) else (min(ends) - 1, max(ends) + 1)
