"""Read numbers as written, and find pairs that are a range or a move from one to the other."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from ...types.sample import Direction
from ..lexicon import BLANK, DOWN, RATES, UP
from ..quantity import POWERS, Bound, Moved, Unit

DASHES = "-−–"
NEAR = 60
"""Characters before a number that may say what it is."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_COUNTED_NEXT = re.compile(r"\s(?!levels)[a-z-]*[a-rt-z]s\b")
"""A plural after a number, which it counts."""

_JOIN = re.compile(
    r"(?:\s(?:per|a)\s(?:[a-z]+\s)?share)?,?\s*(?:(?:and\s)?to|-|–|—|and|through)\s*"
    r"(?:about|approximately|around|roughly|a\s)?\s*"
)
"""Between the ends of a range."""

_AND = re.compile(r"(?:^|[\s,])and(?! to\b)")
_OPENS_RANGE = re.compile(
    r"\b(?:between|range of|ranging from|ranges from)\s(?:[a-z]+\s)?(?:[a-z]+\s)?$"
)
"""Before a range whose ends "and" may join: between $5 million and $7 million."""

_MARGIN = re.compile(
    r"(?:(?:\s[a-z]+){0,2},?\s*"
    r"(?:plus\s(?:or|and)\sminus|plus/minus|give\sor\stake|\+\s?/\s?-|±)"
    r"|\s?,?\s*within)\s*(?:about\s)?"
)
"""Between a figure and how far it may be off."""

_MOVED = (
    rf"(?:{UP.pattern}|{DOWN.pattern}|{BLANK}"
    r"|\b(?:edged|inched|moved|push\w*|swell\w*|ticked|went)\b)"
)
"""A verb of change, or a verb already read, such as "doubled"."""

_MOVED_FROM = re.compile(
    rf"{_MOVED}[^$\d;]*"
    r"(?:\$?\d[\d.,]*[^$\d;]+){0,3}"  # up to three numbers: rose 5% to $9
    r"\b(?<!anywhere )(?<!ranging )(?<!ranges )(?<!range )from\s"
    r"(?!(?:a |the |its |our )?(?:\w+ )?range)"
    r"(?:[a-z]+\s){0,3}$"
)
"""Before a figure from which another moved: rose from."""

_MOVED_BY = re.compile(
    rf"{_MOVED}\s(?:by\s)?"
    r"(?:[\d.,]+%?\s(?:or|and)\s"  # rose 5% or
    r"|(?!(?:to|the)\b)[a-z]+\s)?$"  # rose about, but not: rose to
)
"""Right before the size of a change: rose by."""

_WIDEST_RANGE = 4
"""Maximum ratio of the upper to the lower end after a word of change: not "rose 5% to 70%"."""

_CENTS_OF_DOLLAR = 100

_IN_FULL = 1000
"""From here on, the lower end of a range in millions is written without its scale."""

_AFTER_FROM = re.compile(r"\bfrom\s(?:[a-z]+\s){0,2}$")
_AFTER_TO = re.compile(r"\bto\s(?:[a-z]+\s){0,2}$")
_FROM_TO = re.compile(
    r"\s(?:per\s(?:[a-z]+\s)?share\s)?"
    r"(?:(?:a|at|for|in|the)\s[^,;$€£%]{1,40}?\s)?"  # in the first half of the year
    r"to\s(?:[a-z]+\s){0,2}"
)
_TO_FROM = re.compile(r"[^;$\d]{0,60}\bfrom\s(?:[a-z]+\s){0,2}")
_COMPARED = re.compile(
    r",?\s(?:compared\s(?:with|to)|versus|vs\.?|against|(?:up|down)\sfrom)\s(?:an?\s)?"
    r"|[^,;$€£%\d(]{0,30}\s"  # in Chile (last year: 4%)
    r"\((?:(?:19|20)\d\d|(?:last|previous|prior) year|(?:previous|prior)(?:ly)?):\s"
)
"""Between a level and what it is compared with: 5%, against 4%."""

_THAN = re.compile(r"\b(?:[a-z]+er|less|more|worse)\sthan\b|\bas\s[a-z]+\s(?:[^,;]{1,40}\s)?as\b")
"""Before the growth rates of two subjects: sales in Asia grew faster than in Europe."""

_BARE_BASE = re.compile(
    r"\b(?:compared\s(?:with|to)|versus|vs\.?|against|(?:up|down|higher|lower)\sfrom"
    r"|to\s\S{0,3}\d[\d.]*\s[a-z ]{1,30}\sfrom)\s$"
)
"""Right before a number that another is compared with."""


@dataclass(frozen=True, slots=True)
class QuantityToken:
    """A number as written, before its surroundings are interpreted."""

    start: int
    end: int
    value: float
    decimals: int
    unit: Unit | None
    scale: str | None = None
    currency: str | None = None
    negative: bool = False
    hedged: bool = False
    bound: Bound | None = None
    spelled: bool = False
    value_high: float | None = None
    middle: float | None = None
    """Middle around which a range was written: 410 of "410, plus or minus 5"."""

    turn: Direction | None = None
    """Direction that the number itself states: doubled, halved."""

    moved: Moved | None = None


