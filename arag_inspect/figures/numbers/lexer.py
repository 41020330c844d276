"""Numbers of running text with their scale and unit."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ...text.citations import find_marks
from ..lexicon import BLANK, MONTH
from ..quantity import Bound, Unit
from .currencies import units
from .money import currency_code, money_of, scale_of
from .names import blank, follows_lead, without_names
from .pattern import number_pattern
from .phrases import RATIO_WORD, find_phrases
from .physical_units import measure_after
from .ranges import (
    NEAR,
    QuantityToken,
    is_year,
    merge_cents,
    merge_ranges,
    with_compared_units,
    with_moves,
    with_shared_units,
    without_units_of_rates,
)
from .words import FOLD, parse_digits, parse_fold, parse_spelled

_OF_YEAR = r"(?:,?\s(?:19|20)\d\d\b)?"
_DATE = re.compile(
    rf"""
    \b{MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b  # May 31, 2024
        (?!\s?[%$]|[\d.,]*\d\s?(?:%|percent|million|billion))  # but not in May 31%
        {_OF_YEAR}
    | \b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{MONTH}{_OF_YEAR}(?![a-z])  # 31st of May
    """,
    re.VERBOSE,
)
"""A day of a month, with or without its year."""

_DIGIT = re.compile(r"\d")
_UNITS: dict[str, Unit] = {
    "basis": "basis_points", "bp": "basis_points", "bps": "basis_points", "bips": "basis_points",
    "percentage": "points", "point": "points", "points": "points",
    "pp": "points", "ppt": "points", "ppts": "points", "pts": "points",
    "percent": "percent", "per": "percent", "pct": "percent", "%": "percent",
    "x": "multiple", "times": "multiple",
}  # fmt: skip
"""Units by their first word."""

_PER_SHARE = re.compile(
    r"\s*(?:\(?[a-z]+\)?\s)?(?:per|a|an|/)\s?(?:[a-z&]+[\s-]){0,4}?"
    r"(?:shares?|ads|unit|share-unit)\b"
)
_OF_OUR = r"of\s(?:its|our|the|their|these|those)\s"
_COUNTED = re.compile(rf"\s(?:{_OF_OUR})?(?:(?!of\b)[a-z'-]+\s){{0,2}}?[a-z-]*[a-rt-z]s\b")
"""A plural after a number in words, which it counts: six vessels, two of our mines."""

_LEAST_UNCOUNTED = 100
"""Smallest spelled-out number that is a figure without a unit: fell by twelve hundred."""

_AFTER_PERIOD = rf"\s(?:(?:ago|before|earlier|ended|ending|later|to date|to {MONTH})\b|to {BLANK})"
_UNCOUNTED = re.compile(
    rf"\s(?:{_OF_OUR}(?:[a-z]+\s){{0,2}})?"
    rf"(?:(?:fiscal\s)?(?:quarters|weeks|days|(?:months|years)(?={_AFTER_PERIOD}))"
    r"|things|is|was|has)\b"
)
"""Plurals and verbs after a number that make no figure of it: two weeks, two years ago."""

_DEED = re.compile(r"\b(?:[a-z]{3,}(?:ed|ing)|bought|built|lost|sold|shut)\s$")
_BARE = re.compile(r"\W*$|[,.;]|\s(?:and|at|during|in)\b")
"""After a number without a noun, a count because of its verb: opened nine and closed two."""

_YEARS = re.compile(r"\s(?:fiscal\s)?(?:months|years)\b")
_OF_PERIOD = re.compile(
    r"\b(?:in|(?:during|for|in|over|within) the|every|final|first|last|latest|next|past|preceding"
    r"|previous|prior|these|those|trailing)\s$"
    r"|\b(?:versus|vs\.?|against|compared (?:to|with)) \S{1,12}(?: [mb]illion)? for\s$"
)
"""Before a number of months or years that is a period: the first, versus 38% for."""

_HEDGE = re.compile(
    r"""
    (?:
        about|approximately|around|roughly|some|close\ to|or\ so
        | (?P<just>just\ |slightly\ )?(?:
            (?P<low>
                over|more\ than|at\ least
                | (?:no|not)\ (?:less|fewer)\ than
                | (?:not|n't)\ (?:fall\ |drop\ )?(?:below|under)
                | exceed(?:s|ed|ing)?|above|greater\ than|higher\ than|upwards\ of|north\ of
                | excess\ of|topped|topping|surpass(?:ed|es|ing)
            )
            | (?P<high>
                (?P<nearly>nearly|almost)
                | less\ than|fewer\ than|under|below|up\ to|at\ most
                | (?:no|not)\ more\ than
                | (?:not|n't)\ (?:be\ |rise\ )?(?:exceed|above|over)
                | shy\ of|south\ of
            )
        )
    )
    \s(?:us)?$
    """,
    re.VERBOSE,
)
"""Words before a figure that make it approximate or a bound."""


def find_quantities(sentence: str, alone: bool = False) -> list[QuantityToken]:
    """Find the numbers of a sentence in lower case, dates and years included.

    Numbers that are not figures are left out: names (`COVID-19`, `10-K`), references
    (`Item 1A`, marks of citations), list numbers, times and telephone numbers.

    Args:
        sentence: Sentence in lower case.
        alone: Whether the sentence is the whole text; then "(5)" is not the number of a list item.
    """
    for mark in find_marks(sentence):
        sentence = blank(sentence, mark.start, mark.end)
    phrases = [_with_hedge(phrase, sentence) for phrase in find_phrases(sentence)]
    sentence = _without(phrases, sentence)
    dates = []
    if _DIGIT.search(sentence):
        for match in _DATE.finditer(sentence):
            day = float(match["day"] or match["day2"])
            dates.append(QuantityToken(*match.span(), day, 0, "date"))
        sentence = without_names(_without(dates, sentence), alone)
    folds = [_fold_token(match) for match in FOLD.finditer(sentence)]
    sentence = _without(folds, sentence)
    numbers = _read_numbers(sentence, alone)
    return sorted(numbers + phrases + folds + dates, key=lambda token: token.start)


def _read_numbers(sentence: str, alone: bool) -> list[QuantityToken]:
    """Read the numbers of a sentence without dates and phrases, ranges and moves as such."""
    tokens = [
        _read_quantity(match, sentence, alone) for match in number_pattern().finditer(sentence)
    ]
    quantities = [quantity for quantity in tokens if quantity is not None]
    quantities = merge_cents(quantities, sentence)
    quantities = without_units_of_rates(quantities, sentence)
    quantities = with_shared_units(quantities, sentence)
    quantities = with_compared_units(quantities, sentence)
    quantities = merge_ranges(quantities, sentence)
    quantities = with_moves(quantities, sentence)
    with_units = [_with_unit(quantity, sentence) for quantity in quantities]
    return [quantity for quantity in with_units if quantity is not None]


def _fold_token(match: re.Match[str]) -> QuantityToken:
    """Read a change by a factor, which counts to the nearest ten percent."""
    size, turn = parse_fold(match)
    return QuantityToken(*match.span(), size, -1, "percent", turn=turn)


def _with_hedge(phrase: QuantityToken, sentence: str) -> QuantityToken:
    """Give a share in words the hedge before it: nearly a third of."""
    if phrase.unit != "percent" or phrase.value_high is not None:
        return phrase
    bound, is_hedged = _bound_before(sentence, phrase.start)
    return replace(phrase, bound=bound, hedged=is_hedged)


def _without(tokens: Sequence[QuantityToken], sentence: str) -> str:
    """Return a sentence of the same length without figures that have been read."""
    for token in tokens:
        sentence = blank(sentence, token.start, token.end)
    return sentence


def _is_negative(match: re.Match[str], sentence: str, is_enclosed: bool, alone: bool) -> bool:
    """Say whether a minus sign or parentheses make a quantity negative."""
    if match["minus"] or match["minus_inside"]:
        return True
    if not is_enclosed:
        return False
    before = sentence[: match.start()].rstrip()
    return (
        bool(match["open_inside"])
        or (alone and not before)
        or (before[-1:].isdigit() and scale_of(match) is None)  # not "2019 ($5 million)"
        or follows_lead(sentence, match.start())
    )


def _hedging(match: re.Match[str], sentence: str, start: int) -> tuple[Bound | None, bool]:
    """Return the bound that a number sets, and whether the words before it are a hedge."""
    bound, is_hedged = _bound_before(sentence, start)
    return ("low" if match["plus"] else bound), is_hedged


def _bound_before(sentence: str, start: int) -> tuple[Bound | None, bool]:
    """Return the bound that the words before a number set, and whether they are a hedge."""
    hedge = _HEDGE.search(sentence[max(0, start - 24) : start])
    bound: Bound | None = None
    if hedge and hedge["low"]:
        bound = "low"
    elif hedge and hedge["high"]:
        bound = "high"
    is_near = hedge is not None and (bound is None or hedge["just"] or hedge["nearly"])
    return bound, bool(is_near)


def _read_quantity(match: re.Match[str], sentence: str, alone: bool) -> QuantityToken | None:
    """Read a match of the pattern of a number.

    Returns:
        The number; None for a name such as 401k: "k" is a thousand of money only.
    """
    money, end = money_of(match, sentence)
    if match["letter"] == "k" and not money:
        return None
    start, end, is_enclosed = _extent(match, sentence, money, end)
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
        unit="currency" if money else _unit(match) or _unit_of_ratio(match, sentence),
        scale=scale_of(match),
        currency=currency_code(money) if money else None,
        negative=_is_negative(match, sentence, is_enclosed, alone),
        hedged=is_hedged,
        bound=bound,
        spelled=digits is None,
    )


def _extent(
    match: re.Match[str], sentence: str, money: str | None, end: int
) -> tuple[int, int, bool]:
    """Return where a quantity starts and ends, and whether parentheses enclose it.

    A parenthesis that encloses more than the quantity is not part of it.

    Args:
        match: A match of the pattern of a number.
        sentence: Sentence in lower case.
        money: Sign, code or name of its currency.
        end: End of the number and its currency.
    """
    start = match.start()
    opened_first = match["open"] is not None
    opened = opened_first or match["open_inside"] is not None
    closed = match["close"] is not None or match["close_last"] is not None
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


def _unit_of_ratio(match: re.Match[str], sentence: str) -> Unit | None:
    """Return that a number with decimals but no unit is a multiple, if it is called a ratio."""
    is_bare = match["digits"] and "." in match["digits"] and scale_of(match) is None
    if not is_bare:
        return None
    lead = sentence[max(0, match.start() - NEAR) : match.start()]
    is_ratio = RATIO_WORD.search(lead) and not measure_after(sentence, match.end())
    return "multiple" if is_ratio else None


def _counts(quantity: QuantityToken, sentence: str) -> bool:
    """Return whether a number in words counts something, and not the years of a period."""
    end = quantity.end
    lead = sentence[max(0, quantity.start - NEAR) : quantity.start]
    is_of_period = _YEARS.match(sentence, end) and _OF_PERIOD.search(lead)
    is_bare = _DEED.search(lead) and _BARE.match(sentence, end)
    is_counted = (_COUNTED.match(sentence, end) and not _UNCOUNTED.match(sentence, end)) or is_bare
    return quantity.value > 1 and bool(is_counted) and not is_of_period


def _with_unit(quantity: QuantityToken, sentence: str) -> QuantityToken | None:
    """Decide the unit of a number by the words after it.

    Returns:
        The number; None if it is a word that counts nothing, as in "one of the largest".
    """
    if is_year(quantity, sentence):
        return replace(quantity, unit="year", negative=False)
    is_bare_word = quantity.spelled and not (quantity.unit or quantity.scale)
    if is_bare_word and quantity.value < _LEAST_UNCOUNTED and not _counts(quantity, sentence):
        return None
    unit = quantity.unit or "count"
    if unit == "currency" and quantity.scale is None and _PER_SHARE.match(sentence, quantity.end):
        unit = "per_share"
    return quantity if unit == quantity.unit else replace(quantity, unit=unit)
