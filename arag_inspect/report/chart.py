"""Charts as Vega-Lite specifications, and their export."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from mmap import mmap
from typing import Any, NamedTuple

from filelock import FileLock

from .._util.encodable import drawable
from .._util.errors import InputError, one_line
from .._util.files import cache_folder, replace_file

_SYSTEMS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#aa2233",
    "#999933",
    "#7766dd",
    "#8c6d31",
)
"""Colours of systems: Okabe and Ito's, then more.

Okabe and Ito's are distinguishable with colour blindness, on light and on dark backgrounds.
"""

_SERIES = (
    "#77aadd",
    "#ee8866",
    "#ffaabb",
    "#eedd88",
    "#99ddff",
    "#cc99bb",
    "#dd7766",
    "#c2a878",
    "#9988cc",
    "#bbbbbb",
)
"""Colours of anything else, e.g. errors or judges: none is green or the colour of a system."""

WIDTH = 900
"""Width of a chart as a file; on the page, charts are as wide as the page."""

_TEXT_SIZE = 12
"""Height of the text of a chart in pixels."""

_HEADER = {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "start", "labelLimit": 320}
_CONFIG = {
    "legend": {
        "labelLimit": 320,
        "titleLimit": 600,
        "orient": "top",
        "columns": 5,
        "labelFontSize": _TEXT_SIZE,
        "titleFontSize": _TEXT_SIZE,
    },
    "axis": {"labelLimit": 320, "labelFontSize": _TEXT_SIZE, "titleFontSize": _TEXT_SIZE},
    "header": {"labelFontWeight": "bold", "title": None, "labelFontSize": _TEXT_SIZE},
    "headerRow": _HEADER,
}
"""Chart configuration: long names of judges and systems are shown in full, side by side."""

_MEMORY = 64 << 20
"""Address space in bytes that drawing a chart needs."""

Spec = dict[str, Any]
"""A Vega-Lite specification, or a part of one."""


class Chart(NamedTuple):
    """A chart, or what it is called before it is drawn."""

    name: str
    """For file names and anchors, e.g. `errors`."""

    section: str
    """Section of the report."""

    title: str
    description: str = ""
    """Alternative text."""

    drawing: Mapping[str, Any] = {}
    """A Vega-Lite specification."""

    note: str = ""
    """Information missing from the chart, e.g. which systems have no point."""


def as_svg(chart: Chart) -> str:
    """Render a chart as SVG.

    Raises:
        InputError: The system lacks resources for drawing, e.g. memory or file descriptors.
    """
    import vl_convert

    with _drawing(chart):
        return vl_convert.vegalite_to_svg(as_spec(chart))


def as_png(chart: Chart, svg: str) -> bytes:
    """Render the SVG of a chart as PNG, with two pixels per point.

    Raises:
        InputError: See `as_svg`.
    """
    import vl_convert

    with _drawing(chart):
        return bytes(vl_convert.svg_to_png(svg, scale=2.0))


@contextmanager
def _drawing(chart: Chart) -> Iterator[None]:
    try:
        mmap(-1, _MEMORY).close()  # without it the library waits for a thread that never started
        yield
    except BaseException as error:
        panic = type(error).__name__ == "PanicException"  # of Rust, not an `Exception`
        if not panic and not isinstance(error, ValueError | OSError):
            raise
        raise InputError(
            f"the chart {chart.name} cannot be drawn ({one_line(error)}); "
            "drawing takes memory and some 30 open files"
        ) from error


def as_spec(chart: Chart) -> Spec:
    """Return the chart's Vega-Lite specification as JSON values."""
    return drawable({**chart.drawing, "config": _CONFIG})


def color_of(index: int, colors: Sequence[str] = _SYSTEMS) -> str:
    """Return a distinct colour for each index; darker colours follow the first ones."""
    shade, position = divmod(index, len(colors))
    channels = bytes.fromhex(colors[position][1:])
    return "#" + bytes(round(channel * 0.7**shade) for channel in channels).hex()


def scale_of_systems(names: Sequence[str]) -> Spec:
    """Return a scale with a distinct colour for each system."""
    return {"domain": list(names), "range": list(map(color_of, range(len(names))))}


def scale_of_series(names: Sequence[str]) -> Spec:
    """Return a scale that gives each name a colour not used by a system."""
    return {"domain": list(names), "range": [color_of(n, _SERIES) for n in range(len(names))]}


def rows_of(rows: Sequence[dict[str, Any]]) -> Spec:
    """Return rows as the data of a chart."""
    return {"values": list(rows)}


_BUNDLE_VERSION = 2
"""Version of the build steps of the script for the page."""


def vega_bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script.

    It is built once from the package `vl-convert-python`, and cached in `$ARAG_CACHE`; nothing is
    downloaded.
    """
    name = f"vega-{version('vl-convert-python')}-{_BUNDLE_VERSION}.js"
    path = cache_folder() / "report" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if not path.is_file():
            import vl_convert

            # The stub demands a snippet; without one the bundle sets `window.vegaEmbed`.
            replace_file(path, vl_convert.javascript_bundle())  # type: ignore[call-arg]
        return path.read_text(encoding="utf-8")
