"""The units of the cells of tables, as cells, labels, heads and titles state them."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ..lexicon import METRIC
from ..numbers.currencies import units
from ..numbers.physical_units import measure_after, unit_names
from ..quantity import Unit
from .barred import CellRow, PrintedCell
from .column_heads import read_head

_OF_MONEY = (
    r"of\s(?:\w+\.?\s){0,2}(?:[A-Z]{3}\b|dollars|euros?|pounds|yen|francs|rupees"
    r"|pesos|rand|reais|won|yuan|kron(?:or|er))"
)
_SCALE_PHRASE = re.compile(
    r"(?:\([^()]*?\b|\bin\s|[$€£¥₹]\s?|\b(?-i:[A-Z]{3})\s"  # (in, $, EUR
    r"|\b(?P<sign>[A-Z]{1,2}\.?)\s"  # RM
    rf"|^[\s|]*(?=[a-z]+\.?\s(?:(?-i:[A-Z]{{3}})\b|{_OF_MONEY})))"  # millions of dollars
    r"(?<!per\s)"
    r"(?P<word>(?:(?:hundred|100)\s)?(?:thousand|million|billion)|crore|lakh|mio|mrd|tsd)s?\b"
    r"|(?:\(|\bin\s|[$€£¥₹]\s?|\b(?-i:[A-Z]{3}(?:\s|(?=['’a-z]))|[A-Z]{1,2}(?=['’])))['’]?"
    r"(?P<short>000|[km]|mm|mn|bn)s?\b"  # $'000, EURm
    r"|\b(?P<before>[tkm])(?-i:€|(?P<code>[A-Z]{3})\b)",  # T€, TCHF
    re.IGNORECASE,
)
"""Where a head, a title or a label states a scale: (in millions), $'000, EURm, T€, RM million."""

_SHORT = {
    "000": "thousand", "t": "thousand", "k": "thousand", "tsd": "thousand",
    "m": "million", "mm": "million", "mn": "million", "mio": "million",
    "bn": "billion", "mrd": "billion",
    "hundred thousand": "lakh", "hundred million": "10^8", "hundred billion": "10^11",
}  # fmt: skip
"""Scales by the words and letters of that phrase, if they are not scales themselves."""

_CURRENCY = re.compile(r"[A-Za-z]{0,3}[$€£¥₹]|\b[TKM]?[A-Z]{3}(?![A-Z])|(?<!&)[^\W\d_]++\.?(?!&)")
"""Possible sign, code or name of a currency."""

_SIGN = re.compile(r"[$€£¥₹]")

_PER_SHARE = re.compile(
    r"\bper\b.{0,20}\b(?:share|unit|ads)\b|\beps\b|\b(?:average|exercise) price\b", re.IGNORECASE
)
_IN_YEARS = re.compile(r"\bin (?:years|months)\b", re.IGNORECASE)
_COUNT = re.compile(
    r"\b(?:shares|employees|stores|customers|headcount|subscribers)\b", re.IGNORECASE
)
"""Labels of counts."""

_NUMBER_OF_SHARES = re.compile(
    r"\bshares\b.*\boutstanding\b|\b(?:average|number of) (?:[a-z]+ )?shares\b", re.IGNORECASE
)
"""Labels of numbers of shares, perhaps those by which earnings per share are computed."""

_OF = re.compile(r" (?:of )?[a-z]{3,}")
"""Noun after a scale: million tonnes."""

_RATE = re.compile(r"(?<!\d)%|\bpercent|\bmargin\b|\btax rate\b|\bas a percentage\b", re.IGNORECASE)
"""Labels of percentages, whose cells often have no sign."""

_SHARES = re.compile(r"\b(?:shares|units|ads)\b", re.IGNORECASE)
"""Labels of numbers of shares, which often have another scale than money."""

_PIECES = re.compile(r"\b(?:number|shares|options|units|awards|rights)\b", re.IGNORECASE)
"""Heads of columns of numbers of pieces."""

_PIECES_IN = re.compile(
    r"(?<!and )\b(?:shares?|options|units|awards|rights|number)\b"
    r"[^()]{0,40}?[\s(]in (thousand|million)s",
    re.IGNORECASE,
)
"""Phrase that gives numbers of pieces their own scale: $ in millions, shares in thousands."""

_MONEY = re.compile(r"\b(?:price|value|amount|dollar|cost)s?\b", re.IGNORECASE)
"""Labels and column heads that denote money, however they are split."""

