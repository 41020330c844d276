"""Quality against cost: a point for each system, and the Pareto frontier."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..analyses.leaderboard import Leaderboard, rank_systems
from ..chart import WIDTH, Chart, Spec, rows_of
from ..drawing import GREY, POINT, arrow, by_system, distinct, layer_of, nominal, quantitative
from ..frames import Row
from ..study import Study
from ..table import raw
from .placement import HEIGHT, SIDES, Canvas

_RING = {"type": "point", "filled": False, "size": 260, "strokeWidth": 1.5, "color": GREY}
"""Mark around a system on the Pareto frontier."""

_DISC = {"type": "point", "size": 260, "strokeWidth": 2, "fill": "white", "opacity": 1}
"""Mark behind the number of a system, in its colour."""

_NUMBER = {"type": "text", "color": "black", "fontSize": 11, "fontWeight": "bold"}

_MOST_POINTS = 6
"""Maximum number of systems that are all labelled; else only those on the frontier are."""


def frontier(study: Study) -> Iterator[Chart]:
    """Draw cost against quality, one point with its interval per contestant, and the frontier.

    Closed book, oracle and reference are lines.
    """
    board = rank_systems(study)
    keys = [measure.key for measure in board.measures]
    coverage_keys = study.catalogue.key_of("items stated"), study.catalogue.key_of("coverage")
    position = next((keys.index(key) for key in coverage_keys if key in keys), 0)
    effort, points = _points(board, position)
    if len(points) < 2 or board.measures[position].higher_is_better is None:
        return
    measure = board.measures[position]
    best = _pareto_front(points, effort, measure.sign)
    unit = "$ per 1,000 answers" if effort == "cost" else "tokens per answer"
    scale = {"domain": [measure.low, measure.high]} if measure.range_width else {"zero": False}
    coordinates = "; ".join(
        f"{point['system']}: {point['quality']:.3g} at {point[effort]:.4g}" for point in points
    )
    text = f"Mean {measure.label} and mean {unit}. {coordinates}. On the frontier: "
    x = _effort_axis(effort, f"← {unit}", points)
    y = quantitative("quality", f"{measure.label} {arrow(measure)}", scale=scale)
    canvas = Canvas(points, x, y)
    reference_lines = list(_reference_lines(canvas, board, position, y))
    labelled = points if len(points) <= _MOST_POINTS else best
    names = _names_of(canvas, points, x, y) if labelled is points else []
    ring_key = _key("all cheaper systems have worse means", ["circle"])
    layers = [
        *reference_lines,
        _layer({"type": "line", "color": GREY}, best, x=x, y=y, order=quantitative(effort)),
        _layer(_RING, best, x=x, y=y, shape=ring_key),
        *names,
        *_points_of(study, points, x, y),
    ]
    notes = [_describe_left_out(board, position, points)]
    if not names:
        numbered = sorted(labelled, key=lambda point: float(point[effort]))
        layers += _numbers_of(study, numbered, x, y)
        notes.insert(0, _describe_numbers(numbered, points, effort))
    yield Chart(
        "frontier",
        "overview",
        f"{measure.label} against {effort}",
        f"{text}{', '.join(distinct(best, 'system'))}; all cheaper systems have worse means (ringed).",
        {"width": WIDTH, "height": HEIGHT, "layer": layers},
        " ".join(filter(None, notes)),
    )


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


def _layer(mark: Spec, rows: Sequence[Row], **encoding: Spec) -> Spec:
    """Return a mark with its channels and data."""
    return layer_of(mark, rows, **encoding) | {"data": rows_of(rows)}


def _reference_lines(canvas: Canvas, board: Leaderboard, position: int, y: Spec) -> Iterator[Spec]:
    """Yield lines for the systems that are not contestants, and their names where there is room."""
    rows = []
    for row in board.rows:
        standing = row.standings[position]
        if row.is_bound and standing is not None:
            rows.append({"system": row.system, "quality": standing.mean.mean})
    if not rows:
        return
    line = {"type": "rule", "color": GREY, "strokeDash": [4, 4]}
    yield _layer(line, rows, y=y)
    tops = [canvas.top(row) for row in rows]
    for top in tops:
        canvas.keep_free(top)
    for bound, top in zip(rows, tops, strict=True):
        for across, align, dx in ((0, "left", 4), (1, "right", -4)):
            mark = {"type": "text", "color": GREY, "align": align, "dx": dx, "dy": -8}
            if canvas.place(str(bound["system"]), across, top, [mark]) is not None:
                x = {"value": "width" if across else 0}
                yield _layer(mark, [bound], x=x, y=y, text=nominal("system"))
                break


def _names_of(canvas: Canvas, points: Sequence[Row], x: Spec, y: Spec) -> list[Spec]:
    """Return the names of points; none if not all have room."""
    rows_by_side: dict[int, list[Row]] = {}
    for point in sorted(points, key=canvas.across):
        side = canvas.place(point["system"], canvas.across(point), canvas.top(point), SIDES)
        if side is None:
            return []
        rows_by_side.setdefault(side, []).append(point)
    names = []
    for side, rows in rows_by_side.items():
        mark = {"type": "text", "color": GREY, **SIDES[side]}
        names.append(_layer(mark, rows, x=x, y=y, text=nominal("system")))
    return names


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
    yield _layer({"type": "rule", "strokeWidth": 2}, points, **channels, **ends)
    yield _layer(POINT, points, **channels, y=y)


def _describe_left_out(board: Leaderboard, position: int, points: Sequence[Row]) -> str:
    """Name the contestants without a point, and why; empty if there are none."""
    drawn = distinct(points, "system")
    left_out = [
        f"{row.system} ({'no tokens recorded' if row.standings[position] else 'not scored'})"
        for row in board.rows
        if not row.is_bound and row.system not in drawn
    ]
    return f"Not shown: {', '.join(left_out)}" if left_out else ""


def _numbers_of(study: Study, points: Sequence[Row], x: Spec, y: Spec) -> list[Spec]:
    """Return a numbered disc for each point, in its system's colour."""
    rows = [point | {"number": number} for number, point in enumerate(points, start=1)]
    outline = by_system(study.systems)["color"] | {"legend": None}
    layers = [
        layer_of(_DISC, points, x=x, y=y, stroke=outline),
        layer_of(_NUMBER, points, x=x, y=y, text=nominal("number")),
    ]
    return [layer | {"data": rows_of(rows)} for layer in layers]


def _describe_numbers(numbered: Sequence[Row], points: Sequence[Row], effort: str) -> str:
    """Name the numbered systems, and say where the names of the others are."""
    names = (f"{number} {point['system']}" for number, point in enumerate(numbered, start=1))
    order = "Cheapest first" if len({point[effort] for point in numbered}) > 1 else "Equal cost"
    text = f"{order}: {'; '.join(names)}."
    if len(numbered) < len(points):
        text += " The others are named on hover and in the table."
    return text
