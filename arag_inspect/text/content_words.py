"""Words that carry the subject of a text."""

import re
from importlib.resources import files

_STOP = frozenset(files(__package__).joinpath("stopwords.txt").read_text(encoding="utf-8").split())
_WORD = re.compile(r"[a-z][a-z&'’-]+")


def content_words(text: str) -> frozenset[str]:
    """Return the lower-case words that carry a text's subject, without plural endings."""
    return frozenset(
        _singular(word) for word in _WORD.findall(text) if word not in _STOP and len(word) > 2
    )


def _singular(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    return word[:-1] if len(word) > 1 and word.endswith("s") and not word.endswith("ss") else word
