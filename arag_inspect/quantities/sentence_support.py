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
    r"|lacked|fail|fails|failed|refuse[sd]?|refusing|declined? to|den(?:y|ies|ied))\b|n['’]t\b",
    re.IGNORECASE,
)


_WORD = re.compile(r"[a-z]+")
_LIMITS = frozenset(
    [
        "all",
        "always",
        "both",
        "completely",
        "entire",
        "entirely",
        "every",
        "except",
        "exclusively",
        "few",
        "fully",
        "half",
        "least",
        "most",
        "only",
        "partially",
        "solely",
        "until",
    ]
)
_CONTRASTS = frozenset(
    ["although", "but", "despite", "however", "instead", "rather", "unless", "unlike"]
)
_OPPOSITES = (
    ("increase increases increased increasing rise rises rose rising risen grow grows grew grown growing growth up higher "
     "gain gains gained improve improves improved improving improvement improvements expand expands expanded expanding "
     "expansion raise raises raised raising climb climbed surge surged jump jumped boost boosts boosted more greater",
     "decrease decreases decreased decreasing fall falls fell falling fallen decline declines declined declining shrink "
     "shrank down lower lowered loss losses drop drops dropped dropping worsen worsened worsening contract contracted "
     "contraction cut cuts reduce reduces reduced reducing reduction slide slid plunge plunged less fewer diminish "
     "diminished weaken weakened deteriorated deterioration"),
    ("above exceed exceeds exceeded exceeding over beyond surpass surpassed topped beat", "below under beneath short missed"),
    ("before prior previous earlier formerly ago", "after following subsequent later next upcoming"),
    ("first initial start starts started starting begin begins began beginning opening commence launch launched",
     "last final end ends ended ending finish finished closing closed conclude concluded stop stopped"),
    ("strong stronger strength robust solid", "weak weaker weakness soft softer sluggish"),
    ("high highest maximum most largest biggest top", "low lowest minimum least smallest bottom"),
    ("positive favorable favourable optimistic", "negative unfavorable unfavourable adverse pessimistic"),
    ("profit profits profitable profitability earned", "loss losses unprofitable lost"),
    ("all every everyone entire always both fully complete completely whole everything",
     "none nobody never nothing partially partial only some few rarely"),
    ("include includes included including", "exclude excludes excluded excluding except"),
    ("accept accepts accepted agree agrees agreed approve approved support supports supported allow allows allowed embrace favor",
     "reject rejects rejected refuse refuses refused disagree disagrees disagreed deny denied oppose opposes opposed disapprove "
     "forbid ban banned prohibit prevent prevents avoid avoided"),
    ("buy buys bought purchase purchased acquire acquired", "sell sells sold sale divest divested"),
    ("easy easily simple simpler", "difficult hard complex complicated"),
    ("same similar identical", "different differs distinct"),
    ("good great excellent best better", "bad poor terrible worst worse"),
    ("new latest recent modern", "old outdated traditional former"),
    ("success successful succeed succeeded win won victory", "fail failed failure unsuccessful lose defeat defeated"),
    ("fast quick quickly rapid rapidly immediate immediately", "slow slowly gradual gradually delayed"),
    ("expensive costly", "cheap affordable inexpensive"),
    ("able can possible", "cannot impossible unable"),
    ("adjusted", "unadjusted"),
    ("domestic local", "foreign international overseas"),
    ("public", "private"), ("long", "short"), ("early", "late"), ("open", "closed"), ("free", "paid"), ("safe", "dangerous unsafe"),
    ("legal", "illegal"), ("direct directly", "indirect indirectly"), ("available", "unavailable"), ("internal inside", "external outside"),
    ("many multiple several numerous", "few one single sole"),
    ("big large major significant substantial", "insignificant little minor small"),
    ("enjoy enjoys like likes love loves prefer", "dislike dislikes hate hates"),
    ("remember", "forget forgot"),
    ("boyfriend brother father he him his husband man son", "daughter girlfriend her mother she sister wife woman"),
    ("confirm confirms confirmed", "cancel canceled cancelled deny denied"),
    ("arrive arrives arrived come", "go leave leaves left"),
    ("add added adding", "remove removed removing"),
    ("temporarily temporary", "permanent permanently"),
    ("mandatory required", "optional voluntary"),
    ("glad happy", "sad unhappy upset"),
    ("quarter quarterly", "annual annually yearly"),
    ("effective efficient", "ineffective inefficient"),
    ("certain confident sure", "doubtful uncertain unsure"),
    ("crucial essential important necessary", "trivial unimportant unnecessary"),
    ("employed hire hired hiring", "fired resign resigned unemployed"),
)  # fmt: skip
"""Words of each line stand for the opposite of those beside them."""

