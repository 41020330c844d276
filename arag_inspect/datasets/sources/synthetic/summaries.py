"""Reference summaries, each sentence of which the call backs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from ....types.fact import Fact
from .figures import StatedAmount
from .writer import StatedSentence, Writer

MIN_WORDS, MAX_WORDS = 66, 88
MIN_KEYS, MAX_KEYS = 5, 8
_ALWAYS = ("revenue", "adjusted_eps", "fy_revenue", "fy_eps", "event")
_OFTEN = ("kpi", "headcount", "price")
_SOMETIMES = ("segment", "operating", "free_cash_flow", "buyback", "next_quarter", "gaap_eps")


class Summary(NamedTuple):
    """A reference summary with its sources."""

    text: str
    sentences: tuple[str, ...]
    """Sentences of the call that hold its figures, in their order."""
    figures: tuple[StatedAmount, ...]
    """Its figures, in its order."""

    def key_facts(self, facts: Sequence[Fact]) -> tuple[str, ...]:
        """Return ids of its facts, each once; facts of its own sentences come first."""
        first: dict[object, str] = {}
        for fact in sorted(facts, key=lambda fact: fact.sentence not in self.sentences):
            first.setdefault(identity(fact), fact.fact_id)
        return tuple(dict.fromkeys(first[identity(figure)] for figure in self.figures))


def identity(figure: StatedAmount | Fact) -> object:
    """Return the values that distinguish figures."""
    return figure.metric, figure.period, figure.value, figure.value_high, figure.unit, figure.status


def summarize(writer: Writer, statements: Sequence[StatedSentence]) -> Summary:
    """Write a summary of the call's statements.

    Args:
        writer: Writer over the phrases of the summary.
        statements: Statements of the call.
    """
    positions: dict[object, list[int]] = defaultdict(list)
    for position, statement in enumerate(statements):
        for figure in statement.figures:
            positions[identity(figure)].append(position)
    chosen: list[str] = []
    figures: list[StatedAmount] = []
    keys: set[int] = set()
    for topic in _topics(writer.rng):
        words = sum(len(sentence.split()) for sentence in chosen)
        if words >= MIN_WORDS and len(keys) >= MIN_KEYS:
            break
        if not (sentence := writer.say(topic)):
            continue
        stated = writer.statements[-1].figures
        more = _backed(stated, positions, keys)
        fits = words + len(sentence.split()) <= MAX_WORDS and len(more) <= MAX_KEYS
        if more and fits:
            chosen.append(sentence)
            figures += stated
            keys = more
    separator = "\n" if "wire" in writer.tags else " "
    sentences = tuple(statements[position].sentence for position in sorted(keys))
    return Summary(separator.join(chosen), sentences, tuple(figures))


def _topics(rng: Random) -> Iterator[str]:
    often, sometimes = rng.sample(_OFTEN, len(_OFTEN)), rng.sample(_SOMETIMES, len(_SOMETIMES))
    yield from (*_ALWAYS, often[0], *sometimes, *often[1:])


def _backed(
    figures: Sequence[StatedAmount], positions: dict[object, list[int]], keys: set[int]
) -> set[int]:
    """Add the key sentences that back the figures; empty if a figure has none.

    Of several sentences the farthest from the other key sentences is taken, so that they lie apart.
    """
    keys = set(keys)
    for figure in figures:
        options = positions.get(identity(figure), [])
        if not options:
            return set()
        if keys.isdisjoint(options):
            keys.add(
                max(options, key=lambda option: min(abs(option - key) for key in keys or {1000}))
            )
    return keys
