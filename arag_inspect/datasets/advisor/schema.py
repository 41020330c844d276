"""JSON Schemas of what an extraction has to look like."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from inspect_ai.util import JSONSchema
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from ...errors import InputError

_KEPT = ("type", "description", "enum", "required", "format", "pattern")
"""Keywords that Inspect's `JSONSchema` has as well, besides those that hold schemas."""


@dataclass(frozen=True)
class Fault:
    """Where a value does not fit the schema."""

    path: str
    """E.g. `pensions.0.value.call_time`; empty for the whole value."""

    message: str


@dataclass(frozen=True)
class Schema:
    """A JSON Schema (draft 2020-12) and what is made of it."""

    text: str
    """As it stands in its file."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The schema, parsed."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    @property
    def digest(self) -> str:
        """What tells two schemas apart."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def response(self) -> JSONSchema | None:
        """The schema as providers take it: without `$ref` and `allOf`, which not all know.

        None where it refers to itself and so cannot be written out.
        """
        try:
            return JSONSchema.model_validate(_inlined(self.document, self.document))
        except RecursionError:
            return None

    @property
    def depth(self) -> int:
        """Levels of the deepest value that it describes: 1 for a number, 2 for an object of numbers."""
        return _depth(_inlined(self.document, self.document))

    def faults(self, value: object) -> list[Fault]:
        """Where a value does not fit, in the order of its paths; an alternative counts by its parts."""
        checker = Draft202012Validator.FORMAT_CHECKER
        validator = Draft202012Validator(self.document, format_checker=checker)
        found = (leaf for error in validator.iter_errors(value) for leaf in _leaves(error))
        named = {(_dotted(error.absolute_path), error.message[:300]) for error in found}
        return [Fault(*one) for one in sorted(named)]


@cache
def load_schema(path: str | None = None) -> Schema:
    """Load a schema.

    Args:
        path: JSON file of the user's; None for the one that ships.

    Raises:
        InputError: The file cannot be read, or is no JSON Schema of an object, or refers to another file.
    """
    if path is None:
        return Schema(files(__package__).joinpath("schema.json").read_text(encoding="utf-8"))
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
        schema = Schema(text)
        Draft202012Validator.check_schema(schema.document)
        outside = next(_outside(schema.document), None)
        if not isinstance(schema.document, dict) or outside is not None:
            raise InputError(f"schema {path} must be one object without {outside or 'other types'}")
        _ = schema.response
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"schema {path} cannot be read ({error})") from None
    except SchemaError as error:
        raise InputError(f"schema {path} is no JSON Schema: {error.message}") from None
    except KeyError as error:
        raise InputError(f"schema {path} refers to {error}, which it does not have") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"schema {path} is not JSON: {error}") from None
    return schema


def _inlined(schema: Any, root: Mapping[str, Any]) -> dict[str, Any]:
    """Put what `$ref` and `allOf` name in their place."""
    if not isinstance(schema, dict):
        return {}
    parts = [_inlined(one, root) for one in schema.get("allOf", ())]
    if "$ref" in schema:
        parts.insert(0, _inlined(_referred(schema["$ref"], root), root))
    own: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        own["enum"] = [schema["const"]]
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        own["anyOf"] = [_inlined(one, root) for one in alternatives]
    if isinstance(schema.get("items"), dict):
        own["items"] = _inlined(schema["items"], root)
    if "properties" in schema:
        own["properties"] = {
            name: _inlined(one, root) for name, one in schema["properties"].items()
        }
    closed = schema.get("additionalProperties")
    if closed is not None:
        own["additionalProperties"] = closed if isinstance(closed, bool) else _inlined(closed, root)
    merged: dict[str, Any] = {}
    for part in [*parts, own]:
        merged = _merged(merged, part)
    return merged


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What holds where both do; the narrower, later one wins where they speak of the same."""
    both = {**one, **other}
    if "properties" in one and "properties" in other:
        properties = dict(one["properties"])
        for name, schema in other["properties"].items():
            narrowed = properties.get(name, {})
            properties[name] = {**narrowed, **schema}
        both["properties"] = properties
    if "required" in one and "required" in other:
        both["required"] = list(dict.fromkeys([*one["required"], *other["required"]]))
    return both


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def _outside(schema: Any) -> Iterator[str]:
    """References that lead out of the file."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef") and not str(value).startswith("#"):
                yield f"the reference {value}"
            yield from _outside(value)
    elif isinstance(schema, list):
        for one in schema:
            yield from _outside(one)


def _depth(schema: Mapping[str, Any]) -> int:
    below = [*schema.get("properties", {}).values()]
    if "items" in schema:
        below.append(schema["items"])
    deepest = 1 + max((_depth(one) for one in below), default=0)
    return max([deepest, *(_depth(one) for one in schema.get("anyOf", ()))])


def _leaves(error: Any) -> Iterator[Any]:
    """The errors below an alternative (`anyOf`) that say most: those of the branch that came deepest."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield error
        return
    branches: dict[Any, list[Any]] = {}
    for one in error.context:
        branches.setdefault(one.schema_path[0], []).append(one)
    best = max(branches.values(), key=lambda found: max(len(one.absolute_path) for one in found))
    if max(len(one.absolute_path) for one in best) == len(error.absolute_path):
        deep = [one for found in branches.values() for one in found if one.validator != "type"]
        if not deep:
            yield error
            return
        best = deep
    for one in best:
        yield from _leaves(one)


def _dotted(path: Any) -> str:
    return ".".join(str(part) for part in path)
