"""Scripts that put no spaces between words."""

import re
from itertools import pairwise

_SCRIPTS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = re.compile(f"([{_SCRIPTS}])")
_RUN = re.compile(f"[{_SCRIPTS}]{{2,}}")
_BETWEEN = re.compile(f"(?<=[{_SCRIPTS}]) (?=[{_SCRIPTS}])")
_SIGN = re.compile(f"[{_SCRIPTS}\u3000-\u303f\uff00-\uffef]")


def space_letters(text: str) -> str:
    """Put spaces around each letter of scripts without them: Chinese, Japanese, Thai."""
    return _LETTER.sub(r" \1 ", text)


def without_spaces(text: str) -> str:
    """Remove the spaces between letters of such scripts, which line breaks leave."""
    return _BETWEEN.sub("", text)


def bigrams(text: str) -> str:
    """Write each run of such letters as its overlapping pairs, which serve as words in search."""
    return _RUN.sub(lambda run: " ".join(map("".join, pairwise(run[0]))), text)


def is_unspaced(letter: str) -> bool:
    """Return whether a letter or mark belongs to such a script."""
    return not letter.isascii() and _SIGN.match(letter) is not None
