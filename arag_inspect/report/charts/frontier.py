"""Quality against cost: a point for each system, and the Pareto frontier."""

import math
from collections.abc import Iterable, Iterator, Sequence
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
"""Maximum number of systems that are all named.

Of more, those on the frontier are, where there is room.
"""

_HEIGHT = 160

_SIDES = (
    {"align": "right", "dx": -8, "dy": -12},
    {"align": "left", "dx": 8, "dy": 12},
    {"align": "left", "dx": 8, "dy": -12},
    {"align": "right", "dx": -8, "dy": 12},
)
"""Places of a name beside its point; the first is clear of a frontier that rises to the right."""

_LETTER = 6
"""Mean width of a letter in pixels."""

_NARROWEST = 0.28
"""Width of the chart on a phone, as a share of `WIDTH`; names must not begin left of it."""

_SHORT = 120
"""Maximum width of a name there, in pixels; page.js truncates longer ones."""


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
    canvas = _Canvas(points, x, y)
    is_crowded = len(points) > _MOST_POINTS
    layers = [
        *_reference_lines(canvas, board, position, y),
        line | {"data": rows_of(best)},
        layer_of(
            _RING, best, x=x, y=y, shape=_key("no cheaper system has a better mean", ["circle"])
        )
        | {"data": rows_of(best)},
        *_names_of(canvas, best if is_crowded else points, x, y, every=not is_crowded),
        *_points_of(study, points, x, y),
    ]
    yield Chart(
        "frontier",
        "overview",
        f"{measure.label} against {effort}",
        f"{text}{', '.join(distinct(best, 'system'))}; no cheaper system has a better mean (ringed).",
        {"width": WIDTH, "height": _HEIGHT, "layer": layers},
        _describe_left_out(board, position, points),
    )


def _describe_left_out(board: Leaderboard, position: int, points: Sequence[Row]) -> str:
    """Name the contestants without a point, and why; empty if there are none."""
    drawn = distinct(points, "system")
    left_out = [
        f"{row.system} ({'no tokens recorded' if row.standings[position] else 'not scored'})"
        for row in board.rows
        if not row.is_bound and row.system not in drawn
    ]
    return f"Not shown: {', '.join(left_out)}" if left_out else ""


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


_Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels."""


class _Canvas:
    """Places names beside points so that they cover neither points nor each other."""

    def __init__(self, points: Sequence[Row], x: Spec, y: Spec) -> None:
        self._x = x["field"]
        self._is_log = x["scale"].get("type") == "log"
        amounts = [self._amount(point) for point in points]
        self._start = min(amounts) if self._is_log else 0.0
        self._span = (max(amounts) - self._start) or 1.0
        qualities = [point["quality"] for point in points]
        low, self._high = y["scale"].get("domain") or (min(qualities), max(qualities))
        self._height = (self._high - low) or 1.0
        self._taken: list[_Box] = []
        for point in points:
            left = self.left(point)
            top = self.top(point)
            self.block([(left - 6, top - 6, left + 6, top + 6)])

    def _amount(self, point: Row) -> float:
        amount = float(point[self._x])
        return math.log(amount) if self._is_log else amount

    def left(self, point: Row) -> float:
        return (self._amount(point) - self._start) / self._span * WIDTH

    def top(self, point: Row) -> float:
        return float(self._high - point["quality"]) / self._height * _HEIGHT

    def block(self, boxes: Iterable[_Box]) -> None:
        """Keep names out of boxes."""
        self._taken.extend(boxes)

    def place(self, name: str, left: float, top: float, sides: Sequence[Spec]) -> int | None:
        """Return the number of the first side with room, also on a phone, which is then taken."""
        for number, side in enumerate(sides):
            box = _box(name, left, top, side)
            fits = side["align"] == "left" or left * _NARROWEST >= min(box[2] - box[0], _SHORT) + 8
            if fits and not any(_overlap(box, other) for other in self._taken):
                self._taken.append(box)
                return number
        return None


def _box(name: str, left: float, top: float, side: Spec) -> _Box:
    width = _LETTER * len(name)
    start = left + side["dx"] - (width if side["align"] == "right" else 0)
    return start, top + side["dy"] - 6, start + width, top + side["dy"] + 6


def _overlap(box: _Box, other: _Box) -> bool:
    across = box[0] < other[2] and other[0] < box[2]
    return across and box[1] < other[3] and other[1] < box[3]


def _names_of(
    canvas: _Canvas, points: Sequence[Row], x: Spec, y: Spec, *, every: bool
) -> Iterator[Spec]:
    """Yield the names of points; those without room are left out unless every point is named."""
    rows_by_side: dict[int, list[Row]] = {}
    for point in sorted(points, key=canvas.left):
        side = canvas.place(point["system"], canvas.left(point), canvas.top(point), _SIDES)
        if side is not None or every:
            rows_by_side.setdefault(side or 0, []).append(point)
    for side, rows in rows_by_side.items():
        mark = {"type": "text", "color": GREY, **_SIDES[side]}
        yield layer_of(mark, rows, x=x, y=y, text=nominal("system")) | {"data": rows_of(rows)}


def _reference_lines(canvas: _Canvas, board: Leaderboard, position: int, y: Spec) -> Iterator[Spec]:
    """Yield lines for the systems that are not contestants, and their names where there is room."""
    rows = []
    for row in board.rows:
        standing = row.standings[position]
        if row.is_bound and standing is not None:
            rows.append({"system": row.system, "quality": standing.mean.mean})
    if not rows:
        return
    line = {"type": "rule", "color": GREY, "strokeDash": [4, 4]}
    yield layer_of(line, rows, y=y) | {"data": rows_of(rows)}
    tops = [canvas.top(row) for row in rows]
    canvas.block((0, top - 1, WIDTH, top + 1) for top in tops)
    for bound, top in zip(rows, tops, strict=True):
        for left, align, dx in ((0, "left", 4), (WIDTH, "right", -4)):
            mark = {"type": "text", "color": GREY, "align": align, "dx": dx, "dy": -8}
            if canvas.place(str(bound["system"]), left, top, [mark]) is not None:
                x = {"value": "width" if left else 0}
                name = layer_of(mark, [bound], x=x, y=y, text=nominal("system"))
                yield name | {"data": rows_of([bound])}
                break
