"""One notation for the numbers of a text: plain signs, 1,234 for thousands, a decimal point."""

import re
from unicodedata import normalize

from ..lexicon import METRIC
from .currencies import units

_GROUPED = re.compile(r"\d[ \xa0\u2009\u202f'’]\d{3}")
"""A text may have numbers whose thousands are separated by spaces or apostrophes."""

_THOUSANDS = re.compile(
    r"\d(?<![QqHh\d.,]\d)(?<!\d['’]\d)\d{0,2}"
    r"(?P<gap>[ \xa0\u2009\u202f'’])\d{3}(?:(?P=gap)\d{3})*(?![\d'’])"
)
"""A number whose thousands are separated by spaces or apostrophes."""

_AFTER_CODE = re.compile(r"(?:[A-Z]{3}|[^\w\s.,;:()\[\]/|*-])\s?$")
"""Before a number: the code or sign of a currency."""

_BEFORE_UNIT = re.compile(
    r"(?:\.\d+)?\s?"
    r"(?:[$€£¥₹%]|[A-Z]{3}\b|(?:thousand|[mb]illion|Mi[lo]|Mrd|euro|dollar)|[a-z]{3,}s\b)"
)
"""After a number: its decimals, if any, and its unit or what it counts."""

_CELL = re.compile(
    r"(?:^|(?<=\|)) ?[-(]?\d{1,3}(?: \d{3}){1,5}(?=(?:\.\d+)?\)? ?(?:\||$))", re.MULTILINE
)
"""A cell or line that is one number with spaces between its thousands."""

_COMMA = re.compile(
    r"\d(?<![\d.,]\d)(?:"
    r"\d{0,2}(?:[. \xa0\u2009\u202f'’]\d{3}){1,5},\d{1,2}(?![\d,])"  # 1.234,5
    r"|\d{0,2}(?:\.\d{3}){2,}(?![\d.,]*\d)"  # 1.234.567
    r"|\d*,\d{1,2}"  # 12,5 %
    r"(?=\s?(?:[%€]|[BbMm](?:io|rd|i?l)|Tsd|Pro[zc]ent|per\s?[cm]ent|kr\b|[A-Z]{3}\b)))"
)
"""A number whose comma can only be decimal, or whose points can only separate thousands."""

_POINT = re.compile(r"\d\.\d{1,2}(?![.\d])|\d,\d{3}[.,]\d")
"""A number whose point or comma can only be English."""

_GERMAN = re.compile(r"(?=[MT])(?:\bTEUR\b|T€|\b(?:Mio|Mrd|Tsd)\.)")
"""Abbreviations beside which 1.234 is more than a thousand, unless the text has 1,234."""

_ENGLISH = re.compile(r"\d,\d{3}")

_SEPARATORS = re.compile(r"(?<=\d)[.,](?=\d)")
_SWAPPED = str.maketrans(".,", ",.")
_CODE = re.compile(
    r"(?=[A-Zkm\d])(?:"
    r"(?<![A-Za-z])(?P<lead>[TKMkm])?(?P<before>[A-Z]{3})"  # EUR 5, TEUR 850, EURm 5
    r"(?=(?:[km]|mn|bn|['’]000)?\s?[-−(]?\.?\d)"
    r"(?!\s?(?:19|20)\d\d\b(?![.,]\d|\s?[bm]))"  # but no year
    r"|(?<![\w.,])(?!(?:19|20)\d\d\b)\d[\d.,]*+(?:\s?[A-Z]?[a-z]{1,9}\.?)?\s?"
    r"(?P<after>[A-Z]{3})(?![A-Za-z\d/-]))"  # 5 million EUR
)
"""Three capitals before or after a number, which may be the code of a currency."""

_MEGATONNES = re.compile(r"Mt(?:(?<=\dMt)|(?<=\d\sMt))(?![A-Za-z])")
"""Million tonnes; mt are tonnes."""

