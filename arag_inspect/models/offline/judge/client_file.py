"""A client's file by rule: figures with a currency, a percentage or a few set phrases, and the thing named beside them."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from .overlap import sentences
from .prompt_parsing import JudgePrompt, Rule

_TURN = re.compile(r"^\[(?P<time>[\d:]+)\] (?P<speaker>[^:\n]+): (?P<text>.*)$", re.MULTILINE)
_HEAD = re.compile(r"^Talk with (?P<names>[^,\n]+), (?P<day>\d{1,2} \w+ \d{4})")
_MONEY = re.compile(
    r"(?P<sign>[£€])?(?P<number>\d[\d,]*(?:\.\d+)?)(?: (?P<scale>thousand|million))?"
    r"(?: (?P<word>pounds|euros|percent))?(?: a (?P<per>month|year))?"
)
_VAGUE = re.compile(r"\b(?:about|roughly|around|or so|maybe|a bit over|just under)\b", re.I)
_VAGUER = re.compile(
    rf"{_VAGUE.pattern}|\b(?:somewhere|something like|a little|not quite|nearly|guess)\b", re.I
)
_SCALES = {"thousand": 1e3, "million": 1e6}
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


class _Thing(NamedTuple):
    """What a word in a sentence says it is about."""

    word: str
    section: str
    kind: str


_THINGS = (
    _Thing("mortgage", "loans", "mortgage"),
    _Thing("car loan", "loans", "car"),
    _Thing("student loan", "loans", "student"),
    _Thing("credit card", "loans", "credit_card"),
    _Thing("loan", "loans", "other"),
    _Thing("State Pension", "pensions", "state"),
    _Thing("final salary pension", "pensions", "final_salary"),
    _Thing("workplace pension", "pensions", "workplace"),
    _Thing("pension", "pensions", "personal"),
    _Thing("salary", "incomes", "salary"),
    _Thing("bonus", "incomes", "bonus"),
    _Thing("dividends", "incomes", "dividends"),
    _Thing("profit", "incomes", "self_employment"),
    _Thing("child benefit", "incomes", "benefit"),
    _Thing("maintenance", "incomes", "maintenance"),
    _Thing("groceries", "expenses", "household"),
    _Thing("electricity", "expenses", "household"),
    _Thing("nursery", "expenses", "childcare"),
    _Thing("school fees", "expenses", "school"),
    _Thing("season ticket", "expenses", "travel"),
    _Thing("holidays", "expenses", "leisure"),
    _Thing("life cover", "expenses", "insurance"),
    _Thing("rent", "expenses", "housing"),
    _Thing("house", "assets", "property"),
    _Thing("flat", "assets", "property"),
    _Thing("car", "assets", "vehicle"),
    _Thing("ISA", "savings", "isa"),
    _Thing("Bonds", "savings", "bonds"),
    _Thing("shares", "savings", "shares"),
    _Thing("savings", "savings", "cash"),
    _Thing("account", "savings", "cash"),
)
"""The first that is named counts."""

_FIELDS = {
    "clients": ("age", "occupation", "marital_status", "dependants", "retirement_age"),
    "assets": ("value",),
    "pensions": ("value", "contribution", "income"),
    "incomes": ("amount",),
    "expenses": ("amount",),
    "loans": ("balance", "payment", "rate"),
    "savings": ("balance", "contribution"),
}
_PERSONAL = (
    ("age", re.compile(r"\b(?:am|turned) (\d{2})\b|^(\d{2}) years old")),
    ("marital_status", re.compile(r"\bam (single|married|engaged|widowed|divorced|separated)\b")),
    ("occupation", re.compile(r"\b(?:am|work as) an? ([a-z][a-z -]+)\.")),
    ("dependants", re.compile(r"\b(one|two|three|four|five)\b.*\bdepend")),
)


class _Said(NamedTuple):
    """A sentence of a client, with the question before it."""

    speaker: str
    time: str
    text: str
    question: str


class _File:
    """The file as it fills."""

    def __init__(self, day: str | None) -> None:
        self._day = day
        self.rows: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in _FIELDS}

    def put(
        self, said: _Said, section: str, row: dict[str, str], field: str, value: Any, unit: Any
    ) -> None:
        """Take a value down; what is said later replaces what was said before."""
        empty = {**row, **dict.fromkeys(_FIELDS[section])}
        self.rows[section].setdefault(next(iter(row.values())), empty)[field] = {
            "value": value,
            "call_time": said.time,
            "citation": said.text,
            "recorded_at": self._day,
            "is_estimate": bool(_VAGUE.search(said.text)),
            "value_as_of_date": None,
            "unit": unit,
        }


def filled(asked: JudgePrompt) -> str:
    """Fill a file; only the form that ships with the package is known."""
    if '"FactValue"' not in asked.words:
        return "{}"
    rows = _fill(asked.text("transcript") or "").rows
    return json.dumps(
        {name: list(found.values()) for name, found in rows.items()}, ensure_ascii=False
    )


def listed(asked: JudgePrompt) -> str:
    """List what a file would hold, in the words that were said."""
    transcript = asked.text("source") or ""
    file = _fill(transcript)
    facts = [
        {"description": f"{said}: {fact['citation']}", "type": section}
        for section, rows in file.rows.items()
        for said, row in rows.items()
        for fact in row.values()
        if isinstance(fact, dict)
    ]
    return json.dumps({"facts": facts}, ensure_ascii=False)


def checked(asked: JudgePrompt) -> str:
    """Look again at what is cited: drop what nobody said, and hear more words that make a figure vague."""
    text = asked.text("extraction") or "{}"
    transcript = asked.text("transcript") or ""
    return json.dumps(_checked(json.loads(text), transcript), ensure_ascii=False)


def _fill(transcript: str) -> _File:
    head = _HEAD.search(transcript)
    file = _File(_iso(head["day"]) if head else None)
    for said in _answers(transcript, head["names"].split(" and ") if head else ()):
        _take_person(file, said)
        _take_money(file, said)
    return file


def _checked(value: Any, transcript: str) -> Any:
    if isinstance(value, list):
        return [_checked(one, transcript) for one in value]
    if not isinstance(value, dict):
        return value
    citation = value.get("citation")
    if not isinstance(citation, str):
        return {key: _checked(one, transcript) for key, one in value.items()}
    if citation not in transcript:
        return None
    return {**value, "is_estimate": bool(_VAGUER.search(citation))}


def _answers(transcript: str, names: Sequence[str]) -> Iterator[_Said]:
    """What the clients say; of a talk without a header, what all say but who speaks first."""
    turns = list(_TURN.finditer(transcript))
    question = ""
    for turn in turns:
        speaker = turn["speaker"]
        if speaker in names if names else speaker != turns[0]["speaker"]:
            for sentence in sentences(turn["text"]):
                yield _Said(speaker, turn["time"], sentence, question)
        else:
            question = turn["text"]


def _take_person(file: _File, said: _Said) -> None:
    row = {"name": said.speaker}
    for field, pattern in _PERSONAL:
        if match := pattern.search(said.text):
            word = next(group for group in match.groups() if group)
            value = _COUNTS.get(word, int(word) if word.isdigit() else word)
            unit = "years" if field == "age" else None
            file.put(said, "clients", row, field, value, unit)
            return
    age = re.search(r"\b\d{2}\b", said.text)
    if age and re.search(r"retir|stop working", said.question):
        file.put(said, "clients", row, "retirement_age", int(age[0]), "years")


def _take_money(file: _File, said: _Said) -> None:
    figures = [one for one in _MONEY.finditer(said.text) if one["sign"] or one["word"]]
    places = (said.text, said.question)
    thing = next(
        (thing for text in places for thing in _THINGS if re.search(rf"\b{thing.word}\b", text)),
        None,
    )
    if not figures or thing is None:
        return
    figure = figures[0]
    value = float(figure["number"].replace(",", "")) * _SCALES.get(figure["scale"], 1)
    field = _field(thing, figure, said.text)
    if field not in _FIELDS[thing.section]:
        return
    row = {"label": f"{said.speaker}'s {thing.word}", "kind": thing.kind}
    file.put(said, thing.section, row, field, round(value, 4), _unit(figure))


def _field(thing: _Thing, figure: re.Match[str], text: str) -> str:
    if figure["word"] == "percent":
        return "rate"
    if re.search(r"\b(?:pay in|put in|goes in)\b", text):
        return "contribution"
    if thing.section == "loans" and figure["per"]:
        return "payment"
    if thing.section == "pensions" and figure["per"]:
        return "income"
    return _FIELDS[thing.section][0]


def _unit(figure: re.Match[str]) -> str:
    if figure["word"] == "percent":
        return "percent"
    currency = "EUR" if figure["sign"] == "€" or figure["word"] == "euros" else "GBP"
    return f"{currency} per {figure['per']}" if figure["per"] else currency


def _iso(day: str) -> str | None:
    try:
        return datetime.strptime(day, "%d %B %Y").date().isoformat()
    except ValueError:
        return None


RULES = (
    Rule("You fill a client's file", filled),
    Rule("You check a client's file", checked),
    Rule("You list what clients say of themselves", listed),
)
