"""Quality against cost: a point for each system, and the Pareto frontier."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..analyses.leaderboard import Leaderboard, rank_systems
from ..chart import WIDTH, Chart, Spec, rows_of
from ..drawing import GREY, POINT, arrow, by_system, distinct, layer_of, nominal, quantitative
from ..frames import Row
from ..study import Study
from ..table import raw

_RING = {"type": "point", "filled": False, "size": 260, "strokeWidth": 1.5, "color": GREY}
"""Mark around a system on the Pareto frontier."""

_MOST_POINTS = 6
"""Maximum number of systems that are all named; of more, only those on the frontier are."""


def frontier(study: Study) -> Iterator[Chart]:
    """Draw cost against quality, one point with its interval per contestant, and the frontier.

    Closed book, oracle and reference are lines.
    """
    board = rank_systems(study)
    keys = [measure.key for measure in board.measures]
    of_coverage = [study.catalogue.key_of(aspect) for aspect in ("items stated", "coverage")]
    position = next((keys.index(key) for key in of_coverage if key in keys), 0)
    effort, points = _points(board, position)
    if len(points) < 2 or board.measures[position].higher_is_better is None:
        return
    measure = board.measures[position]
    best = _pareto_front(points, effort, -1 if measure.higher_is_better is False else 1)
    unit = "$ per 1,000 answers" if effort == "cost" else "tokens per answer"
    scale = {"domain": [measure.low, measure.high]} if measure.span else {"zero": False}
    coordinates = "; ".join(
        f"{point['system']}: {point['quality']:.3g} at {point[effort]:.4g}" for point in points
    )
    text = f"Mean {measure.label} and mean {unit}. {coordinates}. On the frontier: "
    x = _effort_axis(effort, f"← {unit}", points)
    y = quantitative("quality", f"{measure.label} {arrow(measure)}", scale=scale)
    line = layer_of({"type": "line", "color": GREY}, best, x=x, y=y, order=quantitative(effort))
    layers = [
        *_reference_lines(board, position, y),
        line | {"data": rows_of(best)},
        layer_of(_RING, best, x=x, y=y, shape=_key("no other is as good for less", ["circle"]))
        | {"data": rows_of(best)},
        *_names_of(points if len(points) <= _MOST_POINTS else best, x, y),
        *_points_of(study, points, x, y),
    ]
    yield Chart(
        "frontier",
        "overview",
        f"{measure.label} against {effort}",
        f"{text}{', '.join(distinct(best, 'system'))}; no other is as good for less (ringed).",
        {"width": WIDTH, "height": 160, "layer": layers},
    )


def _effort_axis(effort: str, title: str, points: Sequence[Row]) -> Spec:
    """Return the cost axis: from zero, or logarithmic if many systems differ tenfold."""
    amounts = [point[effort] for point in points]
    if len(points) > _MOST_POINTS and max(amounts) >= 10 * min(amounts) > 0:
        scale = {"type": "log", "nice": False, "padding": 20}
        return quantitative(effort, f"{title}, log scale", scale=scale)
    return quantitative(effort, title, scale={"zero": True})


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

    positions = [spent_and_missed(point) for point in points]

    def is_beaten(point: Row) -> bool:
        spent, missed = spent_and_missed(point)
        dominating = [other for other in positions if other[0] <= spent and other[1] <= missed]
        return any(other != (spent, missed) for other in dominating)

    return sorted((point for point in points if not is_beaten(point)), key=spent_and_missed)


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


def _key(text: str, shapes: Sequence[Any]) -> Spec:
    """Return a channel with a single shape, explained in the legend."""
    legend = {"title": None, "symbolStrokeColor": GREY}
    return {"datum": text, "type": "nominal", "scale": {"range": shapes}, "legend": legend}


def _points_of(study: Study, points: Sequence[Row], x: Spec, y: Spec) -> Iterator[Spec]:
    """Yield the intervals and the points of the contestants."""
    channels = {**by_system(study.systems), "x": x}
    channels["color"] |= {"legend": None}
    ends = {"y": quantitative("low", y["title"]), "y2": {"field": "high"}}
    ends |= {"strokeDash": _key("95 % interval", [[1, 0]])}
    layers = [
        layer_of({"type": "rule", "strokeWidth": 2}, points, **channels, **ends),
        layer_of(POINT, points, **channels, y=y),
    ]
    yield from (layer | {"data": rows_of(points)} for layer in layers)


def _names_of(points: Sequence[Row], x: Spec, y: Spec) -> Iterator[Spec]:
    """Yield the names of points, every second one above its point."""
    by_cost = sorted(points, key=lambda point: point[x["field"]])
    for start, offset in ((0, 12), (1, -12)):
        named_points = by_cost[start::2]
        if named_points:
            mark = {"type": "text", "color": GREY, "align": "left", "dx": 8, "dy": offset}
            layer = layer_of(mark, named_points, x=x, y=y, text=nominal("system"))
            yield layer | {"data": rows_of(named_points)}


def _reference_lines(board: Leaderboard, position: int, y: Spec) -> Iterator[Spec]:
    """Yield a line and its label for each system that is not a contestant."""
    rows = []
    for row in board.rows:
        standing = row.standings[position]
        if row.is_bound and standing is not None:
            rows.append({"system": row.system, "quality": standing.mean.mean})
    if rows:
        data = {"data": rows_of(rows)}
        yield layer_of({"type": "rule", "color": GREY, "strokeDash": [4, 4]}, rows, y=y) | data
        name = {"type": "text", "align": "left", "dy": -6, "color": GREY}
        yield layer_of(name, rows, y=y, x={"value": 4}, text=nominal("system")) | data
