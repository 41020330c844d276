"""Numbers of running text with their scale and unit."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ..text.citations import find_marks
from .currencies import units
from .lexicon import MONTH
from .number_phrases import NumberPhrase, find_phrases
from .number_words import FOLD, MIXED, SPELLED, parse_digits, parse_fold, parse_spelled
from .quantity import POWERS, Bound, Unit
from .ranges import DASHES, QuantityToken, is_year, merge_ranges, with_moves, with_shared_units

_DATE = re.compile(
    rf"\b{MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s?[%$]|[\d.,]*\d\s?(?:%|percent|million|billion))(?:,?\s(?:19|20)\d\d\b)?"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{MONTH}(?:,?\s(?:19|20)\d\d\b)?(?![a-z])"
)
_LABELS = (
    r"section|sec\.|items?|notes?|slides?|pages?|forms?|rule|topic|asc|asu|ifrs|ias|fas|chapter|title|phase|tier|class"
    r"|category|type|version|nos?\.|exhibit|schedule|part|article|step|s&p|russell|nasdaq|fortune|route|highway|boeing"
    r"|airbus|figure|table|appendix|covid|model|suite|room|gate|vol\.|scope|stage|generation|building|unit\s#|top|basel|windows|web|iso|mp"
)
_NOT_FIGURES = re.compile(
    r"(?m)^[ \t]*(?:\(?\d{1,2}[.)]|\(\d{1,2}\))(?:[ \t](?!%)|$)"  # the number of a list item
    r"|\(\d\)(?=\s[a-z])"
    r"|(?<![\d$])(?:\+?1[-.\s])?\(?\d{3}\)?[-.\s]\d{3}[-.]\d{4}\b|(?<![\d$])\d{3}-\d{4}\b"  # telephone
    r"|\b\d{1,2}:\d\d\b(?:\s?[ap]\.?m\b)?"  # time of day
    r"|\b(?<!\d[\s-])\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\b(?:19|20)\d\d-\d\d-\d\d\b"
    r"|\b\d{1,3}\([a-z]\)|\b3m\b|\b(?:19|20)?\d0['’]?s\b"
    rf"|\b(?:{_LABELS})(?:\s|-)#?\d+(?:\.\d+)*[a-z]?\b(?![.,]\d|\s?(?:%|percent|million|billion|mln|bln))"
    r"|\b(?!(?:rs|rm|rp|tk|kr)\d)[a-z]+-?\d[\w-]*(?<!\d%)|#\d+|\b\d+[a-z]+-\d+\b"  # COVID-19, C-40, Q3
    r"|\b\d{2,4}[ -](?:max|neo|pro|plus|ultra|series)\b|\b(?:480|720|1080|1440|2160|4320)p\b"
    r"|\b(?:13|14|26|27|39|40|52|53)[- ]weeks?\b|\bquarter [1-4]\b(?![.,]\d)"
    r"|\b\d{1,3}-[kq]\b|\b(?:[1-4]q|[12]h)\d*\b|\b(?:fy|cy|q[1-4]|h[12])\s?['’]?\d\d\b(?!\.?\d|%)|['’]\d\d\b"
)
_DIGIT = re.compile(r"\d")
_UNITS: dict[str, Unit] = {
    "basis": "basis_points", "bp": "basis_points", "bps": "basis_points", "bips": "basis_points",
    "percentage": "points", "point": "points", "points": "points", "pp": "points", "ppt": "points", "ppts": "points", "pts": "points",
    "percent": "percent", "per": "percent", "pct": "percent", "%": "percent",
    "x": "multiple", "times": "multiple",
}  # fmt: skip

_CODE = r"[A-Z]{3}|usd|cad|aud|eur|gbp|jpy|chf|rmb|cny|inr"
_POWER = r"thousands?|millions?|mln|mm|mn|billions?|bln|bn|trillions?|trln|tn"
_AHEAD = r"(?:thousand|million|billion|crore|lakh)s?|[km]|mn|bn|'?000s?"
"""Scales between a currency and its number: EURm 850, ₹ crore 45."""

_PLAIN = ("mln", "mm", "mn", "bln", "bn", "trln", "tn", "mio", "mrd", "lakh", "lac", "oku")
"""Short words of scale that count without a currency too."""

_MARK = re.compile(
    rf"\s*\(\d{{1,2}}\)(?P<unit>\s?(?:%|(?:percent|per\scent|pct|{_POWER})\b))?(?P<last>\W*\Z)?"
)
"""Either the number of a list item or a footnote, or a negative amount."""

_SYMBOLS = "$¢£¥₠-⃀฿￥"
_LEADS = re.compile(
    rf"(?:[:=|{_SYMBOLS}]|\b(?:{_CODE}|was|were|is|are|be|been|of|to|at|by|from|than|versus|vs\.?"
    r"|about|approximately|equals))\s*\Z"
)
"""Words before an amount; parentheses after them are part of the amount."""


def _alternatives(words: Sequence[str]) -> str:
    return "|".join(map(re.escape, words))


@cache
def _quantity() -> re.Pattern[str]:
    """Compile the pattern of a number with its sign, currency, scale, unit and parentheses.

    It is compiled once, and late: the words of scale and the signs of currencies take long to read.
    """
    scales = sorted(units().scales, key=len, reverse=True)
    long_scales = [word for word in scales if len(word) > 4 or word in _PLAIN or not word.isascii()]
    long = _alternatives(long_scales)
    short = _alternatives([word for word in scales if len(word) <= 4])
    sign = _alternatives(sorted(units().signs, key=len, reverse=True))
    after = rf"\.?\s?(?:{sign}|[A-Z]{{3}}\b|euros?\b)"
    return re.compile(
        rf"""(?<![\w.,{_SYMBOLS}]) (?P<paren>\()?
    (?P<minus>[{DASHES}](?![{DASHES}])|minus\s|negative\s)?
    (?:(?P<lead>[tkm]|mio\.?\s?|mrd\.?\s?)(?=[A-Z]{{3}}|[{_SYMBOLS}]))?
    (?:(?:(?P<sign>(?:{sign}|[{_SYMBOLS}]))\s?\$?|(?P<code>{_CODE})\s?[{_SYMBOLS}]?)
      (?:(?P<ahead>{_AHEAD})\s(?!(?:19|20)\d\d\b(?![.,]\d)))?)?
    (?P<inner>\()? (?P<minus2>[{DASHES}])?
    (?:(?P<digits>{MIXED}|\d{{1,3}}(?:,\d{{2,3}})*,\d{{3}}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)|(?P<words>{SPELLED}))
    (?:(?<=\d)[*†‡\x00]+(?!\d))?
    (?:(?:(?<=\d)(?P<letter>mm|bn|mn|[mbk])(?![a-z\d&])|[\s-]?(?P<scale>{long})(?![a-z\d])|(?<=\d)(?P<minor>[pc]|\s?¢)(?![a-z\d])
      |[\s-]?(?P<short>{short})(?![a-z\d&])(?(sign)|(?(code)|(?={after})))|[\s-]?(?P<strange>[a-z]*illi(?:on|ard)s?)\b
      |(?<=\d)(?P<strange2>(?(sign)[a-z]{{1,4}}|(?(code)[a-z]{{1,4}}|(?!))))(?![a-z\d]))
      (?:\.(?=\s?(?:{sign}|[A-Z]{{3}}\b|euros?\b)))?)?
    (?:(?P<close>\))(?:(?P<scale2>\s?(?:{_POWER})|(?(sign)[mbk]|(?!)))\b)?)?
    (?:-plus(?=\s)|(?P<plus>\+)(?=\s))?(?:[\s-]?(?:(?P<unit>percentage(?:[\s-]points?)|basis(?:[\s-]points?)|percent\b|per\scent\b|pct\b|points?\b|bps?\b|bips\b|ppts?\b|pp\b|pts\b|%|x\b|times\b)
      |(?P<money>(?:{sign})(?!\s?[\d(])|(?:{_CODE})\b)))?
    (?![\w]) (?![.,:]?\d) (?!-[a-z]*\d*[a-z]) (?P<close2>\))?
    """,
        re.VERBOSE,
    )


_OF_WEIGHT = re.compile(r"\s(?:of|per)\b")
"""After pounds that weigh: 5 pounds of copper."""

_NAME = re.compile(r"[\s-](?:d'|d[ei]\s)?(?P<name>[^\W\d_]+(?:\.[^\W\d_]+\.)?(?:\s[^\W\d_]+){0,3})")
_PER_SHARE = re.compile(
    r"\s*(?:\(?[a-z]+\)?\s)?(?:per|a|an|/)\s?(?:[a-z&]+[\s-]){0,4}?(?:shares?|ads|unit|share-unit)\b"
)
_COUNTED = re.compile(r"\s(?:[a-z-]+\s){0,2}?[a-z-]*[a-rt-z]s\b")
"""A plural after a number in words, which it counts."""

_UNCOUNTED = re.compile(
    r"\s(?:(?:fiscal\s)?(?:months|quarters|years|weeks|days|things|is|was|has|of)\b)"
)
_HEDGE = re.compile(
    r"(?:about|approximately|around|roughly|some|close to|or so|(?P<just>just |slightly )?(?:(?P<low>over|more than|at least|(?:no|not) (?:less|fewer) than|exceed(?:s|ed|ing)?"
    r"|above|greater than|higher than|upwards of|north of|excess of|topped|topping|surpass(?:ed|es|ing))|(?P<high>(?P<nearly>nearly|almost)|less than|fewer than"
    r"|under|below|up to|at most|(?:no|not) more than|shy of|south of)))\s(?:us)?$"
)


def find_quantities(sentence: str, alone: bool = False) -> list[QuantityToken]:
    """Find the numbers of a sentence in lower case, dates and years included.

    Numbers that are not figures are left out: names (`COVID-19`, `10-K`), references
    (`Item 1A`, marks of citations), list numbers, times and telephone numbers.

    Args:
        sentence: Sentence in lower case.
        alone: Whether the sentence is the whole text; then "(5)" is not the number of a list item.
    """
    for mark in find_marks(sentence):
        sentence = _blank(sentence, mark.start, mark.end)
    phrases = [_phrase_token(phrase) for phrase in find_phrases(sentence)]
    sentence = _without(phrases, sentence)
    dates = []
    if _DIGIT.search(sentence):
        dates = [_date_token(match) for match in _DATE.finditer(sentence)]
        sentence = _without_names(_without(dates, sentence), alone)
    folds = [_fold_token(match) for match in FOLD.finditer(sentence)]
    sentence = _without(folds, sentence)
    numbers = _read_numbers(sentence, alone)
    return sorted(numbers + phrases + folds + dates, key=lambda token: token.start)


def _read_numbers(sentence: str, alone: bool) -> list[QuantityToken]:
    """Read the numbers of a sentence without dates and phrases, ranges and moves as such."""
    read = [_read_quantity(match, sentence, alone) for match in _quantity().finditer(sentence)]
    quantities = [quantity for quantity in read if quantity is not None]
    quantities = with_shared_units(quantities, sentence)
    quantities = merge_ranges(quantities, sentence)
    quantities = with_moves(quantities, sentence)
    settled = [_with_unit(quantity, sentence) for quantity in quantities]
    return [quantity for quantity in settled if quantity is not None]


def _phrase_token(phrase: NumberPhrase) -> QuantityToken:
    return QuantityToken(
        phrase.start,
        phrase.end,
        phrase.value,
        phrase.decimals,
        phrase.unit,
        value_high=phrase.value_high,
    )


def _date_token(match: re.Match[str]) -> QuantityToken:
    return QuantityToken(*match.span(), float(match["day"] or match["day2"]), 0, "date")


def _fold_token(match: re.Match[str]) -> QuantityToken:
    """Read a change by a factor, which counts to the nearest ten percent."""
    size, turn = parse_fold(match)
    return QuantityToken(*match.span(), size, -1, "percent", turn=turn)


def _blank(text: str, start: int, end: int) -> str:
    """Return a text of the same length in which no pattern matches a stretch."""
    return text[:start] + "\x00" * (end - start) + text[end:]


def _without(tokens: Sequence[QuantityToken], sentence: str) -> str:
    """Return a sentence of the same length without figures that have been read."""
    for token in tokens:
        sentence = _blank(sentence, token.start, token.end)
    return sentence


def _without_names(sentence: str, alone: bool) -> str:
    """Return a sentence of the same length without numbers that are no figures."""
    blanked = sentence
    for match in _NOT_FIGURES.finditer(sentence):
        if not _is_amount(blanked, match.start(), alone):
            blanked = _blank(blanked, *match.span())
    return blanked


def _is_amount(sentence: str, start: int, alone: bool) -> bool:
    """Return whether a possible list or footnote number is a negative amount."""
    mark = _MARK.match(sentence, start)
    if mark is None:
        return False
    if sentence[:start].endswith(("$", "€", "£", "¥", "₹")):
        return True
    if alone and not start and mark["last"] is not None:
        return True
    in_list = sentence[:start].rstrip().endswith(":")
    return mark["unit"] is not None and not in_list and _follows_lead(sentence, start)


def _follows_lead(sentence: str, start: int) -> bool:
    """Return whether words that lead to an amount stand before a position."""
    return _LEADS.search(sentence[max(0, start - 24) : start]) is not None


def _is_negative(match: re.Match[str], sentence: str, in_parens: bool, alone: bool) -> bool:
    """Say whether a minus sign or parentheses make a quantity negative."""
    if match["minus"] or match["minus2"]:
        return True
    if not in_parens:
        return False
    before = sentence[: match.start()].rstrip()
    return (
        bool(match["inner"])
        or (alone and not before)
        or before[-1:].isdigit()
        or _follows_lead(sentence, match.start())
    )


def _hedging(match: re.Match[str], sentence: str, start: int) -> tuple[Bound | None, bool]:
    """Return the bound that a quantity sets, and whether the words before it call it approximate."""
    hedge = _HEDGE.search(sentence[max(0, start - 24) : start])
    bound: Bound | None = None
    if match["plus"] or (hedge and hedge["low"]):
        bound = "low"
    elif hedge and hedge["high"]:
        bound = "high"
    is_near = hedge is not None and (bound is None or hedge["just"] or hedge["nearly"])
    return bound, bool(is_near)


def _read_quantity(match: re.Match[str], sentence: str, alone: bool) -> QuantityToken | None:
    """Read a match of `_quantity`; return None for 401k, a thousand that is not of money."""
    money, end = _money(match, sentence)
    if match["letter"] == "k" and not money:
        return None
    start, end, in_parens = _extent(match, sentence, money, end)
    bound, is_hedged = _hedging(match, sentence, start)
    digits = match["digits"]
    value = parse_digits(digits) if digits else parse_spelled(match["words"])
    is_decimal = digits is not None and digits[-1].isdecimal() and "/" not in digits
    decimals = len((digits if is_decimal else f"{value:g}").partition(".")[2])
    if money in units().hundredths:
        value /= 100
        decimals += 2
    return QuantityToken(
        start=start,
        end=end,
        value=value,
        decimals=decimals,
        unit="currency" if money else _unit(match),
        scale=_scale(match),
        currency=_currency(money) if money else None,
        negative=_is_negative(match, sentence, in_parens, alone),
        hedged=is_hedged,
        bound=bound,
        spelled=digits is None,
    )


def _extent(
    match: re.Match[str], sentence: str, money: str | None, end: int
) -> tuple[int, int, bool]:
    """Return where a quantity starts and ends, and whether parentheses enclose it.

    A parenthesis that encloses more than the quantity is no part of it.

    Args:
        match: A match of `_quantity`.
        sentence: Sentence in lower case.
        money: Sign, code or name of its currency.
        end: End of the number and its currency.
    """
    start = match.start()
    opened_first = match["paren"] is not None
    opened = opened_first or match["inner"] is not None
    closed = match["close"] is not None or match["close2"] is not None
    if opened_first and not closed and money and sentence.startswith(")", end):
        closed = True
        end += 1
    if opened_first and not closed:
        start += 1
    elif closed and not opened:
        end -= len(match[0]) - len(match[0].rstrip(")"))
    if match["code"] and not money:
        start = match.end("code") + 1
    return start, end, opened and closed


def _unit(match: re.Match[str]) -> Unit | None:
    """Return the unit of a number other than a currency."""
    if not match["unit"]:
        return None
    first_word = re.split(r"[\s-]", match["unit"])[0]
    return _UNITS[first_word]


_LEADING = {"t": "thousand", "k": "thousand", "m": "million", "mio": "million", "mrd": "billion"}
"""Scales that stand before a currency."""

_SCALES = {power: name for name, power in POWERS.items() if power}


def _scale(match: re.Match[str]) -> str | None:
    """Return the scale of a number, a key of `POWERS`; its word if that is unknown."""
    if match["lead"]:  # TEUR 850
        return _LEADING[match["lead"].strip(" .")]
    unknown = match["strange"] or match["strange2"]
    if unknown:
        return unknown
    word = (
        match["letter"]
        or match["scale"]
        or match["ahead"]
        or match["short"]
        or (match["scale2"] or "").strip()
    )
    if not word:
        return None
    if "000" in word:  # $'000
        word = "thousand"
    elif word.endswith("ands"):
        word = word.removesuffix("s")
    return _SCALES[units().scales[word]]


def _money(match: re.Match[str], sentence: str) -> tuple[str | None, int]:
    """Return the sign, code or name of a number's currency, and where both end."""
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


def _currency(money: str) -> str | None:
    """Return the code of a currency by its sign, code or name; an unknown one as written."""
    table = units()
    if money in table.hundredths:
        return table.hundredths[money]
    word = money.lower()
    if word in table.signs:
        return table.signs[word]
    return table.names.get(word, word)


def _with_unit(quantity: QuantityToken, sentence: str) -> QuantityToken | None:
    """Decide the unit of a number by the words after it; return None for a word that counts nothing."""
    if is_year(quantity, sentence):
        return replace(quantity, unit="year", negative=False)
    is_bare_word = quantity.spelled and quantity.unit is None and quantity.scale is None
    end = quantity.end
    counts = _COUNTED.match(sentence, end) and not _UNCOUNTED.match(sentence, end)
    if is_bare_word and not (counts and quantity.value >= 2):
        return None  # "one of the largest"
    unit = quantity.unit or "count"
    if unit == "currency" and quantity.scale is None and _PER_SHARE.match(sentence, end):
        unit = "per_share"
    return replace(quantity, unit=unit)
