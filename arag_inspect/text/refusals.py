"""Recognise sentences that decline to answer, in several languages."""

import re
from typing import NamedTuple

from .._util.files import packaged_yaml

_PART = re.compile("<([A-Z_]+)>")
_DATA = packaged_yaml(__package__, "refusals.yaml")


class _Language(NamedTuple):
    """How a language declines."""

    words: re.Pattern[str]
    """Every refusal has one of these words; they are faster to find."""

    sentences: re.Pattern[str]


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(_with_parts(pattern), re.IGNORECASE)


def _with_parts(pattern: str) -> str:
    """Return a pattern with its named parts filled in."""
    return _PART.sub(lambda name: _with_parts(_DATA["parts"][name[1]]), pattern)


_LANGUAGES = [
    _Language(_compile(language["words"]), _compile("|".join(language["sentences"])))
    for language in _DATA["languages"].values()
]


_ANSWERS = (
    r"(?P<clause>[^.;]{0,80}?"
    r"\b(?:is|are|was|were|will|would|amount(?:s|ed)|costs?|total(?:s|ed))\s(?!not\b).*)"
)
_THEN_ANSWERS = re.compile(
    rf"(?:,?\s(?:but|however|though|yet|still),?|;)\s{_ANSWERS}", re.IGNORECASE
)
"""After a refusal, a clause that answers all the same: it is not stated, but it is 12%."""

_AFTER_CONCESSION = re.compile(
    rf"^\W*(?:even though|although|though|while)\b[^,;]{{0,120}},\s{_ANSWERS}", re.IGNORECASE
)
"""A refusal as a concession, and the answer: although the memo does not say so, it is 12%."""


def declines(sentence: str) -> bool:
    """Return whether a sentence says that the documents, or the model, do not answer."""
    text = sentence.replace("\u2019", "'")
    refusals = (
        language.sentences.search(text) for language in _LANGUAGES if language.words.search(text)
    )
    refusal = next(filter(None, refusals), None)
    if refusal is None:
        return False
    answer = _THEN_ANSWERS.search(text, refusal.start()) or _AFTER_CONCESSION.match(text)
    return answer is None or declines(answer["clause"])
