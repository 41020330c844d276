"""A conversation with an adviser, and the values stated in it."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from .personas import Persona
from .schema import load_schema
from .speech import spell_date
from .tracked import DYNAMIC, STATIC, Turn, write_turns

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
    """State of the value, from 0: each correction begins the next state."""

    def statement(self, states: int) -> str:
        """Describe the fact for the fact bank.

        Args:
            states: Number of states of the value.
        """
        field = "" if self.field in MAIN_FIELDS else f", {self.field.replace('_', ' ')}"
        value = self.value if isinstance(self.value, str) else f"{self.value:,.10g}"
        order = "latest" if self.state == states - 1 else "earlier"
        notes = []
        if self.is_estimate:
            notes.append("estimate")
        if self.as_of:
            notes.append(f"as of {self.as_of}")
        if states > 1:
            notes.append(f"{order}, said at {self.call_time}")
        amount = f"{value} {self.unit}" if self.unit else value
        statement = f"{self.label}{field}: {amount}"
        return f"{statement} ({', '.join(notes)})" if notes else statement

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
        head = f"Talk with {self.persona.names}, {spell_date(self.date)}"
        return f"{head}\n\n{write_turns(self.turns)}"

    @property
    def record(self) -> dict[str, list[dict[str, Any]]]:
        """The stated values in the form of the schema, with every state of changed values."""
        schema = load_schema().document
        rows: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in schema["properties"]}
        for disclosure in self.disclosures:
            static, dynamic = _fields(schema, disclosure.section)
            name = {"name": disclosure.label}
            if disclosure.kind:
                name = {"label": disclosure.label, "kind": disclosure.kind}
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
        """Descriptions of the facts, one for each disclosure."""
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


def _fields(schema: Mapping[str, Any], section: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names of the static and of the dynamic fields of a section's rows."""
    reference = schema["properties"][section]["items"]["$ref"]
    row = schema["$defs"][reference.rpartition("/")[2]]["properties"]
    return row[STATIC]["required"], row[DYNAMIC]["items"]["required"]
