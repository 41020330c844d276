"""How well a source supports each sentence of a summary: countable signs and their weights."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean
from typing import NamedTuple

from ..text.sentences import split_sentences
from ..text.stems import content_stems

_NEAREST = 3
_NAME = re.compile(r"(?<=[a-z0-9,;:&] )[A-Z][A-Za-z&'’-]+")
_DENIAL = re.compile(
    r"\b(?:not|no|nor|neither|never|none|cannot|without|hardly|rarely|unable|lack|lacks|lacking"
    r"|lacked|fail|fails|failed|refuse[sd]?|refusing|declined?|den(?:y|ies|ied))\b|n['’]t\b",
    re.IGNORECASE,
)


class Signs(NamedTuple):
    """What is counted about a sentence of a summary and its nearest sentences of the source."""

    new_numbers: float
    """Numbers that the source lacks."""

    far_numbers: float
    """Numbers that the nearest sentences lack."""

    new_names: float
    far_names: float
    denies: float
    """1 if it negates something."""

    denies_alone: float
    """1 if it negates something and its nearest sentence does not."""


WEIGHTS = Signs(
    new_numbers=-1.94,
    far_numbers=-0.25,
    new_names=-1.54,
    far_names=-0.12,
    denies=-0.20,
    denies_alone=-0.96,
)
INTERCEPT = 0.36


class SentenceSupport(NamedTuple):
    """A sentence of a summary with its nearest sentence of the source and its signs."""

    sentence: str
    nearest: str
    passage: int
    """Place, among the passages, of the one that holds the nearest."""

    shared: float
    """Share of the sentence's content words that its nearest has, each weighted by its rarity."""

    signs: Signs


class _Source:
    """Index of the sentences of a source by word, number and name."""

    def __init__(self, passages: tuple[str, ...]) -> None:
        held = [_sentences(passage) for passage in passages]
        self.sentences = [sentence for sentences in held for sentence in sentences]
        self.passages = [place for place, sentences in enumerate(held) for _ in sentences]
        self.stems = [content_stems(sentence) for sentence in self.sentences]
        self.all = frozenset[str]().union(*self.stems)
        self._counts = Counter(stem for stems in self.stems for stem in stems)

    def weight(self, stems: frozenset[str]) -> float:
        """Weight of some words, rare ones counting more."""
        total = len(self.sentences) + 1
        return math.fsum(math.log(total / (self._counts[stem] + 0.5)) for stem in stems)

    def nearest(self, stems: frozenset[str]) -> list[int]:
        """Return the positions of the sentences that share most words with a sentence."""
        shared = [self.weight(stems & other) for other in self.stems]
        return sorted(range(len(shared)), key=lambda place: -shared[place])[:_NEAREST]


def read_support(summary: str, passages: Sequence[str]) -> list[SentenceSupport]:
    """Compare every sentence of a summary with its nearest sentences of the source.

    Args:
        summary: Text to check.
        passages: Texts to check against.

    Returns:
        One entry for each sentence with a content word.
    """
    source = _source(tuple(passages))
    return [
        _support(sentence, stems, source)
        for sentence in _sentences(summary)
        if (stems := content_stems(sentence)) and source.sentences
    ]


def _support(sentence: str, stems: frozenset[str], source: _Source) -> SentenceSupport:
    places = source.nearest(stems)
    first = places[0]
    nearest = source.sentences[first]
    near = frozenset[str]().union(*(source.stems[place] for place in places))
    numbers = {stem for stem in stems if stem[0].isdigit()}
    names = content_stems(" ".join(_NAME.findall(sentence)))
    denies, nearest_denies = bool(_DENIAL.search(sentence)), bool(_DENIAL.search(nearest))
    return SentenceSupport(
        sentence,
        nearest,
        source.passages[first],
        source.weight(stems & source.stems[first]) / source.weight(stems),
        Signs(
            new_numbers=len(numbers - source.all),
            far_numbers=len(numbers - near),
            new_names=len(names - source.all),
            far_names=len(names - near),
            denies=float(denies),
            denies_alone=float(denies and not nearest_denies),
        ),
    )


def support_value(sentences: Sequence[SentenceSupport]) -> float:
    """Estimate the chance that people call a summary consistent with its source.

    A logistic function of the mean of each sign. The weights were fitted on
    seven domains of SummEdits (4,013 summaries; `benchmarks/human.py` fits them
    again), both labels weighted equally. Every sign lowers the value.
    """
    means = [fmean(column) for column in zip(*(s.signs for s in sentences), strict=True)]
    total = sum(weight * mean for weight, mean in zip(WEIGHTS, means, strict=True))
    return 1 / (1 + math.exp(-(INTERCEPT + total)))


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@lru_cache(maxsize=16)
def _source(passages: tuple[str, ...]) -> _Source:
    return _Source(passages)
