"""Tables, charts and samples as one HTML file that needs no network."""

import html
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from ...prompts import fill
from ..results import Benchmark, Notice
from ..tables import Cell, Table, show
from .charts import Chart, as_spec, charts
from .data import benchmark_data
from .vega import vega_bundle


class Part(NamedTuple):
    """What a page says of one benchmark."""

    benchmark: Benchmark
    findings: Sequence[str]
    """Paragraphs that come first."""

    tables: Sequence[Table]


def render_page(
    parts: Sequence[Part],
    notices: Sequence[Notice] = (),
    *,
    title: str = "Which system wins, and why",
    subtitle: str = "",
    viewer: str = "http://127.0.0.1:7575",
) -> str:
    """Render a page.

    Everything that comes from logs is escaped, or handed to the page as data
    that it shows as text; the page loads nothing from anywhere.

    Args:
        parts: Benchmarks, in order.
        notices: What has to be said beforehand.
        title: Heading.
        subtitle: Line below it.
        viewer: Where `inspect view` listens, for links to samples.
    """
    drawn = [charts(part.benchmark) for part in parts]
    body = [_notices(notices)]
    specs: list[dict[str, Any]] = []
    for number, (part, pictures) in enumerate(zip(parts, drawn, strict=True)):
        body.append(_part(number, part, pictures))
        specs += [{"id": _chart_id(number, chart), "spec": as_spec(chart)} for chart in pictures]
    data = {
        "viewer": viewer,
        "charts": specs,
        "benchmarks": [benchmark_data(part.benchmark) for part in parts],
    }
    return fill(
        _resource("page.html"),
        title=html.escape(title),
        subtitle=html.escape(subtitle),
        style=_resource("page.css"),
        links="".join(_links(number, part) for number, part in enumerate(parts)),
        body="\n".join(body),
        data=_as_script(data),
        vega=vega_bundle() if specs else "",
        script=_resource("page.js"),
    )


def _part(number: int, part: Part, pictures: Sequence[Chart]) -> str:
    findings = "".join(f"<p>{html.escape(text)}</p>" for text in part.findings)
    return "\n".join(
        [
            f'<section aria-labelledby="part-{number}">',
            f'<h2 id="part-{number}">{html.escape(part.benchmark.name)}</h2>',
            f'<div class="finding">{findings}</div>' if findings else "",
            *(_table(number, table) for table in part.tables[:1]),
            *(_figure(number, chart) for chart in pictures),
            *(_table(number, table) for table in part.tables[1:]),
            f'<h2 id="{"samples" if number == 0 else f"samples-{number}"}">Samples</h2>',
            f'<div id="reader-{number}"></div>',
            "</section>",
        ]
    )


def _links(number: int, part: Part) -> str:
    name = html.escape(part.benchmark.name)
    samples = "samples" if number == 0 else f"samples-{number}"
    tables = "".join(
        f'<li><a href="#{_table_id(number, table)}">{html.escape(table.title)}</a></li>'
        for table in part.tables
    )
    return (
        f'<li><a href="#part-{number}">{name}</a></li>{tables}'
        f'<li><a href="#{samples}">Samples</a></li>'
    )


def _notices(notices: Sequence[Notice]) -> str:
    if not notices:
        return ""
    items = "".join(
        f'<li class="{notice.level}">{html.escape(notice.level)}: {html.escape(notice.text)}</li>'
        for notice in notices
    )
    return f'<section aria-label="Notices"><ul class="notices">{items}</ul></section>'


def _table(number: int, table: Table) -> str:
    heads = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in table.columns)
    rows = "".join(f"<tr>{_cells(row)}</tr>" for row in table.rows)
    text = f'<p class="quiet">{html.escape(table.text)}</p>' if table.text else ""
    return (
        f'<h3 id="{_table_id(number, table)}">{html.escape(table.title)}</h3>{text}'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(table.title)}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cells(row: Sequence[Cell]) -> str:
    first, *rest = (html.escape(show(cell)) for cell in row)
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest)


def _figure(number: int, chart: Chart) -> str:
    told = html.escape(chart.description)
    return (
        f"<figure><figcaption>{html.escape(chart.title)}</figcaption>"
        f'<div class="scroll"><div id="{_chart_id(number, chart)}" role="img" '
        f'aria-label="{told}"></div></div></figure>'
    )


def _table_id(number: int, table: Table) -> str:
    return f"table-{number}-{html.escape(table.id)}"


def _chart_id(number: int, chart: Chart) -> str:
    return f"chart-{number}-{chart.name}"


def _as_script(data: object) -> str:
    """JSON that cannot end the script element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
