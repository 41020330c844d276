"""A conversation with an adviser, and the values stated in it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from arag_inspect._util.files import packaged_yaml

from .schema import load_schema
from .tracked import DYNAMIC, STATIC, Turn, write_turns


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
    table: dict[str, Any] = packaged_yaml(__package__, "personas.yaml")
    personas = []
    for row in table["personas"]:
        household = table["types"][row["type"]]
        holdings = [table["holdings"][name] for name in household["holdings"]]
        values = {**row, "about": household["about"], "holdings": holdings}
        personas.append(Persona.model_validate(values))
    return tuple(personas)


def choose_personas(limit: int | None) -> Sequence[Persona]:
    """Return the first households, one of each type before the second of any."""
    all_personas = load_personas()
    return (*all_personas[::2], *all_personas[1::2])[:limit]


ADVISER = "Adviser"
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
    call_time: str = ""
    citation: str = ""
    as_of: date | None = None
    state: int = 0
    """Which state of the value, from 0: each correction begins the next one."""

    def statement(self, states: int) -> str:
        """Return the fact in words, for the fact bank.

        Args:
            states: Number of states of the value.
        """
        field = "" if self.field in MAIN_FIELDS else f", {self.field.replace('_', ' ')}"
        value = self.value if isinstance(self.value, str) else f"{self.value:,.10g}"
        order = "latest" if self.state == states - 1 else "earlier"
        notes = [
            *(["estimate"] if self.is_estimate else []),
            *([f"as of {self.as_of}"] if self.as_of else []),
            *([f"{order}, said at {self.call_time}"] if states > 1 else []),
        ]
        unit, note = f" {self.unit}" if self.unit else "", f" ({', '.join(notes)})" if notes else ""
        return f"{self.label}{field}: {value}{unit}{note}"

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
            static, dynamic = _fields(schema, disclosure.section)
            name = (
                {"label": disclosure.label, "kind": disclosure.kind}
                if disclosure.kind
                else {"name": disclosure.label}
            )
            empty_row = {STATIC: dict.fromkeys(static) | name, DYNAMIC: []}
            row = rows[disclosure.section].setdefault(disclosure.label, empty_row)
            if disclosure.field in static:
                row[STATIC][disclosure.field] = disclosure.fact_value(self.date)
                continue
            if len(row[DYNAMIC]) <= disclosure.state:
                row[DYNAMIC].append(dict.fromkeys(dynamic) | {"said_at": disclosure.call_time})
            row[DYNAMIC][disclosure.state][disclosure.field] = disclosure.fact_value(self.date)
        return {name: list(rows_by_label.values()) for name, rows_by_label in rows.items()}

    @property
    def statements(self) -> list[str]:
        """The facts in words, one for each disclosure."""
        values = [(d.section, d.label, d.field) for d in self.disclosures]
        states = Counter(values)
        return [
            disclosure.statement(states[value])
            for disclosure, value in zip(self.disclosures, values, strict=True)
        ]

    @property
    def target(self) -> str:
        """The record as text; empty if unknown."""
        return json.dumps(self.record, ensure_ascii=False) if self.disclosures else ""


class SpokenLine(NamedTuple):
    """What a speaker says, without its time."""

    speaker: str
    text: str


def count_words(lines: Sequence[SpokenLine] | Sequence[Turn]) -> int:
    """Count the words spoken."""
    return sum(len(line.text.split()) for line in lines)


def timed(lines: Sequence[SpokenLine], words_a_minute: float) -> list[Turn]:
    """Give each line the time at which it begins, if all speak at one pace without a break."""
    spoken_words = accumulate((len(line.text.split()) for line in lines), initial=0)
    return [
        Turn(int(60 * words / words_a_minute), *line)
        for words, line in zip(spoken_words, lines, strict=False)
    ]


def date_of(chance: Random) -> date:
    """Return the day of a conversation."""
    return date(2025, 3, 3) + timedelta(days=chance.randint(0, 240))


def spoken(day: date) -> str:
    """Write a date as it is spoken: `14 October 2025`."""
    return f"{day.day} {day:%B %Y}"


def _fields(schema: Mapping[str, Any], section: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names of the static and of the dynamic fields of a section's rows."""
    reference = schema["properties"][section]["items"]["$ref"]
    row = schema["$defs"][reference.rpartition("/")[2]]["properties"]
    return row[STATIC]["required"], row[DYNAMIC]["items"]["required"]
