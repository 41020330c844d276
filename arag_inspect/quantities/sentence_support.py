"""How well a source supports each sentence of a summary: countable signs and their weights."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import takewhile
from statistics import fmean
from typing import NamedTuple

from ..text.citations import without_marks
from ..text.sentences import split_sentences
from ..text.stems import content_stems
from .negating_prefixes import negated_forms
from .opposites import has_opposite
from .oppositions import Oppositions
from .verify import verify_claims

_NEAREST = 3
_ENDING = 3
"""Most letters by which two names may differ in their ending."""

_ROOT = 5
"""Fewest letters that two names must share to differ in their ending only."""

_ACRONYM = 5
"""Most letters of an acronym."""

_AROUND = 40
"""Characters on either side of a negation that may hold what it negates."""

_TERMS = frozenset(["CEO", "CFO", "EBIT", "EBITDA", "EPS", "ESG", "FFO", "GAAP", "NOI", "REIT"])
"""Terms in capitals that are no names."""

_NAME = re.compile(r"(?<=[a-z0-9,;:&] )[A-Z][A-Za-z&'’-]+")
_SHORT_YEAR = re.compile(r"(?<!\w)(?:['’]|(?i:fy|fiscal) ?['’]?)(\d\d)\b")
_QUARTER = re.compile(r"\b[QH][1-4]\b")
_ITEM = re.compile(r"^\s*\(?\d{1,2}[.)]\s")
_DENIAL = re.compile(
    r"\b(?:not|no(?! matter\b|-)|nor|neither|never(?!-)|none|cannot|hardly|rarely|unable|lack|lacks|lacking|lacked|fail|fails|failed"
    r"|refuse[sd]?|refusing|declined? to(?= [a-z])|den(?:y|ies|ied))\b(?! (?:counting|including|before|since|(?:less|fewer|more|later) than"
    r"|(?:keep|prevent|stop)\b)| (?:be|been) (?:higher|lower)\b|[^.;]{0,60} until\b)|n['’]t\b",
    re.IGNORECASE,
)  # "did not prevent", "never before", "not until" and the like deny nothing
_NO_OUTLOOK = re.compile(
    r"\b(?:expectations|forecasts?|guidance|outlook)\b.*\b(?:g[ai]ve[ns]?|issu|provid|reinstat|updat)"
    r"|\b(?:giv|issu|provid|reinstat|updat).*\b(?:expectations|forecasts?|guidance|outlook)\b",
    re.IGNORECASE,
)
"""An outlook that is withheld, which sources say in many words."""

_WORD = re.compile(r"[a-z]+")
_COMPOUND = re.compile(r"[a-z][a-z-]*")
_LIMITS = frozenset(
    [
        "always",
        "completely",
        "entire",
        "entirely",
        "except",
        "exclusively",
        "few",
        "fully",
        "least",
        "only",
        "partially",
        "solely",
        "until",
    ]
)


_AT_LEAST = frozenset(
    [
        "above",
        "better",
        "beyond",
        "exceed",
        "exceeding",
        "exceeds",
        "excess",
        "greater",
        "minimum",
        "more",
        "north",
        "over",
        "plus",
    ]
)
"""Words for "at least"."""


class Signs(NamedTuple):
    """What is counted about a sentence of a summary and what the source says against it."""

    figures: float
    """Numbers that the source neither has nor rounds to, and unsupported figures of a metric."""

    new_names: float
    """Names that the source lacks."""

    denies: float
    """1 if it negates what neither its nearest sentences nor others on the same subject negate."""

    opposes: float
    """Words whose opposite the source says of the same subject."""

    limits: float
    """Words such as `only` and `until` that the nearest sentences lack."""


WEIGHTS = Signs(figures=-4.24, new_names=-3.25, denies=-2.5, opposes=-2.29, limits=-2.39)
INTERCEPT = 0.42

_STEEP = 700.0
"""Largest exponent of the logistic function, near that of the largest number."""


class NearestSentence(NamedTuple):
    """A sentence of a summary with its nearest sentence of the source."""

    sentence: str
    nearest: str
    passage: int
    """Index of the passage with the nearest sentence."""

    shared: float
    """Share of the sentence's content words that its nearest has, each weighted by its rarity."""


