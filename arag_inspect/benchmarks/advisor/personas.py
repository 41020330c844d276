"""Fictional households that consult an adviser."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from arag_inspect._util.files import packaged_yaml


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
    """Whether every client has one, instead of the household."""

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
    table: dict[str, Any] = packaged_yaml(__package__, "personas.yaml")
    personas = []
    for row in table["personas"]:
        household = table["types"][row["type"]]
        holdings = [table["holdings"][name] for name in household["holdings"]]
        values = {**row, "about": household["about"], "holdings": holdings}
        personas.append(Persona.model_validate(values))
    return tuple(personas)


def choose_personas(limit: int | None) -> Sequence[Persona]:
    """Return the first households, taking one of each type before a second."""
    all_personas = load_personas()
    return (*all_personas[::2], *all_personas[1::2])[:limit]
