"""Quality against cost: a point for each system, and the Pareto frontier."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from ..._util.wording import join_names
from ...measure import Aspect, MeasureSpec
from ..cells import raw, show_score
from ..chart import WIDTH, Chart, Spec, rows_of
from ..comparison.comparability import pair_values
from ..comparison.leads import largest_lead
from ..comparison.primary import asks_mostly_questions
from ..comparison.ranking import Leaderboard, rank_systems
from ..drawing import GREY, POINT, arrow, by_system, distinct, layer_of, nominal, quantitative
from ..frames import Row
from ..study import Study

_HEIGHT = 160
"""Height of the plot in pixels."""

_RING = {"type": "point", "filled": False, "size": 260, "strokeWidth": 1.5, "color": GREY}
"""Mark around a system on the Pareto frontier."""

_DISC = {**_RING, "strokeWidth": 2, "fill": "white", "opacity": 1}
"""Mark behind the number of a system, in its colour."""

_UPRIGHT = "M0,-1L0,1"
"""Symbol of an interval in the legend, as it is drawn: a path as in SVG."""

_NUMBER = {"type": "text", "color": "black", "fontSize": 11, "fontWeight": "bold"}

_WIDE = 20
"""Ratio of two amounts from which their axis is logarithmic, so that small ones do not overlap."""

_HIDDEN = 0.01
"""Share of an axis within which one point hides another."""

_MOST_POINTS = 6
"""Maximum number of systems distinguished by colour alone; with more, the frontier is numbered."""

_MOST_IN_LEGEND = 8
"""Maximum number of systems in the legend; the table below has the colours of more."""


def frontier(study: Study) -> Iterator[Chart]:
    """Draw cost against quality, one point with its interval per contestant, and the frontier.

    Closed book, oracle and reference are dashed lines. Nothing is drawn if two of the contestants
    were measured differently.
    """
    board = rank_systems(study)
    position = _position_of_measure(study, board)
    effort, points = _points(board, position)
    if len(points) < 2 or board.measures[position].higher_is_better is None:
        return
    measure = board.measures[position]
    if not _are_alike(study, [point["system"] for point in points], measure.key):
        return
    best = _pareto_front(points, effort, measure.sign)
    unit = "$ per 1,000 answers" if effort == "cost" else "tokens per answer"
    has_many = len(points) > _MOST_POINTS
    scale = {"domain": [measure.low, measure.high]} if measure.range_width else {"zero": False}
    coordinates = "; ".join(
        f"{point['system']}: {show_score(point['quality'])} at {point[effort]:.4g}"
        for point in points
    )
    text = f"Mean {measure.label} and mean {unit}. {coordinates}. On the frontier: "
    effort_scale = _scale_of_effort([point[effort] for point in points])
    log_suffix = " (logarithmic)" if effort_scale.get("type") == "log" else ""
    x = quantitative(effort, f"← {unit}{log_suffix}", scale=effort_scale)
    y = quantitative("quality", f"{measure.label} {arrow(measure)}", scale=scale)
    ring_key = _key("no cheaper mean is as good", ["circle"])
    layers = [
        *_reference_lines(study, board, position, y),
        _layer(_RING, best, x=x, y=y, shape=ring_key),
        *_points_of(study, points, x, y),
    ]
    notes = [
        _describe_left_out(board, position, points),
        _describe_overlaps(points, effort, measure, is_log=bool(log_suffix)),
    ]
    if has_many:
        line = {"type": "line", "color": GREY}
        layers.insert(0, _layer(line, best, x=x, y=y, order=quantitative(effort)))
        layers += _numbers_of(study, best, x, y)
        notes.insert(0, _describe_numbers(best))
    yield Chart(
        "frontier",
        "overview",
        f"{measure.label} against {effort}",
        (
            f"{text}{', '.join(distinct(best, 'system'))}; all cheaper systems have worse "
            "means (ringed)."
        ),
        {"width": WIDTH, "height": _HEIGHT, "layer": layers},
        " ".join(filter(None, notes)),
    )


def _position_of_measure(study: Study, board: Leaderboard) -> int:
    """Return the position of the measure to draw: coverage, else the headline's, else the first.

    Coverage is preferred only for summaries.
    """
    keys = [measure.key for measure in board.measures]
    aspects: Sequence[Aspect] = () if asks_mostly_questions(study) else ("items stated", "coverage")
    lead = largest_lead(study)
    in_headline = [lead.measure.key] if lead else []
    preferred = [*map(study.catalogue.key_of, aspects), *in_headline]
    return next((keys.index(key) for key in preferred if key in keys), 0)


def _are_alike(study: Study, systems: Sequence[str], measure: str) -> bool:
    """Return whether every two systems were measured alike on some sample, or share none."""
    pairs = combinations(systems, 2)
    return not any(pair_values(study, a, b, measure).nowhere_alike for a, b in pairs)


def _scale_of_effort(amounts: Sequence[float]) -> Spec:
    """Return a logarithmic scale for many systems whose amounts differ widely, else from zero."""
    least = min(amounts)
    most = max(amounts)
    if len(amounts) > _MOST_POINTS and least > 0 and most >= _WIDE * least:
        return {"type": "log", "domain": [least / 1.3, most * 1.3], "nice": False}
    return {"zero": True}


def _points(board: Leaderboard, position: int) -> tuple[str, list[Row]]:
    """Return `cost`, or `tokens` if no cost is known, and a row per contestant."""
    contesting = [row for row in board.rows if not row.is_bound]
    spends = [raw(row.cost) for row in contesting]
    effort = "cost" if None not in spends and any(spends) else "tokens"
    points: list[Row] = []
    for row in contesting:
        standing = row.standings[position] if row.standings else None
        spent = row.cost if effort == "cost" else row.tokens
        if standing is None or spent is None:
            continue
        points.append(
            {
                "system": row.system,
                "quality": standing.mean.mean,
                "low": standing.mean.low,
                "high": standing.mean.high,
                effort: float(raw(spent) or 0) * (1000 if effort == "cost" else 1),
                "n": spent.n,
                "skipped": row.skipped,
            }
        )
    return effort, points


def _pareto_front(points: Sequence[Row], effort: str, sign: int) -> list[Row]:
    """Return the points of the Pareto frontier, cheapest first.

    No other point is better at the same or lower cost, or as good at a lower cost.

    Args:
        points: One per system.
        effort: Name of the cost.
        sign: 1 if higher quality is better, else -1.
    """

    def spent_and_missed(point: Row) -> tuple[float, float]:
        return point[effort], -sign * point["quality"]

    front: list[Row] = []
    last = (-math.inf, math.inf)
    for point in sorted(points, key=spent_and_missed):
        position = spent_and_missed(point)
        if position[1] < last[1] or position == last:
            front.append(point)
            last = position
    return front


def _layer(mark: Spec, rows: Sequence[Row], **encoding: Spec) -> Spec:
    """Return a mark with its channels and data."""
    return layer_of(mark, rows, **encoding) | {"data": rows_of(rows)}


def _reference_lines(study: Study, board: Leaderboard, position: int, y: Spec) -> Iterator[Spec]:
    """Yield lines for the systems that are not contestants."""
    rows = []
    for row in board.rows:
        standing = row.standings[position]
        if row.is_bound and standing is not None:
            rows.append({"system": row.system, "quality": standing.mean.mean})
    if rows:
        line = {"type": "rule", "strokeWidth": 2, "strokeDash": [4, 4]}
        yield _layer(line, rows, color=_color_of_system(study), y=y)


def _key(text: str, shapes: Sequence[Any], symbol: str = "circle") -> Spec:
    """Return a channel with a single shape, explained in the legend by a symbol."""
    legend = {"title": None, "symbolStrokeColor": GREY, "symbolType": symbol}
    return {"datum": text, "type": "nominal", "scale": {"range": shapes}, "legend": legend}


def _points_of(study: Study, points: Sequence[Row], x: Spec, y: Spec) -> Iterator[Spec]:
    """Yield the intervals and the points of the contestants."""
    channels = {"color": _color_of_system(study), "x": x}
    ends = {"y": quantitative("low", y["title"]), "y2": {"field": "high"}}
    ends |= {"strokeDash": _key("95 % interval", [[1, 0]], _UPRIGHT)}
    yield _layer({"type": "rule", "strokeWidth": 2}, points, **channels, **ends)
    yield _layer(POINT, points, **channels, y=y)


def _numbers_of(study: Study, points: Sequence[Row], x: Spec, y: Spec) -> Iterator[Spec]:
    """Yield a numbered disc for each point, in its system's colour."""
    rows = [point | {"number": number} for number, point in enumerate(points, start=1)]
    yield _layer(_DISC, rows, x=x, y=y, color=_color_of_system(study))
    yield _layer(_NUMBER, rows, x=x, y=y, text=nominal("number"))


