"""Tables, charts and samples as one HTML file that needs no network."""

import base64
import gzip
import html
import json
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from ...prompts import fill
from ..build import BenchmarkReport, Report, ReportSection
from ..charts import Chart, as_spec, charts
from ..frames import Notice
from ..table import Table
from .data import benchmark_data
from .first_screen import first_screen
from .vega import vega_bundle

VIEWER = "http://127.0.0.1:7575"
"""Default address of `inspect view`."""


def render_page(
    report: Report,
    drawn: Sequence[Sequence[Chart]] | None = None,
    *,
    title: str = "Which system wins, at what price, and why",
    viewer: str = VIEWER,
    refresh: int | None = None,
) -> str:
    """Render a report as a page.

    All text from logs is escaped, or passed to the page as compressed data
    that it shows as text; the page loads no other file.

    Args:
        report: Report to show.
        drawn: Charts of each benchmark; None to draw them.
        title: Heading.
        viewer: Address of `inspect view`, for links to samples.
        refresh: Seconds after which a browser reloads the page, while runs are in progress.
    """
    all_charts = drawn or [charts(part) for part in report.benchmarks]
    specs = [
        {"id": _chart_id(number, chart), "spec": as_spec(chart)}
        for number, pictures in enumerate(all_charts)
        for chart in pictures
    ]
    data = {
        "viewer": viewer,
        "charts": specs,
        "benchmarks": [benchmark_data(part.benchmark) for part in report.benchmarks],
    }
    parts = list(enumerate(zip(report.benchmarks, all_charts, strict=True)))
    return fill(
        _resource("page.html"),
        title=html.escape(title),
        refresh=f'<meta http-equiv="refresh" content="{refresh}">\n' if refresh else "",
        style=_resource("page.css"),
        links="".join(_links(number, part) for number, part in enumerate(report.benchmarks)),
        body="\n".join(_part(n, *part, report.notices if n == 0 else ()) for n, part in parts),
        data=_packed(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)),
        vega=_packed(vega_bundle()) if specs else "",
        script=_resource("page.js"),
    )


def _part(
    number: int, report: BenchmarkReport, pictures: Sequence[Chart], notices: Sequence[Notice]
) -> str:
    return "\n".join(
        [
            f'<section aria-labelledby="part-{number}">',
            first_screen(number, report),
            _notices(notices),
            *(_section(number, section, pictures) for section in report.sections),
            f'<h2 id="part-{number}-samples">Samples</h2>',
            *(_figure(number, chart) for chart in pictures if chart.section == "samples"),
            f'<div id="reader-{number}"></div>',
            "</section>",
        ]
    )


def _section(number: int, section: ReportSection, pictures: Sequence[Chart]) -> str:
    return "\n".join(
        [
            f'<h2 id="part-{number}-{section.id}">{html.escape(section.title)}</h2>',
            *(_figure(number, chart) for chart in pictures if chart.section == section.id),
            *(_table(table, expanded=section.first) for table in section.tables),
        ]
    )


def _links(number: int, report: BenchmarkReport) -> str:
    anchors = [(f"part-{number}-{section.id}", section.title) for section in report.sections]
    anchors.append((f"part-{number}-samples", "Samples"))
    return "".join(
        f'<li><a href="#{anchor}">{html.escape(name)}</a></li>' for anchor, name in anchors
    )


def _notices(notices: Sequence[Notice]) -> str:
    if not notices:
        return ""
    items = "".join(
        f'<li class="{notice.level}">{html.escape(notice.level)}: {html.escape(notice.text)}</li>'
        for notice in notices
    )
    counts = Counter(notice.level for notice in notices)
    counted = ", ".join(f"{n} {level}{'s' if n > 1 else ''}" for level, n in counts.items())
    attribute = " open" if counts["error"] or counts["warning"] else ""
    return (
        f'<details class="notices"{attribute}><summary>Caveats: {counted}</summary>'
        f"<ul>{items}</ul></details>"
    )


def _table(table: Table, *, expanded: bool = False) -> str:
    name, text = html.escape(table.title), html.escape(table.text)
    return (
        f'<details class="table"{" open" if expanded else ""}><summary>{name}</summary>'
        f'<p class="quiet">{text}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">'
        f"{table.as_html()}</div></details>"
    )


def _figure(number: int, chart: Chart) -> str:
    description = html.escape(chart.description)
    return (
        f"<figure><figcaption>{html.escape(chart.title)}</figcaption>"
        f'<p class="visually-hidden">{description}</p>'
        f'<div class="scroll"><div id="{_chart_id(number, chart)}" class="chart"></div></div></figure>'
    )


def _chart_id(number: int, chart: Chart) -> str:
    return f"chart-{number}-{chart.name}"


def _packed(text: str) -> str:
    """Compress JSON or a script for a script element; base64 has no `<` that could end it."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
