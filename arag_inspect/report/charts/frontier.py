"""Quality against cost: a point for each system, and the Pareto frontier."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..analyses.leaderboard import Leaderboard, rank_systems
from ..chart import WIDTH, Chart, Spec, rows_of
from ..drawing import GREY, POINT, arrow, by_system, distinct, layer_of, nominal, quantitative
from ..frames import Row
from ..study import Study
from ..table import raw

_RING = {"type": "point", "filled": False, "size": 260, "strokeWidth": 1.5, "color": GREY}
"""Mark around a system on the Pareto frontier."""

_DISC = {"type": "point", "size": 260, "strokeWidth": 2, "fill": "white", "opacity": 1}
"""Mark behind the number of a system, in its colour."""

_NUMBER = {"type": "text", "color": "black", "fontSize": 11, "fontWeight": "bold"}

_MOST_POINTS = 6
"""Maximum number of systems that are all labelled; of more, those on the frontier are."""

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

_LONGEST = {WIDTH: 320, 250: 120}
"""Width of the plot, as a file and on a phone -> maximum width of a name; page.js cuts longer ones."""


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
    reference_lines = list(_reference_lines(canvas, board, position, y))
    labelled = points if len(points) <= _MOST_POINTS else best
    names = _names_of(canvas, points, x, y) if labelled is points else []
    layers = [
        *reference_lines,
        line | {"data": rows_of(best)},
        layer_of(
            _RING, best, x=x, y=y, shape=_key("all cheaper systems have worse means", ["circle"])
        )
        | {"data": rows_of(best)},
        *names,
        *_points_of(study, points, x, y),
    ]
    notes = [_describe_left_out(board, position, points)]
    if not names:
        numbered = sorted(labelled, key=lambda point: float(point[effort]))
        layers += _numbers_of(study, numbered, x, y)
        notes.insert(0, _describe_numbers(numbered, points))
    yield Chart(
        "frontier",
        "overview",
        f"{measure.label} against {effort}",
        f"{text}{', '.join(distinct(best, 'system'))}; all cheaper systems have worse means (ringed).",
        {"width": WIDTH, "height": _HEIGHT, "layer": layers},
        " ".join(filter(None, notes)),
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


def _numbers_of(study: Study, points: Sequence[Row], x: Spec, y: Spec) -> list[Spec]:
    """Return a numbered disc for each point, in its system's colour."""
    rows = [point | {"number": number} for number, point in enumerate(points, start=1)]
    outline = by_system(study.systems)["color"] | {"legend": None}
    layers = [
        layer_of(_DISC, points, x=x, y=y, stroke=outline),
        layer_of(_NUMBER, points, x=x, y=y, text=nominal("number")),
    ]
    return [layer | {"data": rows_of(rows)} for layer in layers]


def _describe_numbers(numbered: Sequence[Row], points: Sequence[Row]) -> str:
    """Name the numbered systems, and say where the names of the others are."""
    names = (f"{number} {point['system']}" for number, point in enumerate(numbered, start=1))
    text = f"Cheapest first: {'; '.join(names)}."
    if len(numbered) < len(points):
        text += " The others are named on hover and in the table."
    return text


class _LabelBox(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "_LabelBox") -> bool:
        """Return whether the two have an area in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class _Canvas:
    """Places names so that they cover neither points nor each other, also on a phone."""

    def __init__(self, points: Sequence[Row], x: Spec, y: Spec) -> None:
        self._x = x["field"]
        self._is_log = x["scale"].get("type") == "log"
        amounts = [self._amount(point) for point in points]
        self._start = min(amounts) if self._is_log else 0.0
        self._span = (max(amounts) - self._start) or 1.0
        qualities = [point["quality"] for point in points]
        low, self._high = y["scale"].get("domain") or (min(qualities), max(qualities))
        self._height = (self._high - low) or 1.0
        self._taken: dict[int, list[_LabelBox]] = {width: [] for width in _LONGEST}
        for point in points:
            top = self.top(point)
            for width, boxes in self._taken.items():
                left = self.across(point) * width
                boxes.append(_LabelBox(left - 6, top - 6, left + 6, top + 6))

    def _amount(self, point: Row) -> float:
        amount = float(point[self._x])
        return math.log(amount) if self._is_log else amount

    def across(self, point: Row) -> float:
        """Return the distance of a point from the left, as a share of the width."""
        return (self._amount(point) - self._start) / self._span

    def top(self, point: Row) -> float:
        """Return the distance of a point from the top in pixels."""
        return float(self._high - point["quality"]) / self._height * _HEIGHT

    def keep_free(self, top: float) -> None:
        """Keep names off a horizontal line."""
        for width, boxes in self._taken.items():
            boxes.append(_LabelBox(0, top - 1, width, top + 1))

    def place(self, name: str, across: float, top: float, sides: Sequence[Spec]) -> int | None:
        """Return the number of the first side with room for a name, which is then taken."""
        for number, side in enumerate(sides):
            boxes = {}
            for width, longest in _LONGEST.items():
                length = min(_LETTER * len(name), longest)
                boxes[width] = _box(across * width, top, length, side)
            if all(self._is_free(width, box) for width, box in boxes.items()):
                for width, box in boxes.items():
                    self._taken[width].append(box)
                return number
        return None

    def _is_free(self, width: int, box: _LabelBox) -> bool:
        is_inside = box.left >= 0 and box.right <= width
        return is_inside and not any(map(box.overlaps, self._taken[width]))


def _box(left: float, top: float, length: float, side: Spec) -> _LabelBox:
    """Return the area of a name of this length beside a point."""
    start = left + side["dx"] - (length if side["align"] == "right" else 0)
    return _LabelBox(start, top + side["dy"] - 6, start + length, top + side["dy"] + 6)


def _names_of(canvas: _Canvas, points: Sequence[Row], x: Spec, y: Spec) -> list[Spec]:
    """Return the names of points; none if not all have room."""
    rows_by_side: dict[int, list[Row]] = {}
    for point in sorted(points, key=canvas.across):
        side = canvas.place(point["system"], canvas.across(point), canvas.top(point), _SIDES)
        if side is None:
            return []
        rows_by_side.setdefault(side, []).append(point)
    names = []
    for side, rows in rows_by_side.items():
        mark = {"type": "text", "color": GREY, **_SIDES[side]}
        name = layer_of(mark, rows, x=x, y=y, text=nominal("system"))
        names.append(name | {"data": rows_of(rows)})
    return names


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
    for top in tops:
        canvas.keep_free(top)
    for bound, top in zip(rows, tops, strict=True):
        for across, align, dx in ((0, "left", 4), (1, "right", -4)):
            mark = {"type": "text", "color": GREY, "align": align, "dx": dx, "dy": -8}
            if canvas.place(str(bound["system"]), across, top, [mark]) is not None:
                x = {"value": "width" if across else 0}
                name = layer_of(mark, [bound], x=x, y=y, text=nominal("system"))
                yield name | {"data": rows_of([bound])}
                break
