"""A plan as text."""

from collections.abc import Mapping
from textwrap import fill

from ..._util.wording import format_count, plural
from ...report import Table
from .plan import CORRELATION, POWER, DataSource, Plan

_SOURCES: Mapping[DataSource, str] = {
    "prepared": "Prepared",
    "drawn": "Drawn",
    "logs": "In the logs",
    "all pairs": "In the logs, shared by every two systems",
    "smallest pair": "In the logs, shared by the two systems that share fewest",
}


def plan_text(plan: Plan, effect: float) -> str:
    """Format a plan for a terminal of 80 columns."""
    samples, groups = plan.available
    groups_suffix = "" if plan.cluster == "sample" else f" of {format_count(groups, plan.cluster)}"
    conclusion = "no difference can be shown"
    if plan.detectable_effect is not None:
        conclusion = f"they show {plan.detectable_effect:g} SD"
        if groups < samples:
            conclusion += f", if all {plural(plan.cluster)} are of equal size"
    available = f"{_SOURCES[plan.source]}: {samples:,} samples{groups_suffix}; {conclusion}."
    bound_prefix = "at most " if plan.source in ("prepared", "drawn") else ""
    text = (
        f"To find a difference of {effect:g} standard deviations with a power of {POWER:.0%},\n"
        f"corrected over {bound_prefix}{format_count(plan.comparisons, 'primary comparison')}:\n"
        f"{_needs_table(plan).as_text()}\n"
        f"{fill(available, 80)}"
    )
    if not plan.assumes_correlation:
        return text
    assumption = (
        f"No log gives r, the correlation of differences in a {plan.cluster}; it is assumed to be"
    )
    remedy = "Measure it with --earlier and logs of two systems."
    return f"{text}\n{fill(f'{assumption} {CORRELATION:g}. {remedy}', 80)}"


def _needs_table(plan: Plan) -> Table:
    """Return the needs of each measure; without groups if each has one sample."""
    if plan.cluster == "sample":
        columns: tuple[str, ...] = ("measure", "1 SD is", "samples")
        rows = tuple((need.measure, need.deviation, need.samples) for need in plan.needs)
        return Table("plan", "", "", columns, rows)
    columns = ("measure", "1 SD is", f"r in a {plan.cluster}", plural(plan.cluster), "samples")
    return Table("plan", "", "", columns, tuple(map(tuple, plan.needs)))
