"""Numbers of running text with their scale and unit."""

import re
from dataclasses import dataclass, replace

from ..text.citations import find_marks
from .number_words import SPELLED, parse_spelled
from .quantity import POWERS, Scale, Unit

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = re.compile(
    rf"\b{_MONTHS}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s?[%$]|[\d.,]*\d\s?(?:%|percent|million|billion))(?:,?\s(?:19|20)\d\d\b)?"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MONTHS}(?:,?\s(?:19|20)\d\d\b)?(?![a-z])"
)
_LABELS = (
    r"section|sec\.|items?|notes?|slides?|pages?|forms?|rule|topic|asc|asu|ifrs|ias|fas|chapter|title|phase|tier|class"
    r"|category|type|version|nos?\.|exhibit|schedule|part|article|step|s&p|russell|nasdaq|fortune|route|highway|boeing"
    r"|airbus|figure|table|appendix|covid|model|suite|room|gate|vol\.|scope|stage|generation|building|unit\s#|top|basel|windows|web"
)
_NOT_FIGURES = re.compile(
    r"(?m)^[ \t]*(?:\(?\d{1,2}[.)]|\(\d{1,2}\))(?:[ \t](?!%)|$)"  # the number of a list item
    r"|\(\d\)(?=\s[a-z])"
    r"|(?<![\d$])(?:\+?1[-.\s])?\(?\d{3}\)?[-.\s]\d{3}[-.]\d{4}\b|(?<![\d$])\d{3}-\d{4}\b"  # telephone
    r"|\b\d{1,2}:\d\d\b(?:\s?[ap]\.?m\b)?"  # time of day
    r"|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\b(?:19|20)\d\d-\d\d-\d\d\b"
    r"|\b\d{1,3}\([a-z]\)|\b3m\b|\b(?:19|20)?\d0['’]?s\b"
    rf"|\b(?:{_LABELS})(?:\s|-)#?\d+(?:\.\d+)*[a-z]?\b(?![.,]\d|\s?(?:%|percent|million|billion|mln|bln))"
    r"|\b[a-z]+-?\d[\w-]*(?<!\d%)|#\d+|\b\d+[a-z]+-\d+\b"  # COVID-19, C-40, Q3
    r"|\b\d{1,3}-[kq]\b|\b[1-4]q\d*\b|\b(?:fy|cy|q[1-4]|h[12])\s?['’]?\d\d\b(?!\.?\d|%)|['’]\d\d\b"
)
_CURRENCIES = {
    "us$": "usd", "$": "usd", "usd": "usd", "u.s. dollar": "usd", "us dollar": "usd", "dollar": "usd", "buck": "usd",
    "c$": "cad", "cad": "cad", "ca$": "cad", "canadian dollar": "cad", "a$": "aud", "aud": "aud",
    "hk$": "hkd", "s$": "sgd", "r$": "brl", "nt$": "twd", "€": "eur", "eur": "eur", "euro": "eur",
    "£": "gbp", "gbp": "gbp", "pound sterling": "gbp", "pound": "gbp", "¥": "jpy", "jpy": "jpy", "yen": "jpy",
    "chf": "chf", "rmb": "cny", "cny": "cny", "yuan": "cny", "₹": "inr", "inr": "inr", "rupee": "inr", "cent": "usd", "¢": "usd",
}  # fmt: skip
_SCALES: dict[str, Scale] = {
    "thousand": "thousand", "k": "thousand",
    "million": "million", "millions": "million", "mln": "million", "mm": "million", "mn": "million", "m": "million",
    "billion": "billion", "billions": "billion", "bln": "billion", "bn": "billion", "b": "billion",
    "trillion": "trillion", "trln": "trillion", "tn": "trillion",
}  # fmt: skip
_UNITS: dict[str, Unit] = {
    "basis": "basis_points", "bp": "basis_points", "bps": "basis_points", "bips": "basis_points",
    "percentage": "points", "point": "points", "points": "points", "pp": "points", "ppt": "points", "ppts": "points", "pts": "points",
    "percent": "percent", "per": "percent", "pct": "percent", "%": "percent",
    "x": "multiple", "times": "multiple",
}  # fmt: skip

_SIGN = r"(?:us|ca|hk|nt|[cars])?\$|€|£|¥|₹"
_CODE = r"usd|cad|aud|eur|gbp|jpy|chf|rmb|cny|inr"
_POWER = r"thousand|millions?|mln|mm|mn|billions?|bln|bn|trillion|trln|tn"
_DASHES = "-−–"
_MARK = re.compile(
    rf"\s*\(\d{{1,2}}\)(?P<unit>\s?(?:%|(?:percent|per\scent|pct|{_POWER})\b))?(?P<last>\W*\Z)?"
)
"""Either the number of a list item or a footnote, or a negative amount."""

