"""What a chart is, and how it becomes a file."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....._util.encodable import drawable
from ....._util.extras import extra
from ....load.records import Benchmark
from ....load.systems import label_of

with extra("report"):
    import altair as alt

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a")
"""Okabe and Ito's, told apart also by those who do not see all colours, on light and on dark."""

WIDTH = 560


class Chart(NamedTuple):
    """A picture, and what it says in words."""

    name: str
    """For file names and anchors, e.g. `errors`."""

    section: str
    """Section of the report that it belongs to."""

    title: str
    description: str
    """For readers who do not see it."""

    drawing: alt.TopLevelMixin


def as_svg(chart: Chart) -> str:
    """Render a chart as SVG."""
    import vl_convert

    return vl_convert.vegalite_to_svg(as_spec(chart))


def as_png(chart: Chart, scale: float = 2.0) -> bytes:
    """Render a chart as PNG.

    Args:
        chart: What to render.
        scale: Pixels a point.
    """
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(as_spec(chart), scale=scale))


def as_spec(chart: Chart) -> dict[str, Any]:
    """The chart's Vega-Lite specification, fit for JSON."""
    spec: dict[str, Any] = chart.drawing.to_dict()
    return drawable(spec)


def rows_of(rows: Sequence[dict[str, Any]]) -> alt.InlineData:
    """Rows as the data of a chart."""
    return alt.InlineData(values=list(rows))


def labels_of(benchmark: Benchmark) -> list[str]:
    """Names of the systems, in the order of their colours."""
    return [label_of(system) for system in benchmark.systems]


def system_color(benchmark: Benchmark, *, legend: bool = True) -> alt.Color:
    """Each system in its own colour, the same in every chart."""
    systems = labels_of(benchmark)
    colors = [COLORS[place % len(COLORS)] for place in range(len(systems))]
    scale = alt.Scale(domain=systems, range=colors)
    if legend:
        return alt.Color("system:N", title="System", scale=scale)
    return alt.Color("system:N", scale=scale, legend=None)
