"""Numbers in words, fractions, and changes by a factor: one hundred and twenty, 4½, threefold."""

import re
from unicodedata import numeric

from ...types.sample import Direction

BELOW_TWENTY = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10,
}  # fmt: skip
"""Into how many parts a word for a part divides a whole."""

PART = "|".join(word for word in PARTS if word != "half")

SPELLED_DIGIT = "|".join(word for word in BELOW_TWENTY if word != "zero")
_BELOW_HUNDRED = (
    rf"(?:(?:{'|'.join(TENS)})(?:(?:\s?-\s?|\s)(?:{SPELLED_DIGIT}))?|{SPELLED_DIGIT}|zero)"
)
_HUNDREDS = rf"(?:{_BELOW_HUNDRED}|a)\shundred(?:(?:\sand)?\s{_BELOW_HUNDRED})?"
_THOUSANDS = (
    rf"(?:{_HUNDREDS}|{_BELOW_HUNDRED}|a)\sthousand,?\s(?:and\s)?(?:{_HUNDREDS}|{_BELOW_HUNDRED})"
    r"(?![\w-]|\s(?:hundred|thousand|million|billion|trillion|percent|per\scent)\b)"
)
"""Thousands and what follows them; a bare "four thousand" is a number with its scale."""

_RATE = "percent|per\\scent|percentage|point"
_SCALE = "million|billion|trillion"
SPELLED = (
    rf"(?=half|a[\s-]|{_BELOW_HUNDRED})(?:"
    rf"{_THOUSANDS}"
    rf"|{_BELOW_HUNDRED}\spoint(?:\s(?:{SPELLED_DIGIT}|zero)\b)+"  # two point five
    rf"|(?:(?:half\s)?a|{SPELLED_DIGIT})\sdozen(?=\s[a-z])"  # half a dozen
    rf"|(?:a|{SPELLED_DIGIT})[\s-](?:{PART})s?\sof\san?(?=\s(?:{_SCALE}))"  # a third of a million
    rf"|{_HUNDREDS}"
    rf"|{_BELOW_HUNDRED}(?:\sand\sa\s(?:half|quarter))?"  # two and a half
    rf"|(?:a\s)?half(?:\san?)?(?=[\s-](?:{_RATE}|basis|{_SCALE}))"  # half a percent
    rf"|a\squarter(?:\sof\sa)?(?=[\s-](?:{_RATE}))"  # a quarter of a percentage point
    rf"|a(?=\s(?:{_SCALE})\b"  # a million
    rf"|\s(?:dollar|pound|euro)\s(?:and\s[a-z-]+\s(?:cents|pence)|{_BELOW_HUNDRED})\b))"
)
"""Pattern of a number in lower-case words, without its scale."""

_PART_OF_SCALE = re.compile(r"(?P<over>[a-z]+)[\s-](?P<part>[a-z]+?)s?\sof\san?")
"""A number as parts of a scale: three-quarters of a (billion)."""


_FOLDS = {"doubl": 2, "tripl": 3, "trebl": 3, "quadrupl": 4, "quintupl": 5}
FOLD = re.compile(
    r"\b(?=\w)(?:(?:(?<=to )(?P<verb>double|triple)\b(?!-))"
    rf"|(?P<fold>{'|'.join(_FOLDS)})(?:ed|es|ing)\b(?!\sdown\b)"
    r"|(?P<half>halv(?:e[sd]?|ing))\b|(?P<half2>(?:by|in)\shalf)\b(?!\san?\s)"
    rf"|(?:(?P<times>{'|'.join(BELOW_TWENTY)})|(?P<digits>\d{{1,4}}(?:\.\d{{1,3}})?))"
    r"[\s-]?fold\b)"
)
"""A change by a factor in lower-case words: doubled, threefold, halved, by half."""


def parse_fold(match: re.Match[str]) -> tuple[float, Direction]:
    """Return the change in percent that a match of `FOLD` states, and its direction."""
    if match["half"] or match["half2"]:
        return 50.0, "down"
    stem = match["fold"] or (match["verb"] or "").removesuffix("e")  # "to double"
    times = _FOLDS.get(stem) or BELOW_TWENTY.get(match["times"]) or float(match["digits"])
    size = abs(times - 1) * 100.0
    return size, "up" if times >= 1 else "down"


def parse_spelled(words: str) -> float:
    """Return the value of a number in words, e.g. 120 for "one hundred and twenty".

    Args:
        words: A match of `SPELLED`.
    """
    thousands, _, below_thousand = words.rpartition(" thousand")
    if thousands:
        return 1000 * parse_spelled(thousands) + parse_spelled(below_thousand)
    words, _, decimals_in_words = words.partition(" point ")
    if decimals_in_words:
        digits = "".join(str(BELOW_TWENTY[word]) for word in decimals_in_words.split())
        return float(f"{parse_spelled(words):g}.{digits}")
    if words.endswith("dozen"):
        return 12 * (parse_spelled(words.removesuffix("dozen").strip()) or 1)
    part = _PART_OF_SCALE.fullmatch(words)
    if part:
        return (BELOW_TWENTY.get(part["over"]) or 1) / PARTS[part["part"]]
    total = 0.0
    for word in re.split(r"[\s,-]+", words):
        if word in BELOW_TWENTY:
            total += BELOW_TWENTY[word]
        elif word in TENS:
            total += TENS[word]
        elif word == "hundred":
            total = 100 * (total or 1)
        else:
            total += 1 / PARTS[word] if word in PARTS else 0.0
    is_one = words == "a"  # "a million"
    return total or float(is_one)


MIXED = r"\d{1,3}(?:\s?[¼½¾⅓⅔⅛⅜⅝⅞]|[\s-]\d{1,2}/\d{1,2}(?![\d/]))|[¼½¾⅓⅔⅛⅜⅝⅞]"
"""Pattern of a mixed fraction: 4½, 6 3/4."""


def parse_digits(digits: str) -> float:
    """Return the value of digits with commas, or of a match of `MIXED`."""
    if "/" in digits:
        whole, over, under = re.split(r"[\s/-]", digits)
        return int(whole) + round(int(over) / max(1, int(under)), 3)
    if digits[-1] in "¼½¾⅓⅔⅛⅜⅝⅞":
        return int(digits[:-1].strip() or 0) + round(numeric(digits[-1]), 3)
    return float(digits.replace(",", ""))
