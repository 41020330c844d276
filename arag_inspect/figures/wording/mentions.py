"""Metrics, periods, directions, clauses and words of a sentence, with their positions."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ...text.content_words import content_words
from ...text.sentences import Span, split_sentences
from ...types.sample import Direction
from .. import lexicon
from ..figure_wording import Event
from ..numbers.lexer import find_quantities
from ..numbers.ranges import QuantityToken
from ..periods import PeriodMention, find_periods
from .clauses import Scope, scopes
from .dates import find_events


class MetricMention(NamedTuple):
    """A metric with its position in the sentence."""

    start: int
    end: int
    name: str


_OPPOSITE: dict[Direction, Direction] = {"up": "down", "down": "up", "flat": "flat"}

_IN_WHAT = re.compile(r"(?: of [^,;]{1,30})? in (?:[a-z-]+ ){1,4}")
"""After a noun of change, what changed: an improvement of 2 points in the loss ratio."""

_LONGEST = 2_000
"""Characters of a sentence that are read together: each figure's surroundings are searched."""

_MOST = 100
"""Numbers of a sentence that are read together."""

_NUMBER = re.compile(r"\d+")

_COUNTS = re.compile(r"\s(?:new |more |of |other )?(?!(?:has|is|was)\b)[a-z]+s\b")
"""A plural after a number, which it counts."""

_LARGEST_NAME = 1_000
"""Numbers below this may be part of the name of a product."""

_SAME_CLAUSE = lexicon.words("same clause")
"""Words after a comma with which the same clause goes on."""

_OTHER_CLAUSE = lexicon.words("other clause")
"""Words after "and" with which another clause begins."""

_CLAUSE_EDGE = re.compile(
    r";\s|:\s|,?\s(?:while|whereas|but|although|though|yet)\s"
    rf"|,\s(?!(?:(?:{_SAME_CLAUSE})\b|[\d$€£]))"
    r"|\s(?:(?:aided|boosted|driven|helped|hurt|offset|weighed down) by|because of|due to"
    r"|(?:mainly|primarily) from|owing to|thanks to)\s"
    r"|\son\s(?=(?:better|higher|lower|reduced|softer|solid|strong|stronger|weak|weaker)\b)"
    rf"|\s(?:after|before|when|in which)\s(?=[^,;]*\b(?:{_OTHER_CLAUSE})\b)"  # when we sold
    rf"|\sand\s(?=(?:{_OTHER_CLAUSE})\b)"  # and repaid
)
"""Between two clauses."""

_CLAUSE_OPENING = re.compile(
    r"\s*(?:and |but )?(?:"
    r"in|for|during|over|on|at|by|as of|through|with|given|taking|this|last|against"
    r"|compared (?:to|with)|relative to|versus)\b[^,;$\d]*"
    r"(?:(?:(?:19|20)\d\d|(?<=q)[1-4])\b[^,;$\d]*)?"
)
"""A phrase with which a clause opens: for fiscal 2022, we expect."""

_INSERTION_OPENING = (
    r"(?:adjust(?:ed|ing) for|(?:calculated|defined|expressed|measured) (?:as|by)|after|before"
    r"|exclu(?:ding|sive of)|including|net of|not counting|without"
    r"|(?:(?:an? )?(?:[\w-]+ ){0,3}measure )?"  # a measure which excludes
    r"(?:which|that) (?:also )?(?:adjust|exclude|include|omit)[a-z]*)\s"
)
_VERB = (
    r"(?:amounted|are|came|climbed|declined|decreased|dropped|fell|grew|had|has|improved|increased|is"
    r"|reached|rose|stood|totall?ed|was|were|will|would)\b"
)
_INSERTION = re.compile(
    rf"(?:(?:,|\s?[–—-]{{1,2}})\s|\s\(){_INSERTION_OPENING}"
    rf"(?:[^,;()]|,(?!\s{_INSERTION_OPENING})){{1,150}}?"
    rf"(?:[,)]|\s?[–—-]{{1,2}})\s(?=(?:at|of)\b|[a-z]{{0,2}}[$€£]|{_VERB})"
)
"""A phrase between a metric and its verb: net income, excluding restructuring costs, was."""

_BARE_INSERTION = re.compile(rf"\s{_INSERTION_OPENING}[^,;()]{{1,80}}?\s(?={_VERB})")
"""The same without commas, right after the name of the metric."""


def sentence_spans(text: str) -> Iterator[Span]:
    """Split a text into sentences, and long sentences at white space.

    Sentences with many numbers are split too.

    Args:
        text: Plain text.
    """
    for start, end in split_sentences(text):
        stop = _stop(text, start, end)
        while stop < end:
            space = text.rfind(" ", start + 1, stop)
            cut = space if space > 0 else stop
            yield Span(start, cut)
            start = cut
            stop = _stop(text, start, end)
        yield Span(start, end)


