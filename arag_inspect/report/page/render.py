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
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..build import FIRST, BenchmarkReport, Report, ReportSection
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

_OWN_TABS = ("overview", "quality", "cost", "retrieval", "errors", "samples", "method")
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
    all_charts = drawn or [charts(part) for part in report.benchmarks]
    pairs = list(zip(report.benchmarks, all_charts, strict=True))
    data = {
        "viewer": viewer,
        "charts": {
            _id(number, chart.name): as_spec(chart)
            for number, (_, pictures) in enumerate(pairs)
            for chart in pictures
        },
        "tables": {
            _id(number, table.id): table.as_csv()
            for number, (part, _) in enumerate(pairs)
            for section in part.sections
            for table in section.tables
        },
        "benchmarks": [benchmark_data(part.benchmark) for part in report.benchmarks],
    }
    names = (
        f"{item.benchmark.task}: {named(item.benchmark.systems, 'system')}" for item, _ in pairs
    )
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    page: str = _template().render(
        title=title or f"{'; '.join(names)} - arag-inspect report",
        refresh=refresh,
        parts=[
            {
                "number": number,
                "report": part,
                "tabs": _tabs(part, pictures),
                "words": words_of(part.benchmark),
            }
            for number, (part, pictures) in enumerate(pairs)
        ],
        notices=report.notices,
        caveats=_caveats(report),
        beside=beside,
        made=f"arag-inspect {version('arag-inspect')}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        style=_resource("page.css"),
        script=_resource("page.js"),
        data=_packed(packed),
        vega=_packed(vega_bundle()) if data["charts"] else "",
    )
    return page


@cache
def _template() -> Any:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.globals |= {
        **{own.__name__: own for own in (show, raw, explain, explain_measure, missing_reason)},
        **{
            own.__name__: own
            for own in (
                about,
                headline,
                key_finding,
                named,
                baseline_of,
                family_of,
                unproven_judges,
            )
        },
        **{"color_of": color_of, "mark_of": mark, "id_of": _id, "order": ORDER},
    }
    return environment.from_string(_resource("page.html"))


def _tabs(report: BenchmarkReport, pictures: Sequence[Chart]) -> list[dict[str, Any]]:
    """Return the tabs, each with its sections, and these with their charts."""
    tabs: dict[str, dict[str, Any]] = {}
    for section in (*report.sections, ReportSection("samples", "Samples", ())):
        tab = "overview" if section.id in FIRST else section.id
        tab = tab if tab in _OWN_TABS else "quality"
        own = tabs.setdefault(tab, {"id": tab, "title": section.title, "sections": []})
        drawn = [chart for chart in pictures if chart.section == section.id]
        same = [item for item in own["sections"] if item["id"] == section.id]
        if not same:
            entry = {"id": section.id, "title": section.title, "charts": drawn}
            own["sections"].append({**entry, "tables": section.tables})
    tabs.setdefault("overview", {"id": "overview", "title": "Overview", "sections": []})
    return [{**tabs[name], "title": _title(name)} for name in _OWN_TABS if name in tabs]


def _title(tab: str) -> str:
    return "Method" if tab == "method" else tab.capitalize()


def _caveats(report: Report) -> str:
    """Count what puts the figures in doubt, in words."""
    counts = Counter(notice.level for notice in report.notices)
    return ", ".join(counted(n, level) for level, n in counts.items())


def _id(number: int, name: str) -> str:
    return f"{number}-{name}"


def _packed(text: str) -> str:
    """Compress JSON or a script for a script element; base64 has no `<` that could end it."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _resource(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))  # our own files
