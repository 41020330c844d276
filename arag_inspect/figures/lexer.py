"""Numbers of running text with their scale and unit."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ..text.citations import find_marks
from .currencies import units
from .lexicon import MONTH
from .number_phrases import find_phrases
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


_NAME = re.compile(r"[\s-](?:d'|d[ei]\s)?(?P<name>[^\W\d_]+(?:\.[^\W\d_]+\.)?(?:\s[^\W\d_]+){0,3})")
_PER_SHARE = re.compile(
    r"\s*(?:\(?[a-z]+\)?\s)?(?:per|a|an|/)\s?(?:[a-z&]+[\s-]){0,4}?(?:shares?|ads|unit|share-unit)\b"
)
_COUNTED = re.compile(r"\s(?:[a-z-]+\s){0,2}?[a-z-]*[a-rt-z]s\b")
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
    has_digit = _DIGIT.search(sentence) is not None
    phrases = [
        QuantityToken(p.start, p.end, p.value, p.decimals, p.unit, value_high=p.value_high)
        for p in find_phrases(sentence)
    ]
    for phrase in phrases:
        sentence = _blank(sentence, phrase.start, phrase.end)
    dates = [
        QuantityToken(*match.span(), float(match["day"] or match["day2"]), 0, "date")
        for match in (_DATE.finditer(sentence) if has_digit else ())
    ]
    for date in dates:
        sentence = _blank(sentence, date.start, date.end)
    for match in _NOT_FIGURES.finditer(sentence) if has_digit else ():
        if not _is_amount(sentence, match.start(), alone):
            sentence = _blank(sentence, *match.span())
    folds = [
        QuantityToken(*match.span(), size, -1, "percent", turn=turn)
        for match in FOLD.finditer(sentence)
        for size, turn in [parse_fold(match)]
    ]
    for fold in folds:
        sentence = _blank(sentence, fold.start, fold.end)
    quantities = [
        quantity
        for match in _quantity().finditer(sentence)
        if (quantity := _read_quantity(match, sentence, alone)) is not None
    ]
    quantities = with_shared_units(quantities, sentence)
    merged = with_moves(merge_ranges(quantities, sentence), sentence)
    settled = [_with_unit(quantity, sentence) for quantity in merged]
    results = [q for q in settled if q is not None]
    return sorted(results + phrases + folds + dates, key=lambda q: q.start)


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + "\x00" * (end - start) + text[end:]


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
    digits, words = match["digits"], match["words"]
    scale = _scale(match)
    money, end = _money(match, sentence)
    value = parse_digits(digits) if digits else parse_spelled(words)
    unit = _UNITS[re.split(r"[\s-]", match["unit"])[0]] if match["unit"] else None
    if money:
        unit = "currency"
    if match["letter"] == "k" and not money:
        return None
    closed = bool(match["close"] or match["close2"])
    if match["paren"] and not closed and money and sentence.startswith(")", end):
        closed, end = True, end + 1
    in_parens = bool(match["paren"] or match["inner"]) and closed
    negative = _is_negative(match, sentence, in_parens, alone)
    start = match.start()
    if match["paren"] and not closed:
        start += 1
    elif not match["paren"] and not match["inner"] and closed:
        end -= len(match[0]) - len(match[0].rstrip(")"))
    if match["code"] and not money:
        start = match.end("code") + 1
    minor = money in units().hundredths
    bound, is_hedged = _hedging(match, sentence, start)
    plain = digits and digits[-1].isdecimal() and "/" not in digits
    decimals = len((digits if plain else f"{value:g}").partition(".")[2])
    return QuantityToken(
        start=start,
        end=end,
        value=value / 100 if minor else value,
        decimals=decimals + 2 * minor,
        unit=unit,
        scale=scale,
        currency=_currency(money) if money else None,
        negative=negative,
        hedged=is_hedged,
        bound=bound,
        spelled=digits is None,
    )


_LEADING = {"t": "thousand", "k": "thousand", "m": "million", "mio": "million", "mrd": "billion"}
"""Scales that stand before a currency."""

_SCALES = {power: name for name, power in POWERS.items() if power}


def _scale(match: re.Match[str]) -> str | None:
    """Return the scale of a number, a key of `POWERS`; its word if that is unknown."""
    if match["lead"]:  # TEUR 850
        return _LEADING[match["lead"].strip(" .")]
    word = (
        match["letter"]
        or match["scale"]
        or match["ahead"]
        or match["short"]
        or (match["scale2"] or "").strip()
    )
    strange = match["strange"] or match["strange2"]
    word = "tsd" if word and "000" in word else word
    return strange or (
        _SCALES[units().scales[word.removesuffix("s") if word.endswith("ands") else word]]
        if word
        else None
    )


def _money(match: re.Match[str], sentence: str) -> tuple[str | None, int]:
    """Return the sign, code or name of a number's currency, and where both end."""
    code = match["code"]
    if (
        code
        and code.isupper()
        and code.lower() not in units().codes
        and not (match["scale"] or match["letter"])
    ):
        code = None
    money = code or match["sign"] or (match["minor"] or "").strip() or match["money"]
    if money or match["unit"]:
        return money, match.end()
    if name := _NAME.match(sentence, match.end()):
        words = name["name"].split(" ")
        for count in range(len(words), 0, -1):
            phrase = " ".join(words[:count])
            if phrase in units().names or phrase in units().hundredths:
                end = name.start("name") + len(phrase)
                weight = phrase.startswith("pound") and re.match(
                    r"\s(?:of|per)\b", sentence[end : end + 5]
                )
                return (None, match.end()) if weight else (phrase, end)
    return None, match.end()


def _currency(money: str) -> str | None:
    """Return the code of a currency by its sign, code or name; an unknown one as written."""
    word, table = money.lower(), units()
    if money in table.hundredths:
        return table.hundredths[money]
    return table.signs[word] if word in table.signs else table.names.get(word, word)


def _with_unit(quantity: QuantityToken, sentence: str) -> QuantityToken | None:
    """Decide the unit of a number by the words after it."""
    if is_year(quantity, sentence):
        return replace(quantity, unit="year", negative=False)
    bare = quantity.spelled and quantity.unit is None and quantity.scale is None
    has_noun = _COUNTED.match(sentence, quantity.end) and not _UNCOUNTED.match(
        sentence, quantity.end
    )
    if bare and not (has_noun and quantity.value >= 2):
        return None
    unit = quantity.unit or "count"
    if unit == "currency" and quantity.scale is None and _PER_SHARE.match(sentence, quantity.end):
        unit = "per_share"
    return replace(quantity, unit=unit)
