"""Writes phrases, and keeps account of the figures that they state."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from random import Random
from typing import Any, NamedTuple, TypeAlias

from ....types.fact import Direction, Fact
from .figures import Change, Measure, StatedAmount
from .templates import Bank, Phrase, load_table

Filling: TypeAlias = str | StatedAmount | Change | Sequence[str]


class StatedSentence(NamedTuple):
    """A sentence of the call and the figures in it."""

    sentence: str
    figures: tuple[StatedAmount, ...]


class Writer:
    """Writes the phrases of one call, none of them twice while others are left.

    A phrase may be used if the call carries the tags of its condition and has all that its slots
    name.

    Args:
        rng: Source of all choices.
        tags: Conditions that hold for the call.
        fillings: Values of the slots. A list offers alternatives.
        banks: Phrases by key; of banks with the same key the later one counts.
    """

    def __init__(
        self, rng: Random, tags: frozenset[str], fillings: Mapping[str, Filling], *banks: Bank
    ):
        self.rng = rng
        self.tags = tags
        self.fillings = dict(fillings)
        self.statements: list[StatedSentence] = []
        self._bank = {key: phrases for bank in banks for key, phrases in bank.items()}
        self._decks: dict[str, list[Any]] = {}
        self._figures: list[tuple[str, StatedAmount]] = []
        self._directions: dict[str, Direction | None] = {}

    def bind(self, key: str, measure: Measure) -> None:
        """Let phrases refer to a measure as `key`."""
        self.fillings.update(measure.slots(key))

    def say(self, key: str, times: int = 1) -> str:
        """Write phrases of a key, as many as asked for or as there are."""
        usable = [phrase for phrase in self._bank[key] if self._usable(phrase)]
        return " ".join(self._write(self._deal(key, usable)) for _ in usable[:times])

    def _usable(self, phrase: Phrase) -> bool:
        return phrase.conditions <= self.tags and phrase.slots <= self.fillings.keys()

    def _deal(self, key: str, items: Sequence[Any]) -> Any:
        """Draw every item before one is drawn again."""
        if not self._decks.get(key):
            self._decks[key] = self.rng.sample(items, len(items))
        return self._decks[key].pop()

    def _write(self, phrase: Phrase) -> str:
        text = " ".join(phrase.write(self.rng, self._fill).split())
        text = text[:1].upper() + text[1:]
        if self._figures:
            figures = tuple(self._directed(slot, figure) for slot, figure in self._figures)
            self.statements.append(StatedSentence(text, figures))
        self._figures.clear()
        self._directions.clear()
        return text

    def _directed(self, slot: str, figure: StatedAmount) -> StatedAmount:
        """Give a level the direction that the words or the change in its sentence state."""
        if figure.direction or slot.endswith(".prior"):
            return figure
        return replace(figure, direction=self._directions.get(figure.metric))

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
    """Type the figures of the statements, in the order of the text."""
    stated = [(sentence, asdict(figure)) for sentence, figures in statements for figure in figures]
    return tuple(
        Fact(
            fact_id=f"{doc_id}#f{number:02}",
            sentence=sentence,
            **{name: value for name, value in figure.items() if name != "text"},
        )
        for number, (sentence, figure) in enumerate(stated, 1)
    )
