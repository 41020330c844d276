"""Phrases with alternatives and slots, written `[Sales|Revenue] grew {revenue.growth}.`."""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple, Self, TypeAlias

_CONDITION = re.compile(r"@(\S+)\s+")
_SLOT = re.compile(r"\{([^{}]+)\}")
_PART = re.compile(r"\[[^\[\]]*\]|\{[^{}]+\}")


class Phrase(NamedTuple):
    """A phrase of the bank with its conditions."""

    text: str
    conditions: frozenset[str]
    slots: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a phrase.

        Args:
            text: `[a|b]` for alternatives, `{name}` for a slot, and at the start `@one,two ` for
                the tags that the call must have.

        Raises:
            ValueError: Brackets are nested or not closed.
        """
        match = _CONDITION.match(text)
        body = text[match.end() :] if match else text
        if set("[]{}|") & set(_PART.sub("", body)):
            raise ValueError(f"unbalanced brackets: {text}")
        conditions = match[1].split(",") if match else ()
        return cls(body, frozenset(conditions), frozenset(_SLOT.findall(body)))

    def write(self, rng: Random, fill: Callable[[str], str]) -> str:
        """Choose among the alternatives and fill the slots."""

        def part(match: re.Match[str]) -> str:
            inner = match[0][1:-1]
            if match[0][0] == "{":
                return fill(inner)
            options = inner.split("|")
            return _PART.sub(part, options[int(rng.random() * len(options))])

        return _PART.sub(part, self.text)


Bank: TypeAlias = Mapping[str, Sequence[Phrase]]


def parse_bank(table: Mapping[str, Sequence[str]]) -> Bank:
    """Parse the phrases of a table."""
    return {key: tuple(map(Phrase.parse, texts)) for key, texts in table.items()}
