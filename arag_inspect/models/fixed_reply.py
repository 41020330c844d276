"""A fixed reply that fits a JSON schema, whatever the question."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from inspect_ai.util import JSONSchema

_TEXTS = 5
"""Number of entries of a list of texts."""

_VERDICTS = 6
"""Number of entries of a list of texts with verdicts: the average of language models."""

_TEXT = (
    "Fixed text {number}, which is written for every request of this form without reading any of "
    "it, and is about as long as a sentence with its figures."
)


def fixed_reply(schema: JSONSchema) -> str:
    """Return a JSON value of a schema.

    Texts state that they are fixed, a choice is the last option, and a number is the middle of its
    scale. Lists of texts and of verdicts are about as long as language models write them; a list of
    verdicts by id has one entry. Lists of quotations, numbers and records are empty.
    """
    return json.dumps(_value(schema, 0, count(1)))


def _value(schema: JSONSchema, choice: int, numbers: Iterator[int]) -> Any:
    """Return a value that fits one of its schema's options, with numbered texts."""
    if schema.enum:
        return schema.enum[(choice - 1) % len(schema.enum)]
    if schema.anyOf:
        return _value(schema.anyOf[0], choice, numbers)
    if schema.type in ("integer", "number"):
        ends = [int(end) for end in (schema.minimum, schema.maximum) if end is not None]
        return sum(ends) // len(ends) if ends else 0
    if schema.type == "array" and schema.items is not None:
        entry = schema.items
        return [_value(entry, option, numbers) for option in _choices(entry, choice)]
    if schema.type == "object":
        fields = schema.properties or {}
        names = schema.required or fields
        return {name: _value(fields[name], choice, numbers) for name in names}
    if schema.type == "string":
        return _TEXT.format(number=next(numbers))
    return {"boolean": False, "array": []}.get(str(schema.type))


def _choices(entry: JSONSchema, choice: int) -> list[int]:
    """Return the option that each entry of a list takes."""
    if entry.properties is None:
        return [choice] if _first_option(entry).enum else []
    fields = [_first_option(field) for field in entry.properties.values()]
    if "quote" in entry.properties or any(field.type == "object" for field in fields):
        return []
    options = max(len(field.enum or ()) for field in fields)
    if any(field.type == "array" for field in fields):
        return list(range(1, options + 1)) or [choice]
    if "id" in entry.properties:
        return [choice]
    length = _VERDICTS if options else _TEXTS
    return list(range(2, length + 2))  # so that grades agree with the list


def _first_option(schema: JSONSchema) -> JSONSchema:
    return schema.anyOf[0] if schema.anyOf else schema
