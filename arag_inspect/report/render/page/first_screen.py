"""The first screen: systems compared, leaderboard, and one sentence per primary measure."""

import html
from collections.abc import Iterable

from ....types.measures import MeasureSpec
from ...build import BenchmarkReport
from ...load.systems import label_of
from ...tables.leaderboard import Leaderboard, Row, Standing
from ...tables.table import Over, raw, show
from .charts.chart import COLORS

_LEGEND = (
    "Dot: mean; bar: its 95 % interval, on the measure's whole scale. Rank: systems between which "
    "no difference is shown share one (=). By question: cost, median latency, tokens."
)


def first_screen(number: int, report: BenchmarkReport) -> str:
    """Render the leaderboard of a benchmark with its verdicts."""
    benchmark = report.benchmark
    title = f"{benchmark.task.split('/')[-1]}: {_and(map(label_of, benchmark.systems))}"
    verdicts = "".join(
        f'<li class="{"shown" if one.shown else "open"}"><strong>{html.escape(one.topic)}</strong> '
        f"{html.escape(one.text)}</li>"
        for one in report.findings
    )
    return "\n".join(
        [
            '<div class="hero">',
            f'<h2 id="part-{number}">{html.escape(title)}</h2>',
            f'<p class="quiet">{html.escape(_about(report))}</p>',
            _board(report.leaderboard, benchmark.systems),
            f'<ul class="verdicts">{verdicts}</ul>',
            f'<p class="legend">{html.escape(_LEGEND)}</p>',
            "</div>",
        ]
    )


def _about(report: BenchmarkReport) -> str:
    benchmark = report.benchmark
    models = dict.fromkeys(run.model for run in benchmark.runs)
    graders = dict.fromkeys(grader for run in benchmark.runs for grader in run.graders)
    companies, samples = len(set(report.values.clusters.tolist())), len(benchmark.sample_ids)
    return " · ".join(
        [
            f"Written by {_and(models)}",
            f"judged by {_and(graders)}" if graders else "no judge",
            f"{samples} samples of {companies} companies",
            f"{benchmark.dataset}, version {benchmark.version}",
        ]
    )


def _board(board: Leaderboard, systems: tuple[str, ...]) -> str:
    heads = "".join(
        f'<th scope="col">{html.escape(name)}</th>'
        for name in (
            "System",
            *(one.label for one in board.measures),
            *("Cost", "Latency", "Tokens", "Answered"),
        )
    )
    rows = "".join(_row(board, row, systems.index(row.run.system)) for row in board.rows)
    return (
        '<table class="board" aria-label="Leaderboard">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(board: Leaderboard, row: Row, place: int) -> str:
    color = COLORS[place % len(COLORS)]
    cells = "".join(
        _standing(board, one, own) for one, own in zip(board.measures, row.standings, strict=True)
    )
    effort = (
        ("Cost", _cost(row.cost)),
        ("Latency", _seconds(row.latency)),
        ("Tokens", f"{row.tokens.value:,.0f}" if row.tokens else "-"),
        ("Answered", f"{row.answered.value:.0%}"),
    )
    more = "".join(
        f'<td class="effort" data-label="{name}">{html.escape(shown)}</td>'
        for name, shown in effort
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


def _standing(board: Leaderboard, one: MeasureSpec, own: Standing | None) -> str:
    label = html.escape(one.label)
    if own is None:
        return f'<td data-label="{label}"><span class="quiet">does not apply</span></td>'
    ranks = [row.standings[board.measures.index(one)] for row in board.rows]
    best = own.rank == 1 and any(other is not None and other.rank > 1 for other in ranks)
    low, high = _scale(one, [other for other in ranks if other is not None])
    rank = f"{own.rank}{' =' if own.tied else ''}"
    return (
        f'<td data-label="{label}"{" class=best" if best else ""}>'
        f'<span class="value">{own.mean.mean:.2f}</span>'
        f"{_bar(own, low, high)}"
        f'<span class="rank" title="rank">{rank}</span></td>'
    )


def _bar(own: Standing, low: float, high: float) -> str:
    """Render the interval on the scale, with text for screen readers."""

    def share(value: float) -> float:
        return round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 1)

    ends = (own.mean.low, own.mean.high)
    start, end = (own.mean.mean if one is None else one for one in ends)
    label = html.escape(show(own.mean))
    return (
        f'<span class="bar" role="img" aria-label="{label}" title="{label}">'
        f'<span class="range" style="left: {share(start)}%; '
        f'width: {round(share(end) - share(start), 1)}%"></span>'
        f'<span class="dot" style="left: {share(own.mean.mean)}%"></span></span>'
    )


def _scale(one: MeasureSpec, standings: list[Standing]) -> tuple[float, float]:
    """Return the measure's own scale, or else the range of the intervals."""
    if one.low is not None and one.high is not None:
        return one.low, one.high
    ends = [end for own in standings for end in own.mean[:3] if end is not None]
    return (min(ends), max(ends)) if min(ends) < max(ends) else (min(ends) - 1, max(ends) + 1)


def _and(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