_MULTIPLE = re.compile(r"\(x\)|\bratio\b|\(times\)", re.IGNORECASE)
_ASIDE = re.compile(r"\((?P<enclosed>[^()]{1,30})\)|,\s(?P<last>[^\s(),]{1,9})$")
"""Words that may be the unit of a label: in parentheses, or after a comma at its end."""

_HUNDREDTH = re.compile(
    r"(?:\(|,\s|\bin\s)(?P<name>pence|cents|[pc¢])(?:\sper\s[a-z ]+)?(?:\)|$)"
    r"|^(?P<head>pence|cents)(?:\sper\s[a-z ]+)?$",
    re.IGNORECASE,
)
"""A unit that is the hundredth of a currency: (pence), cents per share."""

_UNIT_SIGN = re.compile(
    r"(?!GAAP|IFRS|EPS)"
    r"(?:[a-z]*[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|x|%)"
)
"""The sign of a physical unit that may be unknown: two capitals (GWh)."""

_NO_NAME = re.compile(r"number|per\b.*")
"""A unit that states no dimension."""

_WRITTEN = {
    "thousand": "thousand",
    "m": "million", "mn": "million", "million": "million",
    "b": "billion", "bn": "billion", "billion": "billion",
}  # fmt: skip
"""Scales that a cell itself may have."""


class CellUnit(NamedTuple):
    """A unit that a figure of a table may have."""

    unit: Unit
    scale: str = "one"
    currency: str | None = None
    is_hundredth: bool = False
    """Whether it is the hundredth of a currency."""


def cell_units(label: str, row: CellRow, cell: PrintedCell, dollars: bool) -> list[CellUnit]:
    """Return the units that a figure may have, as cell, label, head or title state them."""
    head = cell.head.text
    text = cell.text
    titles = reversed(row.title.split("\n"))
    texts = [part for part in (label, head, row.block, *titles) if part]
    scale_text = next((part for part in texts if _find_scale(part)), "")
    scale = _scale(scale_text)
    currency = _first_currency([scale_text, text, *texts]) or ("usd" if dollars else None)
    is_amount = "," in text or _SIGN.search(f"{label} {text}")  # a gross margin may be one
    is_rate = "%" in text or "%" in head or (bool(_RATE.search(label)) and not is_amount)
    if is_rate or cell.head.kind == "share":
        return [CellUnit("percent")]
    if text.endswith("x") or _MULTIPLE.search(label):
        return [CellUnit("multiple"), CellUnit("count")]
    hundredth = next(filter(None, map(_find_hundredth, (label, head, row.block))), None)
    if hundredth:
        code = units().hundredths[(hundredth["name"] or hundredth["head"]).lower()]
        return [CellUnit("per_share", "one", currency or code, is_hundredth=True)]
    is_number = _NUMBER_OF_SHARES.search(label) is not None
    if not is_number and any(map(_is_per_share, texts)):
        return [CellUnit("per_share", "one", currency)]
    suffix = re.search(r"\d\s?([a-z]+)$", text.lower())
    if suffix and suffix[1] in _WRITTEN:
        return [CellUnit("currency", _WRITTEN[suffix[1]], currency)]
    if "$" in text or "." in text or _MONEY.search(f"{label} {head}"):
        scale = _scale(_PIECES_IN.sub(" ", scale_text))
    elif _COUNT.search(label) or _PIECES.search(head):
        return _units_of_count(label, texts, scale)
    if "." in text and not is_amount and read_head(row.block).kind == "change":
        return [CellUnit("percent"), CellUnit("currency", scale, currency)]
    if any(map(_find_years, texts)):
        return [CellUnit("count")]
    if not scale_text:
        is_money = currency is not None and not unit_signs(label)
        return [CellUnit("currency", "one", currency)] if is_money else [CellUnit("count")]
    if scaled_unit(scale_text):
        return [CellUnit("count", scale)]
    return _units_with_scale(label, text, scale, currency)


@lru_cache(maxsize=4096)
def _is_per_share(text: str) -> bool:
    return _PER_SHARE.search(text) is not None and "except" not in text.lower()


_find_hundredth = lru_cache(maxsize=4096)(_HUNDREDTH.search)
_find_years = lru_cache(maxsize=4096)(_IN_YEARS.search)


