"""Tables, charts and samples as one HTML file that needs no network."""

import base64
import gzip
import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import count
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..build import FIRST, BenchmarkReport, Report
from ..charts import Chart, as_spec, charts
from ..charts.chart import color_of
from ..comparisons import baseline_of, family_of
from ..findings import headline
from ..judge_card import unproven_judges
from ..labels import counted
from ..table import raw, show
from ..tables.leaderboard import ORDER
from ..tables.length import key_finding
from .columns import explain, words_of
from .data import benchmark_data
from .first_screen import about, explain_measure, mark, missing_reason, named
from .vega import vega_bundle

_TABS = ("overview", "quality", "cost", "retrieval", "errors", "samples", "method")
"""Sections with a tab; others stand in that of quality, those of a comparison in the overview."""


def render_page(
    report: Report,
    drawn: Sequence[Sequence[Chart]] | None = None,
    *,
    title: str | None = None,
    viewer: str | None = None,
    refresh: int | None = None,
    beside: Sequence[str] = (),
) -> str:
    """Render a report as a page.

    All text from logs is escaped, or passed to the page as compressed data
    that it shows as text; the page loads no other file.

    Args:
        report: Report to show.
        drawn: Charts of each benchmark; None to draw them.
        title: Title of the document; None for the tasks and systems.
        viewer: Address of a running `inspect view`, for links to samples.
        refresh: Seconds after which a browser reloads the page, while runs are in progress.
        beside: Files of the same folder to link, relative to the page.
    """
    parts = list(
        zip(report.benchmarks, drawn or map(charts, report.benchmarks), count(), strict=False)
    )
    data = {
        "viewer": viewer,
        "charts": {
            f"{number}-{chart.name}": as_spec(chart)
            for _, pictures, number in parts
            for chart in pictures
        },
        "tables": {
            f"{number}-{table.id}": table.as_csv()
            for part, _, number in parts
            for section in part.sections
            for table in section.tables
        },
        "benchmarks": [benchmark_data(part.benchmark) for part in report.benchmarks],
    }
    tasks = (f"{p.benchmark.task}: {named(p.benchmark.systems, 'system')}" for p, *_ in parts)
    levels = Counter(notice.level for notice in report.notices)
    page: str = _template().render(
        title=title or f"{'; '.join(tasks)} - arag-inspect report",
        refresh=refresh,
        parts=[
            {
                "number": number,
                "report": part,
                "tabs": _tabs(part, pictures),
                "words": words_of(part.benchmark),
            }
            for part, pictures, number in parts
        ],
        notices=report.notices,
        caveats=", ".join(counted(n, level) for level, n in levels.items()),
        beside=beside,
        made=f"arag-inspect {version('arag-inspect')}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        style=_resource("page.css"),
        script=_resource("page.js"),
        data=_packed(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)),
        vega=_packed(vega_bundle()) if data["charts"] else "",
    )
    return page


@cache
def _template() -> Any:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    functions = (
        *(show, raw, explain, explain_measure, missing_reason, about, headline, key_finding),
        *(named, baseline_of, family_of, unproven_judges, color_of, mark),
    )
    environment.globals |= {own.__name__: own for own in functions} | {"order": ORDER}
    return environment.from_string(_resource("page.html"))


def _tabs(report: BenchmarkReport, pictures: Sequence[Chart]) -> list[dict[str, Any]]:
    """Return the tabs, each with its sections, and these with their charts."""
    tabs: dict[str, list[dict[str, Any]]] = {tab: [] for tab in _TABS}
    for section in report.sections:
        tab = "overview" if section.id in FIRST else section.id
        own = [chart for chart in pictures if chart.section == section.id]
        tabs[tab if tab in tabs else "quality"].append({**section._asdict(), "charts": own})
    return [
        {"id": tab, "title": tab.capitalize(), "sections": sections}
        for tab, sections in tabs.items()
        if sections or tab in ("overview", "samples")
    ]


def _packed(text: str) -> str:
    """Compress JSON or a script for a script element; base64 has no `<` that could end it."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _resource(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))  # our own files
