"""Households that consult an adviser, and what they may own."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict


class Spread(NamedTuple):
    """Range of a figure."""

    low: float
    high: float
    step: float
    unit: str


class Holding(BaseModel):
    """Something that a household may have: a row of one section of the schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    section: str
    kind: str
    label: str
    each: bool = False
    """One for every client, instead of one per household."""

    topic: str
    """Part of the conversation in which it comes up."""

    fields: dict[str, Spread]


class Client(BaseModel):
    """One person."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    age: int
    work: str
    status: str
    dependants: int


class Persona(BaseModel):
    """One household."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    type: str
    about: str
    """Why people of this type see an adviser."""

    clients: tuple[Client, ...]
    manner: str
    """Their way of speaking."""

    holdings: tuple[Holding, ...]

    @property
    def names(self) -> str:
        """`Priya and Jonas`."""
        return " and ".join(client.name for client in self.clients)


@cache
def load_personas() -> tuple[Persona, ...]:
    """Load the 34 built-in households of 17 types."""
    table = _table()
    return tuple(_persona(row, table) for row in table["personas"])


def choose_personas(limit: int | None) -> Sequence[Persona]:
    """Return the first households, one of each type before the second of any."""
    every = load_personas()
    ordered = [*every[::2], *every[1::2]]
    return ordered[:limit]


def _persona(row: dict[str, Any], table: dict[str, Any]) -> Persona:
    kind = table["types"][row["type"]]
    holdings = [table["holdings"][name] for name in kind["holdings"]]
    return Persona.model_validate({**row, "about": kind["about"], "holdings": holdings})


def _table() -> dict[str, Any]:
    text = files(__package__).joinpath("personas.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table
