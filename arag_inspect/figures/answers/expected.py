"""Check whether a figure is the number that a gold answer expects, in any form and scale."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..quantity import POWERS, Quantity
from .costs import is_deducted, is_in_brackets
from .question import asked_part

Form = Literal["fraction", "percent"]

_PERCENT = re.compile(r"%|\bper ?cent(?:age)?s?\b")
_DECLINE = re.compile(r"\b(?:decreas|declin|drop|fall|fell|reduc|shrink|shrank)")
_LOSS = re.compile(
    rf"{_DECLINE.pattern}"
    r"|\b(?:loss|lost|lower|contract(?:ed|ion)\b|write-?down|outflow|used (?:by|for|in)\b)"
)
"""Words of a question whose answer may have either sign, unless it asks for a change too."""

_PROFIT = re.compile(
    r"\b(?:(?:net|operating) (?:income|earnings)|earnings per share|eps|profits?)\b"
)
"""Words that a figure is the opposite of a loss."""

_EITHER = re.compile(
    r"\((?:loss(?:es)?|decrease|used (?:by|for|in))\)"
    r"|\b(?:and|or) loss(?:es)?\b|\bloss(?:es)? (?:and|or)\b"
)
"""Words of a label that leaves the sign open: income (loss)."""

_RISE = re.compile(r"\b(?:increas|grow|rise|rose|rising|chang|differ)")
"""Words of a question that asks for a change."""

_SCALE = re.compile(r"\b(?:in|how many) (?:\w+ )?(thousand|million|billion)s?\b")
"""The scale in which a question asks for an amount: in USD millions."""

ASKS_YEAR = re.compile(r"\b(?:when|(?:which|what) (?:\w+ ){0,2}years?)\b", re.IGNORECASE)
"""Words of a question whose answer is a year."""

_SCALES = ("one", "thousand", "million", "billion")
"""Scales that a gold answer without a scale may have."""

_DIGITS = 3
"""Fewest significant digits of a rounded answer."""

_ROUGHLY = 0.01
"""Share by which a gold answer may differ from its own executed value."""

_EXECUTED = 5.1e-6
"""Executed values are rounded to five decimals."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A number that an answer must give."""

    value: float
    """A percentage or a fraction as `form` says, in a scale as `scale` says."""

    figure: Quantity | None
    """As the gold answer writes it."""

    share: bool
    """Whether a number without a unit may be a percentage or a fraction."""

    form: Form | None
    """How `value` gives a share; None if unknown."""

    scale: str | None
    """Power of a thousand that multiplies `value`; None if unknown."""

    rounding: float
    """Largest difference from `value` that the gold answer's own rounding explains."""

    executed: bool
    """Whether it is the result of a program."""

    year: bool
    """Whether it may be a year, which must match exactly."""

    signed: bool
    """Whether the sign counts: a decrease that is asked for may be written with either."""

    direction: str | None
    """Direction of a change; None if either is right."""

    loss: bool = False
    """Whether it is the size of a loss that is asked for, which a profit does not match."""

    deducted: bool = False
    """Whether it is a cost: brackets around it say that it is deducted, not that it is negative."""

    @property
    def shown(self) -> str | float:
        """Its value, or as written if it is a range or in basis points."""
        figure = self.figure
        if figure and (figure.value_high is not None or figure.unit == "basis_points"):
            return figure.text
        return self.value

    @property
    def text(self) -> str:
        """`shown` as text."""
        return self.shown if isinstance(self.shown, str) else f"{self.shown:g}"


