"""Estimate from figures, names and negations whether a source supports a summary's sentences."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from ...text.citations import without_marks
from ...text.content_words import content_stems
from ...text.layout import unwrap
from ...text.refusals import declines
from ...text.sentences import sentences, split_sentences
from ..lexicon import DOWN, NEGATION, UP
from ..periods import short_years
from .stated_figures import CheckedClaim
from .verify import verify_claims

_LONGEST_ENDING = 3
"""Most letters by which two names may differ at the end."""

_SHORTEST_ROOT = 5
"""Fewest letters that they must share."""

_AROUND = 40
"""Characters on either side of a negation that may contain what it negates."""

_TERMS = frozenset(["CEO", "CFO", "EBIT", "EBITDA", "EPS", "ESG", "FFO", "GAAP", "NOI", "REIT"])
"""Terms in capitals that are not names."""

_NAME = re.compile(r"(?<=[a-z0-9,;:&] )[A-Z][A-Za-z&'’-]+")
"""A word with a capital letter that does not open its sentence."""

_NUMBER = re.compile(r"(?<![a-z.]-)(?<![\w.,])\d+(?:[.,]\d+)*(?![.,]?\d|[qh]\b)", re.IGNORECASE)
"""A number: neither the 19 of COVID-19 nor the 4 of 4Q."""

_ITEM = re.compile(r"^\s*\(?\d{1,2}[.)]\s")
"""The number of a list item."""


class SupportFeatures(NamedTuple):
    """Counts about a sentence of a summary."""

    figures: float
    """Numbers that the source neither has nor rounds to, and figures that it contradicts."""

    new_names: float
    """Names that the source lacks."""

    denies: float
    """1 if it negates what no sentence of the source on the same subject negates."""

    turns: float
    """Directions (rose, fell) that are opposite in the source for the same subject."""


WEIGHTS = SupportFeatures(figures=-3.2, new_names=-2.8, denies=-2.93, turns=-0.66)
INTERCEPT = 0.34


class NearestSentence(NamedTuple):
    """A sentence of a summary with its nearest sentence of the source."""

    sentence: str
    nearest: str
    passage: int
    """Index of the passage with the nearest sentence."""

    shared: float
    """Share of the sentence's content words that its nearest has, each weighted by its rarity."""

    features: SupportFeatures = SupportFeatures(0, 0, 0, 0)


class _Source:
    """Index of the sentences of a source by word, number and name."""

    def __init__(self, passages: tuple[str, ...]) -> None:
        self.sentences: list[str] = []
        self.passages: list[int] = []
        """Index of the passage of each sentence."""

        for index, passage in enumerate(passages):
            in_passage = sentences(passage)
            self.sentences += in_passage
            self.passages += [index] * len(in_passage)
        self.stems = [content_stems(sentence) for sentence in self.sentences]
        self.numbers = frozenset[str]().union(*map(_numbers, self.sentences))
        words = (re.findall(r"[a-z]+", sentence.lower()) for sentence in self.sentences)
        self._words = frozenset[str]().union(*self.stems, *words)
        self._saying = {pattern: self._stems_with(pattern) for pattern in (NEGATION, UP, DOWN)}
        total = len(self.sentences) + 1
        counts = Counter(chain.from_iterable(self.stems))
        self._weights = {stem: math.log(total / (counts[stem] + 0.5)) for stem in counts}
        self._unseen = math.log(total / 0.5)

    def _stems_with(self, pattern: re.Pattern[str]) -> list[frozenset[str]]:
        """Return the stems of each sentence that has a word of some kind."""
        return [
            stems
            for sentence, stems in zip(self.sentences, self.stems, strict=True)
            if pattern.search(sentence.lower())
        ]

    def weight(self, stems: frozenset[str]) -> float:
        """Weight of some words; rare words count more."""
        return math.fsum(self._weights.get(stem, self._unseen) for stem in stems)

    def nearest(self, stems: frozenset[str]) -> list[int]:
        """Return the positions of the three sentences that share most words with another."""
        shared = [self.weight(stems & other) for other in self.stems]
        return nlargest(3, range(len(shared)), key=shared.__getitem__)

    def pair(self, sentence: str, stems: frozenset[str], position: int) -> NearestSentence:
        """Return a sentence with the sentence of the source at a position."""
        share = self.weight(stems & self.stems[position]) / self.weight(stems)
        return NearestSentence(sentence, self.sentences[position], self.passages[position], share)

    def has_name(self, name: str) -> bool:
        """Return whether a name occurs, with another ending (Europe, European)."""
        return name.lower() in self._words or all(map(self._has_root, content_stems(name)))

    def _has_root(self, stem: str) -> bool:
        return stem in self._words or any(_same_root(stem, other) for other in self._words)

    def says(self, pattern: re.Pattern[str], subject: frozenset[str]) -> bool:
        """Return whether a sentence with such a word has half of the words of a subject."""
        least = self.weight(subject) / 2
        return any(self.weight(subject & stems) >= least for stems in self._saying[pattern])

    def unsaid_subject(
        self, pattern: re.Pattern[str], sentence: str, near: str = ""
    ) -> frozenset[str]:
        """Return the words around a negation or direction if the source has none on that subject.

        Args:
            pattern: Words of one kind: negations, or directions.
            sentence: Sentence of a summary.
            near: The nearest sentences of the source, which may put the subject in other words.
        """
        around = [
            sentence[max(0, match.start() - _AROUND) : match.end() + _AROUND]
            for match in pattern.finditer(sentence.lower())
        ]
        subject = content_stems(" ".join(around))
        if not subject or pattern.search(near.lower()) or self.says(pattern, subject):
            return frozenset()
        return subject

    def count_turns(self, sentence: str) -> int:
        """Count the directions that differ: the source has "fell", the sentence "rose"."""
        turns = 0
        for pattern, other in ((UP, DOWN), (DOWN, UP)):
            subject = self.unsaid_subject(pattern, sentence)
            if subject and self.says(other, subject):
                turns += 1
        return turns


