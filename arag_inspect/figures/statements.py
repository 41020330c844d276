"""Compare statements by figures and words: sentences of a summary with a source, facts with claims."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest
from itertools import groupby
from statistics import fmean
from typing import Literal, NamedTuple

from ..text.citations import without_marks
from ..text.content_words import content_stems, content_words
from ..text.layout import unwrap
from ..text.sentences import declines, split_sentences
from ..text.sentences import sentences as _sentences
from .compare import compare
from .extract import extract_amounts
from .lexicon import DOWN, NEGATION, UP
from .quantity import Quantity, find_periods
from .table_figures import read_tables
from .verify import same_subject, verify_claims

_ENDING, _ROOT = 3, 5
"""Most letters by which two names may differ at the end, and fewest that they must share."""

_AROUND = 40
"""Characters on either side of a negation that may hold what it negates."""

_TERMS = frozenset(["CEO", "CFO", "EBIT", "EBITDA", "EPS", "ESG", "FFO", "GAAP", "NOI", "REIT"])
"""Terms in capitals that are no names."""

_NAME = re.compile(r"(?<=[a-z0-9,;:&] )[A-Z][A-Za-z&'’-]+")
_SHORT_YEAR = re.compile(r"(?<!\w)(?:['’]|(?i:fy|fiscal) ?['’]?)(\d\d)\b")
_NUMBER = re.compile(r"(?<![a-z.]-)(?<![\w.,])\d+(?:[.,]\d+)*(?![.,]?\d|[qh]\b)", re.IGNORECASE)
"""A number: neither the 19 of COVID-19 nor the 4 of 4Q."""

_ITEM = re.compile(r"^\s*\(?\d{1,2}[.)]\s")


class SupportFeatures(NamedTuple):
    """What is counted about a sentence of a summary."""

    figures: float
    """Numbers that the source neither has nor rounds to, and figures that it contradicts."""

    new_names: float
    """Names that the source lacks."""

    denies: float
    """1 if it negates what no sentence of the source on the same subject negates."""

    turns: float
    """Directions (rose, fell) that the source does not say of the same subject, but the other."""


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
        parts = [_sentences(passage) for passage in passages]
        self.sentences = [sentence for part in parts for sentence in part]
        self.passages = [index for index, part in enumerate(parts) for _ in part]
        self.stems = [content_stems(sentence) for sentence in self.sentences]
        self.numbers = frozenset[str]().union(*map(_numbers, self.sentences))
        words = (re.findall(r"[a-z]+", sentence.lower()) for sentence in self.sentences)
        self._words = frozenset[str]().union(*self.stems, *words)
        pairs = list(zip(self.sentences, self.stems, strict=True))
        self._saying = {
            pattern: [stems for sentence, stems in pairs if pattern.search(sentence.lower())]
            for pattern in (NEGATION, UP, DOWN)
        }
        total = len(self.sentences) + 1
        counts = Counter(stem for stems in self.stems for stem in stems)
        self._weights = {stem: math.log(total / (counts[stem] + 0.5)) for stem in counts}
        self._unseen = math.log(total / 0.5)

    def weight(self, stems: frozenset[str]) -> float:
        """Weight of some words, rare ones counting more."""
        return math.fsum(self._weights.get(stem, self._unseen) for stem in stems)

    def nearest(self, stems: frozenset[str]) -> list[int]:
        """Return the positions of the three sentences that share most words with another."""
        shared = [self.weight(stems & other) for other in self.stems]
        return nlargest(3, range(len(shared)), key=shared.__getitem__)

    def pair(self, sentence: str, stems: frozenset[str], position: int) -> NearestSentence:
        """Return a sentence with that of a position."""
        share = self.weight(stems & self.stems[position]) / self.weight(stems)
        return NearestSentence(sentence, self.sentences[position], self.passages[position], share)

    def has_name(self, name: str) -> bool:
        """Return whether a name occurs, with another ending (Europe, European)."""
        return name.lower() in self._words or all(
            stem in self._words or any(_same_root(stem, other) for other in self._words)
            for stem in content_stems(name)
        )

    def says(self, pattern: re.Pattern[str], subject: frozenset[str]) -> bool:
        """Return whether a sentence with such a word has half of the words of a subject."""
        least = self.weight(subject) / 2
        return any(self.weight(subject & stems) >= least for stems in self._saying[pattern])

    def lacks(self, pattern: re.Pattern[str], sentence: str, near: str = "") -> frozenset[str]:
        """Return the subject of which a sentence says what no sentence of the source says."""
        around = (
            sentence[max(0, match.start() - _AROUND) : match.end() + _AROUND]
            for match in pattern.finditer(sentence.lower())
        )
        subject = content_stems(" ".join(around))
        unsaid = (
            bool(subject) and not pattern.search(near.lower()) and not self.says(pattern, subject)
        )
        return subject if unsaid else frozenset()


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
        source.pair(sentence, stems, source.nearest(stems)[0])
        for sentence in _sentences(summary)
        if (stems := content_stems(without_marks(sentence))) and source.sentences
    ]


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
        claim.figure.span.start
        for claim in claims
        if claim.verdict != "supported"
        and (claim.verdict == "contradicted" or claim.figure.metric is not None)
        and _numbers(claim.figure.text) <= source.numbers
    ]
    supports = []
    for start, end in split_sentences(summary):
        sentence = summary[start:end]
        if not (stems := content_stems(sentence)) or declines(sentence):
            continue
        positions = source.nearest(stems)
        near = " ".join(source.sentences[position] for position in positions)
        features = SupportFeatures(
            figures=sum(start <= position < end for position in misstated)
            + len(_numbers(sentence) - confirmed),
            new_names=sum(not source.has_name(name) for name in _names(sentence)),
            denies=float(bool(source.lacks(NEGATION, sentence, near))),
            turns=sum(
                bool(subject := source.lacks(pattern, sentence)) and source.says(other, subject)
                for pattern, other in ((UP, DOWN), (DOWN, UP))
            ),
        )
        supports.append(source.pair(sentence, stems, positions[0])._replace(features=features))
    return supports


def support_value(sentences: Sequence[NearestSentence]) -> float:
    """Estimate the chance that people call a summary consistent with its source.

    A logistic function of the mean of each feature. The weights were fitted on
    seven domains of SummEdits (4,013 summaries of 141 documents; `measurements/agreement`
    fits them again), documents and labels weighted equally. Every feature lowers the value.
    """
    means = [fmean(column) for column in zip(*(s.features for s in sentences), strict=True)]
    total = sum(weight * mean for weight, mean in zip(WEIGHTS, means, strict=True))
    return 1 / (1 + math.exp(min(-(INTERCEPT + total), 700)))


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text without those of quarters, names, marks and list items."""
    numbers = _NUMBER.findall(without_marks(_ITEM.sub("", text)))
    years = (f"20{year}" for year in _SHORT_YEAR.findall(text))
    return frozenset(number.replace(",", "") for number in numbers).union(years)


