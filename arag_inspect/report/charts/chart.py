"""Charts and their export."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from mmap import mmap
from typing import Any, NamedTuple

from ..._util.encodable import drawable
from ..._util.errors import InputError, one_line
from ..._util.extras import extra
from ..benchmark import Benchmark
from ..labels import label_of

with extra("report"):
    import altair as alt

_COLORS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
    *("#aa2233", "#999933", "#7766dd", "#8c6d31"),
)
"""Colours of Okabe and Ito, distinguishable with colour blindness, on light and on dark, and more.
"""

GREY = "#7a7a7a"
"""Of no system and no code."""

_CONFIG = {
    "legend": {"labelLimit": 320},
    "axis": {"labelLimit": 320},
    "headerRow": {"labelAngle": 0, "labelAlign": "left", "labelLimit": 320},
}
"""Long names of judges and systems are written in full, beside each other."""

WIDTH = 560

_MEMORY = 64 << 20
"""Bytes of address space without which no chart can be drawn."""


class Chart(NamedTuple):
    """A chart with its description in words."""

    name: str
    """For file names and anchors, e.g. `errors`."""

    section: str
    """Section of the report."""

    title: str
    description: str
    """Alternative text."""

    drawing: alt.TopLevelMixin


def as_svg(chart: Chart) -> str:
    """Render a chart as SVG.

    Raises:
        InputError: The system lacks what drawing takes, e.g. memory or file descriptors.
    """
    import vl_convert

    with _drawing(chart):
        return vl_convert.vegalite_to_svg(as_spec(chart))


def as_png(chart: Chart, scale: float = 2.0) -> bytes:
    """Render a chart as PNG.

    Args:
        chart: Chart to render.
        scale: Pixels per point.

    Raises:
        InputError: See `as_svg`.
    """
    import vl_convert

    with _drawing(chart):
        return bytes(vl_convert.vegalite_to_png(as_spec(chart), scale=scale))


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


def as_spec(chart: Chart) -> dict[str, Any]:
    """Return the chart's Vega-Lite specification as JSON values."""
    spec: dict[str, Any] = chart.drawing.to_dict(validate=False)
    return drawable({**spec, "config": {**spec.get("config", {}), **_CONFIG}})


def color_of(index: int) -> str:
    """Return the colour of a number, different for each: after the first ten darker ones."""
    shade, position = divmod(index, len(_COLORS))
    channels = bytes.fromhex(_COLORS[position][1:])
    return "#" + bytes(round(channel * 0.7**shade) for channel in channels).hex()


def scale_of_colors(names: Sequence[str], *more: tuple[str, str]) -> alt.Scale:
    """Return a scale that gives each name a colour of its own.

    Args:
        names: In the order of their colours.
        more: Further names, each with its colour.
    """
    pairs = [*((name, color_of(index)) for index, name in enumerate(names)), *more]
    return alt.Scale(domain=[name for name, _ in pairs], range=[color for _, color in pairs])


def rows_of(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return rows as the data of a chart; Altair would check an object of its own row by row."""
    return {"values": list(rows)}


def labels_of(benchmark: Benchmark) -> list[str]:
    """Return the names of the systems, in the order of their colours."""
    return [label_of(system) for system in benchmark.systems]


def system_color(benchmark: Benchmark, *, legend: bool = True) -> alt.Color:
    """Return the colour scale: each system has the same colour in every chart."""
    scale = scale_of_colors(labels_of(benchmark))
    if legend:
        return alt.Color("system:N", title="System", scale=scale)
    return alt.Color("system:N", scale=scale, legend=None)
