"""Turning measures into sentences, and keeping account of the figures they state."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from ...types.fact import Direction, Fact
from .amounts import Amount, Change, Measure
from .templates import Bank, Phrase, load_table

Filling: TypeAlias = str | Amount | Change | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the call and the figures in it."""

    sentence: str
    figures: tuple[Amount, ...]
    part: str
    """Part of the call, e.g. `finance` or `questions`."""


class Writer:
    """Writes the phrases of one call, none of them twice while others are left.

    Args:
        rng: Source of all choices.
        tags: What is true of the call; decides which phrases may be used.
        fillings: What slots are filled with. A tuple offers alternatives.
        banks: Phrases by key; of banks with the same key the later one counts.
    """

    def __init__(
        self, rng: Random, tags: frozenset[str], fillings: Mapping[str, Filling], *banks: Bank
    ):
        self.rng = rng
        self.tags = tags
        self.fillings = dict(fillings)
        self.part = ""
        self.statements: list[Statement] = []
        self._bank = {key: phrases for bank in banks for key, phrases in bank.items()}
        self._decks: dict[str, list[Phrase]] = {}
        self._words: dict[str, list[str]] = {}
        self._figures: list[tuple[str, Amount]] = []
        self._directions: dict[str, Direction] = {}

    def bind(self, key: str, measure: Measure) -> None:
        """Let phrases refer to a measure as `key`."""
        self.fillings.update(measure.slots(key))

    def say(self, key: str) -> str:
        """Write a phrase of that key; the empty string where none may be used."""
        phrase = self._draw(key)
        if phrase is None:
            return ""
        text = " ".join(phrase.write(self.rng, self._fill).split())
        text = text[:1].upper() + text[1:]
        self._account(text)
        return text

    def several(self, key: str, number: int) -> str:
        """Write that many different phrases of a key, or as many as there are."""
        return " ".join(filter(None, (self.say(key) for _ in range(min(number, self._left(key))))))

    def _left(self, key: str) -> int:
        return len(self._deck(key)) or len(self._bank[key])

    def _deck(self, key: str) -> list[Phrase]:
        if key not in self._decks:
            deck = [phrase for phrase in self._bank[key] if phrase.conditions <= self.tags]
            self.rng.shuffle(deck)
            self._decks[key] = deck
        return self._decks[key]

    def _draw(self, key: str) -> Phrase | None:
        if not self._deck(key):
            del self._decks[key]
        deck = self._deck(key)
        return deck.pop() if deck else None

    def _fill(self, name: str) -> str:
        filling = self.fillings[name]
        if isinstance(filling, str):
            return filling
        if isinstance(filling, Amount):
            self._figures.append((name, filling))
            return filling.text
        if isinstance(filling, Change):
            self._directions[filling.metric] = filling.direction
            words: list[str] = load_table("words")[filling.form][
                f"{filling.direction}_{filling.size}"
            ]
            return self.rng.choice(words)
        return self._word(name, filling)

    def _word(self, name: str, words: tuple[str, ...]) -> str:
        if not self._words.get(name):
            self._words[name] = self.rng.sample(words, len(words))
        return self._words[name].pop()

    def _account(self, sentence: str) -> None:
        """Keep the figures of a sentence, with the direction that its words give them."""
        if self._figures:
            figures = tuple(self._directed(name, figure) for name, figure in self._figures)
            self.statements.append(Statement(sentence, figures, self.part))
            self._figures.clear()
        self._directions.clear()

    def _directed(self, name: str, figure: Amount) -> Amount:
        if figure.direction or name.endswith(".prior"):
            return figure
        changes = (f for other, f in self._figures if other.endswith(".change"))
        stated = self._directions | {
            change.metric.rsplit(" ", 1)[0]: change.direction for change in changes
        }
        return (
            replace(figure, direction=stated[figure.metric]) if figure.metric in stated else figure
        )


def facts(doc_id: str, statements: Iterable[Statement]) -> tuple[Fact, ...]:
    """Type the figures of the statements, in the order of the text."""
    stated = [
        (statement.sentence, figure) for statement in statements for figure in statement.figures
    ]
    return tuple(
        Fact(
            fact_id=f"{doc_id}#f{number:02}",
            metric=figure.metric,
            value=figure.value,
            value_high=figure.value_high,
            scale=figure.scale,
            unit=figure.unit,
            period=figure.period,
            basis=figure.basis,
            status=figure.status,
            direction=figure.direction,
            sentence=sentence,
        )
        for number, (sentence, figure) in enumerate(stated, 1)
    )
