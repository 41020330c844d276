"""Charts of a benchmark, for the page, and as SVG or PNG without a browser."""

from ..._util.registry import CHARTS, load_hook
from ..build import BenchmarkReport
from .chart import Chart, as_png, as_spec, as_svg
from .differences import forest
from .documents import cases_by_judge, heat_map, histograms
from .fact_paths import fact_paths
from .failures import errors, judge_agreement
from .price import frontier, recall_by_loop
from .sections import sections


def charts(report: BenchmarkReport) -> list[Chart]:
    """Return every chart that the scores of a benchmark allow, in reading order."""
    candidates = [
        forest(report),
        frontier(report),
        recall_by_loop(report),
        fact_paths(report),
        sections(report),
        errors(report),
        heat_map(report),
        histograms(report),
        judge_agreement(report),
        cases_by_judge(report),
        *(chart for hook in CHARTS for chart in load_hook(hook)(report)),
    ]
    return [chart for chart in candidates if chart is not None]


__all__ = ["Chart", "as_png", "as_spec", "as_svg", "charts"]
