"""Reference summaries, each sentence of which the call backs."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple, TypeAlias

from ...types.fact import Fact
from .amounts import Amount
from .writer import Statement, Writer

MIN_WORDS, MAX_WORDS = 66, 88
MIN_KEYS, MAX_KEYS = 5, 8
_ALWAYS = ("revenue", "adjusted_eps", "fy_revenue", "fy_eps")
_OFTEN = ("kpi", "headcount", "price")
_SOMETIMES = ("segment", "operating", "free_cash_flow", "buyback", "next_quarter", "gaap_eps")

_Identity: TypeAlias = tuple[object, ...]


class Summary(NamedTuple):
    """A reference summary and what it rests on."""

    text: str
    sentences: tuple[str, ...]
    """Sentences of the call that hold its figures, in their order."""

    figures: tuple[Amount, ...]
    """Its figures, in its order."""

    def key_facts(self, facts: Sequence[Fact]) -> tuple[str, ...]:
        """Ids of the facts that it states, each once: as one of its sentences states it, if one does."""
        ranked = sorted(facts, key=lambda fact: fact.sentence not in self.sentences)
        first: dict[_Identity, str] = {}
        for fact in ranked:
            first.setdefault(identity(fact), fact.fact_id)
        return tuple(dict.fromkeys(first[identity(figure)] for figure in self.figures))


def identity(figure: Amount | Fact) -> _Identity:
    """Tell figures apart by what they say, whatever direction the words gave them."""
    return figure.metric, figure.period, figure.value, figure.value_high, figure.unit, figure.status


def summarize(writer: Writer, statements: Sequence[Statement], has_event: bool) -> Summary:
    """Write a summary of what the call stated.

    Args:
        writer: Writer over the phrases of the summary.
        statements: What the call states.
        has_event: Whether something out of the ordinary is to be told.
    """
    cover = _Cover(statements, writer.rng)
    chosen: list[str] = []
    figures: list[Amount] = []
    for topic in _topics(writer.rng, has_event):
        words = sum(len(sentence.split()) for sentence in chosen)
        if words >= MIN_WORDS and len(cover.keys) >= MIN_KEYS:
            break
        sentence = writer.say(topic)
        stated = writer.statements[-1].figures
        if words + len(sentence.split()) <= MAX_WORDS and cover.extend(stated):
            chosen.append(sentence)
            figures += stated
    order = {statement.sentence: place for place, statement in enumerate(statements)}
    separator = "\n" if "wire" in writer.tags else " "
    sentences = tuple(sorted(cover.keys, key=order.__getitem__))
    return Summary(separator.join(chosen), sentences, tuple(figures))


def _topics(rng: Random, has_event: bool) -> list[str]:
    often, sometimes = list(_OFTEN), list(_SOMETIMES)
    rng.shuffle(often)
    rng.shuffle(sometimes)
    return [*_ALWAYS, *(["event"] if has_event else []), often[0], *sometimes, *often[1:]]


class _Cover:
    """The sentences that hold the figures chosen so far."""

    def __init__(self, statements: Sequence[Statement], rng: Random):
        self.keys: dict[str, set[_Identity]] = {}
        self._parts = Counter(finance=1)
        self._rng = rng
        self._stated = [
            (statement, set(map(identity, statement.figures))) for statement in statements
        ]

    def extend(self, figures: Sequence[Amount]) -> bool:
        """Add sentences for the figures; False, and nothing added, where the call does not state them all."""
        missing = set(map(identity, figures))
        missing = missing.difference(*self.keys.values())
        added: list[tuple[Statement, set[_Identity]]] = []
        while missing:
            best = max(self._stated, key=lambda item: self._merit(item, missing))
            if not best[1] & missing:
                return False
            added.append(best)
            missing = missing - best[1]
        if len(self.keys) + len(added) > MAX_KEYS:
            return False
        for statement, identities in added:
            self.keys[statement.sentence] = identities
            self._parts[statement.part] += 1
        return True

    def _merit(
        self, item: tuple[Statement, set[_Identity]], missing: set[_Identity]
    ) -> tuple[float, ...]:
        """Prefer sentences that hold most of what is missing, then parts of the call not used yet."""
        return len(item[1] & missing), -self._parts[item[0].part], self._rng.random()
