"""Phrase a figure exactly or vaguely."""

import math
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from .personas import Spread


class Utterance(NamedTuple):
    """A figure as spoken."""

    words: str
    value: float
    """Value of the words; for a vague figure it differs from the exact one."""

    is_estimate: bool


_SIGNS = {"GBP": "£", "EUR": "€"}
_VAGUE = (
    ("about {}", "near"),
    ("roughly {}", "near"),
    ("around {}", "near"),
    ("{} or so", "near"),
    ("somewhere near {}", "near"),
    ("a bit over {}", "below"),
    ("a little more than {}", "below"),
    ("just under {}", "above"),
    ("not quite {}", "above"),
)
_TURNS: dict[str, Callable[[float], int]] = {
    "near": round,
    "below": math.floor,
    "above": math.ceil,
}


def draw(spread: Spread, rng: Random) -> float:
    """Draw a figure within its range."""
    steps = int((spread.high - spread.low) / spread.step + 1e-9)
    return round(spread.low + rng.randint(0, steps) * spread.step, 4)


def say(value: float, unit: str, rng: Random, *, vaguely: bool) -> Utterance:
    """Put a figure into words."""
    if not vaguely:
        return Utterance(_amount(value, unit, rng), value, False)
    words, side = rng.choice(_VAGUE)
    rounded = _rounded(value, side)
    return Utterance(words.format(_amount(rounded, unit, rng)), rounded, True)


def _rounded(value: float, side: str) -> float:
    """Round to two figures, or to a half for small values: to nearest, down or up."""
    step = 0.5 if value < 30 else 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(_TURNS[side](value / step) * step, 4)


def _amount(value: float, unit: str, rng: Random) -> str:
    currency, _, per = unit.partition(" per ")
    each = f" a {per}" if per else ""
    if currency not in _SIGNS:
        return f"{value:g} {unit}"
    if value >= 10_000 and value % 1000 == 0 and rng.random() < 0.4:
        return f"{value / 1000:g} thousand {'pounds' if currency == 'GBP' else 'euros'}{each}"
    pence = 2 if value % 1 else 0
    return f"{_SIGNS[currency]}{value:,.{pence}f}{each}"
