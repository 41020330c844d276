"""Words that carry the subject of a text, as written or stemmed."""

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib.resources import files

from .._util.extras import LOADING

_STOP = frozenset(files(__package__).joinpath("stopwords.txt").read_text(encoding="utf-8").split())
_WORD = re.compile(r"[a-z][a-z&'’-]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def content_words(text: str) -> frozenset[str]:
    """Return the lower-case words that carry a text's subject, without plural endings."""
    return frozenset(
        _singular(word) for word in _WORD.findall(text) if word not in _STOP and len(word) > 2
    )


def _singular(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    return word[:-1] if len(word) > 1 and word.endswith("s") and not word.endswith("ss") else word


def stems(words: Iterable[str]) -> frozenset[str]:
    """Return the stems (Porter's) of words."""
    return frozenset(map(_stemmer(), words))


@lru_cache(maxsize=8192)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems (Porter's) of a text's content words, and its numbers without separators."""
    numbers = (number.replace(",", "") for number in _NUMBER.findall(text))
    return frozenset(map(_stemmer(), content_words(text.lower()))).union(numbers)


@cache
def _stemmer() -> Callable[[str], str]:
    with LOADING:
        from nltk.stem.porter import PorterStemmer  # slow to import

    return lru_cache(maxsize=32768)(PorterStemmer().stem)
