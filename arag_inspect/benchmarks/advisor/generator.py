"""Generate reproducible conversations, with all values stated in them."""

import math
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

from arag_inspect.benchmarks._shared.templates import Bank, parse_bank

from .conversation import MAIN_FIELDS, Conversation, Disclosure
from .personas import Client, Holding, Persona, Spread
from .speech import ADVISER, SpokenLine, add_times, count_words, date_of, spell_date

TOPICS = ("work", "spending", "home", "debts", "savings", "pensions")
SLOWEST = 130
FASTEST = 160
"""Fastest pace of a conversation, in words per minute."""

SHORTEST = 30.5
"""Minutes of a conversation with all digressions."""

_VAGUE = 0.4
"""Share of figures that are vague."""

_DATED = 0.25
"""Share of exact main figures that are dated to an earlier day."""

_CORRECTED = 2
"""Maximum figures that are corrected in a conversation."""

_NUMBERS = ("nobody", "one", "two", "three", "four")


def generate_talks(
    personas: Sequence[Persona], seed: int = 54321, *, digressions: int | None = None
) -> Iterator[Conversation]:
    """Generate one conversation for each household.

    Exact and vague figures are mixed. Some are corrected at the end; the first statement is then an
    earlier state of the value. The adviser's figures are not about the clients; they are not facts.

    Args:
        personas: Households.
        seed: Seed of all random choices, together with the household's id.
        digressions: Maximum digressions per conversation; None for all, for 30 minutes or more.
    """
    for persona in personas:
        yield _TalkWriter(persona, Random(f"{seed} {persona.id}"), digressions).write()