def _describe_numbers(points: Sequence[Row]) -> str:
    """Name the numbered systems, and say where the names of the others are."""
    names = (f"{number} {point['system']}" for number, point in enumerate(points, start=1))
    return (
        f"On the frontier, where all cheaper systems have worse means: {'; '.join(names)}. The "
        "others are named on hover and in the table."
    )


def _color_of_system(study: Study) -> Spec:
    """Return the channel of colours; without a legend if it would take more room than the plot."""
    channel = {**by_system(study.systems)["color"], "title": None}
    return channel if len(study.systems) <= _MOST_IN_LEGEND else channel | {"legend": None}


def _describe_overlaps(
    points: Sequence[Row], effort: str, measure: MeasureSpec, *, is_log: bool
) -> str:
    """Name the systems whose points hide each other; empty if none do."""
    amounts = [point[effort] for point in points]
    positions = [math.log(amount) if is_log else amount for amount in amounts]
    width = max(positions) - (min(positions) if is_log else 0)
    qualities = [point["quality"] for point in points]
    height = measure.range_width or max(qualities) - min(qualities)
    groups: list[list[tuple[float, Row]]] = []
    for position, point in zip(positions, points, strict=True):
        for group in groups:
            first_position, first = group[0]
            is_near = abs(position - first_position) <= _HIDDEN * width
            if is_near and abs(point["quality"] - first["quality"]) <= _HIDDEN * height:
                group.append((position, point))
                break
        else:
            groups.append([(position, point)])
    hidden = [[point for _, point in group] for group in groups if len(group) > 1]
    overlaps = [join_names(distinct(group, "system")) for group in hidden]
    return f"Overlapping points: {'; '.join(overlaps)}." if overlaps else ""


def _describe_left_out(board: Leaderboard, position: int, points: Sequence[Row]) -> str:
    """Name the contestants without a point, and why; empty if there are none."""
    drawn = distinct(points, "system")
    left_out = [
        f"{row.system} ({'no tokens recorded' if row.standings[position] else 'not scored'})"
        for row in board.rows
        if not row.is_bound and row.system not in drawn
    ]
    return f"Not shown: {', '.join(left_out)}" if left_out else ""
