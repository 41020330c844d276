"""Every chart of the core: rows from the report's tables and scores, and how they are drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._util.discovery import additions
from ..measure import MeasureSpec, Role
from .analyses.errors import codes_by_rule
from .analyses.leaderboard import Leaderboard, rank_systems
from .chart import WIDTH, Chart, Spec, rows_of, scale_of_colors, scale_of_losses, scale_of_series
from .comparisons import baseline_of, compared
from .drawing import (
    chart_of,
    distinct,
    heat_map,
    layer_of,
    melted,
    nominal,
    quantitative,
    records,
    small_multiples,
)
from .fact_paths import STAGES, Stage
from .frames import Row
from .primary import primary_measures
from .study import Study
from .table import Table, raw, show

_GREY = "#7a7a7a"
_BAR, _POINT = {"type": "bar"}, {"type": "point", "filled": True, "size": 80, "opacity": 0.9}
_RING = {"type": "point", "filled": False, "size": 260, "strokeWidth": 1.5, "color": _GREY}
"""Mark around a system that no cheaper one beats."""

_GRADES = 10
"""Longest scale with one bar per grade."""

_MOST_SPREAD = 4
"""Most measures whose values are drawn sample by sample."""

_MOST_POINTS = 6
"""Most systems that are all named beside their points; of more, those on the frontier."""

_MOST_NAMED = 5
"""Most correlations that the description of their chart names."""


def charts(study: Study, sections: Mapping[str, Sequence[Table]]) -> Iterator[Chart]:
    """Yield every chart that a benchmark allows, in reading order.

    Args:
        study: What is compared.
        sections: Its tables, by section.
    """
    tables = {table.id: table for section_tables in sections.values() for table in section_tables}
    yield from _differences(study, "primary")
    yield from _differences(study, "secondary")
    yield from _frontier(study)
    for name, draw in _OF_TABLES.items():
        if name in tables and (chart := draw(study, tables[name])):
            yield chart
    yield from _spread(study)
    for section in sections:
        for addition in additions():
            if section in addition.charts:
                yield from addition.charts[section](tables)


def _differences(study: Study, role: Role) -> Iterator[Chart]:
    """Draw one row per system: its difference to the baseline on each measure of a role."""
    baseline = baseline_of(study)
    rows = []
    for pair in compared(study):
        if pair.role != role or baseline not in (pair.a, pair.b):
            continue
        system, gap = pair.seen_from(baseline)
        if gap.low is None:
            continue
        measure = f"{pair.measure.label} {arrow(pair.measure)}".rstrip()
        row = {"measure": measure, "system": system, "difference": gap.value}
        row |= {"low": gap.low, "high": gap.high, "n": pair.paired.n}
        rows.append(row | {"shown": show(gap), "verdict": pair.verdict})
    if not rows:
        return
    axes = _by_system(study) | {"y": nominal("system", sort=study.systems)}
    low = quantitative("low", "Difference", scale={"zero": True, "padding": 12})
    layers = [
        {"mark": {"type": "rule", "color": _GREY}, "encoding": {"x": {"datum": 0}}},
        layer_of({"type": "rule", "strokeWidth": 3}, rows, **axes, x=low, x2={"field": "high"}),
        layer_of(_POINT, rows, **axes, x=quantitative("difference")),
    ]
    section = "overview" if role == "primary" else "quality"
    name = "differences" if role == "primary" else f"{role}_differences"
    names = name, section, f"Difference to {baseline}, {role} measures"
    text = (
        f"Paired difference to {baseline} with its 95 % interval, in the measure's own unit; an "
        "interval across zero shows no difference. "
    )
    text += "; ".join(f"{row['measure']}, {row['system']}: {row['shown']}" for row in rows)
    yield small_multiples(names, text, rows, {"height": {"step": 26}, "layer": layers})


def _frontier(study: Study) -> Iterator[Chart]:
    """Draw cost against quality, one point with its interval per contestant, and the frontier.

    Closed book, oracle and reference are lines.
    """
    board = rank_systems(study)
    keys = [measure.key for measure in board.measures]
    of_coverage = [study.key_of(aspect) for aspect in ("items stated", "coverage")]
    position = next((keys.index(key) for key in of_coverage if key in keys), 0)
    effort, points = _points(board, position)
    if len(points) < 2 or board.measures[position].higher_is_better is None:
        return
    measure = board.measures[position]
    best = _unbeaten(points, effort, -1 if measure.higher_is_better is False else 1)
    unit = "$ per 1,000 answers" if effort == "cost" else "tokens per answer"
    scale = {"domain": [measure.low, measure.high]} if measure.span else {"zero": False}
    listed = "; ".join(f"{p['system']}: {p['quality']:.3g} at {p[effort]:.4g}" for p in points)
    text = f"Mean {measure.label} and mean {unit}. {listed}. On the frontier: "
    x = _effort_axis(effort, f"← {unit}", points)
    y = quantitative("quality", f"{measure.label} {arrow(measure)}", scale=scale)
    line = layer_of({"type": "line", "color": _GREY}, best, x=x, y=y, order=quantitative(effort))
    layers = [
        *_reference_lines(board, position, y),
        line | {"data": rows_of(best)},
        layer_of(_RING, best, x=x, y=y, shape=_key("no other is as good for less", ["circle"]))
        | {"data": rows_of(best)},
        *_names_of(points if len(points) <= _MOST_POINTS else best, x, y),
        *_points_of(study, points, x, y),
    ]
    yield Chart(
        *("frontier", "overview", f"{measure.label} against {effort}"),
        f"{text}{', '.join(distinct(best, 'system'))}; no other is as good for less (ringed).",
        {"width": WIDTH, "height": 160, "layer": layers},
    )


def _effort_axis(effort: str, title: str, points: Sequence[Row]) -> Spec:
    """Return the axis of cost: from zero, or logarithmic where many systems differ tenfold."""
    amounts = [point[effort] for point in points]
    if len(points) > _MOST_POINTS and max(amounts) >= 10 * min(amounts) > 0:
        scale = {"type": "log", "nice": False, "padding": 20}
        return quantitative(effort, f"{title}, log scale", scale=scale)
    return quantitative(effort, title, scale={"zero": True})


def _unbeaten(points: Sequence[Row], effort: str, sign: int) -> list[Row]:
    """Return the points of Pareto's frontier, the cheapest first.

    No other point costs as little and is better, or is as good and costs less.

    Args:
        points: One per system.
        effort: Name of the cost.
        sign: 1 if higher quality is better, else -1.
    """

    def spent_and_missed(point: Row) -> tuple[float, float]:
        return point[effort], -sign * point["quality"]

    positions = [spent_and_missed(point) for point in points]

    def is_beaten(point: Row) -> bool:
        spent, missed = spent_and_missed(point)
        as_good = [other for other in positions if other[0] <= spent and other[1] <= missed]
        return any(other != (spent, missed) for other in as_good)

    return sorted((point for point in points if not is_beaten(point)), key=spent_and_missed)


def _points(board: Leaderboard, position: int) -> tuple[str, list[Row]]:
    """Return `cost`, or `tokens` where no cost is known, and a row per contestant."""
    contesting = [row for row in board.rows if not row.is_bound]
    spends = [raw(row.cost) for row in contesting]
    effort = "cost" if None not in spends and any(spends) else "tokens"
    points: list[Row] = []
    for row in contesting:
        standing, spent = (row.standings or (None,))[position], getattr(row, effort)
        if standing is not None and spent is not None:
            mean, low, high = standing.mean[:3]
            about = {"system": row.system, "quality": mean, "low": low, "high": high}
            amount = float(raw(spent) or 0) * (1000 if effort == "cost" else 1)
            points.append({**about, effort: amount, "n": spent.n, "skipped": row.skipped})
    return effort, points


def _key(text: str, shapes: Sequence[Any]) -> Spec:
    """Return a channel of one shape, which the legend explains."""
    legend = {"title": None, "symbolStrokeColor": _GREY}
    return {"datum": text, "type": "nominal", "scale": {"range": shapes}, "legend": legend}


def _points_of(study: Study, points: Sequence[Row], x: Spec, y: Spec) -> Iterator[Spec]:
    """Yield the intervals and the points of the contestants."""
    channels = {**_by_system(study), "x": x}
    channels["color"] |= {"legend": None}
    ends = {"y": quantitative("low", y["title"]), "y2": {"field": "high"}}
    ends |= {"strokeDash": _key("95 % interval", [[1, 0]])}
    layers = [
        layer_of({"type": "rule", "strokeWidth": 2}, points, **channels, **ends),
        layer_of(_POINT, points, **channels, y=y),
    ]
    yield from (layer | {"data": rows_of(points)} for layer in layers)


def _names_of(points: Sequence[Row], x: Spec, y: Spec) -> Iterator[Spec]:
    """Yield the names of points, every second one above its point."""
    by_cost = sorted(points, key=lambda point: point[x["field"]])
    for start, offset in ((0, 12), (1, -12)):
        if named := by_cost[start::2]:
            mark = {"type": "text", "color": _GREY, "align": "left", "dx": 8, "dy": offset}
            layer = layer_of(mark, named, x=x, y=y, text=nominal("system"))
            yield layer | {"data": rows_of(named)}


def _reference_lines(board: Leaderboard, position: int, y: Spec) -> Iterator[Spec]:
    """Yield a line, and its name, for each system that is no contestant."""
    rows = [
        {"system": row.system, "quality": standing.mean.mean}
        for row in board.rows
        if row.is_bound and (standing := row.standings[position]) is not None
    ]
    if rows:
        data = {"data": rows_of(rows)}
        yield layer_of({"type": "rule", "color": _GREY, "strokeDash": [4, 4]}, rows, y=y) | data
        name = {"type": "text", "align": "left", "dy": -6, "color": _GREY}
        yield layer_of(name, rows, y=y, x={"value": 4}, text=nominal("system")) | data


def arrow(measure: MeasureSpec) -> str:
    """Return an arrow to the better end of a measure; empty without a direction."""
    return {True: "↑", False: "↓", None: ""}[measure.higher_is_better]


def _recall_by_loop(study: Study, table: Table) -> Chart:
    """Draw the mean recall after each loop; a system with one search is a point."""
    rows = records(table)
    for system in study.systems:
        mean = study.estimate(system, study.key_of("recall"))
        if mean is not None and system not in distinct(rows, "system"):
            rows.append({"system": system, "loop": 1, "recall": mean.mean})
    names = "recall_by_loop", "retrieval", "Recall after each loop"
    encoding = _by_system(study) | {
        "x": nominal("loop", "Loop", type="ordinal", axis={"labelAngle": 0}),
        "y": quantitative("recall", "Mean recall", scale={"domain": [0, 1]}),
    }
    return chart_of(names, rows, {"type": "line", "point": True}, **encoding, height=260)


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
    order = list(STAGES.values())
    rows = [row | {"order": order.index(row["stage"])} for row in records(table)]
    names = "fact_paths", "retrieval", "Where facts are lost"
    stages = sorted(distinct(rows, "stage"), key=order.index)
    share = quantitative(
        "share", "Share of facts", axis={"format": ".0%"}, scale={"domain": [0, 1]}
    )
    colors = {STAGES[stage]: color for stage, color in _STAGE_COLORS.items()}
    scale = {"domain": stages, "range": [colors[stage] for stage in stages]}
    return _stacked(study, names, rows, share, "Path ends", scale, stage=stages)


def _errors(study: Study, table: Table) -> Chart:
    """Draw the errors per answer by system; one not looked for has no bar."""
    every, by_rule = study.error("any"), codes_by_rule(study)
    rows = [row for row in melted(table, 1, "system", "share") if row["error"] != every]
    title = "Errors per answer by system"
    names = "errors", "errors", f"{title} ({by_rule})" if by_rule else title
    codes = quantitative("share", "Error codes per answer")
    kinds = distinct(rows, "error")
    return _stacked(study, names, rows, codes, "Error", scale_of_losses(kinds), error=kinds)


def _stacked(
    study: Study,
    names: tuple[str, str, str],
    rows: Sequence[Row],
    amount: Spec,
    title: str,
    scale: Spec,
    **kinds: Sequence[str],
) -> Chart:
    """Return a bar per system, with a colour for each name of a field."""
    ((field, kind_names),) = kinds.items()
    return chart_of(
        names,
        rows,
        _BAR,
        x=amount,
        y=nominal("system", sort=study.systems),
        color=nominal(field, title, sort=kind_names, scale=scale),
        order={"field": "order" if "order" in rows[0] else field},
    )


def _sections(study: Study, table: Table) -> Chart:
    """Draw the share of summaries that use each section and topic, by system."""
    rows = melted(table, 2, "system", "share")
    rows = [{"part": f"{row.pop('kind')}: {row.pop('name')}", **row} for row in rows]
    encoding = _by_system(study) | {
        "x": quantitative("share", "Share of summaries", scale={"domain": [0, 1]}),
        "y": nominal("part", sort=None),
        "yOffset": nominal("system", sort=study.systems),
    }
    names = "sections", "retrieval", "Sections and topics used"
    return chart_of(names, rows, _POINT, **encoding, height={"step": 24, "for": "position"})


def _agreement(study: Study, table: Table) -> Chart | None:
    """Draw the agreement of every two judges: alpha, kappa and tau, as far as these are defined."""
    rows = [
        {"row": f"{row['dimension']}: {row['judges']}", **row}
        for row in melted(table, 3, "coefficient", "value")
        if row["coefficient"] != "tau, systems"
    ]
    if not rows:
        return None
    return chart_of(
        ("judges", "method", "Do the judges agree?"),
        rows,
        _POINT,
        x=quantitative("value", "0: chance, 1: perfect", scale={"domain": [-0.2, 1]}),
        y=nominal("row"),
        color=nominal("coefficient", scale=scale_of_series(distinct(rows, "coefficient"))),
        shape=nominal("coefficient"),
    )


def _correlations(study: Study, table: Table) -> Chart | None:
    """Draw the correlation of every two measures as a heat map, if two vary."""
    labels = [str(row[0]) for row in table.rows]
    rows = [
        {"measure": row["measure"], "other": row["other"], "rho": row["rho"]}
        for row in melted(table, 1, "other", "rho")
    ]
    if not rows:
        return None
    pairs = [row for row in rows if labels.index(row["measure"]) < labels.index(row["other"])]
    strongest = sorted(pairs, key=lambda row: -abs(row["rho"]))[:_MOST_NAMED]
    named = "; ".join(f"{row['measure']} and {row['other']} {row['rho']:+.2f}" for row in strongest)
    title = "Spearman's rho"
    scale = {"domain": [-1, 1], "scheme": "blueorange"}
    encoding = {
        "x": nominal("other", sort=labels, axis={"labelAngle": -45}),
        "y": nominal("measure", sort=labels),
        "color": quantitative("rho", title, scale=scale),
    }
    size = {"width": WIDTH, "height": {"step": 20}}
    spec = {"data": rows_of(rows), **size, **layer_of({"type": "rect"}, rows, **encoding)}
    names = "correlations", "method", "Which measures agree"
    return Chart(*names, f"{title} of {len(labels)} measures; the strongest: {named}.", spec)


def _spread(study: Study) -> Iterator[Chart]:
    """Yield the values of the first measures by document, and how many there are of each."""
    keys = (*primary_measures(study), *(measure.key for measure in study.main))
    specs = (study.spec(key) for key in dict.fromkeys(keys))
    measures = [spec for spec in specs if spec.quality and spec.high is not None][:_MOST_SPREAD]
    rows: list[Row] = [
        {"document": sample, "system": system, "measure": measure.label, "value": round(value, 4)}
        for measure in measures
        for system in study.systems
        for sample, value in study.known(system, measure.key).items()
    ]
    if not rows:
        return
    labels = distinct(rows, "measure")
    names = "documents", "samples", "Document by document"
    yield heat_map(names, rows, "document", "system", "value", measure=labels)
    bins = [bin for measure in measures for bin in _bins(study, measure)]
    encoding = _by_system(study) | {
        "x": nominal("from", "Score from", sort=None, axis={"labelAngle": 0}),
        "xOffset": nominal("system", sort=study.systems),
        "y": quantitative("count", "Samples"),
    }
    names = "histograms", "quality", "How scores are spread"
    text = f"Number of samples by score, for each system and measure: {', '.join(labels)}"
    yield small_multiples(names, text, bins, {"height": 140, **layer_of(_BAR, bins, **encoding)})


def _bins(study: Study, measure: MeasureSpec) -> Iterator[Row]:
    """Yield counts per grade, of 0 and 1, or per fifth of a share or of a long scale."""
    low, high = measure.low or 0.0, measure.high or 1.0
    grades = measure.graded and high - low <= _GRADES
    values = study.pooled(measure.key)
    is_binary = not measure.graded and np.isin(values[~np.isnan(values)], (low, high)).all()
    if is_binary:
        starts, edges = np.array([low, high]), [low, (low + high) / 2, high]
    else:
        starts = np.arange(low, high + 1) if grades else np.linspace(low, high, 6)[:-1]
        edges = [*(starts - 0.5 if grades else starts), high + grades]
    for system in study.systems:
        values = study.of(system, measure.key)
        counts = np.histogram(values[~np.isnan(values)].clip(low, high), edges)[0].tolist()
        for start, count in zip(starts, counts, strict=True):
            labels = {"measure": measure.label, "system": system}
            yield labels | {"from": f"{start:g}", "count": count}


_OF_TABLES: dict[str, Callable[[Study, Table], Chart | None]] = {
    "recall_by_loop": _recall_by_loop,
    "fact_paths": _fact_paths,
    "sections": _sections,
    "errors": _errors,
    "agreement": _agreement,
    "correlations": _correlations,
}
"""Charts that draw a table, by its id."""


def _by_system(study: Study) -> Spec:
    return {"color": nominal("system", "System", scale=scale_of_colors(study.systems))}
