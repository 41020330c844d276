"""The scale and the currency of a number."""

import re

from ..quantity import POWERS
from .currencies import units

_OF_WEIGHT = re.compile(r"\s(?:of|per)\b")
"""After pounds that weigh: 5 pounds of copper."""

_NAME = re.compile(r"[\s-](?:d'|d[ei]\s)?(?P<name>[^\W\d_]+(?:\.[^\W\d_]+\.)?(?:\s[^\W\d_]+){0,3})")
"""Words after a number that may be its currency: euros, d'euros, di euro."""

_LEADING = {"t": "thousand", "k": "thousand", "m": "million", "mio": "million", "mrd": "billion"}
"""Scales before a currency."""

_SCALES = {power: name for name, power in POWERS.items() if power}
"""Scales by their power of ten."""


def scale_of(match: re.Match[str]) -> str | None:
    """Return the scale of a number, a key of `POWERS`; its word if that is unknown.

    Args:
        match: A match of the pattern of a number.
    """
    if match["lead"]:  # TEUR 850
        return _LEADING[match["lead"].strip(" .")]
    unknown = match["unknown_word"] or match["unknown_letters"]
    if unknown:
        return unknown
    word = (
        match["letter"]
        or match["scale"]
        or match["ahead"]
        or match["short"]
        or (match["scale_after"] or "").strip()
    )
    if not word:
        return None
    if "000" in word:  # $'000
        word = "thousand"
    elif word.endswith("ands"):
        word = word.removesuffix("s")
    return _SCALES[units().scales[word]]


def money_of(match: re.Match[str], sentence: str) -> tuple[str | None, int]:
    """Return the sign, code or name of a number's currency, and where both end.

    Args:
        match: A match of the pattern of a number.
        sentence: Sentence in lower case, except for codes of currencies.
    """
    code = match["code"]
    is_unknown = code is not None and code.isupper() and code.lower() not in units().codes
    if is_unknown and not (match["scale"] or match["letter"]):
        code = None
    money = code or match["sign"] or (match["minor"] or "").strip() or match["money"]
    if money or match["unit"]:
        return money, match.end()
    return _name_after(sentence, match.end()) or (None, match.end())


def _name_after(sentence: str, position: int) -> tuple[str, int] | None:
    """Return the longest name of a currency that follows a number, and where it ends."""
    name = _NAME.match(sentence, position)
    if name is None:
        return None
    words = name["name"].split(" ")
    for count in range(len(words), 0, -1):
        phrase = " ".join(words[:count])
        if phrase not in units().names and phrase not in units().hundredths:
            continue
        end = name.start("name") + len(phrase)
        is_weight = phrase.startswith("pound") and _OF_WEIGHT.match(sentence, end)
        return None if is_weight else (phrase, end)
    return None


def currency_code(money: str) -> str | None:
    """Return the code of a currency by its sign, code or name; an unknown code as written."""
    table = units()
    if money in table.hundredths:
        return table.hundredths[money]
    word = money.lower()
    if word in table.signs:
        return table.signs[word]
    return table.names.get(word, word)
