"""Find the facts of a sample: in its metadata, JSON or sentences, or by a grader."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

from inspect_ai.model import Model
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from pydantic import Field

from arag_inspect.judge.context import metadata_key
from arag_inspect.judge.judge import judge
from arag_inspect.judge.judgement import Judgement
from arag_inspect.judge.parsing import StrictModel, json_form
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measures._question import check_has_answer
from arag_inspect.models.request_key import asking
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.text.replies import ReplyParseError, read_value
from arag_inspect.text.sentences import sentences
from arag_inspect.types.additions import ADDITIONS
from arag_inspect.types.sample import Importance

Predicted = Literal["auto", "grader", "json", "sentences"]
GoldSource = Annotated[str, Field(pattern="^(auto|bank|reference|metadata:.+)$")]

FactReader = Callable[[dict[str, Any], str], Iterator[str] | None]
"""Returns the facts of an object at a path; None for an object of another form."""

_LABEL_KEYS = ("label", "name", "title")
"""Keys of the label of an object."""

_TEXT_KEYS = ("description", "text", "fact", "statement")
"""Keys of the text of a fact."""

_FURTHER_KEYS = ("id", "fact_id", "type", "chunk_id", "chunk_ids", "sentence", "importance")
"""Further keys of an object that is one fact."""

_INDEX = re.compile(r"\[\d+\]$")
"""Number of a list's item at the end of a path."""


class NamedFact(NamedTuple):
    """A fact with its name."""

    id: str
    text: str
    importance: Importance | None = None


class ListedFact(StrictModel):
    """A fact as a grader lists it."""

    description: str
    type: str = ""


class _Nugget(ListedFact):
    importance: Importance


class _Listing(StrictModel):
    facts: list[ListedFact]


class _Nuggets(StrictModel):
    facts: list[_Nugget]


class Sides(NamedTuple):
    """The facts of a sample by the codes shown to a judge (`G1`, `P1`), and their origin."""

    gold: dict[str, NamedFact]
    predicted: dict[str, NamedFact]
    gold_origin: str
    predicted_origin: str
    listings: list[Judgement[Any]]
    """The grader's listings; one without a verdict failed."""


_EXAMPLE = '{"facts": [{"description": "...", "type": "..."}]}'


async def list_facts(
    grader: Model,
    text: str,
    *,
    prompt: str = "judge/list_facts",
    nuggets: bool = False,
    **fields: object,
) -> Judgement[list[ListedFact]]:
    """Let a grader list the facts of a text.

    Args:
        grader: The grader.
        text: The untrusted text.
        prompt: Name of the prompt.
        nuggets: Whether it asks for the importance of each fact.
        fields: Further fields of the prompt.
    """
    template = load_prompt(prompt)
    question = fill(template, text=fence("source", text), **fields)
    kind: type[_Listing | _Nuggets] = _Nuggets if nuggets else _Listing
    example = _EXAMPLE.replace("}]", ', "importance": "vital"}]') if nuggets else _EXAMPLE
    form = json_form(kind, example, wrapped=False)
    with asking(purpose="facts"):
        return await judge(
            grader, question, form.then(lambda reply: _extract_facts(reply, template))
        )


def gold_facts(state: TaskState, gold: str) -> tuple[list[NamedFact], str]:
    """Return the gold facts in a sample's metadata, and their origin.

    Args:
        state: The sample.
        gold: `auto`, `bank`, `reference` or `metadata:KEY`, see `fact_match`.

    Returns:
        The facts, and `bank`, `metadata:KEY`, or `reference` if the reference is to be used.
    """
    key = metadata_key(gold)
    if key is not None:
        return metadata_facts(state, key), gold
    facts = [] if gold == "reference" else metadata_facts(state, "facts")
    return facts, "bank" if facts or gold == "bank" else "reference"


def facts_to_find(state: TaskState, target: Target, gold: str) -> tuple[list[NamedFact], str]:
    """Return the gold facts, else the sentences of the reference, and their origin.

    Raises:
        UnscoredError: The sample has no facts, or its reference marks the question as unanswerable.
    """
    facts, origin = gold_facts(state, gold)
    if origin == "reference":
        check_has_answer(state, target)
        facts = number_facts(sentences("\n".join(target)), "gold")
    if not facts:
        raise UnscoredError("no_facts", "The sample has no facts to look for.")
    return facts, origin


async def find_sides(
    state: TaskState, target: Target, gold: str, predicted: Predicted, grader: Model
) -> Sides:
    """Find the facts of a sample, of the answer only if there are gold facts.

    Args:
        state: The sample.
        target: Its reference.
        gold: `auto`, `bank`, `reference` or `metadata:KEY`, see `fact_match`.
        predicted: `auto`, `json`, `sentences` or `grader`, see `fact_match`.
        grader: Lists the facts of a text.

    Raises:
        UnscoredError: The reference marks the question as unanswerable.
    """
    listings: list[Judgement[Any]] = []

    async def find(text: str, how: Predicted) -> tuple[list[str], str]:
        """Return the facts of an answer or a reference, and their origin."""
        if not text.strip():
            return [], "empty"
        if how in ("auto", "json"):
            texts = json_facts(text, whole=how == "auto")
            if texts is not None or how == "json":
                return texts or [], "json" if texts is not None else "no_json"
        if how == "sentences":
            return sentences(text), how
        listing = await list_facts(grader, text)
        listings.append(listing)
        return [fact.description for fact in listing.verdict or []], "grader"

    golds, origin = gold_facts(state, gold)
    if origin == "reference":
        check_has_answer(state, target)
        how: Predicted = "sentences" if predicted == "sentences" else "auto"
        texts, source = await find("\n".join(target), how)
        golds = number_facts(texts, "gold")
        origin = f"reference:{source}"
    texts = []
    source = predicted
    if golds:
        texts, source = await find(state.output.completion, predicted)
    return Sides(
        {f"G{number}": fact for number, fact in enumerate(golds, 1)},
        {f"P{number}": fact for number, fact in enumerate(number_facts(texts, "predicted"), 1)},
        origin,
        source,
        listings,
    )


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
        importances = [_importance(entry) for entry in value]
        facts = [NamedFact(*fact) for fact in zip(ids, texts, importances, strict=True) if fact[1]]
        if all(fact.id for fact in facts) and len({fact.id for fact in facts}) == len(facts):
            return facts
    return number_facts(flatten(value), "gold")


