"""The pattern of a number with its sign, currency, scale, unit and parentheses."""

import re
from collections.abc import Sequence
from functools import cache

from ..lexicon import BLANK
from .currencies import units
from .physical_units import unit_names
from .ranges import DASHES
from .words import MIXED, SPELLED

CODE = r"[A-Z]{3}|usd|cad|aud|eur|gbp|jpy|chf|rmb|cny|inr"
"""The code of a currency: capitals, or a common code in lower case."""

POWER = r"thousands?|millions?|mln|mm|mn|billions?|bln|bn|trillions?|trln|tn"
"""English words of scale and their abbreviations."""

_AHEAD = r"(?:thousand|million|billion|crore|lakh)s?|[km]|mn|bn|'?000s?"
"""Scales between a currency and its number: EURm 850, ₹ crore 45."""

_PLAIN = ("mln", "mm", "mn", "bln", "bn", "trln", "tn", "mio", "mrd", "lakh", "lac", "oku")
"""Short words of scale that count without a currency too."""

SYMBOLS = "$¢£¥₠-⃀฿￥"
"""Signs of currencies, as the content of a character class."""

_UNIT = (
    r"percentage(?:[\s-]points?)|basis(?:[\s-]points?)|percent\b|per\scent\b|pct\b|points?\b"
    r"|bps?\b|bips\b|ppts?\b|pp\b|pts\b|%|x\b|times\b"
)


def _alternatives(words: Sequence[str]) -> str:
    return "|".join(map(re.escape, words))


@cache
def number_pattern() -> re.Pattern[str]:
    """Compile the pattern of a number.

    Compiled on first use: the words of scale and the signs of currencies take long to read.
    """
    scales = sorted(units().scales, key=len, reverse=True)
    long_scales = [word for word in scales if len(word) > 4 or word in _PLAIN or not word.isascii()]
    long = _alternatives(long_scales)
    short = _alternatives([word for word in scales if len(word) <= 4])
    sign = _alternatives(sorted(units().signs, key=len, reverse=True))
    money_after = rf"\s?(?:(?:{sign})(?![a-z])|[A-Z]{{3}}\b|euros?\b)"
    return re.compile(
        rf"""
        (?<![\w.,{SYMBOLS}]) (?P<open>\()?
        (?P<minus>[{DASHES}](?![{DASHES}])|minus\s|negative\s)?
        (?:(?P<lead>[tkm]|mio\.?\s?|mrd\.?\s?)(?=[A-Z]{{3}}|[{SYMBOLS}]))?  # TEUR 850
        (?:
            (?:(?P<sign>(?:{sign}|[{SYMBOLS}]))\s?\$?|(?P<code>{CODE})\s?[{SYMBOLS}]?)
            (?:(?P<ahead>{_AHEAD})\s(?!(?:19|20)\d\d\b(?![.,]\d)))?  # EURm 850, no year
        )?
        (?P<open_inside>\()? (?P<minus_inside>[{DASHES}])?
        (?:
            (?P<digits>{MIXED}|\d{{1,3}}(?:,\d{{2,3}})*,\d{{3}}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
            |(?P<words>{SPELLED})
        )
        (?:(?<=\d)[*†‡¹²³⁰⁴-⁹{BLANK}]+(?!\d))?  # a mark of a footnote
        (?:
            (?:
                (?<=\d)(?P<letter>mm|bn|mn|[mbk])(?![a-z\d&])
                |[\s-]?(?P<scale>{long})(?![a-z\d])
                |(?<=\d)(?P<minor>[pc]|\s?¢)(?![a-z\d])  # pence, cents
                # a short scale counts beside a currency only
                |[\s-]?(?P<short>{short})(?![a-z\d&])(?(sign)|(?(code)|(?=\.?{money_after})))
                # scales that are not known: zillion, and letters after an amount of money
                |[\s-]?(?P<unknown_word>[a-z]*illi(?:on|ard)s?)\b
                |(?<=\d)(?P<unknown_letters>(?(sign)[a-z]{{1,4}}|(?(code)[a-z]{{1,4}}|(?!))))(?![a-z\d])
            )
            (?:\.(?={money_after}))?  # the point of an abbreviation
        )?
        (?:
            (?P<close>\))
            (?:(?P<scale_after>\s?(?:{POWER})|(?(sign)[mbk]|(?!)))\b)?  # $(5) million
        )?
        (?:-plus(?=\s)|(?P<plus>\+)(?=\s))?
        (?:[\s-]?(?:(?P<unit>{_UNIT})|(?P<money>(?:{sign})(?!\s?[\d(])|(?:{CODE})\b)))?
        (?![\w]) (?![.,:]?\d)
        (?!-(?!(?!day|year)(?-x:{unit_names()})\b)[a-z]*\d*[a-z])  # a 30-month lease
        (?P<close_last>\))?
        """,
        re.VERBOSE,
    )
