"""Write sentences with their facts, and the reference summary of a call."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, TypeAlias

from arag_inspect.types.sample import Direction, Fact

from .._shared.templates import Bank, Phrase
from .figures import Change, Measure, StatedAmount
from .phrase_files import load_table

Filling: TypeAlias = str | StatedAmount | Change | Sequence[str]


class StatedSentence(NamedTuple):
    """A sentence of the call and the figures in it."""

    sentence: str
    figures: tuple[StatedAmount, ...]


class Writer:
    """Writes the phrases of one call, without repeating phrases while unused ones remain.

    A phrase may be used if the call has the tags of its condition and a value for each of its
    slots.

    Args:
        rng: Source of all choices.
        tags: Conditions that apply to the call.
        fillings: Values of the slots. A list offers alternatives.
        banks: Phrases by key; for a repeated key, the last bank wins.
    """

    def __init__(
        self, rng: Random, tags: frozenset[str], fillings: Mapping[str, Filling], *banks: Bank
    ):
        self.rng = rng
        self.tags = tags
        self.fillings = dict(fillings)
        self.statements: list[StatedSentence] = []
        self._bank: dict[str, Any] = {}
        for bank in banks:
            self._bank |= bank
        self._decks: dict[str, list[Any]] = {}
        self._figures: list[tuple[str, StatedAmount]] = []
        self._directions: dict[str, Direction | None] = {}

    def bind(self, key: str, measure: Measure) -> None:
        """Let phrases refer to a measure as `key`."""
        self.fillings.update(measure.slots(key))

    def say(self, key: str, times: int = 1) -> str:
        """Write up to `times` phrases of a key."""
        usable_phrases = [phrase for phrase in self._bank[key] if self._usable(phrase)]
        return " ".join(
            self._write(self._deal(key, usable_phrases)) for _ in usable_phrases[:times]
        )

    def _usable(self, phrase: Phrase) -> bool:
        return phrase.conditions <= self.tags and phrase.slots <= self.fillings.keys()

    def _deal(self, key: str, items: Sequence[Any]) -> Any:
        """Draw an item at random, without repeating items before all are drawn."""
        if not self._decks.get(key):
            self._decks[key] = self.rng.sample(items, len(items))
        return self._decks[key].pop()

    def _write(self, phrase: Phrase) -> str:
        text = " ".join(phrase.write(self.rng, self._fill).split())
        text = text[:1].upper() + text[1:]
        if self._figures:
            figures = tuple(self._add_direction(slot, figure) for slot, figure in self._figures)
            self.statements.append(StatedSentence(text, figures))
        self._figures.clear()
        self._directions.clear()
        return text

    def _add_direction(self, slot: str, figure: StatedAmount) -> StatedAmount:
        """Give a level the direction stated by the words or the change in its sentence."""
        if figure.direction or slot.endswith(".prior"):
            return figure
        return figure.model_copy(update={"direction": self._directions.get(figure.metric)})

    def _fill(self, name: str) -> str:
        filling = self.fillings[name]
        if isinstance(filling, str):
            return filling
        if isinstance(filling, StatedAmount):
            self._figures.append((name, filling))
            if name.endswith(".change"):
                self._directions[filling.metric.rsplit(" ", 1)[0]] = filling.direction
            return filling.text
        if isinstance(filling, Change):
            self._directions[filling.metric] = filling.direction
            words = load_table("words")[filling.form][f"{filling.direction}_{filling.size}"]
            return str(self.rng.choice(words))
        return str(self._deal(f"word:{name}", filling))


def facts(doc_id: str, statements: Iterable[StatedSentence]) -> tuple[Fact, ...]:
    """Return the figures of the statements as facts, in text order."""
    amounts: list[tuple[str, StatedAmount]] = []
    for sentence, figures in statements:
        amounts += [(sentence, figure) for figure in figures]
    document_facts = []
    for number, (sentence, figure) in enumerate(amounts, 1):
        values = figure.model_dump(exclude={"fact_id", "sentence", "text"})
        document_facts.append(Fact(**values, fact_id=f"{doc_id}#f{number:02}", sentence=sentence))
    return tuple(document_facts)


MIN_WORDS = 66
MAX_WORDS = 88
MIN_KEYS = 5
MAX_KEYS = 8
_ALWAYS = ("revenue", "adjusted_eps", "fy_revenue", "fy_eps", "event")
_OFTEN = ("kpi", "headcount", "price")
_SOMETIMES = ("segment", "operating", "free_cash_flow", "buyback", "next_quarter", "gaap_eps")


class Summary(NamedTuple):
    """A reference summary with its sources."""

    text: str
    sentences: tuple[str, ...]
    """Sentences of the call with its figures, in order."""
    figures: tuple[StatedAmount, ...]
    """Figures of the summary, in order."""

    def key_facts(self, facts: Sequence[Fact]) -> tuple[str, ...]:
        """Return the distinct ids of its facts, starting with its own sentences'."""
        first: dict[object, str] = {}
        for fact in sorted(facts, key=lambda fact: fact.sentence not in self.sentences):
            first.setdefault(identity(fact), fact.fact_id)
        return tuple(dict.fromkeys(first[identity(figure)] for figure in self.figures))


def identity(figure: Fact) -> object:
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
    selected_sentences: list[str] = []
    figures: list[StatedAmount] = []
    keys: set[int] = set()
    for topic in _topics(writer.rng):
        words = sum(len(sentence.split()) for sentence in selected_sentences)
        if words >= MIN_WORDS and len(keys) >= MIN_KEYS:
            break
        sentence = writer.say(topic)
        if not sentence:
            continue
        last_figures = writer.statements[-1].figures
        extended_keys = _supporting_keys(last_figures, positions, keys)
        is_within_limits = (
            words + len(sentence.split()) <= MAX_WORDS and len(extended_keys) <= MAX_KEYS
        )
        if extended_keys and is_within_limits:
            selected_sentences.append(sentence)
            figures += last_figures
            keys = extended_keys
    separator = "\n" if "wire" in writer.tags else " "
    sentences = tuple(statements[position].sentence for position in sorted(keys))
    return Summary(separator.join(selected_sentences), sentences, tuple(figures))


def _topics(rng: Random) -> Iterator[str]:
    frequent_topics = rng.sample(_OFTEN, len(_OFTEN))
    occasional_topics = rng.sample(_SOMETIMES, len(_SOMETIMES))
    yield from (*_ALWAYS, frequent_topics[0], *occasional_topics, *frequent_topics[1:])


def _supporting_keys(
    figures: Sequence[StatedAmount], positions: dict[object, list[int]], keys: set[int]
) -> set[int]:
    """Add the key sentences that back the figures; empty if a figure lacks one.

    Among several sentences, the one farthest from the other key sentences is chosen.
    """
    keys = set(keys)

    def distance(option: int) -> int:
        """Return how many sentences lie between an option and the nearest key sentence."""
        return min(abs(option - key) for key in keys or {1000})

    for figure in figures:
        options = positions.get(identity(figure), [])
        if not options:
            return set()
        if keys.isdisjoint(options):
            keys.add(max(options, key=distance))
    return keys
