"""Test whether an answer contains a gold answer, comparing normalised words and numbers."""

import re
import string
import unicodedata
from decimal import Decimal

from arag_inspect.figures.answers.match import match_yes_no
from arag_inspect.text.citations import without_marks
from arag_inspect.text.folding import space_letters

_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:[,'’\u00a0\u2009\u202f]\d{3})+(?![\w,]*\d)")
_CURRENCY_LETTERS = re.compile(r"\b(?:us|ca?|au?|nz|hk|sg?|nt|mx|r)(?=\$)")
_INITIALISM = re.compile(r"\b(?:[a-z]\.)+[a-z]\b")
_FRACTION = re.compile(r"(\d{0,15})([\u00bc-\u00be\u2150-\u215e])")
_EASTERN_SCALE = re.compile(r"(?<=\d) +(?=[万萬亿億兆千百])")
"""The space between a number and its scale word, which belong together."""

_PER_CENT = re.compile(r"\bper[\s-]?cent\b|\bpct\b")
_TOKEN = re.compile(
    r"(?:(?<![^\W_])(?<![)%])[-\u2212\u2013])?"  # a sign; the hyphen of "5%-7%" is not
    r"(?:\d++(?:\.\d++)?+|(?<![^\W_])\.\d++)(?![^\W_]|\.\d)"  # a number
    r"|\d[^\W_]*(?:\.\d[^\W_]*)*"  # "4.2bn" or "1.2.3"
    r"|[^\W_]+"  # a word
    r"|%"
)
_ACCOUNTED = re.compile(
    r"(?P<before>[$€£¥₹]\s?)?(?<![\w)])\(\s?[$€£¥₹]?\s?(?P<number>\d+(?:\.\d+)?|\.\d+)"
    r"(?P<rest>(?:[\s%][^()\d]{0,12})?)\)(?P<after>\s?(?:%|per[\s-]?cent\b|pct\b))?"
)
"""A number in parentheses, negative in accounting."""

_AROUND = string.whitespace + ".*_"
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")


def contains(answer: str, gold: str) -> bool:
    """Return whether the words of a gold answer follow each other in an answer.

    `contain_match` states the rules.
    """
    gold_words = _words(gold)
    if gold_words in (["yes"], ["no"]):
        return match_yes_no(answer, gold_words[0]).matched
    readings = (_words(answer), _words(answer, accounts=True))
    return any(f" {' '.join(gold_words)} " in f" {' '.join(words)} " for words in readings)


def has_words(gold: str) -> bool:
    """Return whether a gold answer has words or numbers."""
    return bool(_words(gold))


def _words(text: str, accounts: bool = False) -> list[str]:
    """Return the words and numbers of a text in normalised form.

    Args:
        text: Text.
        accounts: Whether every number in parentheses is negative.
    """
    text = _THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]), without_marks(text) or text)
    text = _FRACTION.sub(_fraction_to_decimal, text)
    text = _EASTERN_SCALE.sub("", space_letters(unicodedata.normalize("NFKC", text).lower()))
    text = _CURRENCY_LETTERS.sub(" ", text)
    stripped = text.strip(_AROUND)
    text = _ACCOUNTED.sub(lambda match: _apply_sign(match, accounts or match[0] == stripped), text)
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Sc")
    text = _INITIALISM.sub(lambda letters: letters[0].replace(".", ""), text)
    text = _PER_CENT.sub("%", text)
    return [_normalize_token(token) for token in _TOKEN.findall(text)]


def _fraction_to_decimal(match: re.Match[str]) -> str:
    """Return 4½ as 4.5: compatibility folding makes 41⁄2 of it."""
    return f"{int(match[1] or 0) + unicodedata.numeric(match[2]):g}"


def _apply_sign(match: re.Match[str], accounts: bool) -> str:
    if not (accounts or match["before"] or match["after"]):
        return match[0]
    return f" -{match['number']}{match['rest']}{match['after'] or ''} "


def _normalize_token(token: str) -> str:
    token = token.translate({0x2212: "-", 0x2013: "-"})
    if not _NUMBER.fullmatch(token):
        return token
    value = Decimal(token)
    return format(value.normalize(), "f") if value else "0"
