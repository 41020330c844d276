"""A conversation with an adviser, and the values stated in it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict

from .client_file import DYNAMIC, STATIC, Turn, write_turns
from .schema import load_schema


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


MAIN_FIELDS = ("amount", "value", "balance")
"""Fields that need no mention: "salary: 52500 GBP per year"."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A value that a client gave: one tracked value of the schema."""

    section: str
    label: str
    kind: str | None
    """None for clients."""

    field: str
    value: float | str
    unit: str | None
    is_estimate: bool
    call_time: str
    citation: str
    as_of: date | None = None
    state: int = 0
    """Which state of the value, from 0: each correction begins the next one."""

    def statement(self, *, changed: bool = False, latest: bool = True) -> str:
        """Return the fact in words, for the fact bank.

        Args:
            changed: Whether the value has other states.
            latest: Whether this is the last state.
        """
        field = "" if self.field in MAIN_FIELDS else f", {self.field.replace('_', ' ')}"
        value = f"{self.value:g}" if isinstance(self.value, float | int) else self.value
        if isinstance(self.value, float | int) and self.value >= 1000:
            value = f"{self.value:,.10g}"
        notes = ["estimate"] if self.is_estimate else []
        notes += [f"as of {self.as_of}"] if self.as_of else []
        if changed:
            notes.append(f"{'latest' if latest else 'earlier'}, said at {self.call_time}")
        note = f" ({', '.join(notes)})" if notes else ""
        return f"{self.label}{field}: {value}{f' {self.unit}' if self.unit else ''}{note}"

    def fact_value(self, recorded: date) -> dict[str, Any]:
        """Return the value in the form of the schema."""
        return {
            "value": self.value,
            "call_time": self.call_time,
            "citation": self.citation,
            "recorded_at": recorded.isoformat(),
            "is_estimate": self.is_estimate,
            "value_as_of_date": self.as_of.isoformat() if self.as_of else None,
            "unit": self.unit,
        }


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation."""

    persona: Persona
    date: date
    turns: tuple[Turn, ...]
    disclosures: tuple[Disclosure, ...] = ()
    """Values stated, if its author lists them."""

    @property
    def transcript(self) -> str:
        """Header and turns."""
        head = f"Talk with {self.persona.names}, {spoken(self.date)}"
        return f"{head}\n\n{write_turns(self.turns)}"

    @property
    def record(self) -> dict[str, list[dict[str, Any]]]:
        """The stated values in the form of the schema, every state of those that changed."""
        schema = load_schema().document
        rows: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in schema["properties"]}
        for disclosure in self.disclosures:
            fields = _fields(schema, disclosure.section)
            row = rows[disclosure.section].setdefault(
                disclosure.label, _empty_row(fields, disclosure)
            )
            if disclosure.field in row[STATIC]:
                row[STATIC][disclosure.field] = disclosure.fact_value(self.date)
                continue
            while len(row[DYNAMIC]) <= disclosure.state:
                row[DYNAMIC].append(
                    dict.fromkeys(fields[DYNAMIC]) | {"said_at": disclosure.call_time}
                )
            row[DYNAMIC][disclosure.state][disclosure.field] = disclosure.fact_value(self.date)
        return {name: list(rows_by_label.values()) for name, rows_by_label in rows.items()}

    @property
    def statements(self) -> list[str]:
        """The facts in words, one for each disclosure."""
        states = Counter(
            (disclosure.section, disclosure.label, disclosure.field)
            for disclosure in self.disclosures
        )
        return [
            disclosure.statement(changed=count > 1, latest=disclosure.state == count - 1)
            for disclosure in self.disclosures
            for count in [states[disclosure.section, disclosure.label, disclosure.field]]
        ]

    @property
    def target(self) -> str:
        """The record as text; empty if unknown."""
        return json.dumps(self.record, ensure_ascii=False) if self.disclosures else ""


def spoken(day: date) -> str:
    """Write a date as it is spoken: `14 October 2025`."""
    return f"{day.day} {day:%B %Y}"


def _fields(schema: Mapping[str, Any], section: str) -> dict[str, Sequence[str]]:
    """Return the names of the static and of the dynamic fields of a section's rows."""
    reference = schema["properties"][section]["items"]["$ref"]
    row = schema["$defs"][reference.rpartition("/")[2]]["properties"]
    return {STATIC: row[STATIC]["required"], DYNAMIC: row[DYNAMIC]["items"]["required"]}


def _empty_row(fields: Mapping[str, Sequence[str]], disclosure: Disclosure) -> dict[str, Any]:
    identity = (
        {"name": disclosure.label}
        if disclosure.kind is None
        else {"label": disclosure.label, "kind": disclosure.kind}
    )
    return {STATIC: dict.fromkeys(fields[STATIC]) | identity, DYNAMIC: []}