class _TalkWriter:
    """Writes one conversation."""

    def __init__(self, persona: Persona, rng: Random, digressions: int | None) -> None:
        self._persona = persona
        self._rng = rng
        self._date = date_of(rng)
        self._lines: list[SpokenLine] = []
        self._disclosures: list[tuple[int, Disclosure]] = []
        """Number of the line that states a value, and the value."""

        self._speeches, asides = _load()
        self._digressions = rng.sample(asides["talk"], len(asides["talk"]))[:digressions]
        self._follow_ups = rng.sample(asides["after"], len(asides["after"]))[:digressions]
        self._vague: list[tuple[str, Disclosure, str, float]] = []

    def write(self) -> Conversation:
        self._say(ADVISER, "opening", names=self._persona.names)
        self._say(self._anyone(), "opening_answer")
        self._say(ADVISER, "plan")
        self._say(self._anyone(), "plan_answer")
        for client in self._persona.clients:
            self._introduce(client)
        rows = list(self._holdings())
        pace = -(-len(self._digressions) // (len(rows) + 1))
        for topic in TOPICS:
            topic_rows = [row for row in rows if row[0].topic == topic]
            if topic_rows:
                self._say(ADVISER, f"topic_{topic}")
            for row in topic_rows:
                self._discuss(*row)
                self._digress(pace)
        self._digress(len(self._digressions))
        self._correct()
        self._say(ADVISER, "closing")
        self._say(self._anyone(), "closing_answer")
        return self._add_times()

    def _holdings(self) -> Iterator[tuple[Holding, Client | None]]:
        """Yield each holding with its owner; None if it is the household's."""
        for holding in self._persona.holdings:
            if not holding.each:
                yield holding, None
                continue
            for client in self._persona.clients:
                yield holding, client

    def _introduce(self, client: Client) -> None:
        first = client is self._persona.clients[0]
        facts: list[tuple[str, str, float | str, str | None]] = [
            ("age", "age", client.age, "years"),
            ("occupation", "occupation", client.work, None),
            ("marital_status", "marital_status", client.status, None),
        ]
        if client.dependants and first:
            facts.append(("dependants", "dependants", client.dependants, None))
        if not client.work.startswith("retired"):
            manner = self._rng.choice(("retirement_age_vague", "retirement_age_exact"))
            age = max(client.age + 2, self._rng.randint(58, 68))
            facts.append(("retirement_age", manner, age, "years"))
        for name, manner, value, unit in facts:
            words = _NUMBERS[client.dependants] if name == "dependants" else value
            article = "an" if client.work[0] in "aeio" else "a"
            self._say(ADVISER, f"{name}_ask", name=client.name)
            self._say(client.name, manner, value=words, article=article)
            vague = manner.endswith("_vague")
            self._note(Disclosure("clients", client.name, None, name, value, unit, vague))
        self._digress(1)

    def _discuss(self, holding: Holding, owner: Client | None) -> None:
        """Go through the figures of one holding."""
        rng = self._rng
        speaker = owner.name if owner else self._anyone()
        mine, yours = self._forms_of_address(holding, owner)
        is_couple = len(self._persona.clients) > 1
        holder = owner or (None if is_couple else self._persona.clients[0])
        label = f"{holder.name}'s {holding.label}" if holder else f"joint {holding.label}"
        for name, spread in holding.fields.items():
            value = draw(spread, rng)
            vague = rng.random() < _VAGUE
            figure = say(value, spread.unit, rng, vaguely=vague)
            question = "amount_ask" if name not in self._speeches else f"{name}_ask"
            self._say(ADVISER, question, yours=yours)
            dated = name in MAIN_FIELDS and not vague and rng.random() < _DATED
            day = self._date.replace(day=1) - timedelta(days=1) if dated else None
            self._say(
                speaker,
                "dated" if dated else name,
                opening="hesitation" if vague or rng.random() < 0.3 else None,
                amount=figure.words,
                mine=mine,
                date=spell_date(day) if day else "",
            )
            disclosure_fields = holding.section, label, holding.kind, name
            statement_fields = figure.value, spread.unit, figure.is_estimate
            disclosure = Disclosure(*disclosure_fields, *statement_fields, as_of=day)
            self._note(disclosure)
            if self._follow_ups:
                self._exchange(self._follow_ups.pop(), speaker)
            if vague and name in MAIN_FIELDS:
                self._vague.append((speaker, disclosure, mine, value))
        if rng.random() < 0.6:
            self._say(ADVISER, "acknowledge")

    def _forms_of_address(self, holding: Holding, owner: Client | None) -> tuple[str, str]:
        """Return the clients' and the adviser's words for a holding: `our house`, `your house`."""
        if " from " in holding.label:
            return f"the {holding.label}", f"the {holding.label}"
        is_joint = len(self._persona.clients) > 1 and owner is None
        determiner = "our" if is_joint else "my"
        return f"{determiner} {holding.label}", f"your {holding.label}"

    def _correct(self) -> None:
        """Correct some vague figures; the first statements become earlier states."""
        corrections = self._rng.sample(self._vague, min(len(self._vague), _CORRECTED))
        if not corrections:
            return
        self._say(ADVISER, "correction_ask")
        for speaker, disclosure, mine, value in corrections:
            figure = say(value, str(disclosure.unit), self._rng, vaguely=False)
            self._say(speaker, "correction", mine=mine, amount=figure.words)
            self._note(replace(disclosure, value=value, is_estimate=False, state=1))
            self._say(ADVISER, "acknowledge")

    def _digress(self, max_digressions: int) -> None:
        for _ in range(min(max_digressions, len(self._digressions))):
            self._exchange(self._digressions.pop(), self._anyone())

    def _exchange(self, lines: Sequence[str], client: str) -> None:
        for line in lines:
            role, _, words = line.partition(": ")
            self._lines.append(SpokenLine(ADVISER if role == "A" else client, words))

    def _say(self, speaker: str, kind: str, opening: str | None = None, **slots: object) -> None:
        if opening:
            self._say(speaker, opening)
        if "mine" in slots:
            mine = str(slots["mine"])
            slots["mine_first"] = mine[0].upper() + mine[1:]
        phrase = self._rng.choice(self._speeches[kind])
        text = phrase.write(self._rng, lambda name: str(slots[name]))
        self._lines.append(SpokenLine(speaker, text[0].upper() + text[1:]))

    def _note(self, disclosure: Disclosure) -> None:
        """Note that the last line states a value."""
        self._disclosures.append((len(self._lines) - 1, disclosure))

    def _anyone(self) -> str:
        return self._rng.choice(self._persona.clients).name

    def _add_times(self) -> Conversation:
        """Give each line and value its time."""
        fastest = max(SLOWEST, min(FASTEST, count_words(self._lines) / SHORTEST))
        turns = add_times(self._lines, self._rng.uniform(SLOWEST, fastest))
        disclosures = [
            replace(disclosure, call_time=turns[line].time, citation=turns[line].text)
            for line, disclosure in self._disclosures
        ]
        return Conversation(self._persona, self._date, tuple(turns), tuple(disclosures))


@cache
def _load() -> tuple[Bank, dict[str, list[list[str]]]]:
    text = files(__package__).joinpath("lines.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return parse_bank(table["speech"]), table["asides"]


class Utterance(NamedTuple):
    """A figure as spoken."""

    words: str
    value: float
    """Value of the words; for a vague figure it differs from the exact value."""

    is_estimate: bool


_SIGNS = {"GBP": "£", "EUR": "€"}
_VAGUE_WORDS: tuple[tuple[str, Callable[[float], int]], ...] = (
    ("about {}", round),
    ("roughly {}", round),
    ("{} or so", round),
    ("somewhere near {}", round),
    ("a bit over {}", math.floor),
    ("a little more than {}", math.floor),
    ("just under {}", math.ceil),
    ("not quite {}", math.ceil),
)
"""Words about a rounded figure, and the rounding."""


def draw(spread: Spread, rng: Random) -> float:
    """Draw a figure within its range."""
    steps = int((spread.high - spread.low) / spread.step + 1e-9)
    return round(spread.low + rng.randint(0, steps) * spread.step, 4)


def say(value: float, unit: str, rng: Random, *, vaguely: bool) -> Utterance:
    """Put a figure into words; a vague figure is rounded to two digits, or to a half if small."""
    if not vaguely:
        return Utterance(_amount(value, unit, rng), value, False)
    words, rounding = rng.choice(_VAGUE_WORDS)
    step = 0.5 if value < 30 else 10.0 ** (math.floor(math.log10(value)) - 1)
    rounded = round(rounding(value / step) * step, 4)
    return Utterance(words.format(_amount(rounded, unit, rng)), rounded, True)


def _amount(value: float, unit: str, rng: Random) -> str:
    currency, _, period = unit.partition(" per ")
    suffix = f" a {period}" if period else ""
    if currency not in _SIGNS:
        return f"{value:g} {unit}"
    if value >= 10_000 and value % 1000 == 0 and rng.random() < 0.4:
        return f"{value / 1000:g} thousand {'pounds' if currency == 'GBP' else 'euros'}{suffix}"
    pence = 2 if value % 1 else 0
    return f"{_SIGNS[currency]}{value:,.{pence}f}{suffix}"
