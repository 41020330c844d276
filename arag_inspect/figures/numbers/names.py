"""Find numbers that are not figures: names, references, times and the numbers of lists."""

import re

from ..lexicon import BLANK, NUMBERED, words
from .pattern import CODE, POWER, SYMBOLS

_LABELS = rf"{words('reference')}|{NUMBERED}"
"""Words before a number that is a reference or a part of a name."""

_RAND = r"r\d[\d.,]*+(?<=\d)\s?(?:[mb]n?|million|billion|thousand)\b"
"""An amount of rand: R61 million, but not R2."""

_NOT_FIGURES = re.compile(
    rf"""
    ^[ \t]*(?:\(?\d{{1,2}}[.)]|\(\d{{1,2}}\))(?:[ \t](?!%)|$)  # list item on a line: 2. or (2)
    | (?=[\d(+])(?:
        \(\d\)(?=\s[a-z])  # list item in a sentence: (1) cash
        | (?<![\d$])(?:\+?1[-.\s])?\(?\d{{3}}\)?[-.\s]\d{{3}}[-.]\d{{4}}\b  # (212) 555-0100
        | (?<![\d$])\d{{3}}-\d{{4}}\b  # telephone number without area code: 555-0100
        | \b(?:
            \d{{1,2}}:\d\d\b(?:\s?[ap]\.?m\b)?  # 9:30 a.m
            | (?<!\d[\s-])\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?\b  # 5/31/2024, but not 1/2 of 2 1/2
            | (?:19|20)\d\d-\d\d-\d\d\b  # 2024-05-31
            | 20\d\d/(?:20)?\d\d\b(?!/)  # fiscal 2024/25
            | \d{{1,3}}\([a-z]\)  # section 401(k)
            | 3m\b  # the company
            | (?:19|20)?\d0['’]?s\b  # the 1990s
            | \d+[a-z]+-\d+\b  # 737max-8
            | \d{{2,4}}[ -](?:max|neo|pro|plus|ultra|series)\b  # 737 max
            | (?:480|720|1080|1440|2160|4320)p\b  # resolution of a screen
            | (?:13|14|26|27|39|40|52|53)(?:\sof\s(?:the|these|those))?[- ]weeks?\b  # a period
            | \d{{1,3}}-[kq]\b  # form 10-k
            | (?:[1-4]q|[12]h)\d*\b  # 4q23, 1h
        )
    )
    | \b(?=[a-z])(?:
        (?-x:{_LABELS})(?:\s|-)\#?\d+(?:\.\d+)*[a-z]?\b  # item 1a, plant 2
            (?![.,]\d|\s?(?:%|percent|million|billion|mln|bln))
        | (?!(?:rs|rm|rp|tk|kr)\d|{_RAND})[a-z]+-?\d[\w-]*(?<!\d%)  # covid-19, c-40, q3
        | quarter\ [1-4]\b(?![.,]\d)
        | (?:fy|cy|q[1-4]|h[12])\s?['’]?\d\d\b(?!\.?\d|%)  # fy 24
    )
    | \#\d+  # number 1 in a market: #1
    | ['’]\d\d\b  # the year '24
    """,
    re.VERBOSE | re.MULTILINE,
)
"""Numbers that are names, references or labels of something."""

_MARK = re.compile(
    rf"\s*\(\d{{1,2}}\)(?P<unit>\s?(?:%|(?:percent|per\scent|pct|{POWER})\b))?(?P<last>\W*\Z)?"
)
"""Either the number of a list item or a footnote, or a negative amount."""

_LEADS = re.compile(
    rf"(?:[:=|{SYMBOLS}]"
    r"|\b(?:"
    rf"{CODE}|was|were|is|are|be|been|of|to|at|by|from|than|versus|vs\.?|about|approximately"
    r"|equals))\s*\Z"
)
"""Words before an amount; parentheses after them are part of the amount."""


def without_names(sentence: str, alone: bool) -> str:
    """Return a sentence of the same length without numbers that are not figures."""
    blanked = sentence
    for match in _NOT_FIGURES.finditer(sentence):
        if not _is_amount(blanked, match.start(), alone):
            blanked = blank(blanked, *match.span())
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
    opens_list = sentence[:start].rstrip().endswith(":")
    return mark["unit"] is not None and not opens_list and follows_lead(sentence, start)


def follows_lead(sentence: str, start: int) -> bool:
    """Return whether words that lead to an amount are before a position."""
    return _LEADS.search(sentence[max(0, start - 24) : start]) is not None


def blank(text: str, start: int, end: int) -> str:
    """Return a text of the same length in which no pattern matches a stretch."""
    return text[:start] + BLANK * (end - start) + text[end:]