def json_facts(text: str, *, whole: bool) -> list[str] | None:
    """Return the entries or leaves of a JSON text as facts; None if it is not JSON.

    Args:
        text: Text that may be JSON, with or without a code fence.
        whole: Whether the text must contain only JSON.
    """
    value = read_value(text, whole=whole)
    try:
        return None if value is None else list(flatten(value))
    except RecursionError:  # nested deeper than any answer
        return None


def number_facts(texts: Iterable[str], name: str) -> list[NamedFact]:
    """Name facts by their position: `gold1`, `gold2`."""
    return [NamedFact(f"{name}{number}", text) for number, text in enumerate(texts, 1)]


def _importance(entry: Mapping[str, Any]) -> Importance | None:
    importance: Importance | None = entry.get("importance")
    return importance if importance in ("vital", "okay") else None


def flatten(value: Any, path: str = "") -> Iterator[str]:
    """Yield the facts of a JSON value as `path: value`.

    An object with a `value` is one fact, with its unit, date and whether it is an estimate; an
    object with a text is that text. In an object that contains such values, plain texts are not
    facts but labels: `pensions[Ann's].value: 5`. Empty values are not facts. For an object that a
    benchmark's `fact_reader` recognises, yield that reader's facts.
    """
    if isinstance(value, dict):
        yield from _flatten_object(value, path)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            is_bare_text = not path and not isinstance(item, dict | list | tuple)
            yield from flatten(item, "" if is_bare_text else f"{path}[{index}]")
    else:
        yield from leaf(path, value, {})


def _flatten_object(fields: dict[str, Any], path: str) -> Iterator[str]:
    facts_read = next(filter(None, (read_object(fields, path) for read_object in _readers())), None)
    text = next((fields[key] for key in _TEXT_KEYS if isinstance(fields.get(key), str)), None)
    if facts_read is not None:
        yield from facts_read
    elif "value" in fields and not isinstance(fields["value"], dict | list):
        yield from leaf(path, fields["value"], fields)
    elif text is not None and set(fields) <= {*_TEXT_KEYS, *_FURTHER_KEYS}:
        yield from leaf(path if path and not path.endswith("]") else "", text, {})
    elif list(fields) == ["facts"]:
        yield from flatten(fields["facts"], path)
    else:
        yield from _flatten_fields(fields, path)


@cache
def _readers() -> tuple[FactReader, ...]:
    """Return the benchmarks' readers of objects in their own formats."""
    readers = (addition.fact_reader for addition in ADDITIONS.value)
    return tuple(reader for reader in readers if reader is not None)


def _flatten_fields(fields: dict[str, Any], path: str) -> Iterator[str]:
    """Yield the facts of an object's fields; beside values, plain texts are labels, not facts."""
    has_values = any(isinstance(item, dict) and "value" in item for item in fields.values())
    if has_values:
        label = next((fields[key] for key in _LABEL_KEYS if _is_text(fields.get(key))), "")
        path = label_path(path, label) if label else path
    for name, item in fields.items():
        if not (has_values and isinstance(item, str)):
            yield from flatten(item, f"{path}.{name}" if path else str(name))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def label_path(path: str, label: str) -> str:
    """Return a path with the label of an object in place of its number."""
    return f"{_INDEX.sub('', path)}[{label}]"


def leaf(path: str, value: Any, fields: dict[str, Any], when: str = "") -> Iterator[str]:
    """Yield a value as a fact, with the unit and date in its fields, unless it is empty."""
    content = json.dumps(value) if isinstance(value, bool) else value
    if content is None or not str(content).strip():
        return
    text = " ".join(f"{content} {fields.get('unit') or ''}".split())
    notes = ["estimate"] if fields.get("is_estimate") is True else []
    if fields.get("value_as_of_date"):
        notes.append(f"as of {fields['value_as_of_date']}")
    if when:
        notes.append(when)
    if notes:
        text += f" ({', '.join(notes)})"
    yield f"{path}: {text}" if path else text


def _extract_facts(reply: _Listing | _Nuggets, template: str) -> list[ListedFact]:
    fact_by_text: dict[str, ListedFact] = {}
    for fact in map(_join_spaces, reply.facts):
        if not fact.description.strip(".") or f"({fact.description})".lower() in template.lower():
            raise ReplyParseError(
                "an entry of `facts` is the form itself; put a fact of the text there"
            )
        fact_by_text.setdefault(fact.description.casefold(), fact)
    return list(fact_by_text.values())  # each once, as requested


def _join_spaces(fact: ListedFact) -> ListedFact:
    fields = {name: " ".join(text.split()) for name, text in fact.model_dump().items()}
    return type(fact)(**fields)
