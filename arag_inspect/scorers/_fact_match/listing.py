"""Lists of facts from metadata, JSON, sentences, or a grader."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from inspect_ai.model import Model
from inspect_ai.solver import TaskState

from ..._util.json_reply import ReplyParseError, read_value
from ...judge.judge import Judgement, judge
from ...judge.parsing import StrictModel, json_form
from ...prompts import fence, fill, load_prompt
from ...text.sentences import sentences

FactReader = Callable[[dict[str, Any], str], Iterator[str] | None]
"""Returns the facts of an object at a path; None for an object of another form."""

READERS: list[FactReader] = []
"""Readers of objects of a form of their own; a benchmark appends its own."""

_NAMES = ("label", "name", "title")
_PLACE = re.compile(r"\[\d+\]$")
_TEXT_KEYS = ("description", "text", "fact", "statement")


class NamedFact(NamedTuple):
    """A fact with its name."""

    id: str
    text: str


class ListedFact(StrictModel):
    """A fact as a grader lists it."""

    description: str
    type: str = ""


class _Facts(StrictModel):
    facts: list[ListedFact]


_EXAMPLE = '{"facts": [{"description": "...", "type": "..."}]}'


async def list_facts(
    grader: Model, text: str, *, prompt: str = "judge/list_facts", **fields: object
) -> Judgement[list[ListedFact]]:
    """Let a grader list the facts of a text.

    Args:
        grader: The grader.
        text: The untrusted text.
        prompt: Name of the prompt.
        fields: Further fields of the prompt.
    """
    template = load_prompt(prompt)
    question = fill(template, text=fence("source", text), **fields)
    form = json_form(_Facts, _EXAMPLE, wrapped=False)
    return await judge(grader, question, form.then(lambda reply: _facts_of_reply(reply, template)))


def metadata_facts(state: TaskState, key: str) -> list[NamedFact]:
    """Return the facts in a sample's metadata.

    They are texts, objects with a text (and an `id`), or the leaves of an object.
    """
    value = state.metadata.get(key)
    if isinstance(value, str):
        value = [value] if value.strip() else []
    if isinstance(value, list | tuple) and all(isinstance(entry, dict) for entry in value):
        texts = [next(flatten(entry), "") for entry in value]
        ids = [str(entry.get("id") or entry.get("fact_id") or "") for entry in value]
        facts = [NamedFact(*pair) for pair in zip(ids, texts, strict=True) if pair[1]]
        if all(fact.id for fact in facts) and len({fact.id for fact in facts}) == len(facts):
            return facts
    return numbered(flatten(value), "gold")


def sentence_facts(text: str) -> list[str]:
    """Return each sentence as a fact."""
    return sentences(text)


def json_facts(text: str, *, whole: bool) -> list[str] | None:
    """Return the entries or leaves of a JSON text as facts; None if it is not JSON.

    Args:
        text: Text that may be JSON, with or without a code fence.
        whole: Whether the text must hold nothing else.
    """
    value = read_value(text, whole=whole)
    try:
        return None if value is None else list(flatten(value))
    except RecursionError:  # nested deeper than any answer
        return None


def numbered(texts: Iterator[str] | list[str], name: str) -> list[NamedFact]:
    """Name facts by their position: `gold1`, `gold2`."""
    return [NamedFact(f"{name}{number}", text) for number, text in enumerate(texts, 1)]


def flatten(value: Any, path: str = "") -> Iterator[str]:
    """Yield the facts of a JSON value as `path: value`.

    An object with a `value` is one fact, with its unit, date and whether it is
    an estimate; an object with a text is that text. In an object that holds
    such values, plain texts are not facts but name it: `pensions[Ann's].value: 5`.
    Empty values are not facts. An object that one of the `READERS` knows has its facts.
    """
    if isinstance(value, dict):
        if (own := next(filter(None, (read(value, path) for read in READERS)), None)) is not None:
            yield from own
            return
        text = next((value[k] for k in _TEXT_KEYS if isinstance(value.get(k), str)), None)
        if "value" in value and not isinstance(value["value"], dict | list):
            yield from leaf(path, value["value"], value)
        elif text is not None and set(value) <= {*_TEXT_KEYS, "id", "fact_id", "type"}:
            yield from leaf(path if path and not path.endswith("]") else "", text, {})
        elif list(value) == ["facts"]:
            yield from flatten(value["facts"], path)
        else:
            tracked = any(isinstance(item, dict) and "value" in item for item in value.values())
            if tracked and (
                label := next((value[k] for k in _NAMES if _is_text(value.get(k))), "")
            ):
                path = labelled(path, label)
            for name, item in value.items():
                if not (tracked and isinstance(item, str)):
                    yield from flatten(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            bare = not path and not isinstance(item, dict | list | tuple)
            yield from flatten(item, "" if bare else f"{path}[{index}]")
    else:
        yield from leaf(path, value, {})


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def labelled(path: str, label: str) -> str:
    """Return a path with the label of an object in place of its number."""
    return f"{_PLACE.sub('', path)}[{label}]"


def leaf(path: str, value: Any, fields: dict[str, Any], when: str = "") -> Iterator[str]:
    """Yield a value as a fact, with the unit and date among its fields; none if it is empty."""
    content = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else value
    if content is None or not str(content).strip():
        return
    text = " ".join(f"{content} {fields.get('unit') or ''}".split())
    notes = ["estimate"] if fields.get("is_estimate") is True else []
    notes += [f"as of {date}"] if (date := fields.get("value_as_of_date")) else []
    notes += [when] if when else []
    if notes:
        text += f" ({', '.join(notes)})"
    yield f"{path}: {text}" if path else text


def _facts_of_reply(reply: _Facts, template: str) -> list[ListedFact]:
    facts = [
        ListedFact(description=_flat(fact.description), type=_flat(fact.type))
        for fact in reply.facts
    ]
    for fact in facts:
        if not fact.description.strip(".") or f"({fact.description})".lower() in template.lower():
            raise ReplyParseError(
                "an entry of `facts` is the form itself; put a fact of the text there"
            )
    return facts


def _flat(text: str) -> str:
    return " ".join(text.split())
