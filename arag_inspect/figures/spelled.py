"""Numbers written out in words."""

import re

_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: value
    for value, word in zip(
        range(20, 100, 10),
        "twenty thirty forty fifty sixty seventy eighty ninety".split(),
        strict=True,
    )
}
_PARTS = {"half": 0.5, "quarter": 0.25}

_DIGIT = "|".join(word for word in _SMALL if word != "zero")
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{_DIGIT}))?|{_DIGIT}|zero)"
SPELLED = (
    rf"(?:{_BELOW_HUNDRED}|a)\shundred(?:(?:\sand)?\s{_BELOW_HUNDRED})?"
    rf"|{_BELOW_HUNDRED}(?:\sand\sa\s(?:half|quarter))?"
    r"|(?:a\s)?half(?:\san?)?(?=[\s-](?:percent|per\scent|percentage|point|basis|million|billion|trillion))"
    r"|a\squarter(?:\sof\sa)?(?=[\s-](?:percent|per\scent|percentage|point))"
    r"|a(?=\s(?:million|billion|trillion)\b)"
)
"""Pattern of a number in words, in lower case, without its scale."""


def parse_spelled(words: str) -> float:
    """Value of a number in words, e.g. 120 of "one hundred and twenty".

    Args:
        words: What `SPELLED` has matched.
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
