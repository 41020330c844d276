"""Charts of a benchmark, for the page, and as SVG or PNG without a browser."""

from ....build import BenchmarkReport
from .chart import Chart, as_png, as_spec, as_svg
from .differences import forest
from .documents import cases_by_judge, heat_map, histograms
from .failures import errors, judge_agreement
from .faithfulness import composite_cases, correlations, overall, parts_by_judge, ranking
from .price import frontier, recall_by_loop
from .sections import sections


def charts(report: BenchmarkReport) -> list[Chart]:
    """Return every chart that the scores of a benchmark allow, in reading order."""
    candidates = [
        forest(report),
        frontier(report),
        recall_by_loop(report),
        sections(report),
        errors(report),
        heat_map(report),
        histograms(report),
        judge_agreement(report),
        overall(report),
        ranking(report),
        parts_by_judge(report),
        composite_cases(report),
        cases_by_judge(report),
        correlations(report),
    ]
    return [chart for chart in candidates if chart is not None]


__all__ = ["Chart", "as_png", "as_spec", "as_svg", "charts"]