def _stop(text: str, start: int, end: int) -> int:
    """Return the end of the part of a sentence that is read at once."""
    stop = min(end, start + _LONGEST)
    beyond = next(islice(_NUMBER.finditer(text, start, stop), _MOST, None), None)
    return stop if beyond is None else beyond.start()


class Sentence:
    """A sentence with the positions of everything it mentions.

    Args:
        original: Text that holds the sentence.
        lower: The same text in lower case, letter by letter.
        span: Position of the sentence.
        alone: Whether the sentence is the whole text.
    """

    def __init__(self, original: str, lower: str, span: Span, alone: bool = False) -> None:
        self.span = span
        self.original = original[span.start : span.end]
        self.text = lower[span.start : span.end]
        numbers = find_quantities(self.text, alone)
        self.quantities = [quantity for quantity in numbers if not self._names_product(quantity)]

    @cached_property
    def amounts(self) -> list[QuantityToken]:
        """Quantities other than years and dates."""
        return [quantity for quantity in self.quantities if quantity.unit not in ("year", "date")]

    @cached_property
    def scopes(self) -> list[Scope]:
        """Words about each of the amounts."""
        return scopes(self.text, self.amounts)

    @cached_property
    def metrics(self) -> list[MetricMention]:
        """Metrics from left to right."""
        return [
            MetricMention(*match.span(), lexicon.metric_name(match))
            for match in lexicon.METRIC.finditer(self.text)
        ]

    @cached_property
    def insertions(self) -> list[Span]:
        """Phrases between a metric and its verb: net income, "excluding interest", was."""
        bare = (_BARE_INSERTION.match(self.text, mention.end) for mention in self.metrics)
        matches = [*_INSERTION.finditer(self.text), *filter(None, bare)]
        return [Span(*match.span()) for match in matches]

    @cached_property
    def periods(self) -> list[PeriodMention]:
        """Periods from left to right."""
        return find_periods(self.text)

    @cached_property
    def directions(self) -> list[tuple[int, Direction]]:
        """Words of change from left to right."""
        directions = []
        for direction, pattern in lexicon.DIRECTIONS.items():
            for match in pattern.finditer(self.text):
                is_turned = self._is_of_what_improves_by_falling(match)
                directions.append((match.start(), _OPPOSITE[direction] if is_turned else direction))
        return sorted(directions)

    def _is_of_what_improves_by_falling(self, change: re.Match[str]) -> bool:
        """Return whether a word of change praises or blames what is better the lower it is."""
        if not lexicon.QUALITY.match(change[0]):
            return False
        before = self.clause(*change.span()).start
        for phrase in self.insertions:
            if phrase.end == change.start():
                before = self.clause(phrase.start, phrase.start).start
        after = _IN_WHAT.match(self.text, change.end())
        subject = self.text[before : after.end() if after else change.start()]
        return lexicon.BETTER_LOW.search(subject) is not None

    @cached_property
    def compares(self) -> bool:
        """Whether the sentence compares periods."""
        if any(mention.period.prior for mention in self.periods):
            return True
        starts = [0, *(amount.end for amount in self.amounts)]
        words_before = (
            self.text[start : amount.start]
            for start, amount in zip(starts, self.amounts, strict=False)
        )
        return any(map(lexicon.COMPARATOR.search, words_before))

    @cached_property
    def events(self) -> frozenset[Event]:
        """Events on the dates of the sentence."""
        return find_events(self.text)

    @cached_property
    def content(self) -> frozenset[str]:
        """Content words."""
        return content_words(self.text)

    def _names_product(self, quantity: QuantityToken) -> bool:
        """Return whether a bare number is part of a name, as in iPhone 14 and Office 365."""
        is_bare = quantity.unit in (None, "count") and not (quantity.scale or quantity.decimals)
        is_small_integer = quantity.value < _LARGEST_NAME and quantity.value_high is None
        if not (is_bare and is_small_integer) or quantity.spelled:
            return False
        start = self.original.rfind(" ", 0, max(0, quantity.start - 1)) + 1
        word = self.original[start : quantity.start]
        is_name = word.endswith(" ") and word.strip().isalpha() and not word.islower()
        opens_sentence = start == 0
        is_metric = any(mention.end == quantity.start - 1 for mention in self.metrics)
        counts = _COUNTS.match(self.text, quantity.end) is not None
        return is_name and not (opens_sentence or is_metric or counts)

    def clause(self, start: int, end: int) -> Span:
        """Return the clause with a figure that starts and ends at some positions."""
        starts, ends = self._clauses
        first = starts[bisect_right(starts, start) - 1]
        last = ends[bisect_left(ends, end)]
        return Span(first, last)

    @cached_property
    def _clauses(self) -> tuple[list[int], list[int]]:
        """Where the clauses begin and end."""
        starts = [0]
        ends = []
        for edge in _CLAUSE_EDGE.finditer(self.text):
            ends.append(edge.start())
            if not _CLAUSE_OPENING.fullmatch(self.text, starts[-1], edge.start()):
                starts.append(edge.end())
        return starts, [*ends, len(self.text)]
