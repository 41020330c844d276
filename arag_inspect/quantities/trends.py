"""Check stated directions of change against two years' financial statements."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..text.content_words import content_words
from ..text.sentences import Span
from ..types.sample import Direction
from . import lexicon as words
from .mentions import Mention, Sentence, sentence_spans
from .table_figures import LineItem, subject

DirectionVerdict = Literal["supported", "contradicted", "unsettled"]

_CLAUSE = re.compile(
    r";|\.\s|[,:]?\s(?:while|whereas|but|although|offset by|driven by|due to|because)\b|,\sand\b|,\s"
)
_STOP = re.compile(
    r"\b(?:was|were|is|are|in|by|for|to|that|the|a|an|our|its|as|from|with|which|had|saw|report\w*)\b|[,;:.()\d•]"
)
"""Ends the words before a metric that may narrow it."""

_PER = re.compile(r"\sper\s(?!(?:diluted |basic |common )*share)")
"""Makes another measure of a metric: revenue per user."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")

_HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|whether|could|would|might|can|should|may(?=\s[a-z])|risks? (?:that|of))\b"
)
_CONDITION = re.compile(r"\W*(?:if|unless|whether)\b")
"""Opens a clause about a possibility, not about what happened."""

_DENIED_AFTER = re.compile(
    r"\b(?:was|were|is|are|has|have)(?:n't| not) (?:been )?(?:seen|observed|recorded|reported|evident|true|the case)\b"
)
"""After a word of change, leaves the direction open."""

_COMPOUND = re.compile(
    r"\s(growth|volumes?|mix|tax(?:es)?|costs?|expenses?|prices?|margins?|used)\b"
)
"""Right after a metric that only qualifies a noun: sales tax."""

_PART = re.compile(
    r"\b(?:in|at|of|from|for|across|within|outside)\s(?!(?:line|part|addition|response|comparison|contrast|turn|fact)\b)"
    r"(?:the |its |our )?([a-z' -]{3,40})"
)
"""What a metric or a change is of, or where it happened."""

_ADJECTIVE = re.compile(
    r"(?:higher|lower|rising|falling|increas(?:ed|ing)|decreas(?:ed|ing)|declining|reduced|improved|flat|stable|growth in|decline in|increase in|decrease in)\b"
)
"""A word of change that belongs to the metric after it."""

_QUARTER = re.compile(
    r"\bq[1-4]\b|\b(?:first|second|third|fourth) (?:fiscal )?quarter\b|\b(?:first|second) half\b"
)

_GENERAL = content_words(
    "total totals consolidated overall company companies group annual fiscal year years period full "
    "reported gaap business segment segments result results worldwide however meanwhile also both "
    "change percentage rate higher lower strong weak increase decrease decline material materially key main "
    "amount level whole basis"
)
"""Words that narrow nothing."""

_RATE = re.compile(r"\bpercentage|\bpoints?\b|\bof (?:revenue|sales)\b", re.IGNORECASE)
_SHARE = re.compile(r"\brates?\b|\bas a (?:percentage|percent|%) of\b", re.IGNORECASE)
_ADJUSTED = re.compile(r"\badjusted|\bnon-gaap|\bebit|\bexcluding\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DirectionClaim:
    """A statement that something went up, went down or stayed flat."""

    sentence: str
    clause: str
    direction: Direction
    metric: str
    narrowed: frozenset[str]
    """Words beside the metric that name a part, a time or a place: a segment, a product, a quarter.
    """

    words: frozenset[str]
    """Content words of the clause."""

    denied: bool = False
    """Whether the direction is negated."""


@dataclass(frozen=True, slots=True)
class CheckedDirection:
    """A claim with the line of the statements that decides it."""

    claim: DirectionClaim
    verdict: DirectionVerdict
    """`unsettled`: no line is clearly about the same, or the direction is negated."""

    item: LineItem | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            "verdict": self.verdict,
            "claim": self.claim.clause,
            "sentence": self.claim.sentence,
            "metric": self.claim.metric,
            "narrowed": sorted(self.claim.narrowed),
            "direction": self.claim.direction,
            "denied": self.claim.denied,
            "item": self.item.as_dict() if self.item else None,
        }


def check_directions(
    text: str, items: Sequence[LineItem], names: str = "", earlier_year: int | None = None
) -> list[CheckedDirection]:
    """Check every claim of a direction against the lines of two years' statements.

    Args:
        text: Text to check.
        items: Lines of the statements.
        names: Names of the company, which narrow nothing.
        earlier_year: First of the two years; a sentence that names an earlier one is unsettled.
    """
    general = _GENERAL | content_words(names.lower())
    results = []
    for claim in read_directions(text, general):
        oldest = min((int(year) for year in _YEAR.findall(claim.sentence)), default=None)
        other = oldest is not None and earlier_year is not None and oldest < earlier_year
        results.append(CheckedDirection(claim, "unsettled") if other else _check(claim, items))
    return results


