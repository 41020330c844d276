"""The report as one self-contained page, and its charts."""

from .charts import Chart, as_png, as_svg, charts
from .render import render_page

__all__ = ["Chart", "as_png", "as_svg", "charts", "render_page"]
