"""Units of counts and rates: gigawatts, barrels a day, years."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from ..._util.files import packaged_yaml


class PhysicalUnit(NamedTuple):
    """The unit of a count."""

    dimension: str
    size: float
    """In the smallest unit of the dimension."""


_SPATIAL = ("metre", "mile", "foot", "area", "square foot", "acre")
"""Dimensions of length and area."""


class _Units(NamedTuple):
    pattern: str
    measures: dict[str, PhysicalUnit]
    """By the name of their group in the pattern."""


@cache
def _units() -> _Units:
    measures: dict[str, PhysicalUnit] = {}
    groups = []
    for dimension, units in packaged_yaml(__package__, "physical_units.yaml").items():
        for unit, size in units.items():
            name = f"u{len(measures)}"
            measures[name] = PhysicalUnit(dimension, float(size))
            groups.append((name, unit))
    alternatives = "|".join(f"(?P<{name}>{unit})" for name, unit in groups)
    return _Units(alternatives, measures)


@cache
def unit_names() -> str:
    """Return the pattern of all units in lower case, without groups."""
    return re.sub(r"[?]P<u[0-9]+>", "?:", _units().pattern)


@cache
def _after() -> re.Pattern[str]:
    return re.compile(rf"[\s-]?(?:{_units().pattern})(?![\w-]*\w)")


@cache
def _after_nouns() -> re.Pattern[str]:
    """Compile the pattern of a unit of length or area after words for what it measures."""
    return re.compile(
        r"(?:\s(?!(?:and|each|from|in|of|or|per|to|within)\s)[a-z-]+){1,2}?"
        rf"\s(?:{_units().pattern})(?![\w-]*\w)"
    )


_TO_CURRENCY = (
    r"\bto\s(?:an?|one|the)\s"
    r"(?=(?:u\.?s\.?\s)?(?:dollar|euro|franc|pound|rupee|yen|yuan)\b(?!\s(?:area|zone)))"
)
"""Before the currency that a rate of exchange is for one of: 148 yen to the dollar."""


@cache
def _per() -> re.Pattern[str]:
    return re.compile(
        rf"[^.;,()]{{0,40}}?(?:(?:\bper\s|/\s?|{_TO_CURRENCY})"
        r"(?:(?:basic|both|and|common|diluted|fully|ordinary|u\.?s\.?)[\s-])*"
        rf"(?:(?:{_units().pattern})(?!\w)|(?P<other>[a-z]+)\b(?!\$))"
        rf"|\b(?:an?|each)\s(?P<unit>{unit_names()})\b"
        r"(?!\s(?:ago|before|earlier|prior)\b))"
    )


_ADJECTIVES = re.compile(
    r"\b(?:(?P<day>daily)|(?P<week>weekly)|(?P<month>monthly)|(?P<quarter>quarterly)"
    r"|(?P<year>annual(?:ly)?(?! (?:general |shareholders?['’]? )?(?:meeting|report))|yearly))\b"
)
"""Adjectives for a length of time."""


@lru_cache(maxsize=8192)
def rate_of_adjective(words: str) -> str | None:
    """Return the stretch of time that an adjective names, as `rate_of` does: "month" of "monthly".

    Args:
        words: Words about a figure, in lower case.
    """
    stretches = {match.lastgroup for match in _ADJECTIVES.finditer(words)}
    return rate_of(f"per {stretches.pop()}") if len(stretches) == 1 else None


def measure_after(text: str, position: int) -> PhysicalUnit | None:
    """Return the unit that follows a number, e.g. of 5.4 GW.

    A unit of length or area may follow words for what it measures, as in "38 billion seat
    kilometres"; its size is then left open.

    Args:
        text: Sentence in lower case.
        position: End of the number.
    """
    match = _after().match(text, position)
    if match:
        return _units().measures[match.lastgroup or ""]
    match = _after_nouns().match(text, position)
    unit = _units().measures[match.lastgroup or ""] if match else None
    if unit is None or unit.dimension not in _SPATIAL:
        return None
    return unit if unit.size == 1 else PhysicalUnit(f"{unit.dimension} {unit.size:g}", 1.0)


def end_of_unit(text: str, position: int) -> int:
    """Return where the unit right after a number ends; the end of the number if it has none.

    Args:
        text: Sentence in lower case.
        position: End of the number.
    """
    match = _after().match(text, position)
    return match.end() if match else position


@lru_cache(maxsize=8192)
def rate_of(words: str) -> str | None:
    """Return the last unit after "per": "ounce" of "per ounce", "month" of "per user per month".

    Args:
        words: Words after the figure, in lower case.
    """
    match = _per().match(words)
    if match is None:
        return None
    further = rate_of(words[match.end() :])
    if further:
        return further
    if match["other"]:
        return _rated_noun(match["other"])
    if match["unit"]:
        unit = measure_after(match["unit"], 0)
    else:
        unit = _units().measures[match.lastgroup or ""]
    return f"{unit.dimension} {unit.size:g}" if unit else None


def _rated_noun(noun: str) -> str | None:
    """Return the singular of a noun after "per"; None for "per cent"."""
    singular = noun.removesuffix("s")
    if singular == "cent":
        return None
    return "share" if singular == "unit" else singular  # a partnership's shares are units
