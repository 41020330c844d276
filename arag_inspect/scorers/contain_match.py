"""Is the gold answer in the answer?"""

import re
import string
import unicodedata
from decimal import Decimal

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.quantities.answers import match_yes_no
from arag_inspect.scorers._metrics import by_question
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.text.citations import without_marks
from arag_inspect.text.unspaced import space_letters
from arag_inspect.types.measures import MeasureSpec, measures

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

MEASURES = measures(
    MeasureSpec("contain_match", "Contains gold answer", "Contains", noun="gold answers contained"),
    family="facts",
    role="secondary",
)


@scorer(MEASURES, more=by_question())
def contain_match() -> PlainScorer:
    """1 if the normalised answer contains the normalised gold answer, else 0.

    1. Compared word by word: the words of the gold answer must follow each other in the answer. In
       scripts without spaces each letter is a word. Of a gold "yes" or "no" the first yes or no of
       the answer counts, and the "no" of "no doubt" is none.
    2. Case, punctuation, white space, currency signs and the points of "U.S." are ignored; "per
       cent", "percent" and "pct" are "%".
    3. A number counts by its value: "1,577.00" is "1577". It must match whole: "12" is neither in
       "112" nor in "12.5", "-12", "12,000" or "12m". Footnotes ("$4.2¹ billion") are no part of it.
    4. Accounting parentheses are a minus: "(5)" as the whole text, "$(5)" and "(5)%" are -5.
       Elsewhere in an answer, "(5)" may be 5 or -5.
    5. With several targets, any of them suffices. An empty answer scores 0.
    6. A sample whose targets are empty, or contain only punctuation, is unscored.

    Metadata: `matched`, the targets that the answer contains.
    """

    def score(state: TaskState, target: Target) -> Score:
        golds = {gold: words for gold in target if (words := _words(gold))}
        if not golds:
            raise UnscoredError("no_reference", "The sample has no gold answer to look for.")
        answer = state.output.completion
        readings = (_words(answer), _words(answer, accounts=True))
        matched = [
            gold
            for gold, gold_words in golds.items()
            if (
                match_yes_no(answer, gold_words[0]).matched
                if gold_words in (["yes"], ["no"])
                else any(_contains(words, gold_words) for words in readings)
            )
        ]
        return Score(value=float(bool(matched)), metadata={"matched": matched})

    return score


def _contains(words: list[str], gold_words: list[str]) -> bool:
    return f" {' '.join(gold_words)} " in f" {' '.join(words)} "


def _words(text: str, accounts: bool = False) -> list[str]:
    """Return the words and numbers of a text in normalised form.

    Args:
        text: Text.
        accounts: Whether every number in parentheses is negative.
    """
    text = _THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]), without_marks(text) or text)
    text = _FRACTION.sub(_decimal, text)
    text = _EASTERN_SCALE.sub("", space_letters(unicodedata.normalize("NFKC", text).lower()))
    text = _CURRENCY_LETTERS.sub(" ", text)
    stripped = text.strip(_AROUND)
    text = _ACCOUNTED.sub(lambda match: _signed(match, accounts or match[0] == stripped), text)
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Sc")
    text = _INITIALISM.sub(lambda letters: letters[0].replace(".", ""), text)
    text = _PER_CENT.sub("%", text)
    return [_normalised(token) for token in _TOKEN.findall(text)]


def _decimal(match: re.Match[str]) -> str:
    """Return 4½ as 4.5: compatibility folding makes 41⁄2 of it."""
    return f"{int(match[1] or 0) + unicodedata.numeric(match[2]):g}"


def _signed(match: re.Match[str], accounts: bool) -> str:
    if not (accounts or match["before"] or match["after"]):
        return match[0]
    return f" -{match['number']}{match['rest']}{match['after'] or ''} "


def _normalised(token: str) -> str:
    token = token.translate({0x2212: "-", 0x2013: "-"})
    if not _NUMBER.fullmatch(token):
        return token
    value = Decimal(token)
    return format(value.normalize(), "f") if value else "0"
