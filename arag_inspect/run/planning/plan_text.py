"""A plan as text."""

from collections.abc import Mapping
from textwrap import fill

from ..._util.wording import format_count, join_names, plural
from ...report import Table
from .plan import CORRELATION, POWER, DataSource, Plan, Supply

_SOURCES: Mapping[DataSource, str] = {
    "prepared": "Prepared",
    "drawn": "Drawn",
    "logs": "In the logs",
    "all pairs": "In the logs, shared by every two systems",
    "smallest pair": "In the logs, shared by the two systems that share fewest",
}


def plan_text(plan: Plan, effect: float) -> str:
    """Format a plan for a terminal of 80 columns."""
    available = "\n".join(fill(_supply_text(plan, supply), 80) for supply in plan.supplies)
    bound_prefix = "at most " if plan.supplies[0].source in ("prepared", "drawn") else ""
    text = (
        f"To find a difference of {effect:g} standard deviations with a power of {POWER:.0%},\n"
        f"corrected over {bound_prefix}{format_count(plan.comparisons, 'primary comparison')}:\n"
        f"{_needs_table(plan).as_text()}\n"
        f"{available}"
    )
    if not plan.assumes_correlation:
        return text
    assumption = (
        f"No log gives r, the correlation of differences in a {plan.cluster}; it is assumed to be"
    )
    remedy = "Measure it with --earlier and logs of two systems."
    return f"{text}\n{fill(f'{assumption} {CORRELATION:g}. {remedy}', 80)}"


def _supply_text(plan: Plan, supply: Supply) -> str:
    """Describe available data and the difference that they can show."""
    samples, groups = supply.size
    data = format_count(samples, "sample")
    if plan.cluster != "sample":
        data += f" of {format_count(groups, plan.cluster)}"
    scope = f", with {join_names(supply.measures)}" if len(plan.supplies) > 1 else ""
    conclusion = ", too few to show any difference"
    if supply.detectable_effect is not None:
        conclusion = f"; they show {supply.detectable_effect:g} SD"
        if groups < samples:
            conclusion += f", if all {plural(plan.cluster)} are of equal size"
    return f"{_SOURCES[supply.source]}{scope}: {data}{conclusion}."


def _needs_table(plan: Plan) -> Table:
    """Return the needs of each measure; without groups if each has one sample."""
    if plan.cluster == "sample":
        columns: tuple[str, ...] = ("measure", "1 SD is", "samples")
        rows = tuple((need.measure, need.deviation, need.samples) for need in plan.needs)
        return Table("plan", "", "", columns, rows)
    columns = ("measure", "1 SD is", f"r in a {plan.cluster}", plural(plan.cluster), "samples")
    return Table("plan", "", "", columns, tuple(map(tuple, plan.needs)))
