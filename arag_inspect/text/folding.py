"""Fold texts and queries to one spelling, even in scripts without spaces."""

import re
from collections.abc import Iterable
from itertools import pairwise
from unicodedata import normalize

_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
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


_SIGNS = str.maketrans(
    dict.fromkeys("‘’‚‛′´`ʼ", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−﹘", "-")
    | {"‹": "<", "›": ">", "⁄": "/"}
    | dict.fromkeys("¹²³⁰⁴⁵⁶⁷⁸⁹\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", "")
)
"""Quotation marks, dashes, raised numbers of footnotes, and invisible letters."""

_HYPHENATED = re.compile(r"(?<=\w)-\s*\n\s*(?=\w)")
LEADERS = re.compile(r"\.{4,}|\.?(?: \.){3,}")
"""Dots between the label and the figures of a row."""
_UNITS = re.compile(r"([$€£¥₹(]) (?=[\d(.])| ([%)])")
"""Space between the cells of a figure: `$ | 391,035`, `(45 | )`, `12.5 | %`."""


def fold(text: str) -> str:
    """Return a text in its comparison form, in which lookalikes become equal.

    Folds case, Unicode compatibility (ligatures, full-width letters), kinds of quotation marks and
    dashes, soft hyphens and other invisible letters, kinds and numbers of spaces, line breaks,
    the bars between the cells of a row, leaders, and spaces between a figure and its unit. A
    line of ASCII words with single spaces only becomes lower-case.

    Args:
        text: A passage, or what a model typed. Space at its ends stays, as one space.
    """
    is_ascii = text.isascii()
    if not is_ascii:
        text = normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    text = text.casefold().replace("`", "'").replace("''", '"').replace("|", " ")
    if "-\n" in text or "--" in text:
        text = re.sub("--+", "-", _HYPHENATED.sub("-", text))
    if "...." in text or " . ." in text:
        text = LEADERS.sub(" ", text)
    folded = " ".join(text.split())
    if not is_ascii or any(edge in folded for edge in ("$ ", "( ", " %", " )")):
        folded = _UNITS.sub(r"\1\2", folded if is_ascii else without_spaces(folded))
    before = " " if text[:1].isspace() else ""
    after = " " if folded and text[-1:].isspace() else ""
    return f"{before}{folded}{after}"


def fold_keyword(keyword: str) -> str:
    """Fold a keyword without surrounding quotation marks; empty if it is blank."""
    folded = fold(keyword)
    stripped = folded.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] and stripped[0] in "\"'":
        return stripped[1:-1].strip()
    return folded if stripped else ""


def distinct_keywords(keywords: Iterable[str]) -> list[str]:
    """Return the different keywords, folded, without blank ones."""
    return list(dict.fromkeys(filter(None, map(fold_keyword, keywords))))