def expect(figure: Quantity | None, question: str, executed: float | None = None) -> Expected:
    """Derive the number that an answer must give from a figure of a gold answer, or a result."""
    match = _SCALE.search(question)
    scale = match[1] if match else None
    share = _PERCENT.search(question) is not None
    if figure and executed and figure.unit == "basis_points" and _near(figure.value, executed):
        executed /= 100  # a number of basis points
    gold_value = _signed_value(figure)
    value = gold_value if executed is None else executed
    form: Form | None = None
    if figure is not None and _is_percent(figure, value):
        value = figure.amount if executed is None else executed
        share = True
        form = _form(figure, value)
        gold_value = figure.amount / 100 if form == "fraction" else figure.amount
    elif figure is not None:
        share = share and figure.unit in ("count", "multiple") and figure.scale == "one"
        is_in_full = figure.currency and figure.value >= 1000 and not figure.value % 1000
        if figure.scale != "one" or is_in_full:
            scale = figure.scale if _near(figure.value, value) else "one"
    quantity_words = asked_part(question)
    asks_change = _RISE.search(quantity_words) is not None
    asks_fall = _DECLINE.search(quantity_words) is not None and not asks_change
    asks_loss = _LOSS.search(_EITHER.sub(" ", quantity_words)) is not None
    signed = value != 0 and (asks_change or not asks_loss)
    direction: str | None = figure.direction if figure else None
    if direction is None and asks_fall:
        direction = "down"
    elif direction is None and signed:
        direction = "up" if value > 0 else "down"
    is_year = may_be_year(value) and (figure is None or figure.unit == "year")
    return Expected(
        value=value,
        figure=figure,
        share=share,
        form=form,
        scale=scale,
        rounding=_rounding(figure, gold_value, value, executed is not None),
        executed=executed is not None,
        year=is_year and (executed is None or bool(ASKS_YEAR.search(quantity_words))),
        signed=signed,
        direction=direction,
        loss=asks_loss and not signed and "loss" in _EITHER.sub(" ", quantity_words),
        deducted=not asks_change and is_deducted(quantity_words, figure),
    )


def _signed_value(figure: Quantity | None) -> float:
    """Return the value of a figure as written, with its sign; 0 without a figure."""
    if figure is None:
        return 0.0
    return -figure.value if figure.negative else figure.value


def _form(figure: Quantity, value: float) -> Form | None:
    """Return how a value gives the percentage of a gold answer."""
    if _near(figure.amount / 100, value, 0.006):
        return "fraction"
    return "percent" if _near(figure.amount, value, 0.6) else None


def _rounding(figure: Quantity | None, gold_value: float, value: float, executed: bool) -> float:
    """Return the largest difference from a value that the rounding of a gold answer explains.

    Args:
        figure: As the gold answer writes it.
        gold_value: Its value in the form of `value`.
        value: The expected value.
        executed: Whether that is the result of a program, which is exact.
    """
    if figure is None:
        return 0.0
    if executed:
        return abs(gold_value - value) if _near(gold_value, value, figure.step / 2) else 0.0
    if not (figure.decimals and figure.value):
        return 0.0
    return 0.5 * 10.0**-figure.decimals * abs(value) / figure.value


def _is_percent(figure: Quantity, value: float) -> bool:
    """Return whether a gold answer is a percentage: by its unit, or as 100 times the value."""
    bare = figure.unit == "count" and figure.scale == "one"
    return figure.dimension in ("percent", "points") or (
        bare
        and not _near(figure.value, value, figure.step / 2)
        and _near(figure.value / 100, value, figure.step / 200)
    )


def _near(value: float, target: float, step: float = 0.0) -> bool:
    """Return whether two numbers are equal, except for sign and rounding."""
    return abs(abs(value) - abs(target)) <= max(step, _ROUGHLY * abs(target))


def may_be_year(value: float) -> bool:
    """Return whether a number is a whole number from 1900 to 2099."""
    return value.is_integer() and 1900 <= value < 2100


def equal(given: Quantity, expected: Expected, tolerance: float) -> bool:
    """Return whether a figure of an answer is the expected number, perhaps rounded."""
    if given.denied or moves_otherwise(given, expected):
        return False
    about = given.wording.about
    if expected.loss and not given.negative and _PROFIT.search(about) and "loss" not in about:
        return False
    return same_apart_from_sign(given, expected, tolerance)


def same_apart_from_sign(given: Quantity, expected: Expected, tolerance: float) -> bool:
    """Return whether a figure is the expected number, whatever its sign and direction."""
    gold = expected.figure
    if gold and _is_of_another_kind(given, gold):
        return False
    value = abs(expected.value)
    ends = [(given.value, value)]
    if gold and gold.value_high and given.value_high:
        ends.append((given.value_high, value * gold.value_high / gold.value))
    unit_factor = given.size / gold.size if gold and gold.measure and given.measure else 1.0
    for factor in _factors(given, expected):
        if _all_match(given, factor * unit_factor, ends, expected, tolerance):
            return True
    return False


