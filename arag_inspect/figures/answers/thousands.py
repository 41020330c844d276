"""Points and spaces between thousands where the gold answer or the question shows them."""

import re

from ..numbers.separators import with_english_separators

_POINTED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![.,]?\d)(?!\s?%)")
"""A number whose points may separate thousands: 12.400."""

_SPACED = re.compile(r"(?<![\d.,])(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?![.,]?\d| \d)")
"""A number whose spaces may separate thousands, or two numbers: 5 200."""

_LONG = re.compile(r"\d{1,3}(?:[, ]\d{3})+|\d{4,}")
"""A number of a gold answer with four digits or more."""

_DECIMAL_COMMA = re.compile(r"\d,\d{1,2}(?!\d)")
_ENGLISH = re.compile(r"\d\.\d{1,2}(?![.\d])|(?<![\d.,])[1-9]\d{0,2},\d{3}(?!\d|\s?%)")
"""A number whose point is decimal, or whose comma separates thousands."""

_EUROS = re.compile(r"\s?(?:€|euros?\b)", re.IGNORECASE)
_COUNTS = re.compile(r"\bhow many\b|\bnumber of\b")
_SCALE = re.compile(
    r"(?i:thousand|[mbtr]illion|milli?[oa]r?d|\b(?:mio|mrd|tsd)\b)|(?<![^\W\d_])(?:[kKMB]|[bmt]n)\b"
)
_CONTINENTAL = re.compile(
    r"\b(?:wie (?:viele?|hoch|groß|lange?)|um wie ?viel|wieviele?|welche[rnms]?"
    r"|was (?:war|ist|sind)|combien|quel(?:le)?s?|cu[aá]nt[oa]s?|cu[aá]l(?:es)?"
    r"|quant[oiae]s?|qual[ei]?|quais|hoeveel|welke?"
    r"|hvor (?:mange|mye|meget|stor)|hur (?:många|mycket|stor))\b"
)
"""Words of a question in a language with decimal commas."""

_SEPARATORS = re.compile(r"(?<=\d)[.,](?=\d)")
_SWAPPED = str.maketrans(".,", ",.")


def has_decimal_commas(gold: str, question: str) -> bool:
    """Return whether a gold answer has points between thousands, or decimal commas.

    A point before three digits separates thousands before euros (1.200 €), in an answer to a
    question that counts (how many?), and in languages with decimal commas.

    Args:
        gold: Gold answer.
        question: The question in lower case.
    """
    if _ENGLISH.search(gold):
        return False
    pointed = _POINTED.search(gold)
    if _CONTINENTAL.search(question):
        return pointed is not None or _DECIMAL_COMMA.search(gold) is not None
    if pointed is None:
        return False
    is_count = _COUNTS.search(question) and not _SCALE.search(f"{question} {gold}")
    return bool(is_count or _EUROS.match(gold, pointed.end()))


def with_decimal_points(text: str) -> str:
    """Return a text with decimal commas in English notation, unless it already is in it."""
    is_read_anyway = _numbers(with_english_separators(text)) != _numbers(text)
    if is_read_anyway or _ENGLISH.search(text):
        return text
    return _SEPARATORS.sub(lambda match: match[0].translate(_SWAPPED), text)


def with_thousands_of(answer: str, gold: str) -> str:
    """Return an answer with commas between the thousands of the numbers of a gold answer.

    So 5 200 is the number, not two numbers, where 5,200 is expected.
    """
    long_numbers = {_digits(number) for number in _LONG.findall(with_english_separators(gold))}

    def with_commas(match: re.Match[str]) -> str:
        is_expected = _digits(match[0]) in long_numbers
        return re.sub("[. ]", ",", match[0]) if is_expected else match[0]

    answer = _SPACED.sub(with_commas, answer)
    return answer if _SCALE.search(answer) else _POINTED.sub(with_commas, answer)


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)


def _numbers(text: str) -> list[str]:
    return re.findall(r"[\d.,]+", text)