_SCALED = re.compile(r"(?<![\s\d.,])[\s\d.,]*+(?:thousand|million|billion|trillion|[bm]n)(?![a-z])")
"""A scale, after digits if there are any."""

_WORDS = frozenset(["ALL", "TOP", "TRY"])
"""Codes that are words: they count before an amount with a scale only."""


def in_one_notation(text: str) -> str:
    """Return a text of the same length in lower case, its numbers with English separators.

    Thousands separated by spaces, apostrophes or points have commas, decimal commas are points,
    typographic apostrophes and spaces are plain. Codes of currencies beside a number, known or
    unknown, stay in capitals, so that they are not taken for words, and so does the M of Mt.
    """
    text = with_english_separators(text)
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when lowered, and spans must stay
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    letters = list(lower.translate(_PLAIN))
    for match in _CODE.finditer(text):
        if _is_currency(match):
            start, end = match.span("before" if match["before"] else "after")
            letters[start:end] = text[start:end]
    for match in _MEGATONNES.finditer(text):
        letters[match.start()] = "M"
    return "".join(letters)


def _is_currency(match: re.Match[str]) -> bool:
    """Return whether three capitals beside a number are the code of a currency.

    Codes that are not known count where the number has a scale, as in XYZ 5 million, unless
    they are a metric, such as EPS, or the end of a longer word: KPMG is not a thousand PMG.
    """
    code = match["before"] or match["after"]
    is_word = code in _WORDS
    if code.lower() in units().codes and not is_word:
        return True
    if match["before"]:
        has_scale = _SCALED.match(match.string, match.end("before")) is not None
    else:
        has_scale = _SCALED.search(match[0]) is not None
    is_metric = METRIC.fullmatch(code.lower()) is not None and not is_word
    return has_scale and not is_metric and not match["lead"]


def with_english_separators(text: str) -> str:
    """Return a text of the same length with its numbers as in English: 1,234.5 for 1.234,5."""
    if not text.isascii():
        text = text.translate(_SIGNS_OF_NUMBERS)
    is_german = not _ENGLISH.search(text) and _GERMAN.search(text) is not None
    if is_german or _COMMA.search(text):
        has_english_numbers = _POINT.search(_COMMA.sub("", text)) is not None
        foreign = _COMMA if has_english_numbers else _SEPARATORS
        text = foreign.sub(lambda match: match[0].translate(_SWAPPED), text)
    if not _GROUPED.search(text):
        return text
    text = _CELL.sub(lambda cell: re.sub(r"(?<=\d) ", ",", cell[0]), text)
    return _THOUSANDS.sub(_group_digits, text)


_FULL_WIDTH = [chr(code) for code in (*range(0xFF01, 0xFF5F), *range(0xFFE0, 0xFFE7))]
_PLAIN_FORMS = {sign: normalize("NFKC", sign) for sign in _FULL_WIDTH}
_SIGNS_OF_NUMBERS = str.maketrans(
    {sign: plain for sign, plain in _PLAIN_FORMS.items() if len(plain) == 1}
    | dict.fromkeys("‐‑−﹣－", "-")
    | {"٫": ".", "٬": ",", "٪": "%", "×": "x"}
)
"""Full-width signs, kinds of minus, and separators of Arabic."""

_PLAIN = {0x2019: "'", 0xA0: " ", 0x2009: " ", 0x202F: " ", 0x200D: " ", 0x200B: " "}


def _group_digits(match: re.Match[str]) -> str:
    """Return a number with commas for its gaps; a space needs a unit, as it may be two columns."""
    text = match.string
    has_unit = (
        _AFTER_CODE.search(text, max(0, match.start() - 5), match.start()) is not None
        or _BEFORE_UNIT.match(text, match.end()) is not None
    )
    if match["gap"] == " " and not has_unit:
        return match[0]
    return match[0].replace(match["gap"], ",")
