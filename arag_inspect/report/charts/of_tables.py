"""Charts that draw a table of the report."""

from collections.abc import Callable, Sequence

from ..chart import WIDTH, Chart, Spec, rows_of, scale_of_series
from ..comparison.error_codes import codes_by_rule
from ..comparison.means import mean_of_measure
from ..comparison.retrieval import systems_without_loops
from ..drawing import (
    BAR,
    POINT,
    by_system,
    chart_of,
    distinct,
    layer_of,
    melt,
    nominal,
    quantitative,
    records,
)
from ..fact_paths import Stage, stage_names
from ..frames import Row
from ..study import Study
from ..table import Table

_MOST_CORRELATIONS = 5
"""Maximum number of correlations in a chart's description."""


def _recall_by_loop(study: Study, table: Table) -> Chart:
    """Draw the mean recall after each loop; a system with one search is a point."""
    rows = records(table)
    omitted = [*distinct(rows, "system"), *systems_without_loops(study)]
    for system in study.systems:
        mean = mean_of_measure(study, system, study.catalogue.key_of("recall"))
        if mean is not None and system not in omitted:
            rows.append({"system": system, "loop": 1, "recall": mean.mean})
    heading = Chart("recall_by_loop", "retrieval", "Recall after each loop")
    encoding = by_system(study.systems) | {
        "x": nominal("loop", "Loop", type="ordinal", axis={"labelAngle": 0}),
        "y": quantitative("recall", "Mean recall", scale={"domain": [0, 1]}),
    }
    return chart_of(heading, rows, {"type": "line", "point": True}, **encoding, height=260)


_STAGE_COLORS: dict[Stage, str] = {
    "stated": "#44bb99",
    "unread": "#9988cc",
    "wrong": "#ee8866",
    "left_out": "#eedd88",
    "not_read": "#ffaabb",
    "not_found": "#77aadd",
    "unlocated": "#bbbbbb",
    "unknown": "#dddddd",
}
"""Colour of each stage of a fact's path, in every report."""


def _fact_paths(study: Study, table: Table) -> Chart:
    """Draw the share of facts that end at each stage, a bar per system."""
    names = stage_names(study)
    order = list(names.values())
    rows = [row | {"order": order.index(row["stage"])} for row in records(table)]
    heading = Chart("fact_paths", "retrieval", "Where facts are lost")
    stages = sorted(distinct(rows, "stage"), key=order.index)
    share = quantitative(
        "share", "Share of facts", axis={"format": ".0%"}, scale={"domain": [0, 1]}
    )
    colors = {names[stage]: color for stage, color in _STAGE_COLORS.items()}
    scale = {"domain": stages, "range": [colors[stage] for stage in stages]}
    color = nominal("stage", "Path ends", sort=stages, scale=scale)
    return _stacked_bars(study, heading, rows, share, color)


def _errors(study: Study, table: Table) -> Chart:
    """Draw the errors per answer by system; one not looked for has no bar."""
    every = study.catalogue.error_label("any")
    by_rule = codes_by_rule(study)
    rows = [row for row in melt(table, 1, "system", "share") if row["error"] != every]
    title = "Errors per answer by system"
    heading = Chart("errors", "errors", f"{title} ({by_rule})" if by_rule else title)
    codes = quantitative("share", "Error codes per answer")
    kinds = distinct(rows, "error")
    color = nominal("error", "Error", sort=kinds, scale=scale_of_series(kinds))
    return _stacked_bars(study, heading, rows, codes, color)


def _stacked_bars(
    study: Study, heading: Chart, rows: Sequence[Row], amount: Spec, color: Spec
) -> Chart:
    """Return a bar per system, with a colour for each name of a field."""
    return chart_of(
        heading,
        rows,
        BAR,
        x=amount,
        y=nominal("system", sort=study.systems),
        color=color,
        order={"field": "order" if "order" in rows[0] else color["field"]},
    )


def _sections(study: Study, table: Table) -> Chart:
    """Draw the share of summaries that use each section and topic, by system."""
    rows = melt(table, 2, "system", "share")
    rows = [{"part": f"{row.pop('kind')}: {row.pop('name')}", **row} for row in rows]
    encoding = by_system(study.systems) | {
        "x": quantitative("share", "Share of summaries", scale={"domain": [0, 1]}),
        "y": nominal("part", sort=None),
        "yOffset": nominal("system", sort=study.systems),
    }
    heading = Chart("sections", "retrieval", "Sections and topics used")
    return chart_of(heading, rows, POINT, **encoding, height={"step": 24, "for": "position"})


def _agreement(study: Study, table: Table) -> Chart | None:
    """Draw the agreement of each pair of judges: alpha, kappa and tau, where defined."""
    rows = [
        {"row": f"{row['dimension']}: {row['judges']}", **row}
        for row in melt(table, 3, "coefficient", "value")
        if row["coefficient"] != "tau, systems"
    ]
    if not rows:
        return None
    return chart_of(
        Chart("judges", "method", "Do the judges agree?"),
        rows,
        POINT,
        x=quantitative("value", "0: chance, 1: perfect", scale={"domain": [-0.2, 1]}),
        y=nominal("row"),
        color=nominal("coefficient", scale=scale_of_series(distinct(rows, "coefficient"))),
        shape=nominal("coefficient"),
    )


def _correlations(study: Study, table: Table) -> Chart | None:
    """Draw the correlation of each pair of measures as a heat map, if two vary."""
    labels = [str(row[0]) for row in table.rows]
    rows = [
        {"measure": row["measure"], "other": row["other"], "rho": row["rho"]}
        for row in melt(table, 1, "other", "rho")
    ]
    if not rows:
        return None
    pairs = [row for row in rows if labels.index(row["measure"]) < labels.index(row["other"])]
    strongest = sorted(pairs, key=lambda row: -abs(row["rho"]))[:_MOST_CORRELATIONS]
    pair_texts = "; ".join(
        f"{row['measure']} and {row['other']} {row['rho']:+.2f}" for row in strongest
    )
    title = "Spearman's rho"
    scale = {"domain": [-1, 1], "scheme": "blueorange"}
    encoding = {
        "x": nominal("other", sort=labels, axis={"labelAngle": -45}),
        "y": nominal("measure", sort=labels),
        "color": quantitative("rho", title, scale=scale),
    }
    size = {"width": WIDTH, "height": {"step": 20}}
    spec = {"data": rows_of(rows), **size, **layer_of({"type": "rect"}, rows, **encoding)}
    text = f"{title} of {len(labels)} measures; the strongest: {pair_texts}."
    return Chart("correlations", "method", "Which measures agree", text, spec)


OF_TABLES: dict[str, Callable[[Study, Table], Chart | None]] = {
    "recall_by_loop": _recall_by_loop,
    "fact_paths": _fact_paths,
    "sections": _sections,
    "errors": _errors,
    "agreement": _agreement,
    "correlations": _correlations,
}
"""Charts that draw a table, by its id."""
