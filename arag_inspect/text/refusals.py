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
    """Return a pattern with the parts that it names."""
    return _PART.sub(lambda name: _with_parts(_DATA["parts"][name[1]]), pattern)


_LANGUAGES = [
    _Language(_compile(language["words"]), _compile("|".join(language["sentences"])))
    for language in _DATA["languages"].values()
]


def declines(sentence: str) -> bool:
    """Return whether a sentence says that the documents, or the model, do not answer."""
    text = sentence.replace("\u2019", "'")
    return any(
        language.words.search(text) and language.sentences.search(text) for language in _LANGUAGES
    )
