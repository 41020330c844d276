"""JSON Schemas for extractions."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.util import JSONSchema
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_text import parse_json

from ._validation_worker import find_faults

_KEPT = ("type", "description", "enum", "required", "format", "pattern")
"""Keywords that Inspect's `JSONSchema` supports, besides those that hold schemas."""


_LARGEST = 20_000
"""Most parts of an expanded schema; the built-in one has about 300."""

_WORKER = Path(__file__).with_name("_validation_worker.py")


class Fault(NamedTuple):
    """A fault of a value under its schema."""

    path: str
    """Path, e.g. `pensions.0.value.call_time`; empty for the whole value."""

    message: str


@dataclass(frozen=True)
class Schema:
    """A JSON Schema (draft 2020-12) and what is derived from it."""

    text: str
    """The schema file's text."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The schema, parsed."""
        document: dict[str, Any] = parse_json(self.text)
        return document

    @property
    def digest(self) -> str:
        """Digest that identifies the schema."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def response(self) -> JSONSchema | None:
        """The schema for providers: without `$ref` and `allOf`, which not all support.

        None if it refers to itself or is too large to expand.
        """
        try:
            return JSONSchema.model_validate(_Inliner(self.document).inlined(self.document))
        except (RecursionError, _TooLargeError):
            return None

    def faults(self, value: object) -> list[Fault]:
        """Return the faults of a value, ordered by path; see `find_faults`."""
        return [Fault(*fault) for fault in find_faults(self.document, value)]

    def faults_in_time(self, value: object, seconds: float = 20) -> list[Fault] | None:
        """Like `faults`, in a subprocess; None if it does not finish.

        Patterns and nested alternatives can take unbounded time.

        Args:
            value: Value to check.
            seconds: Time limit in seconds.
        """
        request = json.dumps({"schema": self.document, "value": value})
        command = [sys.executable, "-P", str(_WORKER)]
        try:
            process = subprocess.run(
                command, input=request.encode(), capture_output=True, timeout=seconds, check=True
            )
        except subprocess.TimeoutExpired:
            return None
        return [Fault(*fault) for fault in json.loads(process.stdout)]


def load_schema(path: str | None = None) -> Schema:
    """Load a schema.

    Args:
        path: JSON file; None for the built-in schema.

    Raises:
        InputError: The file is unreadable, is not a JSON Schema of an object, or refers to another
            file.
    """
    if path is not None and not isinstance(path, str):
        raise InputError(f"schema must be the path of a JSON file, got {path!r}")
    return _load(path)


@cache
def _load(path: str | None) -> Schema:
    if path is None:
        return Schema(files(__package__).joinpath("schema.json").read_text(encoding="utf-8"))
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8-sig")
        schema = Schema(text)
        Draft202012Validator.check_schema(schema.document)
        if not isinstance(schema.document, dict):
            raise InputError(f"schema {path} must be one object without other types")
        _check_references(schema.document)
        _ = schema.response
    except InputError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"schema {path} cannot be read ({error})") from None
    except SchemaError as error:
        raise InputError(f"schema {path} is not a JSON Schema: {error.message}") from None
    except RecursionError:
        raise InputError(f"schema {path} is nested too deep") from None
    except ValueError as error:
        raise InputError(f"schema {path} is not JSON: {error}") from None
    return schema


class _TooLargeError(Exception):
    """A schema whose references cannot be expanded."""


def _check_references(document: dict[str, Any]) -> None:
    """Raise unless each reference leads to a schema in the file.

    Raises:
        InputError: One does not.
        SchemaError: It leads to something else.
    """
    find = _lookup(document)
    seen: set[int] = set()
    stack: list[Any] = [DRAFT202012.create_resource(document)]
    while stack:
        resource = stack.pop()
        schema = resource.contents
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        stack.extend(resource.subresources())
        for target in (find(schema[key]) for key in ("$ref", "$dynamicRef") if key in schema):
            Draft202012Validator.check_schema(target)
            stack.append(DRAFT202012.create_resource(target))


def _lookup(document: dict[str, Any]) -> Callable[[str], Any]:
    """Return a function that finds the schema of a reference."""
    resolver = Registry().resolver_with_root(DRAFT202012.create_resource(document))

    def find(reference: str) -> Any:
        if not reference.startswith("#"):
            raise InputError(f"the schema refers to {reference}, which is not in it")
        try:
            return resolver.lookup(reference).contents
        except (Unresolvable, ValueError, TypeError, LookupError):
            raise InputError(f"the schema refers to {reference}, which it does not have") from None

    return find


class _Inliner:
    """Replaces `$ref` and `allOf` by the schemas they name."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._find = _lookup(document)
        self._left = _LARGEST

    def inlined(self, schema: Any) -> dict[str, Any]:
        """Return the expanded schema.

        Raises:
            _TooLargeError: It has too many parts.
            RecursionError: It refers to itself.
        """
        if not isinstance(schema, dict):
            return {}
        self._left -= 1
        if self._left < 0:
            raise _TooLargeError
        parts = [self.inlined(branch) for branch in schema.get("allOf", ())]
        if "$ref" in schema:
            parts.insert(0, self.inlined(self._find(schema["$ref"])))
        own: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
        if "const" in schema:
            own["enum"] = [schema["const"]]
        if alternatives := schema.get("anyOf") or schema.get("oneOf"):
            own["anyOf"] = [self.inlined(alternative) for alternative in alternatives]
        if isinstance(schema.get("items"), dict):
            own["items"] = self.inlined(schema["items"])
        if "properties" in schema:
            own["properties"] = {
                name: self.inlined(subschema) for name, subschema in schema["properties"].items()
            }
        additional = schema.get("additionalProperties")
        if additional is not None:
            own["additionalProperties"] = (
                additional if isinstance(additional, bool) else self.inlined(additional)
            )
        merged: dict[str, Any] = {}
        for part in [*parts, own]:
            merged = _merge(merged, part)
        return merged


def _merge(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Merge two schemas; the later one wins where both define the same keyword."""
    merged = {**earlier, **later}
    if "properties" in earlier and "properties" in later:
        properties = dict(earlier["properties"])
        for name, schema in later["properties"].items():
            narrowed = properties.get(name, {})
            properties[name] = {**narrowed, **schema}
        merged["properties"] = properties
    if "required" in earlier and "required" in later:
        merged["required"] = list(dict.fromkeys([*earlier["required"], *later["required"]]))
    return merged
