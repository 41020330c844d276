"""Charts of a benchmark, for the page, and as SVG or PNG without a browser."""

from ..._util.registry import CHARTS, load_hook
from ..build import BenchmarkReport
from . import drawn
from .chart import Chart, as_png, as_spec, as_svg


def charts(report: BenchmarkReport) -> list[Chart]:
    """Return every chart that the scores of a benchmark allow, in reading order."""
    own = (
        drawn.frontier,
        drawn.recall_by_loop,
        drawn.fact_paths,
        drawn.sections,
        drawn.errors,
        drawn.documents,
        drawn.histograms,
        drawn.judge_agreement,
        drawn.cases_by_judge,
    )
    candidates = [
        drawn.differences(report, "primary"),
        drawn.differences(report, "secondary"),
        *(draw(report) for draw in own),
        *(chart for hook in CHARTS for chart in load_hook(hook)(report)),
    ]
    return [chart for chart in candidates if chart is not None]


__all__ = ["Chart", "as_png", "as_spec", "as_svg", "charts"]