def _units_of_count(label: str, texts: Sequence[str], scale: str) -> list[CellUnit]:
    """Return the units of shares, employees and the like, for which the scale may not hold."""
    pieces_in = next(filter(None, map(_PIECES_IN.search, texts)), None)
    if pieces_in:
        return [CellUnit("count", pieces_in[1].lower())]
    if _COUNT.search(label) and not _SHARES.search(label):
        return [CellUnit("count", scale), CellUnit("count")]
    return [CellUnit("count", scale)]


def _units_with_scale(label: str, text: str, scale: str, currency: str | None) -> list[CellUnit]:
    """Return the units of a figure that has a scale: money, unless its label says otherwise."""
    label_scale = _find_scale(label)
    if label_scale and "$" not in text and not _currency(label, False):
        if _OF.match(label, label_scale.end()):
            return [CellUnit("count", scale)]
        if not METRIC.search(label.lower()):
            return [CellUnit("count", scale), CellUnit("currency", scale, currency)]
    if unit_signs(label):
        return [CellUnit("count")]
    return [CellUnit("currency", scale, currency)]


def scaled_unit(text: str) -> str | None:
    """Return the physical unit after the scale that a text states: thousand tonnes."""
    scale = _find_scale(text)
    if scale is None or _currency(text, False):
        return None
    unit = lower_unit(text[scale.end() :].strip())
    return unit if measure_after(unit, 0) else None


def _scale(text: str) -> str:
    """Return the scale that a text states."""
    match = _find_scale(text)
    if match is None:
        return "one"
    word = (match["word"] or match["short"] or match["before"]).lower().replace("100 ", "hundred ")
    return _SHORT.get(word, word)


@lru_cache(maxsize=4096)
def _find_scale(line: str) -> re.Match[str] | None:
    """Return where a line states a scale.

    Letters before it must be those of a currency: T, K or M and a code (TCHF), or a sign (RM).
    """
    for match in _SCALE_PHRASE.finditer(line):
        code = (match["code"] or "eur").lower()
        sign = (match["sign"] or "rs").lower()
        if code in units().codes and sign in units().signs:
            return match
    return None


def _first_currency(parts: Sequence[str]) -> str | None:
    """Return the currency of the first text that mentions a currency."""
    codes = (_currency(part, "$" in part) for part in parts)
    return next((code for code in codes if code), None)


@lru_cache(maxsize=4096)
def _currency(head: str, dollars: bool) -> str | None:
    """Return the first currency that a text mentions; dollars by default if `dollars` is true."""
    table = units()
    symbols = _CURRENCY.findall(head)
    for index, symbol in enumerate(symbols):
        phrase = " ".join(symbols[index : index + 2]).lower()
        word = symbol.lower()
        code = word[-3:] if symbol.isupper() and word not in ("all", "top", "try") else ""
        currency = table.names.get(phrase) or table.signs.get(word) or table.names.get(word)
        if currency or code in table.codes:
            return currency or code
    return "usd" if dollars else None


def lower_unit(unit: str) -> str:
    """Return a unit in lower case, except megatonnes (Mt): mt are tonnes."""
    return unit if unit.startswith("Mt") else unit.lower()


def unit_signs(label: str) -> list[str]:
    """Return the signs of physical units that a label states in parentheses: `GWh`."""
    return [_content(aside) for aside in _ASIDE.finditer(label) if _is_unit_sign(aside)]


def _is_unit_sign(aside: re.Match[str]) -> bool:
    """Return whether words in parentheses are a physical unit: (GWh), (kt of ore), but no scale."""
    sign = _content(aside)
    is_known = re.match(rf"(?:{unit_names()}|%)(?: |$)", lower_unit(sign)) is not None
    is_sign = _UNIT_SIGN.fullmatch(sign) is not None and sign.lower() not in units().codes
    return (is_sign and not aside["last"]) or (is_known and not _find_scale(aside[0]))


def _content(aside: re.Match[str]) -> str:
    return aside["enclosed"] or aside["last"]


def without_units(label: str) -> str:
    """Return a label without units and scales in parentheses."""
    return _ASIDE.sub(_without_unit, label)


def _without_unit(aside: re.Match[str]) -> str:
    """Return words in parentheses, or nothing if they state a unit or a scale."""
    is_unit = (
        _is_unit_sign(aside)
        or _find_scale(aside[0])
        or _HUNDREDTH.search(aside[0])
        or _NO_NAME.fullmatch(_content(aside))
    )
    return " " if is_unit else aside[0]
