"""Tables, charts and samples as one HTML file that needs no network."""

import base64
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..._util.files import packaged_yaml
from ..._util.wording import format_count
from ...stats.estimates import Estimate
from ..build import FIRST, Report, ReportSection, StudyReport
from ..cells import Over, raw, show
from ..chart import as_spec, color_of, vega_bundle
from ..comparison.comparisons import describe_pairs
from ..comparison.leads import ORDER, baseline_of
from ..drawing import arrow
from ..findings.provenance import about, banner, sides
from ..labels import end_sentence
from ..study import Study
from ..table import Table
from .board import effort_columns, explain_measure, places, rule_of, scored_cells
from .data import study_data

_DEFINITIONS: dict[str, str] = packaged_yaml(__package__, "columns.yaml")
"""Explanations of headings that several tables share."""

_SCRIPTS = ("elements.js", "tabs.js", "charts.js", "samples.js", "page.js")
"""Files of the page's script, in order."""


def words_of(study: Study) -> dict[str, str]:
    """Return explanations of the measures and systems named in headings."""
    writers = [run for run in study.rows if run.model_wrote]
    runs = {run.system: f"{run.system}, written by {run.model}" for run in writers}
    return {spec.label: spec.description or spec.label for spec in study.catalogue.specs} | runs


def explain(table: Table, column: int, words: Mapping[str, str]) -> str:
    """Return the definition, n and interval type of a column, for its heading."""
    name = table.columns[column]
    meanings = {**_DEFINITIONS, **table.meanings, **words}
    keys = (name, name.split(" (")[0], name.split(",")[0])
    about = next((meanings[key] for key in keys if meanings.get(key)), name)
    cells = [row[column] for row in table.rows]
    counts = sorted({cell.n for cell in cells if isinstance(cell, Estimate | Over)})
    several = f"{counts[0]:,} to {counts[-1]:,}" if len(counts) > 1 else "".join(map(str, counts))
    n = f" n {several}." if counts else f" {format_count(len(cells), 'row')}."
    kind = " Mean with its 95 % interval." if any(isinstance(c, Estimate) for c in cells) else ""
    return f"{end_sentence(about)}{kind}{n}"


def keep_unbroken(text: str) -> str:
    """Keep each interval of a text on one line with its figure."""
    return re.sub(r" \[[^][]*\]", lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def sample_link(number: int, sample: str) -> str:
    """Return the address of a sample within the page, as `link` in samples.js builds it."""
    name = quote(sample, safe="!~*'()")  # as encodeURIComponent
    return f"#sample-{number}-{name}"


_TABS = ("overview", "quality", "cost", "retrieval", "errors", "samples", "method")
"""Sections with their own tab.

Comparisons are in the overview, the appendix is in the method, and other sections are in quality.
"""


def render_page(
    report: Report,
    *,
    viewer: str | None = None,
    refresh: int | None = None,
    beside: Sequence[str] = (),
) -> str:
    """Render a report as a page.

    Text from logs is escaped, or embedded as compressed data that the page shows as text; the page
    loads no other file.

    Args:
        report: Report to show.
        viewer: Address of an `inspect view`, for links to samples that appear while it runs.
        refresh: Seconds after which a browser reloads the page, while runs are in progress.
        beside: Files in the same folder to link to, relative to the page.
    """
    parts = report.studies
    charts = {}
    for number, part in enumerate(parts):
        for chart in part.charts:
            charts[f"{number}-{chart.name}"] = as_spec(chart)
    samples = [study_data(part.study) for part in parts]
    data = {"viewer": viewer, "charts": charts, "benchmarks": samples}
    tasks = (f"{p.study.task}: {sides(p.study)}" for p in parts)
    levels = Counter(notice.level for notice in report.notices)
    page: str = _template().render(
        title=f"{'; '.join(tasks)} - arag-inspect report",
        refresh=refresh,
        origin=_origin(viewer) if viewer else viewer,
        parts=[
            {"number": number, "report": part, "tabs": _tabs(part), "words": words_of(part.study)}
            for number, part in enumerate(parts)
        ],
        notices=report.notices,
        caveats=", ".join(format_count(n, level) for level, n in levels.items()),
        beside=beside,
        made=f"arag-inspect {version('arag-inspect')}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        style=_resource("page.css"),
        script=_script(),
        data=_compress(
            json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        ),
        vega=_compress(vega_bundle()) if charts else "",
    )
    return page


def _origin(address: str) -> str:
    """Return the viewer's origin, which the page may contact to check that it is running."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{quote(parts.netloc, safe=':[]')}"


def _script() -> Markup:
    """Return the scripts of the page as one, in a scope of its own."""
    scripts = Markup("\n").join(map(_resource, _SCRIPTS))
    return Markup('"use strict";\n(() => {\n%s})();') % scripts


@cache
def _template() -> Any:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {function.__name__: function for function in _FUNCTIONS}
    environment.globals["order"] = ORDER
    return environment.from_string(_resource("page.html"))


def _tabs(report: StudyReport) -> list[dict[str, Any]]:
    """Return the tabs, each with its sections."""
    tabs: dict[str, list[ReportSection]] = {tab: [] for tab in _TABS}
    for section in report.sections:
        tab = "overview" if section.id in FIRST else section.id
        tab = "method" if tab == "appendix" else tab
        tabs[tab if tab in tabs else "quality"].append(section)
    return [
        {"id": tab, "title": tab.capitalize(), "sections": sections}
        for tab, sections in tabs.items()
        if sections or tab in ("overview", "samples")
    ]


def _compress(text: str) -> str:
    """Compress JSON or a script for a script element; base64 has no `<` that could end it."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def _resource(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))  # our own files


_FUNCTIONS: tuple[Callable[..., object], ...] = (
    about,
    arrow,
    banner,
    baseline_of,
    color_of,
    format_count,
    describe_pairs,
    effort_columns,
    explain,
    explain_measure,
    places,
    raw,
    rule_of,
    sample_link,
    scored_cells,
    show,
    sides,
    keep_unbroken,
)
"""Functions that the template calls."""
