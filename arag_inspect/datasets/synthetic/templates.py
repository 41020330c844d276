"""Phrases with alternatives and slots, written `[Sales|Revenue] grew {revenue.growth}.`."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any, Self, TypeAlias

_TOKEN = re.compile(r"[\[\]|]|\{[^{}]+\}|[^\[\]|{}]+")
_CONDITION = re.compile(r"@(\S+)\s+")


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place filled from the call."""

    name: str


@dataclass(frozen=True, slots=True)
class _Choice:
    """Alternatives, one of which is written."""

    options: tuple["_Sequence", ...]


_Sequence: TypeAlias = "tuple[str | _Slot | _Choice, ...]"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase of the bank, with the conditions under which it may be said."""

    parts: _Sequence
    conditions: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a phrase.

        Args:
            text: `[a|b]` for alternatives, `{name}` for a slot, and before it all `@one,two ` for the tags that the
                call must carry.

        Raises:
            ValueError: A bracket is not closed.
        """
        condition = _CONDITION.match(text)
        conditions = frozenset(condition[1].split(",")) if condition else frozenset()
        tokens = _TOKEN.findall(text[condition.end() :] if condition else text)[::-1]
        parts = _read_options(tokens)
        if tokens or len(parts) != 1:
            raise ValueError(f"unbalanced brackets: {text}")
        return cls(parts[0], conditions)

    def write(self, rng: Random, fill: Callable[[str], str]) -> str:
        """Choose among the alternatives and fill the slots."""
        out: list[str] = []
        _write(self.parts, rng.random, fill, out)
        return "".join(out)


def _read_options(tokens: list[str]) -> list[_Sequence]:
    """Read alternatives up to the closing bracket, or to the end."""
    options: list[_Sequence] = []
    parts: list[str | _Slot | _Choice] = []
    while tokens and tokens[-1] != "]":
        token = tokens.pop()
        if token == "|":
            options.append(tuple(parts))
            parts = []
        elif token == "[":
            parts.append(_Choice(tuple(_read_options(tokens))))
            if not tokens or tokens.pop() != "]":
                raise ValueError("a bracket is not closed")
        else:
            parts.append(_Slot(token[1:-1]) if token[0] == "{" else token)
    return [*options, tuple(parts)]


def _write(
    parts: _Sequence, draw: Callable[[], float], fill: Callable[[str], str], out: list[str]
) -> None:
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, _Slot):
            out.append(fill(part.name))
        else:
            _write(part.options[int(draw() * len(part.options))], draw, fill, out)


Bank: TypeAlias = Mapping[str, Sequence[Phrase]]


def parse_bank(table: Mapping[str, Sequence[str]]) -> Bank:
    """Parse the phrases of a table."""
    return {key: tuple(map(Phrase.parse, texts)) for key, texts in table.items()}


@cache
def load_table(name: str) -> dict[str, Any]:
    """Load a TOML file of the `phrases` folder."""
    return tomllib.loads(
        resources.files(__package__).joinpath("phrases", f"{name}.toml").read_text("utf-8")
    )


@cache
def load_bank(name: str) -> Bank:
    """Load a TOML file of the `phrases` folder that holds nothing but lists of phrases."""
    return parse_bank(load_table(name))
