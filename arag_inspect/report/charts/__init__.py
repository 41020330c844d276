"""Charts of a benchmark, for the page, and as SVG or PNG without a browser."""

from .chart import Chart, as_png, as_spec, as_svg
from .drawn import charts

__all__ = ["Chart", "as_png", "as_spec", "as_svg", "charts"]
