"""The number that answers a question, and the ways in which it may be written."""

import re
from dataclasses import dataclass
from typing import Literal

from .extract import extract_quantities
from .quantity import POWERS, Quantity, Scale

Form = Literal["fraction", "percent"]

_PERCENT = re.compile(r"%|\bpercent(?:age)?s?\b|\bper cent\b")
_FALL = re.compile(
    r"\b(?:decreas|declin|drop|fall|fell|reduc|loss|lost|lower|shrink|shrank|contract(?:ed|ion)\b|write-?down)"
)
_DECLINE = re.compile(r"\b(?:decreas|declin|drop|fall|fell|reduc|shrink|shrank)")
_RISE = re.compile(r"\b(?:increas|grow|rise|rose|rising|chang|differ)")
_UNIT = re.compile(
    r"[$€£¥₹%]|\b(?:percent(?:ages?)?|per cent|dollars?|euros?|usd|eur|gbp|thousands?|millions?|billions?)\b"
)
_SCALE = re.compile(r"\bin (?:\w+ )?(thousand|million|billion)s?\b")
_SCALES: dict[str, Scale] = {"thousand": "thousand", "million": "million", "billion": "billion"}
_ROUGHLY = 0.01


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected number."""

    value: float
    share: bool = False
    """Whether it is a percentage or a fraction."""

    form: Form | None = None
    """How `value` gives a share; None if unknown."""

    scale: Scale | None = None
    """Power of a thousand that multiplies `value`; None if unknown."""

    written: float | None = None
    """The gold answer as written (perhaps rounded), in the form and scale of `value`."""

    rounding: float = 0.0
    """Largest rounding error of `value`; zero for an executed value."""

    fall: bool = False
    """Whether the question asks for a decrease, which may be written with either sign."""

    down: bool = False
    """Whether it asks only for a decrease, so that a rise is never right."""

    year: bool = False
    """Whether it may be a year, which must match exactly."""


def expect(value: float | None, gold: str, question: str) -> Expected | None:
    """Derive the expected number from a gold answer.

    Args:
        value: Executed value; None to use the gold answer.
        gold: Gold answer as its authors wrote it; may be empty.
        question: The question.

    Returns:
        The expected number, or None if neither is a number.
    """
    lower = question.lower()
    figure = _only_figure(gold)
    rounding = 0.0
    if value is None:
        if figure is None:
            return None
        value = -figure.value if figure.negative else figure.value
        rounding = 0.5 * 10.0**-figure.decimals if figure.decimals else 0.0
    percent = figure is not None and (
        figure.dimension in ("percent", "points") or _hundredfold(figure, value)
    )
    share = percent or (bool(_PERCENT.search(lower)) and (figure is None or _bare(figure)))
    match = _SCALE.search(lower)
    scale = _SCALES[match[1]] if match else None
    form: Form | None = None
    written = None
    if figure is not None and percent:
        form, written = _form(figure.amount, value)
    elif figure is not None:
        if figure.scale != "one":
            scale = figure.scale if _near(figure.value, value) else "one"
        signed_value = -figure.value if figure.negative else figure.value
        written = signed_value if _near(signed_value, value, figure.step / 2) else None
    return Expected(
        value=float(value),
        share=share,
        form=form,
        scale=scale,
        written=written,
        rounding=rounding,
        fall=bool(_FALL.search(lower)),
        down=bool(_DECLINE.search(lower)) and not _RISE.search(lower),
        year=float(value).is_integer()
        and 1900 <= value < 2100
        and (figure is None or figure.unit == "year")
        and not _UNIT.search(lower),
    )


def _only_figure(text: str) -> Quantity | None:
    figures = [figure for figure in extract_quantities(text) if figure.unit != "date"]
    return figures[0] if figures else None


def _bare(figure: Quantity) -> bool:
    return figure.unit in ("count", "multiple") and figure.scale == "one"


def _hundredfold(figure: Quantity, value: float) -> bool:
    """Return whether a gold answer without a unit is 100 times the executed value."""
    return (
        figure.unit == "count"
        and figure.scale == "one"
        and not _near(figure.value, value, figure.step / 2)
        and _near(figure.value / 100, value, figure.step / 200)
    )


def _form(percent: float, value: float) -> tuple[Form | None, float | None]:
    """Return the form of `value`, and the percentage in that form."""
    if _near(percent / 100, value, 0.006):
        return "fraction", percent / 100
    if _near(percent, value, 0.6):
        return "percent", percent
    return None, None


def _near(value: float, target: float, step: float = 0.0) -> bool:
    """Return whether two numbers are equal, apart from sign and rounding."""
    return abs(abs(value) - abs(target)) <= max(step, _ROUGHLY * abs(target))


def power(scale: Scale) -> float:
    """Return the power of ten that a scale word denotes."""
    return float(10 ** POWERS[scale])