class SentenceSupport(NamedTuple):
    """A sentence of a summary with its nearest sentence of the source and its signs."""

    sentence: str
    nearest: str
    passage: int
    shared: float
    signs: Signs


class _Source:
    """Index of the sentences of a source by word, number and name."""

    def __init__(self, passages: tuple[str, ...]) -> None:
        parts = [_sentences(passage) for passage in passages]
        self.sentences = [sentence for part in parts for sentence in part]
        self.passages = [index for index, part in enumerate(parts) for _ in part]
        self.stems = [content_stems(sentence) for sentence in self.sentences]
        self.all = frozenset[str]().union(*self.stems) | {
            f"20{year}" for sentence in self.sentences for year in _SHORT_YEAR.findall(sentence)
        }
        self._parts = self.all.union(
            *(stem.split("-") for stem in self.all),
            *(_words_of(sentence) for sentence in self.sentences),
        )
        self._denials = [
            stems
            for sentence, stems in zip(self.sentences, self.stems, strict=True)
            if _DENIAL.search(sentence)
        ]
        total = len(self.sentences) + 1
        counts = Counter(stem for stems in self.stems for stem in stems)
        self._weights = {stem: math.log(total / (counts[stem] + 0.5)) for stem in counts}
        self._unseen = math.log(total / 0.5)
        self._nearest: dict[frozenset[str], list[int]] = {}

    def weight(self, stems: frozenset[str]) -> float:
        """Weight of some words, rare ones counting more."""
        return math.fsum(self._weights.get(stem, self._unseen) for stem in stems)

    def nearest(self, stems: frozenset[str]) -> list[int]:
        """Return the positions of the sentences that share most words with a sentence."""
        if stems not in self._nearest:
            self._nearest[stems] = self._rank(stems)
        return self._nearest[stems]

    def _rank(self, stems: frozenset[str]) -> list[int]:
        shared = [self.weight(stems & other) for other in self.stems]
        return sorted(range(len(shared)), key=lambda index: -shared[index])[:_NEAREST]

    def has_name(self, name: str) -> bool:
        """Return whether a name occurs, with another ending (Europe, European) or spelled out."""
        if name.isupper() and self._has_initials(name):
            return True
        return name.lower() in self._parts or all(map(self._has_stem, content_stems(name)))

    def _has_stem(self, stem: str) -> bool:
        if stem in self._parts:
            return True
        return any(_same_root(stem, other) for other in self._parts)

    def _has_initials(self, letters: str) -> bool:
        if not 2 <= len(letters) <= _ACRONYM:
            return False
        words = r"\W+(?:\w+\W+)?".join(rf"{re.escape(letter)}\w*" for letter in letters)
        initials = re.compile(rf"\b{words}", re.IGNORECASE)
        return any(map(initials.search, self.sentences))

    def lacks_denial(self, sentence: str) -> bool:
        """Return whether a sentence negates words that the source does not negate.

        It does where a sentence with a negation has half of the words around that of the other.
        """
        around = [
            sentence[max(0, denial.start() - _AROUND) : denial.end() + _AROUND]
            for denial in _DENIAL.finditer(sentence)
        ]
        subject = content_stems(" ".join(w for w in around if not _NO_OUTLOOK.search(w)))
        least = self.weight(subject) / 2
        return bool(subject) and not any(
            self.weight(subject & stems) >= least for stems in self._denials
        )

    def lacks_word(self, word: str) -> bool:
        """Return whether the source has no form of a word."""
        stems = content_stems(word)
        return bool(stems) and not stems <= self._parts

    @cached_property
    def oppositions(self) -> Oppositions:
        """Words of the source that have an opposite."""
        return Oppositions(self.sentences, self.weight)


def _same_root(stem: str, other: str) -> bool:
    """Return whether two names differ in their ending only: Mexico, Mexican."""
    if stem[:_ROOT] != other[:_ROOT]:
        return False
    shared = sum(1 for _ in takewhile(bool, map(str.__eq__, stem, other)))
    return shared >= _ROOT and max(len(stem), len(other)) - shared <= _ENDING