_source = lru_cache(maxsize=16)(_Source)


def nearest_sentences(summary: str, passages: Sequence[str]) -> list[NearestSentence]:
    """Find the nearest sentence of the source for every sentence of a summary.

    Args:
        summary: Text to check.
        passages: Texts to check against.

    Returns:
        One entry for each sentence with a content word.
    """
    source = _source(tuple(passages))
    if not source.sentences:
        return []
    nearest = []
    for sentence in sentences(summary):
        stems = content_stems(without_marks(sentence))
        if stems:
            position = source.nearest(stems)[0]
            nearest.append(source.pair(sentence, stems, position))
    return nearest


def read_support(summary: str, passages: Sequence[str]) -> list[NearestSentence]:
    """Compare every sentence of a summary with the source.

    Args:
        summary: Text to check.
        passages: Texts to check against.

    Returns:
        One entry for each sentence with a content word that does not only decline to answer.

    Raises:
        TextTooLongError: The passages hold more than 50,000 numbers.
    """
    source = _source(tuple(passages))
    if not source.sentences:
        return []
    summary = unwrap(summary)
    claims = verify_claims(summary, passages)
    confirmed = source.numbers.union(  # $12.4 billion for $12,403 million
        *(_numbers(claim.figure.text) for claim in claims if claim.verdict == "supported")
    )
    misstated = [
        claim.figure.span.start for claim in claims if _is_misstated(claim, source.numbers)
    ]
    supports = []
    for start, end in split_sentences(summary):
        sentence = summary[start:end]
        stems = content_stems(sentence)
        if not stems or declines(sentence):
            continue
        positions = source.nearest(stems)
        near = " ".join(source.sentences[position] for position in positions)
        misstated_here = sum(start <= position < end for position in misstated)
        features = SupportFeatures(
            figures=misstated_here + len(_numbers(sentence) - confirmed),
            new_names=sum(not source.has_name(name) for name in _names(sentence)),
            denies=float(bool(source.unsaid_subject(NEGATION, sentence, near))),
            turns=source.count_turns(sentence),
        )
        supports.append(source.pair(sentence, stems, positions[0])._replace(features=features))
    return supports


def _is_misstated(claim: CheckedClaim, numbers: frozenset[str]) -> bool:
    """Return whether the source has the number of a figure, but not for what the figure is of."""
    if claim.verdict == "supported" or not _numbers(claim.figure.text) <= numbers:
        return False
    return claim.verdict == "contradicted" or claim.figure.metric is not None


def support_value(sentences: Sequence[NearestSentence]) -> float:
    """Estimate the chance that people call a summary consistent with its source.

    A logistic function of the mean of each feature. The weights were fitted on
    seven domains of SummEdits (4,013 summaries of 141 documents; `measurements/agreement`
    fits them again), documents and labels weighted equally. Every feature lowers the value.
    """
    columns = zip(*[sentence.features for sentence in sentences], strict=True)
    means = [fmean(column) for column in columns]
    total = sum(weight * mean for weight, mean in zip(WEIGHTS, means, strict=True))
    return 1 / (1 + math.exp(min(-(INTERCEPT + total), 700)))


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text, except in quarters, names, marks and list items."""
    numbers = _NUMBER.findall(without_marks(_ITEM.sub("", text)))
    years = map(str, short_years(text))
    return frozenset(number.replace(",", "") for number in numbers).union(years)


def _names(sentence: str) -> set[str]:
    """Return the names in a sentence after its first word; of `Asia-related` only `Asia`."""
    compounds = [name.split("-") for name in _NAME.findall(sentence)]
    parts = [part.strip("'’") for part in chain.from_iterable(compounds)]
    return {part for part in parts if part[:1].isupper() and part not in _TERMS}


def _same_root(stem: str, other: str) -> bool:
    """Return whether two names differ in their ending only: Mexico, Mexican."""
    least = max(_SHORTEST_ROOT, len(stem) - _LONGEST_ENDING, len(other) - _LONGEST_ENDING)
    return stem[:least] == other[:least]