def _names(sentence: str) -> set[str]:
    """Return the names in a sentence after its first word; of `Asia-related` only `Asia`."""
    parts = (part.strip("'’") for name in _NAME.findall(sentence) for part in name.split("-"))
    return {part for part in parts if part[:1].isupper() and part not in _TERMS}


def _same_root(stem: str, other: str) -> bool:
    """Return whether two names differ in their ending only: Mexico, Mexican."""
    least = max(_ROOT, len(stem) - _ENDING, len(other) - _ENDING)
    return stem[:least] == other[:least]


@lru_cache(maxsize=16)
def _source(passages: tuple[str, ...]) -> _Source:
    return _Source(passages)


MatchVerdict = Literal["stated", "contradicted", "missing"]

WORDS = 0.5
"""Share of content words that must match if a statement has no figure."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with its content words and its figures (without dates and years)."""

    text: str
    figures: tuple[Quantity, ...]
    words: frozenset[str]


class StatementMatch(NamedTuple):
    """Result of looking for a statement among others."""

    verdict: MatchVerdict
    share: float
    """Share of its figures that the others have; of its words if it has no figure."""

    position: int | None
    """Position of the statement with the largest share, or of the one that contradicts it."""


def read_statement(text: str) -> Statement:
    """Read a sentence."""
    return Statement(text, tuple(extract_amounts(text)), content_words(text.lower()))