def moves_otherwise(given: Quantity, expected: Expected) -> bool:
    """Return whether a figure has the opposite direction or sign of the expected number."""
    if {given.direction, expected.direction} == {"up", "down"}:
        return True
    if expected.deducted and any(map(is_in_brackets, (given, expected.figure))):
        return False
    gold_direction = expected.figure.direction if expected.figure else None
    is_fall = "down" in (given.direction, gold_direction)  # which needs no sign
    return expected.signed and not is_fall and given.negative != (expected.value < 0)


def _is_of_another_kind(given: Quantity, gold: Quantity) -> bool:
    """Return whether a figure is of another kind than the gold answer: a share, not an amount."""
    is_range = given.value_high is not None
    other_currency = None not in (given.currency, gold.currency) and given.currency != gold.currency
    other_measure = None not in (given.measure, gold.measure) and given.measure != gold.measure
    return (
        is_range != (gold.value_high is not None)
        or {_kind(given), _kind(gold)} == {"share", "amount"}
        or {given.moved, gold.moved} == {"from", "to"}
        or other_currency
        or other_measure
        or (given.change and given.dimension == "percent" and gold.dimension == "points")
    )


def _all_match(
    given: Quantity,
    factor: float,
    ends: Sequence[tuple[float, float]],
    expected: Expected,
    tolerance: float,
) -> bool:
    """Return whether the value of a figure, and its upper end, give the expected values.

    Args:
        given: Figure of an answer.
        factor: Gives it the form and scale of the expected value.
        ends: Its value, and its upper end if it is a range, each with the expected one.
        expected: The expected number.
        tolerance: Largest difference, as a share of it.
    """
    for end, target in ends:
        size = end * factor
        if abs(size - target) > _margin(given, size, expected, tolerance):
            return False
    return True


def _kind(figure: Quantity) -> Literal["share", "amount"] | None:
    """Return whether a figure can only be a share, or only an amount: of money, or in millions."""
    if figure.dimension in ("percent", "points"):
        return "share"
    is_amount = figure.unit in ("currency", "per_share") or figure.scale != "one"
    return "amount" if is_amount else None


def _factors(given: Quantity, expected: Expected) -> Iterator[float]:
    """Yield what gives a figure as written the form and scale of the expected value."""
    is_share = _kind(given) == "share"
    is_plain = given.scale == "one"
    unit = 0.01 if given.unit == "basis_points" else 10.0 ** POWERS.get(given.scale, 0)
    if is_plain and not is_share and expected.figure and expected.figure.unit == "basis_points":
        yield 0.01
        return
    if is_plain and not is_share:
        yield 1.0
    if is_share or (is_plain and expected.share):
        if expected.form != "percent":
            yield unit / 100
        if expected.form != "fraction":
            yield unit if is_share else 100.0
    if is_share:
        return
    scales: Sequence[str] = _SCALES
    if expected.scale:
        scales = [expected.scale]
    elif is_plain:
        scales = []
    for scale in scales:
        yield unit / 10.0 ** POWERS.get(scale, 0)


def _margin(given: Quantity, size: float, expected: Expected, tolerance: float) -> float:
    """Return how far a size may be from the expected size.

    From a gold answer only as far as the size is rounded, to three significant digits or more.
    Zeros at the end of a whole number may be rounded.
    """
    value = abs(expected.value)
    if expected.year and given.text.strip("()").isdigit():
        return 0.0
    if expected.executed:
        return max(tolerance * value, expected.rounding * (1 + 1e-9), _EXECUTED)
    digits = f"{given.value:.{max(given.decimals, 0)}f}".replace(".", "").lstrip("0")
    unit = 10.0**-given.decimals
    if given.decimals <= 0:
        significant = max(len(digits.rstrip("0")), min(_DIGITS, len(digits)))
        unit *= 10.0 ** (len(digits) - significant)
        digits = digits[:significant]
    rounded = 0.5 * unit * size / (given.value or 1) if len(digits) >= _DIGITS else 0.0
    return max(min(tolerance * value, rounded * (1 - 1e-9)), expected.rounding, 0) + 1e-9 * value
