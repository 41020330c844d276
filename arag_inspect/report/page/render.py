"""Tables, charts and samples as one HTML file that needs no network."""

import base64
import gzip
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import numpy as np
from filelock import FileLock
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..._util.files import cache_folder, packaged_yaml, replace_file
from ..._util.wording import counted, plural
from ...measure import MeasureSpec
from ...stats.estimates import Estimate
from ..analyses.leaderboard import ORDER, Standing, place_of, places
from ..build import FIRST, Report, ReportSection, StudyReport
from ..chart import as_spec, color_of
from ..comparisons import baseline_of, family_of
from ..drawing import arrow
from ..provenance import about, banner, sides
from ..study import Study
from ..table import Over, Table, raw, show
from .board import effort_columns
from .data import study_data


@cache
def _definitions() -> dict[str, str]:
    definitions = packaged_yaml(__package__, "columns.yaml")
    return {str(name): str(about) for name, about in definitions.items()}


def words_of(study: Study) -> dict[str, str]:
    """Return explanations of the measures and systems named in headings."""
    runs = {run.system: f"{run.system}, written by {run.model}" for run in study.rows}
    return {spec.label: spec.description or spec.label for spec in study.catalogue.specs} | runs


def explain(table: Table, column: int, words: Mapping[str, str]) -> str:
    """Return the definition, n and interval type of a column, for its heading."""
    name = table.columns[column]
    meanings = {**_definitions(), **table.meanings, **words}
    keys = (name, name.split(" (")[0], name.split(",")[0])
    about = next((meanings[key] for key in keys if meanings.get(key)), name)
    cells = [row[column] for row in table.rows]
    counts = sorted({cell.n for cell in cells if isinstance(cell, Estimate | Over)})
    several = f"{counts[0]:,} to {counts[-1]:,}" if len(counts) > 1 else "".join(map(str, counts))
    n = f" n {several}." if counts else f" {counted(len(cells), 'row')}."
    kind = " Mean with its 95 % interval." if any(isinstance(c, Estimate) for c in cells) else ""
    return f"{_ended(about)}{kind}{n}"


