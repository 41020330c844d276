"""A verdict in any form: by a fixed rule, so that a judged scorer can be tried without a key."""

import json
from typing import Any

from inspect_ai.util import JSONSchema

NOTE = "By a fixed rule of offline/extractive, which has not read the text."


def any_form(schema: JSONSchema) -> str:
    """Return a JSON value of a schema that is the same whatever is judged.

    The first choice, the middle of a scale (rounded down), an empty list, false, and `NOTE` as
    text.
    """
    return json.dumps(_value(schema))


def _value(schema: JSONSchema) -> Any:
    if schema.enum:
        return schema.enum[0]
    if schema.anyOf:
        return _value(schema.anyOf[0])
    if schema.type in ("integer", "number"):
        ends = [int(end) for end in (schema.minimum, schema.maximum) if end is not None]
        return sum(ends) // len(ends) if ends else 0
    if schema.type == "object":
        fields = schema.properties or {}
        return {name: _value(fields[name]) for name in schema.required or fields}
    return {"string": NOTE, "boolean": False, "array": []}.get(str(schema.type))
