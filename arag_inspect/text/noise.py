"""Human typing errors, and machine reading errors on scanned pages."""

import re
from collections.abc import Callable, Collection
from random import Random
from typing import NamedTuple

_NEAR = (
    "a:sqwz b:vngh c:xvdf d:sferxc e:wrsd f:dgrtcv g:fhtyvb h:gjyubn i:uojk j:hkuinm k:jliom "
    "l:kop m:njk n:bmhj o:ipkl p:ol q:wa r:etdf s:adwezx t:ryfg u:yihj v:cbfg w:qeas x:zcsd "
    "y:tugh z:xas"
)
_NEIGHBOURS = dict(pair.split(":") for pair in _NEAR.split())
"""Letters around each letter of a QWERTY keyboard."""

_TYPED = re.compile(r"(?<![\w$€£¥])[^\W\d_]{4,}(?!\w)")
"""A word in which errors are typed: four letters or more, without digits."""

_SHAPES = "rn:m m:rn cl:d d:cl vv:w w:vv e:c h:b i:l l:1 I:l O:0 S:5 B:8 0:O 1:l 5:S 6:b 8:B"
_READ_AS = dict(pair.split(":") for pair in _SHAPES.split())
"""Shapes that are mistaken for one another."""

_SHAPE = re.compile("|".join(sorted(_READ_AS, key=len, reverse=True)))
_TOKEN = re.compile(r"\S+")
FIGURE = re.compile(r"\d[\d.,]*\d|\d")
"""A figure without its sign, unit and scale."""


class Noisy(NamedTuple):
    """A text with errors."""

    text: str
    words: int
    """Words of the text."""

    touched: int
    """Words that have an error."""


def mistype(text: str, share: float, chance: Random) -> Noisy:
    """Type an error into some words of a text, one each.

    The errors follow Damerau (1964): a letter is replaced by a neighbour on the keyboard,
    followed by one, left out, or exchanged with the next. The first letter of a word stays.
    Figures, words with digits, words in capitals (tickers) and words of up to three letters are
    left alone.

    Args:
        text: The text.
        share: Share of its words to touch; at least one is.
        chance: Source of all choices.
    """
    words = [word for word in _TYPED.finditer(text) if not word[0].isupper()]
    return _with_errors(text, words, share, chance, _mistype)


def misread(text: str, share: float, chance: Random, spared: Collection[str] = ()) -> Noisy:
    """Misread a shape in some words of a text, one each: rn as m, 1 as l, O as 0, S as 5.

    Args:
        text: The text.
        share: Share of its words to touch; at least one is.
        chance: Source of all choices.
        spared: Figures whose words are left alone.
    """
    words = [
        word
        for word in _TOKEN.finditer(text)
        if _SHAPE.search(word[0]) and not _has_spared_figure(word[0], spared)
    ]
    return _with_errors(text, words, share, chance, _misread_word)


def _has_spared_figure(word: str, spared: Collection[str]) -> bool:
    return any(figure in spared for figure in FIGURE.findall(word))


def _with_errors(
    text: str,
    words: list[re.Match[str]],
    share: float,
    chance: Random,
    change: Callable[[str, Random], str],
) -> Noisy:
    """Change some of the words that may be changed."""
    total = len(text.split())
    count = min(len(words), max(1, round(share * total)))
    sampled_words = sorted(chance.sample(words, count), key=lambda word: word.start(), reverse=True)
    for word in sampled_words:
        text = text[: word.start()] + change(word[0], chance) + text[word.end() :]
    return Noisy(text, total, count)


def _mistype(word: str, chance: Random) -> str:
    position = chance.randrange(1, len(word) - 1)
    before = word[:position]
    letter = word[position]
    after = word[position + 1 :]
    near = chance.choice(_neighbours(letter) or letter)
    errors = (
        before + near + after,
        before + letter + near + after,
        before + after,
        before + after[0] + letter + after[1:],
    )
    return chance.choice([error for error in errors if error != word])


def _neighbours(letter: str) -> str:
    """Return the letters around a letter; empty if it is not on the keyboard."""
    near = _NEIGHBOURS.get(letter.lower(), "")
    return near.upper() if letter.isupper() else near


def _misread_word(word: str, chance: Random) -> str:
    shape = chance.choice(list(_SHAPE.finditer(word)))
    return word[: shape.start()] + _READ_AS[shape[0]] + word[shape.end() :]