_SIDES: dict[str, set[tuple[int, int]]] = {}
"""Lines and sides of `_OPPOSITES` on which a word stands."""

for _line, _pair in enumerate(_OPPOSITES):
    for _side, _words in enumerate(_pair):
        for _word in _words.split():
            _SIDES.setdefault(_word, set()).add((_line, _side))


class Signs(NamedTuple):
    """What is counted about a sentence of a summary and its nearest sentences of the source."""

    new_numbers: float
    """Numbers that the source lacks."""

    new_names: float
    """Names that the source lacks."""

    denies: float
    """1 if it negates something and none of its nearest sentences does."""

    opposes: float
    """Words whose opposites the nearest sentences have, and not themselves."""

    limits: float
    """Words such as `only` and `all` that the nearest sentences lack."""

    contrasts: float
    """Words such as `but` and `despite` that the nearest sentences lack."""


WEIGHTS = Signs(
    new_numbers=-2.19, new_names=-1.67, denies=-1.94, opposes=-1.37, limits=-0.85, contrasts=-0.43
)
INTERCEPT = 0.42


class SentenceSupport(NamedTuple):
    """A sentence of a summary with its nearest sentence of the source and its signs."""

    sentence: str
    nearest: str
    passage: int
    """Index of the passage with the nearest sentence."""

    shared: float
    """Share of the sentence's content words that its nearest has, each weighted by its rarity."""

    signs: Signs


class _Source:
    """Index of the sentences of a source by word, number and name."""

    def __init__(self, passages: tuple[str, ...]) -> None:
        parts = [_sentences(passage) for passage in passages]
        self.sentences = [sentence for part in parts for sentence in part]
        self.passages = [index for index, part in enumerate(parts) for _ in part]
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
        return sorted(range(len(shared)), key=lambda index: -shared[index])[:_NEAREST]


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
    nearest = source.nearest(stems)
    first = nearest[0]
    near = " ".join(source.sentences[index] for index in nearest)
    words, near_words = _words_of(sentence), _words_of(near)
    numbers = {stem for stem in stems if stem[0].isdigit()}
    names = content_stems(" ".join(_NAME.findall(sentence)))
    return SentenceSupport(
        sentence,
        source.sentences[first],
        source.passages[first],
        source.weight(stems & source.stems[first]) / source.weight(stems),
        Signs(
            new_numbers=len(numbers - source.all),
            new_names=len(names - source.all),
            denies=float(bool(_DENIAL.search(sentence)) and not _DENIAL.search(near)),
            opposes=_opposed(words, near_words),
            limits=len((words - near_words) & _LIMITS),
            contrasts=len((words - near_words) & _CONTRASTS),
        ),
    )


def _opposed(words: frozenset[str], near_words: frozenset[str]) -> int:
    """Count the sides of opposites that some words take and others contradict.

    A word counts only where the others have its opposite and nothing of its own side, and the
    words themselves do not take both sides.
    """
    ours, theirs = _sides(words), _sides(near_words)
    return sum(
        (line, 1 - side) in theirs and (line, side) not in theirs and (line, 1 - side) not in ours
        for line, side in ours
    )


def _sides(words: frozenset[str]) -> set[tuple[int, int]]:
    return {side for word in words for side in _SIDES.get(word, ())}


@lru_cache(maxsize=8192)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


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