def nearest_sentences(summary: str, passages: Sequence[str]) -> list[NearestSentence]:
    """Find the nearest sentence of the source for every sentence of a summary.

    Args:
        summary: Text to check.
        passages: Texts to check against.

    Returns:
        One entry for each sentence with a content word.
    """
    source = _source(tuple(passages))
    return [
        _nearest(sentence, stems, source, source.nearest(stems)[0])
        for sentence in _sentences(summary)
        if (stems := content_stems(sentence)) and source.sentences
    ]


def read_support(summary: str, passages: Sequence[str]) -> list[SentenceSupport]:
    """Compare every sentence of a summary with the source.

    Args:
        summary: Text to check.
        passages: Texts to check against.

    Returns:
        One entry for each sentence with a content word.

    Raises:
        TextTooLongError: The passages hold more than 50,000 numbers.
    """
    source = _source(tuple(passages))
    if not source.sentences:
        return []
    claims = verify_claims(summary, passages)
    confirmed = source.all.union(  # $12.4 billion for $12,403 million
        *(_numbers(claim.figure.text) for claim in claims if claim.verdict == "supported")
    )
    misstated = [
        claim.figure.span.start
        for claim in claims
        if claim.verdict != "supported"
        and claim.figure.metric is not None
        and _numbers(claim.figure.text) <= source.all
    ]
    return [
        _support(
            summary[start:end],
            stems,
            source,
            bisect_left(misstated, end)
            - bisect_left(misstated, start)
            + len(_numbers(summary[start:end]) - confirmed),
        )
        for start, end in split_sentences(summary)
        if (stems := content_stems(summary[start:end]))
    ]


def _nearest(
    sentence: str, stems: frozenset[str], source: _Source, position: int
) -> NearestSentence:
    return NearestSentence(
        sentence,
        source.sentences[position],
        source.passages[position],
        source.weight(stems & source.stems[position]) / source.weight(stems),
    )


def _support(
    sentence: str, stems: frozenset[str], source: _Source, figures: int
) -> SentenceSupport:
    positions = source.nearest(stems)
    nearest = [source.sentences[position] for position in positions]
    near = " ".join(nearest)
    signs = Signs(
        figures=figures,
        new_names=sum(not source.has_name(name) for name in _names(sentence)),
        denies=float(not _DENIAL.search(near) and source.lacks_denial(sentence)),
        opposes=source.oppositions.count(sentence) + _negated(sentence, nearest, source),
        limits=len((_words_of(sentence) & _LIMITS) - _limits(_words_of(near))),
    )
    return SentenceSupport(*_nearest(sentence, stems, source, positions[0]), signs)


def _negated(sentence: str, near: Sequence[str], source: _Source) -> int:
    """Count the words that the source lacks and that nearby differ by a negating prefix."""
    if _DENIAL.search(sentence):  # "not unsuitable" is suitable
        return 0
    stems = frozenset[str]().union(
        *(content_stems(other) for other in near if not _DENIAL.search(other))
    )
    return sum(
        any(other and other <= stems for other in map(content_stems, negated_forms(word)))
        for word in _COMPOUND.findall(sentence.lower())
        if not has_opposite(word) and source.lacks_word(word)
    )


def _limits(words: frozenset[str]) -> frozenset[str]:
    """Return the words of limits among some words, "least" for all that mean at least."""
    return words & _LIMITS | ({"least"} if words & _AT_LEAST else frozenset())


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text without those of quarters, citations and list items."""
    stems = content_stems(without_marks(_QUARTER.sub("", _ITEM.sub("", text))))
    return frozenset(stem for stem in stems if stem[0].isdigit())


def _names(sentence: str) -> set[str]:
    """Return the names in a sentence after its first word; of `Asia-related` only `Asia`."""
    parts = (part.strip("'’") for name in _NAME.findall(sentence) for part in name.split("-"))
    return {part for part in parts if part[:1].isupper() and part not in _TERMS}


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
    return 1 / (1 + math.exp(min(-(INTERCEPT + total), _STEEP)))


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@lru_cache(maxsize=16)
def _source(passages: tuple[str, ...]) -> _Source:
    return _Source(passages)