def unbroken(text: str) -> str:
    """Keep each interval of a text, and what it is of, on one line."""
    return re.sub(r" \[[^][]*\]", lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def _ended(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


_VERSION = 2
"""Version of the bundle's build steps."""


def vega_bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script.

    It is built once and cached in `$ARAG_CACHE`.

    Built from the `vl-convert-python` package; nothing is
    downloaded.
    """
    name = f"vega-{version('vl-convert-python')}-{_VERSION}.js"
    path = cache_folder() / "report" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if not path.is_file():
            import vl_convert

            # The stub demands a snippet; without one the bundle sets `window.vegaEmbed`.
            replace_file(path, vl_convert.javascript_bundle())  # type: ignore[call-arg]
        return path.read_text(encoding="utf-8")


class IntervalMark(NamedTuple):
    """Mark of a system on a leaderboard measure; lengths are percentages of the bar."""

    ends: str
    title: str
    start: float
    width: float
    dot: float
    gaps: dict[str, tuple[str, int, str]]
    """By system as baseline: the paired difference to it, its n, and its verdict."""


def explain_measure(report: StudyReport, measure: MeasureSpec) -> str:
    """Return the definition, direction and n of a measure."""
    scored = report.study.statuses.loc[measure.key, "scored"]
    ends = sorted({int(count) for count in scored if count})
    n = f"n {' to '.join(map(str, ends[:: max(1, len(ends) - 1)]))}" if ends else "no value"
    better = {True: "higher is better", False: "lower is better", None: "no direction"}
    text = f"{_ended(measure.description or measure.label)} Mean with its 95 % interval over "
    return f"{text}{plural(report.study.cluster)}; {n}; {better[measure.higher_is_better]}."


def mark(
    report: StudyReport, system: str, measure: MeasureSpec, standing: Standing
) -> IntervalMark:
    """Return the position of a system's mean on a measure's scale, and its differences.

    The scale of an unbounded measure runs from zero to the end of the intervals.
    """
    mean, low, high = standing.mean, measure.low, measure.high
    if low is None or high is None:
        position = report.leaderboard.measures.index(measure)
        standings = (row.standings[position] for row in report.leaderboard.rows)
        ends = [end for other in standings if other for end in other.mean[:3] if end is not None]
        low, high = min(0.0, *ends), max(0.0, *ends) or 1.0
    marks = [mean.mean if end is None else end for end in mean[:3]]
    dot, start, end = np.interp(marks, [low, high], [0, 100]).round(1).tolist()
    brackets = "".join(show(mean).partition(" [")[1:]).strip()
    gaps = {
        baseline: (show(pair.seen_from(baseline)[1]), pair.paired.n, pair.verdict)
        for pair in report.comparisons
        if pair.measure.key == measure.key and system in (pair.a, pair.b)
        for baseline in [pair.b if system == pair.a else pair.a]
    }
    title = f"{show(mean)}, n {mean.n}"
    return IntervalMark(brackets, title, start, round(end - start, 1), dot, gaps)


def missing_reason(report: StudyReport, system: str, measure: str) -> str:
    """Describe the most frequent reason why a system has no value."""
    scores = report.study.scores_of(measure)
    reasons = scores.loc[scores["system"] == system, "reason"].value_counts()
    return str(reasons.index[0] if len(reasons) else "not scored").replace("_", " ")


_MOST_LINKED = 2
"""Maximum number of samples of a failure linked below the leaderboard."""

_LINK = 60
"""Maximum characters of a question in a link."""


def sample_link(number: int, sample: str) -> str:
    """Return the address of a sample within the page, as `link` in page.js builds it."""
    name = quote(sample, safe="!~*'()")  # as encodeURIComponent
    return f"#sample-{number}-{name}"


def question_of(report: StudyReport, sample: str) -> str:
    """Return the first line of a sample's question, truncated; its id if it has none."""
    question = str(report.study.samples["input"][sample]).strip()
    line = question.split("\n")[0] or sample
    return line if len(line) <= _LINK else f"{line[:_LINK]}…"


_TABS = ("overview", "quality", "cost", "retrieval", "errors", "samples", "method")
"""Sections with their own tab.

Those of a comparison are in the overview, the appendix is in the method, and others are in quality.
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
    charts = {
        f"{n}-{chart.name}": as_spec(chart) for n, p in enumerate(parts) for chart in p.charts
    }
    tables = {f"{n}-{table.id}": table.as_csv() for n, p in enumerate(parts) for table in p.tables}
    samples = [study_data(part.study) for part in parts]
    data = {"viewer": viewer, "charts": charts, "tables": tables, "benchmarks": samples}
    tasks = (f"{p.study.task}: {sides(p.study)}" for p in parts)
    levels = Counter(notice.level for notice in report.notices)
    page: str = _template().render(
        title=f"{'; '.join(tasks)} - arag-inspect report",
        refresh=refresh,
        origin=viewer and _origin(viewer),
        parts=[
            {"number": number, "report": part, "tabs": _tabs(part), "words": words_of(part.study)}
            for number, part in enumerate(parts)
        ],
        notices=report.notices,
        caveats=", ".join(counted(n, level) for level, n in levels.items()),
        beside=beside,
        made=f"arag-inspect {version('arag-inspect')}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        style=_resource("page.css"),
        script=_resource("page.js"),
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


@cache
def _template() -> Any:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    functions = (
        *(show, raw, explain, explain_measure, missing_reason, about, banner, arrow),
        *(baseline_of, family_of, color_of, mark, place_of, places, counted),
        *(effort_columns, unbroken, question_of, sample_link, sides),
    )
    environment.globals |= {function.__name__: function for function in functions} | {
        "order": ORDER,
        "most_linked": _MOST_LINKED,
    }
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
