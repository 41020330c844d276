"""Rows of promptfoo: an answer of each provider to each prompt."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arag_inspect.benchmark.rows import PROVIDER, SourceRow

from .values import json_in, text_of

_VERDICT = re.compile(
    r"\[(?P<status>PASS|FAIL|ERROR)\]\s*+"
    r"(?:\((?P<score>-?\d+\.\d\d)(?:, (?P<named>[^()\n]*|[^\n]*(?=\)\n)))?\)\s*+)?"
)
"""Beginning of a cell: `[PASS]`, `[FAIL] (0.00)` or `[PASS] (1.00, accuracy: 0.80)`."""

_REASON = re.compile(r"\n---(?:\n|$)")
"""Separator between the reason of a failure and the answer."""

_REASON_AFTER = re.compile(r"^[ \t]*+(?:Pass|Fail) Reason:", re.MULTILINE)
"""Beginning of the reason after the answer, in cells with a score."""

_MEMBERS = ("Status", "Score", "Named Scores")
"""Columns beside one with outputs."""


def rows_by_output(row: SourceRow) -> Iterator[SourceRow]:
    """Yield a row for each column with outputs in a row of promptfoo's CSV, else the row."""
    columns = [name for name in row.values if PROVIDER.fullmatch(name)]
    shared_fields = {name: value for name, value in row.values.items() if name not in columns}
    has_status = any(name.rpartition(".")[2] == "Status" for name in row.values)
    if not has_status and not any(_VERDICT.match(str(row.values[name])) for name in columns):
        yield row
        return
    common_fields = {name: value for name, value in shared_fields.items() if name not in _MEMBERS}
    while columns:
        column = columns.pop(0)
        members = [name for name in columns if name.startswith(f"{column}.")]
        columns = [name for name in columns if name not in members]
        values = {name.removeprefix(f"{column}."): row.values[name] for name in members}
        for name in _MEMBERS:  # without a prefix if there is a single column of outputs
            if name in shared_fields:
                values.setdefault(name, shared_fields[name])
        provider, prompt = column[1:].split("] ", maxsplit=1)
        labels = {"provider": provider, "prompt.label": prompt}
        yield SourceRow(
            row.place, {**common_fields, **_output(row.values[column], values), **labels}
        )
    if len(shared_fields) == len(row.values):  # a column Status of another tool
        yield row


def _output(cell: object, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an output: the answer without its verdict and reason, and the scores."""
    text = str(cell or "")
    verdict = _VERDICT.match(text)
    status = str(verdict["status"] if verdict else values.get("Status")).upper()
    score = values.get("Score")
    named_scores = json_in(values.get("Named Scores"))
    if verdict:
        text = text[verdict.end() :]
    if verdict and verdict["score"]:
        text = _without_reason_after(text)
        score = verdict["score"]
        named_scores = _named_scores(verdict["named"] or "")
    error = text.partition("\n---")[0].strip() if status == "ERROR" else None
    reason = _REASON.search(text)
    if reason and status != "PASS":
        text = text[reason.end() :]
    elif status == "ERROR":
        text = ""
    scores = {"promptfoo.pass": {"PASS": 1.0, "FAIL": 0.0}.get(status)}
    if score is not None:
        scores["promptfoo.score"] = score
    for name, value in named_scores.items() if isinstance(named_scores, Mapping) else ():
        scores[f"promptfoo.{name}"] = value
    others = {name: value for name, value in values.items() if name not in _MEMBERS}
    return {**others, **scores, "response": text.strip(), "error": error}


def _without_reason_after(text: str) -> str:
    """Return a text without the reason of the verdict, which comes last."""
    starts = [match.start() for match in _REASON_AFTER.finditer(text)]
    return text[: starts[-1]] if starts else text


def _named_scores(text: str) -> dict[str, str]:
    """Return the scores by name in `accuracy: 0.80, tone: 1.00`."""
    pairs = (part.rpartition(": ") for part in text.split(", "))
    return {name.strip(): value for name, _, value in pairs if name}


def name_systems(rows: Sequence[SourceRow]) -> list[SourceRow]:
    """Name the system of each row of promptfoo: its provider, with its prompt if it has several."""
    prompts: dict[str, list[str]] = {}
    for row in rows:
        provider, prompt = _provider(row), _prompt(row)
        if provider and prompt and prompt not in prompts.setdefault(provider, []):
            prompts[provider].append(prompt)
    is_named = any(text_of(row.values.get("provider.label")) for row in rows)
    if not is_named and all(len(provider_prompts) == 1 for provider_prompts in prompts.values()):
        return list(rows)
    named_rows = []
    for row in rows:
        name = _provider(row)
        provider_prompts = prompts.get(name, [])
        if len(provider_prompts) > 1:
            name = f"{name} prompt {provider_prompts.index(_prompt(row)) + 1}"
        values = {**row.values, "provider.label": name} if name else row.values
        named_rows.append(SourceRow(row.place, values))
    return named_rows


def _provider(row: SourceRow) -> str:
    """Return the label of a row's provider, else its id; empty for other tools."""
    names = ("provider.label", "provider.id", "provider")
    return next(filter(None, (text_of(row.values.get(name)) for name in names)), "")


def _prompt(row: SourceRow) -> str:
    """Return a key of the prompt of a row among its provider's prompts."""
    number = text_of(row.values.get("promptIdx"))
    return number or text_of(row.values.get("prompt.label"))