_CENTS = re.compile(r"(?:\sand)?\s")
"""Between dollars and cents."""

_FOR_ONE = re.compile(r"\s?(?:=|for|per|to)\s?")
"""Between the two sides of a rate of exchange."""


def merge_cents(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Merge dollars and cents into one number: one dollar and twelve cents, a dollar twelve."""
    merged: list[QuantityToken] = []
    for quantity in quantities:
        last = merged[-1] if merged else None
        if last and _are_whole_and_cents(last, quantity, sentence):
            cents = quantity.value if quantity.unit else quantity.value / 100
            value = round(last.value + cents, 2)
            merged[-1] = replace(last, end=quantity.end, value=value, decimals=2)
        else:
            merged.append(quantity)
    return merged


def _are_whole_and_cents(whole: QuantityToken, cents: QuantityToken, sentence: str) -> bool:
    """Return whether two numbers are an amount of whole dollars and cents."""
    is_whole = whole.unit == "currency" and whole.scale is None and not whole.decimals
    between = sentence[whole.end : cents.start]
    if whole.spelled and cents.spelled and cents.unit is None:  # a dollar twelve
        is_part = between == " " and 0 < cents.value < _CENTS_OF_DOLLAR and cents.scale is None
        return is_whole and is_part and not _COUNTED_NEXT.match(sentence, cents.end)
    is_part = 0 < cents.value < 1 and sentence[cents.end - 1].isalpha()
    is_money = cents.unit == "currency"
    return is_whole and is_part and is_money and _CENTS.fullmatch(between) is not None


def without_units_of_rates(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Return the numbers of a sentence without the dollar of "R$4.84 per US$1.00"."""
    results = quantities[:1]
    for first, second in pairwise(quantities):
        between = sentence[first.end : second.start]
        is_one = second.value == 1 and second.scale is None and second.unit == "currency"
        is_other = first.currency != second.currency
        if not (is_one and is_other and _FOR_ONE.fullmatch(between)):
            results.append(second)
    return results


def merge_ranges(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Return the numbers of a sentence with the two ends of a range as one."""
    merged: list[QuantityToken] = []
    is_after_range = False
    for quantity in quantities:
        merged_range = (
            _merge_range(merged[-1], quantity, sentence, is_after_range) if merged else None
        )
        if merged_range is None:
            merged.append(quantity)
        else:
            merged[-1] = merged_range
            is_after_range = True
    return merged


def _merge_range(
    low: QuantityToken, high: QuantityToken, sentence: str, is_after_range: bool
) -> QuantityToken | None:
    """Return two numbers as one range, or None if they are not its two ends."""
    between = sentence[low.end : high.start]
    before = sentence[max(0, low.start - NEAR) : low.start]
    # in "plus or minus $5 million", the number begins with its minus
    minus = "minus " if sentence.startswith("minus", high.start) else ""
    if _MARGIN.fullmatch(between + minus):
        return _with_margin(low, high)
    # "$3.10-$3.25" and "5-7%": the hyphen was taken for a minus
    hyphen = not between.strip() and sentence[high.start] in DASHES and high.negative
    if not _have_same_notation(low, high) or not (hyphen or _joins(between, before)):
        return None
    if is_year(low, sentence) and not hyphen and "between" not in before:
        return None
    unit = low.unit or high.unit
    is_in_full = low.value >= _IN_FULL > high.value  # $750,000 to $1.25 million
    scale = low.scale or ("one" if is_in_full else high.scale)
    shift = POWERS.get(high.scale or scale or "one", 0) - POWERS.get(scale or "one", 0)
    value_high = high.value * 10.0**shift
    negative = low.negative and (high.negative or hyphen)
    is_loss = negative or low.negative or re.search(r"\bloss\b", before)
    if value_high < low.value and not is_loss:
        return None
    if not is_after_range and _moves(low, value_high, unit, before):
        return None
    value = low.value
    if value_high < value:  # a loss of $0.40 to $0.25
        value, value_high = value_high, value
    return replace(
        low,
        end=high.end,
        value=value,
        decimals=max(low.decimals, high.decimals - shift),
        unit=unit,
        scale=scale,
        currency=low.currency or high.currency,
        value_high=round(value_high, 9),
    )


def _have_same_notation(low: QuantityToken, high: QuantityToken) -> bool:
    """Return whether two numbers may be the ends of one range by their units."""
    if low.value_high is not None or low.spelled != high.spelled:
        return False
    if low.unit == "percent" and high.scale and high.unit != "percent":
        return False  # "rose 5.3% to 13.9 million cases"
    same_unit = None in (low.unit, high.unit) or low.unit == high.unit
    same_currency = None in (low.currency, high.currency) or low.currency == high.currency
    return same_unit and same_currency


def _joins(between: str, before: str) -> bool:
    """Return whether words between two numbers make them a range; "and" only after "between"."""
    if not _JOIN.fullmatch(between):
        return False
    return not _AND.search(between) or _OPENS_RANGE.search(before) is not None


def _with_margin(middle: QuantityToken, margin: QuantityToken) -> QuantityToken | None:
    """Return "$410 million, plus or minus $5 million" as a range."""
    width = margin.value
    if middle.unit == "percent" and margin.unit == "basis_points":
        width /= 100
    elif margin.unit == "percent" and middle.unit != "percent":
        width *= middle.value / 100
    elif margin.scale:
        width *= 10.0 ** (POWERS.get(margin.scale, 0) - POWERS.get(middle.scale or "one", 0))
    if width >= middle.value or middle.value_high is not None:
        return None
    low = round(middle.value - width, 9)
    high = round(middle.value + width, 9)
    decimals = max(len(f"{end:.6f}".rstrip("0").partition(".")[2]) for end in (low, high))
    return replace(
        middle, end=margin.end, value=low, value_high=high, decimals=decimals, middle=middle.value
    )


def _moves(low: QuantityToken, high: float, unit: Unit | None, before: str) -> bool:
    """Return whether "from 5 to 7" or "rose 5 to 7" is a move, not a range."""
    if _MOVED_FROM.search(before):
        return True
    if not _MOVED_BY.search(before) or not low.value:
        return False
    is_outlook = re.search(r"expect|will|see|to be|guid", before) is not None
    is_wide = high / low.value > _WIDEST_RANGE
    return is_wide or (unit == "currency" and not is_outlook)


def with_moves(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Mark both ends of "from 3.1% to 2.2%", "to 2.2% from 3.1%" and "2.2%, against 3.1%"."""
    results = list(quantities)
    positions = [
        index for index, quantity in enumerate(quantities) if not is_year(quantity, sentence)
    ]
    for left, right in pairwise(positions):
        first, second = quantities[left], quantities[right]
        ends = _ends_of_move(first, second, sentence)
        if ends:
            results[left] = replace(first, moved=ends[0])
            results[right] = replace(second, moved=ends[1])
    return results


def _ends_of_move(
    first: QuantityToken, second: QuantityToken, sentence: str
) -> tuple[Moved, Moved] | None:
    """Return which end of a move each of two numbers is; None if they are not a move."""
    between = sentence[first.end : second.start]
    before = sentence[max(0, first.start - 24) : first.start]
    if _AFTER_FROM.search(before) and _FROM_TO.fullmatch(between):
        return "from", "to"
    if _COMPARED.fullmatch(between):
        of_two = first.unit == "percent" and _THAN.search(sentence, 0, first.start)
        return None if of_two else ("to", "from")
    if _AFTER_TO.search(before) and _TO_FROM.fullmatch(between):
        return "to", "from"
    return None


def with_compared_units(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Give a bare number the unit of what it is compared with: 18.66 pesos, against 18.92."""
    results: list[QuantityToken] = []
    level: QuantityToken | None = None
    for quantity in quantities:
        if is_year(quantity, sentence):
            results.append(quantity)
            continue
        if level and level.unit and _is_bare(quantity, sentence):
            before = sentence[max(0, quantity.start - NEAR) : quantity.start]
            if _BARE_BASE.search(before):
                quantity = replace(
                    quantity, unit=level.unit, scale=level.scale, currency=level.currency
                )
        results.append(quantity)
        level = quantity
    return results


def with_shared_units(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Give a bare change the unit of the change beside it: "up 120 basis points and down 240"."""
    if all(quantity.unit not in RATES for quantity in quantities):
        return quantities
    indexes = [
        index
        for index, quantity in enumerate(quantities)
        if _MOVED_BY.search(sentence[max(0, quantity.start - 40) : quantity.start])
    ]
    results = list(quantities)
    for rank, index in enumerate(indexes):
        quantity = quantities[index]
        if not _is_bare(quantity, sentence) or is_year(quantity, sentence):
            continue
        for neighbour in (*indexes[max(0, rank - 1) : rank], *indexes[rank + 1 : rank + 2]):
            unit = quantities[neighbour].unit
            if unit in RATES:
                results[index] = replace(quantity, unit=unit)
    return results


def _is_bare(quantity: QuantityToken, sentence: str) -> bool:
    """Return whether a number in digits has neither a unit nor a scale, and counts nothing."""
    has_unit = quantity.unit is not None or quantity.scale is not None
    return not (has_unit or quantity.spelled or _COUNTED_NEXT.match(sentence, quantity.end))


def is_year(quantity: QuantityToken, sentence: str) -> bool:
    """Return whether a number of a sentence is a year."""
    bare = quantity.unit is None and quantity.scale is None
    vague = quantity.hedged or quantity.bound
    if vague and _COUNTED_NEXT.match(sentence, quantity.end):  # "about 2000 stores"
        return False
    digits = sentence[quantity.start : quantity.end].strip(f"(){DASHES}")
    return bare and _YEAR.fullmatch(digits) is not None