def read_statements(text: str) -> list[Statement]:
    """Read the rows of tables and the sentences of a text that have figures."""
    rows, prose = read_tables(unwrap(text))
    figures = groupby(extract_amounts(prose), key=lambda figure: figure.sentence)
    return [
        *(Statement(row.line, tuple(cell.figure for cell in row.cells), row.label) for row in rows),
        *(
            Statement(sentence, tuple(of_sentence), content_words(sentence.lower()))
            for span, of_sentence in figures
            for sentence in [prose[span.start : span.end]]
        ),
    ]


def match_fact(fact: Statement, candidates: Sequence[Statement]) -> StatementMatch:
    """Look for a fact among the statements of a text.

    A fact with figures is `stated` when a statement gives at least one of them for
    the same metric (rounded like that statement, nothing against it, see
    `compare`), and `contradicted` when none is stated and one is given differently.
    A fact without figures is stated when one statement has half of its content words and
    names no other year.
    """
    return _search(fact, candidates, lambda first, second: _outcome(second, first))


def match_claim(claim: Statement, facts: Sequence[Statement]) -> StatementMatch:
    """Look for the facts that support a claim.

    It is `stated` when the facts have at least half of its figures, or of its content
    words if it has no figure.
    """
    match = _search(claim, facts, _outcome)
    if match.verdict == "stated" and match.share < WORDS:
        return _MISSING
    return match


_MISSING = StatementMatch("missing", 0.0, None)


def _search(
    fact: Statement, others: Sequence[Statement], outcome: Callable[[Quantity, Quantity], str]
) -> StatementMatch:
    if not fact.figures:
        return _by_words(fact, others)
    supported: list[set[int]] = []
    against: int | None = None
    for position, other in enumerate(others):
        verdicts = [
            {outcome(figure, candidate) for candidate in other.figures} for figure in fact.figures
        ]
        supported.append({i for i, outcomes in enumerate(verdicts) if "supported" in outcomes})
        if against is None and any("contradicted" in outcomes for outcomes in verdicts):
            against = position
    covered = set().union(*supported)
    if covered:
        most = max(range(len(others)), key=lambda position: len(supported[position]))
        return StatementMatch("stated", len(covered) / len(fact.figures), most)
    return _MISSING if against is None else StatementMatch("contradicted", 0.0, against)


def _by_words(fact: Statement, others: Sequence[Statement]) -> StatementMatch:
    years = _years(fact)
    shares = [
        0.0 if _are_different(years, _years(other)) else _shared_words(fact, other)
        for other in others
    ]
    most = max(range(len(others)), key=shares.__getitem__, default=None)
    if most is None or shares[most] < WORDS:
        return _MISSING
    return StatementMatch("stated", shares[most], most)


def _shared_words(fact: Statement, other: Statement) -> float:
    return len(fact.words & other.words) / max(len(fact.words), 1)


def _years(statement: Statement) -> set[int]:
    """Return the years that a statement names."""
    years = {mention.period.year for mention in find_periods(statement.text)}
    short = {int(f"20{year}") for year in _SHORT_YEAR.findall(statement.text)}
    return {year for year in years | short if year is not None}


def _are_different(years: set[int], others: set[int]) -> bool:
    """Return whether two statements name years, and none in common."""
    return bool(years and others) and years.isdisjoint(others)


def _outcome(claim: Quantity, source: Quantity) -> str:
    return compare(claim, source).outcome if same_subject(claim, source) else "unrelated"
