"""Numbers as written, and which two of them are a range or a move from one to the other."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from ..types.sample import Direction
from .lexicon import DOWN, RATES, UP
from .quantity import POWERS, Bound, Moved, Unit

DASHES = "-−–"
_YEAR = re.compile(r"(?:19|20)\d\d")
_COUNTED_NEXT = re.compile(r"\s(?!levels)[a-z-]*[a-rt-z]s\b")
_JOIN = re.compile(
    r"(?:\s(?:per|a)\s(?:[a-z]+\s)?share)?,?\s*(?:(?:and\s)?to|-|–|—|and|through)\s*(?:about|approximately|around|roughly|a\s)?\s*"
)
_MARGIN = re.compile(
    r"(?:(?:\s[a-z]+){0,2},?\s*(?:plus\s(?:or|and)\sminus|plus/minus|give\sor\stake|\+\s?/\s?-|±)|\s?,?\s*within)\s*(?:about\s)?"
)
"""Between a figure and how far it may be off."""

_MOVED = (
    rf"(?:{UP.pattern}|{DOWN.pattern}|\x00|\b(?:edged|inched|moved|push\w*|swell\w*|ticked|went)\b)"
)
_MOVED_FROM = re.compile(
    rf"{_MOVED}[^$\d;]*(?:\$?\d[\d.,]*[^$\d;]+)?\b(?<!ranging )(?<!ranges )(?<!range )from\s(?!(?:a |the |its |our )?(?:\w+ )?range)(?:[a-z]+\s){{0,3}}$"
)
_MOVED_BY = re.compile(
    rf"{_MOVED}\s(?:by\s)?(?:[\d.,]+%?\s(?:or|and)\s|(?!(?:to|the)\b)[a-z]+\s)?$"
)
_FROM_TO = re.compile(r"\s(?:per\s(?:[a-z]+\s)?share\s)?to\s(?:[a-z]+\s){0,2}")
_TO_FROM = re.compile(r"[^;$\d]{0,60}\bfrom\s(?:[a-z]+\s){0,2}")
_COMPARED = re.compile(
    r",?\s(?:compared\s(?:with|to)|versus|vs\.?|against|(?:up|down)\sfrom)\s(?:an?\s)?"
)


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
    """What a range was written around: 410 of "410, plus or minus 5"."""

    turn: Direction | None = None
    """Direction that the number itself states: doubled, halved."""

    moved: Moved | None = None


def merge_ranges(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Return the numbers of a sentence with the two ends of a range as one."""
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
    minus = between + ("minus " if sentence.startswith("minus", high.start) else "")
    if _MARGIN.fullmatch(minus):
        return _with_margin(low, high)
    if low.value_high is not None or high.spelled != low.spelled:
        return None
    if low.unit == "percent" and high.scale and high.unit != "percent":
        return None  # "rose 5.3% to 13.9 million cases"
    # "$3.10-$3.25" and "5-7%": the hyphen was taken for a minus
    hyphen = not between.strip() and sentence[high.start] in DASHES and high.negative
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
    if is_year(low, sentence) and not hyphen and "between" not in before:
        return None
    unit, scale = low.unit or high.unit, low.scale or high.scale
    shift = POWERS.get(high.scale or scale or "one", 0) - POWERS.get(scale or "one", 0)
    value_high = high.value * 10.0**shift
    negative = low.negative and (high.negative or hyphen)
    loss = negative or low.negative or re.search(r"\bloss\b", before)
    if not loss and value_high < low.value:
        return None
    if not after_range and _moves(low, value_high, unit, before):
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
    low, high = round(middle.value - width, 9), round(middle.value + width, 9)
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
    return high / low.value > 4 or (
        unit == "currency" and not re.search(r"expect|will|see|to be|guid", before)
    )


def with_moves(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Mark both ends of "from 3.1% to 2.2%", "to 2.2% from 3.1%" and "2.2%, against 3.1%"."""
    results = list(quantities)
    for index, (first, second) in enumerate(pairwise(quantities)):
        between = sentence[first.end : second.start]
        before = sentence[max(0, first.start - 24) : first.start]
        if re.search(r"\bfrom\s(?:[a-z]+\s){0,2}$", before) and _FROM_TO.fullmatch(between):
            ends: tuple[Moved, Moved] = ("from", "to")
        elif _COMPARED.fullmatch(between) or (
            re.search(r"\bto\s(?:[a-z]+\s){0,2}$", before) and _TO_FROM.fullmatch(between)
        ):
            ends = ("to", "from")
        else:
            continue
        results[index] = replace(first, moved=ends[0])
        results[index + 1] = replace(second, moved=ends[1])
    return results


def with_shared_units(quantities: list[QuantityToken], sentence: str) -> list[QuantityToken]:
    """Give a bare change the unit of the change beside it: "up 120 basis points and down 240"."""
    moves = [bool(_MOVED_BY.search(sentence[max(0, q.start - 40) : q.start])) for q in quantities]
    results = list(quantities)
    for index, quantity in enumerate(quantities):
        bare = quantity.unit is None and quantity.scale is None and not quantity.spelled
        if not (bare and moves[index]) or _COUNTED_NEXT.match(sentence, quantity.end):
            continue
        moved = [other for other, has_moved in zip(quantities, moves, strict=True) if has_moved]
        rank = moved.index(quantity)
        for beside in (*moved[max(0, rank - 1) : rank], *moved[rank + 1 : rank + 2]):
            if beside.unit in RATES and not is_year(quantity, sentence):
                results[index] = replace(quantity, unit=beside.unit)
    return results


def is_year(quantity: QuantityToken, sentence: str) -> bool:
    """Return whether a number of a sentence is a year."""
    bare = quantity.unit is None and quantity.scale is None
    vague = quantity.hedged or quantity.bound
    if vague and _COUNTED_NEXT.match(sentence, quantity.end):  # "about 2000 stores"
        return False
    digits = sentence[quantity.start : quantity.end].strip(f"(){DASHES}")
    return bare and _YEAR.fullmatch(digits) is not None
