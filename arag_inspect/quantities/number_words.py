"""Numbers written out in words."""

import re

from ..types.fact import Direction

_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_PARTS = {"half": 0.5, "quarter": 0.25}

_DIGIT = "|".join(word for word in _SMALL if word != "zero")
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:(?:\s?-\s?|\s)(?:{_DIGIT}))?|{_DIGIT}|zero)"
SPELLED = (
    rf"(?:{_BELOW_HUNDRED}|a)\shundred(?:(?:\sand)?\s{_BELOW_HUNDRED})?"
    rf"|{_BELOW_HUNDRED}(?:\sand\sa\s(?:half|quarter))?"
    r"|(?:a\s)?half(?:\san?)?(?=[\s-](?:percent|per\scent|percentage|point|basis|million|billion|trillion))"
    r"|a\squarter(?:\sof\sa)?(?=[\s-](?:percent|per\scent|percentage|point))"
    r"|a(?=\s(?:million|billion|trillion)\b)"
)
"""Pattern of a number in lower-case words, without its scale."""


_FOLDS = {"doubl": 2, "tripl": 3, "trebl": 3, "quadrupl": 4, "quintupl": 5}
FOLD = re.compile(
    rf"\b(?:(?:(?<=to )(?P<verb>double|triple)\b(?!-))|(?P<fold>{'|'.join(_FOLDS)})(?:ed|es|ing)\b(?!\sdown\b)|(?P<half>halv(?:e[sd]?|ing))\b"
    rf"|(?P<half2>(?:by|in)\shalf)\b|(?:(?P<times>{'|'.join(_SMALL)})|(?P<digits>\d{{1,4}}(?:\.\d{{1,3}})?))[\s-]?fold\b)"
)
"""A change by a factor in lower-case words: doubled, threefold, halved, by half."""


def parse_fold(match: re.Match[str]) -> tuple[float, Direction]:
    """Return the change in percent that a match of `FOLD` states, and its direction."""
    if match["half"] or match["half2"]:
        return 50.0, "down"
    times = (
        _FOLDS.get(match["fold"] or (match["verb"] or "")[:-1])
        or _SMALL.get(match["times"])
        or float(match["digits"])
    )
    return abs(times - 1) * 100.0, "up" if times >= 1 else "down"


def parse_spelled(words: str) -> float:
    """Return the value of a number in words, e.g. 120 for "one hundred and twenty".

    Args:
        words: A match of `SPELLED`.
    """
    total = 0.0
    for word in re.split(r"[\s-]+", words):
        if word in _SMALL:
            total += _SMALL[word]
        elif word in _TENS:
            total += _TENS[word]
        elif word == "hundred":
            total = 100 * (total or 1)
        else:
            total += _PARTS.get(word, 0.0)
    return total or float(words == "a")
