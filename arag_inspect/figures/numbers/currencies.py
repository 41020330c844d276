"""Words and signs of scales and currencies, from the Unicode CLDR as Babel has it."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..._util.files import packaged_yaml

if TYPE_CHECKING:
    from babel import Locale

_LOCALES = (
    *("en", "en_IN", "de", "fr", "es", "it", "pt", "nl"),
    *("sv", "da", "nb", "fi", "pl", "ja", "zh", "ko", "hi"),
)
"""Locales whose words of scale are read; of words with several powers the first counts."""

_SIGN_LOCALES = (*_LOCALES, "en_GB", "ru", "tr", "th", "uk", "cs")
"""Locales whose signs of currencies are read."""

_SHORTEST = 5
"""Fewest letters of a currency's name that counts without its country."""


class Units(NamedTuple):
    """Tables of scales and currencies; all keys are in lower case."""

    scales: dict[str, int]
    """Power of ten by word."""

    signs: dict[str, str | None]
    """Code by sign: `€`, `hk$`."""

    names: dict[str, str | None]
    """Code by name: `swedish kronor`, `kronor`; None if several currencies have the name."""

    hundredths: dict[str, str | None]
    """Code by the name or sign of its hundredth: `pence`; None for cents, which many have."""

    codes: frozenset[str]
    """Codes of ISO 4217, also of former currencies, and two that markets use."""


@cache
def units() -> Units:
    """Read the words of scales and currencies."""
    from babel import Locale  # slow to import

    custom = packaged_yaml(__package__, "currencies.yaml")
    scales = custom["scales"]
    signs = custom["signs"]
    for name in _SIGN_LOCALES:
        locale = Locale.parse(name)
        for code, sign in locale.currency_symbols.items():
            has_letters = re.search(r"[^\W\d_]", sign) is not None
            if not has_letters or sign.endswith("$"):
                signs.setdefault(sign.lower(), code.lower())
        if name in _LOCALES:
            for word, power in _scale_words(locale):
                scales.setdefault(word, power)
    english = Locale.parse("en")
    codes = frozenset(str(code).lower() for code in (*english.currencies, "RMB", "GBX"))
    return Units(scales, signs, _names(custom["names"]), custom["hundredths"], codes)


def _scale_words(locale: "Locale") -> Iterator[tuple[str, int]]:
    """Yield the words of scale of a language with their powers of ten."""
    for forms in locale.compact_decimal_formats.values():
        for patterns in forms.values():
            for power, pattern in patterns.items():
                number = re.match(r"0+", pattern.pattern)
                word = pattern.pattern.lower().strip("0'. \xa0")
                if number and word:
                    yield word, len(power) - len(number[0])


def _codes_in_use() -> set[str]:
    """Return the codes of the currencies that are legal tender somewhere today."""
    from babel.core import get_global

    codes = set()
    for history in get_global("territory_currencies").values():
        for code, _, end, is_tender in history:
            if is_tender and end is None:
                codes.add(code)
    return codes


def _names(custom: dict[str, str | None]) -> dict[str, str | None]:
    """Return the code by each name of a currency, in full ("Swedish krona") or not ("krona")."""
    from babel.numbers import get_currency_name

    codes: dict[str, set[str]] = defaultdict(set)
    for code in _codes_in_use():
        for count in (None, 1, 2):
            name = get_currency_name(code, count=count, locale="en").lower()
            codes[name].add(code.lower())
            noun = name.rpartition(" ")[2]
            if len(noun) >= _SHORTEST:
                codes[noun].add(code.lower())
    names = {name: min(values) if len(values) == 1 else None for name, values in codes.items()}
    plurals = {f"{name}s": code for name, code in custom.items() if len(name) >= _SHORTEST - 1}
    return names | plurals | custom
