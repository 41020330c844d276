"""Show the figures of a wrong answer in its reason, with a sign that decides."""

from collections.abc import Sequence
from dataclasses import replace

from ..quantity import Quantity
from .expected import Expected, moves_otherwise, same_apart_from_sign

_MOVES = {"up": "a rise of ", "down": "a fall of "}
_MINUS = tuple("-(–−")


def without_direction_of_level(figure: Quantity) -> Quantity:
    """Return a figure without the direction in which it moved: it fell to $5 million."""
    is_level = not figure.change or figure.negative
    return replace(figure, direction=None) if is_level else figure


def shown_given(figure: Quantity, expected: Expected, tolerance: float) -> str:
    """Return a figure of an answer, with its direction or sign if only that makes it wrong."""
    text = with_unit(figure)
    if not _is_turned(figure, expected, tolerance):
        return text
    if figure.direction:
        return f"{_MOVES[figure.direction]}{text}"
    return _with_sign(figure)


def shown_expected(expected: Expected, figures: Sequence[Quantity], tolerance: float) -> str:
    """Return the expected number, with its unit.

    Its direction, or its currency, is shown if a figure of an answer has another.
    """
    has_other_direction = any(
        figure.direction and _is_turned(figure, expected, tolerance) for figure in figures
    )
    text = _expected_beside(expected, figures)
    if expected.value > 0 and expected.direction and has_other_direction:
        return f"{_MOVES[expected.direction]}{text}"
    return text


def with_unit(figure: Quantity) -> str:
    """Return a figure as written, with the physical unit right after it."""
    return f"{figure.text} {figure.wording.unit}".strip()


def expected_with_unit(expected: Expected) -> str:
    """Return the expected number, with the physical unit that the gold answer gives it."""
    unit = expected.figure.wording.unit if expected.figure else ""
    return f"{expected.text} {unit}".strip()


def _expected_beside(expected: Expected, figures: Sequence[Quantity]) -> str:
    """Return the expected number, as the gold answer writes it if that decides.

    It decides if a figure of an answer has another currency, or the same digits: then the scale,
    unit or sign differs.
    """
    gold = expected.figure
    if gold is None:
        return expected_with_unit(expected)
    has_other_currency = bool({figure.currency for figure in figures} - {None, gold.currency})
    has_same_digits = any(figure.value == gold.value for figure in figures)
    if (gold.currency and has_other_currency) or (has_same_digits and gold.unit != "year"):
        return _with_sign(gold)
    return expected_with_unit(expected)


def _with_sign(figure: Quantity) -> str:
    """Return a figure as written, with the physical unit, and "minus" if only words say so."""
    text = with_unit(figure)
    shows_sign = figure.text.lstrip("$€£¥").startswith(_MINUS)
    return f"minus {text}" if figure.negative and not shows_sign else text


def _is_turned(figure: Quantity, expected: Expected, tolerance: float) -> bool:
    """Return whether a figure is the expected number with the other sign or direction."""
    is_turned = moves_otherwise(figure, expected)
    return is_turned and same_apart_from_sign(figure, expected, tolerance)