def read_directions(text: str, general: frozenset[str] = _GENERAL) -> Iterator[DirectionClaim]:
    """Read the claims of a direction: each metric with its word of change.

    Outlooks and possibilities are not claims about what happened.

    Args:
        text: Text to read.
        general: Words that narrow nothing.
    """
    lower = text.lower().replace("’", "'")
    lower = lower if len(lower) == len(text) else text
    for span in sentence_spans(text):
        sentence = Sentence(text, lower, span)
        if not sentence.directions or not sentence.metrics or _CONDITION.match(sentence.text):
            continue
        sentence_text = sentence.original.strip()
        for clause in _clauses(sentence):
            yield from _claims(sentence, clause, sentence_text, general)


def _clauses(sentence: Sentence) -> Iterator[Span]:
    start = 0
    for cut in _CLAUSE.finditer(sentence.text):
        if re.match(r",\s\d", sentence.text[cut.start() :]):
            continue
        yield Span(start, cut.start())
        start = cut.start()
    yield Span(start, len(sentence.text))


class _Pair(NamedTuple):
    metric: Mention
    direction: Direction
    position: int
    """Start of the word of change."""


def _claims(
    sentence: Sentence, clause: Span, sentence_text: str, general: frozenset[str]
) -> Iterator[DirectionClaim]:
    text = sentence.text[clause.start : clause.end]
    if any(pattern.search(text) for pattern in (words.GUIDANCE, words.ESTIMATE, _HYPOTHETICAL)):
        return
    for pair in _pairs(sentence, clause):
        if _PER.match(sentence.text, pair.metric[1]):
            continue
        yield DirectionClaim(
            sentence=sentence_text,
            clause=sentence.original[clause.start : clause.end].lstrip(".").strip(" ,;:"),
            direction=pair.direction,
            metric=pair.metric[2],
            narrowed=_narrowed(sentence.text, clause, pair, general),
            words=content_words(text),
            denied=_is_denied(sentence.text, clause, pair),
        )


def _is_denied(text: str, clause: Span, pair: _Pair) -> bool:
    return bool(
        words.UNTRUE.search(text)
        or words.NEGATION.search(text, clause.start, pair.position)
        or _DENIED_AFTER.search(text, pair.position, clause.end)
    )


def _narrowed(text: str, clause: Span, pair: _Pair, general: frozenset[str]) -> frozenset[str]:
    """Return the words that narrow the metric to a part, a place or a time."""
    start, end, _ = pair.metric
    before, between = text[clause.start : start], text[end : max(end, pair.position)]
    after = text[max(end, pair.position) : clause.end]
    parts = (part.split(" by ")[0] for part in _PART.findall(after))
    named = " , ".join([_STOP.split(before)[-1], between, *parts])
    nouns = {match[1] for match in [_COMPOUND.match(text, end)] if match}
    if _QUARTER.search(text, clause.start, clause.end):
        nouns.add("quarter")
    return (content_words(words.METRIC.sub(" ", named)) - general) | nouns


def _pairs(sentence: Sentence, clause: Span) -> Iterator[_Pair]:
    """Pair each word of change with a metric: the one before it, else the one after it.

    An adjective belongs to the metric right after it ("higher revenue").
    """
    metrics = [metric for metric in sentence.metrics if clause.start <= metric[0] < clause.end]
    seen: set[tuple[Mention, Direction]] = set()
    for position, direction in sentence.directions:
        if not clause.start <= position < clause.end:
            continue
        before = [metric for metric in metrics if metric[1] <= position]
        after = [metric for metric in metrics if metric[0] > position]
        nearest = before[-1] if before else after[0] if after else None
        between = sentence.text[position : after[0][0]] if after else ""
        if _ADJECTIVE.match(between) and len(between.split()) <= 3:
            nearest = after[0]
        if nearest is not None and (nearest, direction) not in seen:
            seen.add((nearest, direction))
            yield _Pair(nearest, direction, position)


def _check(claim: DirectionClaim, items: Sequence[LineItem]) -> CheckedDirection:
    related = [] if claim.denied else [item for item in items if _is_about(claim, item)]
    if not related:
        return CheckedDirection(claim, "unsettled")
    nearest = max(related, key=lambda item: _fit_key(claim, item))
    verdict: DirectionVerdict = "supported" if nearest.matches(claim.direction) else "contradicted"
    return CheckedDirection(claim, verdict, nearest)


def _is_about(claim: DirectionClaim, item: LineItem) -> bool:
    """Return whether a claim and a line have the same metric and qualifiers.

    The claim must name all that narrows the line, and the line or its headings all that
    narrows the claim.
    """
    is_rate = words.FAMILIES.get(claim.metric) == "rate"
    rate = _SHARE.search(claim.clause) or (is_rate and _RATE.search(claim.clause))
    return (
        item.metric == claim.metric
        and (item.percent or not rate)
        and item.words - _GENERAL <= claim.words | claim.narrowed
        and claim.narrowed <= item.words | item.context_words
    )


def _fit_key(claim: DirectionClaim, item: LineItem) -> tuple[int, bool, bool, bool, float]:
    """Return a sort key: shared words, metric in label, same basis, money, size."""
    same_basis = bool(_ADJUSTED.search(item.label)) == bool(_ADJUSTED.search(claim.clause))
    shared_words = len(item.words - _GENERAL) + len(item.context_words & claim.narrowed)
    same_metric = subject(item.label.lower())[0] == claim.metric
    return shared_words, same_metric, same_basis, not item.percent, abs(item.later)