_LEADS = re.compile(
    rf"(?:[:=|]|{_SIGN}|\b(?:{_CODE}|was|were|is|are|be|been|of|to|at|by|from|than|versus|vs\.?"
    r"|about|approximately|equals))\s*\Z"
)
"""Words before an amount; parentheses after them are part of the amount."""
_QUANTITY = re.compile(
    rf"""(?<![\w.,$€£¥]) (?P<paren>\()?
    (?P<minus>[{_DASHES}](?![{_DASHES}])|minus\s|negative\s)?
    (?:(?P<sign>{_SIGN})\s?\$?|(?P<code>{_CODE})\s?)?
    (?P<inner>\()? (?P<minus2>[{_DASHES}])?
    (?:(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)|(?P<words>{SPELLED}))
    (?:(?:(?<=\d)(?P<letter>mm|bn|mn|[mbk])(?![\w&]))|[\s-]?(?P<scale>{_POWER})\b)?
    (?:(?P<close>\))(?:(?P<scale2>\s?(?:{_POWER})|(?(sign)[mbk]|(?!)))\b)?)?
    (?:-plus(?=\s))?(?:[\s-]?(?:(?P<unit>percentage(?:[\s-]points?)|basis(?:[\s-]points?)|percent\b|per\scent\b|pct\b|points?\b|bps?\b|bips\b|ppts?\b|pp\b|pts\b|%|x\b|times\b)
      |(?P<money>¢|(?:(?:u\.?s\.?\s|canadian\s)?dollars?|bucks?|euros?|pounds?\ssterling|pounds?(?!\s(?:of|per))|yen|yuan|rupees?|cents?|{_CODE})\b)))?
    (?![\w]) (?![.,:]?\d) (?!-[a-z]*\d*[a-z]) (?P<close2>\))?
    """,
    re.VERBOSE,
)  # fmt: skip
_PER_SHARE = re.compile(
    r"\s*(?:\(?[a-z]+\)?\s)?(?:per|a|an|/)\s?(?:[a-z&]+[\s-]){0,4}?(?:shares?|ads|unit|share-unit)\b"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_COUNTED = re.compile(r"\s(?:[a-z-]+\s){0,2}?[a-z-]*[a-rt-z]s\b")
_COUNTED_NEXT = re.compile(r"\s[a-z-]*[a-rt-z]s\b")
_UNCOUNTED = re.compile(
    r"\s(?:(?:fiscal\s)?(?:months|quarters|years|weeks|days|things|is|was|has|of)\b)"
)
_HEDGE = re.compile(
    r"(?:about|approximately|around|roughly|nearly|almost|some|over|more than|less than|under|at least|up to"
    r"|exceed(?:s|ed|ing)?|above|below|greater than|close to|upwards of|just shy of|north of|excess of|or so)\s(?:us)?$"
)
_JOIN = re.compile(
    r"(?:\s(?:per|a)\s(?:[a-z]+\s)?share)?,?\s*(?:(?:and\s)?to|-|–|—|and|through)\s*(?:about|approximately|around|roughly|a\s)?\s*"
)
_MOVED = re.compile(
    r"(?:rose|rise|rising|advanc\w+|swell\w*|edged|ticked|inched|increas\w+|grew|grow\w*|improv\w+|up|higher|fell|fall\w*|down|declin\w+|decreas\w+|drop\w*|"
    r"reduc\w+|lower\w*|expand\w*|contract\w*|jump\w*|surg\w+|climb\w*|went|moved|gain\w*|rais\w+|trim\w*|narrow(?:s|ed|ing)|cut|shr[aiu]nk\w*|lift\w*|boost\w*|push\w*|doubled|tripled)"
)
_MOVED_FROM = re.compile(
    rf"\b{_MOVED.pattern}\b[^$\d;]*\b(?<!ranging )(?<!ranges )(?<!range )from\s(?!(?:a |the |its |our )?(?:\w+ )?range)(?:[a-z]+\s){{0,3}}$"
)
_MOVED_BY = re.compile(
    rf"\b{_MOVED.pattern}\s(?:by\s)?(?:[\d.,]+%?\s(?:or|and)\s|(?!to\b)[a-z]+\s)?$"
)


_MOVED_FAR = re.compile(rf"\b{_MOVED.pattern}(?:\s(?!to\b)[a-z'-]+){{0,4}}?\sby\s$")
_SPELLED_RANGE = re.compile(rf"\s(?:to|and)\s(?:{SPELLED})\b")


@dataclass(frozen=True, slots=True)
class QuantityToken:
    """A number as written, before its surroundings are interpreted."""

    start: int
    end: int
    value: float
    decimals: int
    unit: Unit | None
    scale: Scale | None
    currency: str | None
    negative: bool
    hedged: bool
    spelled: bool = False
    value_high: float | None = None
    decimals_high: int | None = None


def find_quantities(sentence: str, alone: bool = False) -> list[QuantityToken]:
    """Find the numbers of a sentence in lower case, dates and years included.

    Numbers that are not figures are left out: names (`COVID-19`, `10-K`), references
    (`Item 1A`, marks of citations), list numbers, times and telephone numbers.

    Args:
        sentence: Sentence in lower case.
        alone: Whether the sentence is the whole text; then "(5)" is not the number of a list item.
    """
    marks = find_marks(sentence)
    if not marks:
        return _find(sentence, alone)
    cut = {position for mark in marks for position in range(mark.start, mark.end)}
    kept = [position for position in range(len(sentence)) if position not in cut]
    return [
        replace(token, start=kept[token.start], end=kept[token.end - 1] + 1)
        for token in _find("".join(sentence[position] for position in kept), alone)
    ]


def _find(sentence: str, alone: bool) -> list[QuantityToken]:
    dates = [
        QuantityToken(
            *match.span(), float(match["day"] or match["day2"]), 0, "date", None, None, False, False
        )
        for match in _DATE.finditer(sentence)
    ]
    for span in [(date.start, date.end) for date in dates]:
        sentence = _blank(sentence, *span)
    for match in _NOT_FIGURES.finditer(sentence):
        if not _is_amount(sentence, match.start(), alone):
            sentence = _blank(sentence, *match.span())
    quantities = [
        quantity
        for match in _QUANTITY.finditer(sentence)
        if (quantity := _read_quantity(match, sentence, alone)) is not None
    ]
    merged = _merge_ranges(quantities, sentence)
    settled = [_with_unit(quantity, sentence) for quantity in merged]
    return sorted([q for q in settled if q is not None] + dates, key=lambda q: q.start)


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
    listed = sentence[:start].rstrip().endswith(":")
    return mark["unit"] is not None and not listed and _follows_lead(sentence, start)


def _follows_lead(sentence: str, start: int) -> bool:
    return _LEADS.search(sentence[max(0, start - 24) : start]) is not None


def _read_quantity(match: re.Match[str], sentence: str, alone: bool) -> QuantityToken | None:
    digits, words = match["digits"], match["words"]
    scale = match["letter"] or match["scale"] or (match["scale2"] or "").strip()
    money = match["sign"] or match["code"] or match["money"]
    value = float(digits.replace(",", "")) if digits else parse_spelled(words)
    unit = _UNITS[re.split(r"[\s-]", match["unit"])[0]] if match["unit"] else None
    if money:
        unit = "currency"
    bare = bool(words) and not (scale or unit)
    if bare and not _stands_for_count(value, sentence, match.end()):
        return None
    if match["letter"] and not money and not re.search(r"\d[mb]", match[0]):
        return None
    in_parens = bool(match["paren"] or match["inner"]) and bool(match["close"] or match["close2"])
    negative = bool(match["minus"] or match["minus2"]) or (
        in_parens
        and (
            unit == "currency"
            or (unit is None and "." in (digits or ""))
            or bool(match["close"])
            or (alone and not sentence[: match.start()].strip())
            or _follows_lead(sentence, match.start())
        )
    )
    if money and money[0] in "c¢" and money.strip("s") in ("cent", "¢"):
        value /= 100
    start, end = match.span()
    if match["paren"] and not (match["close"] or match["close2"]):
        start += 1
    elif not match["paren"] and not match["inner"] and (match["close"] or match["close2"]):
        end -= len(match[0]) - len(match[0].rstrip(")"))
    return QuantityToken(
        start=start,
        end=end,
        value=value,
        decimals=_decimals(digits)
        + (2 if money and money[0] in "c¢" and money.strip("s") in ("cent", "¢") else 0)
        if digits
        else len(f"{value:g}".partition(".")[2]),
        unit=unit,
        scale=_SCALES[scale] if scale else None,
        currency=_CURRENCIES[money if money in _CURRENCIES else money.rstrip("s")]
        if money
        else None,
        negative=negative,
        hedged=bool(_HEDGE.search(sentence[max(0, start - 24) : start])),
        spelled=digits is None,
    )


def _decimals(digits: str) -> int:
    return len(digits.partition(".")[2])


def _is_count(value: float, sentence: str, end: int) -> bool:
    return (
        value >= 2
        and _COUNTED.match(sentence, end) is not None
        and not _UNCOUNTED.match(sentence, end)
    )


def _stands_for_count(value: float, sentence: str, end: int) -> bool:
    return _is_count(value, sentence, end) or _SPELLED_RANGE.match(sentence, end) is not None


def _merge_ranges(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    merged: list[QuantityToken] = []
    after_range = False
    for quantity in quantities:
        merged_range = _merge_range(merged[-1], quantity, sentence, after_range) if merged else None
        if merged_range is None:
            merged.append(quantity)
        else:
            merged[-1] = merged_range
            after_range = True
    return merged


def _merge_range(
    low: QuantityToken, high: QuantityToken, sentence: str, after_range: bool
) -> QuantityToken | None:
    between = sentence[low.end : high.start]
    before = sentence[max(0, low.start - 60) : low.start]
    if low.value_high is not None or high.spelled != low.spelled:
        return None
    # "$3.10-$3.25" and "5-7%": the hyphen was taken for a minus
    hyphen = not between.strip() and sentence[high.start] in _DASHES and high.negative
    if not hyphen and not _JOIN.fullmatch(between):
        return None
    if re.search(r"(?:^|[\s,])and(?! to\b)", between) and not re.search(
        r"\b(?:between|range of|ranging from|ranges from)\s(?:[a-z]+\s)?(?:[a-z]+\s)?$", before
    ):
        return None
    if None not in (low.unit, high.unit) and low.unit != high.unit:
        return None
    if None not in (low.currency, high.currency) and low.currency != high.currency:
        return None
    if _is_year(low, sentence) and not hyphen and "between" not in before:
        return None
    unit, scale = low.unit or high.unit, low.scale or high.scale
    shift = POWERS[high.scale or scale or "one"] - POWERS[scale or "one"]
    value_high = high.value * 10.0**shift
    negative = low.negative and (high.negative or hyphen)
    loss = negative or low.negative or re.search(r"\bloss\b", before)
    if not loss and value_high < low.value:
        return None
    if not after_range and _moves(low, value_high, unit, before):
        return None
    decimals, decimals_high = low.decimals, high.decimals - shift
    value = low.value
    if value_high < value:  # a loss of $0.40 to $0.25
        value, value_high = value_high, value
        decimals, decimals_high = decimals_high, decimals
    return replace(
        low,
        end=high.end,
        value=value,
        decimals=decimals,
        unit=unit,
        scale=scale,
        currency=low.currency or high.currency,
        value_high=round(value_high, 9),
        decimals_high=decimals_high,
    )


def _moves(low: QuantityToken, high: float, unit: Unit | None, before: str) -> bool:
    """Return whether "from 5 to 7" or "rose 5 to 7" is a move, not a range."""
    if _MOVED_FROM.search(before):
        return True
    if low.value and high / low.value > 4 and _MOVED_FAR.search(before):
        return True
    if not _MOVED_BY.search(before) or not low.value:
        return False
    return high / low.value > 4 or (
        unit == "currency" and not re.search(r"expect|will|see|to be|guid", before)
    )


def _is_year(quantity: QuantityToken, sentence: str) -> bool:
    bare = quantity.unit is None and quantity.scale is None
    if quantity.hedged and _COUNTED_NEXT.match(sentence, quantity.end):  # "about 2000 stores"
        return False
    digits = sentence[quantity.start : quantity.end].strip(f"(){_DASHES}")
    return bare and _YEAR.fullmatch(digits) is not None


def _with_unit(quantity: QuantityToken, sentence: str) -> QuantityToken | None:
    """Decide the unit of a number by the words after it."""
    if _is_year(quantity, sentence):
        return replace(quantity, unit="year", negative=False)
    bare = quantity.spelled and quantity.unit is None and quantity.scale is None
    if bare and not _is_count(quantity.value, sentence, quantity.end):
        return None
    unit = quantity.unit or "count"
    if unit == "currency" and quantity.scale is None and _PER_SHARE.match(sentence, quantity.end):
        unit = "per_share"
    return replace(quantity, unit=unit)
