"""JSON Schemas for extractions."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
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
from arag_inspect._util.untrusted import parse_json

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
        schema = Schema(Path(path).expanduser().read_text(encoding="utf-8-sig"))
        Draft202012Validator.check_schema(schema.document)
        if not isinstance(schema.document, dict):
            raise InputError(f"schema {path} must be one object without other types")
        for reference in _references(schema.document):
            Draft202012Validator.check_schema(_find(schema.document, reference))
    except InputError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"schema {path} cannot be read ({error})") from None
    except (SchemaError, ValueError, RecursionError) as error:
        reason = getattr(error, "message", str(error))
        raise InputError(f"schema {path} is not a JSON Schema: {reason}") from None
    return schema


def _references(part: Any) -> Iterator[str]:
    """Yield the references of a schema and of its parts."""
    if isinstance(part, dict) and isinstance(reference := part.get("$ref"), str):
        yield reference
    if isinstance(part, dict | list):
        for item in part.values() if isinstance(part, dict) else part:
            yield from _references(item)


def _find(document: dict[str, Any], reference: str) -> Any:
    """Return the schema of a reference.

    Raises:
        InputError: It is not in the document.
    """
    resolver = Registry().resolver_with_root(DRAFT202012.create_resource(document))
    try:
        if reference.startswith("#"):
            return resolver.lookup(reference).contents
    except (Unresolvable, ValueError, TypeError, LookupError):
        pass
    raise InputError(f"the schema refers to {reference}, which is not in it")


class _TooLargeError(Exception):
    """A schema whose references cannot be expanded."""


class _Inliner:
    """Replaces `$ref` and `allOf` by the schemas they name."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document, self._left = document, _LARGEST

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
            parts.insert(0, self.inlined(_find(self._document, schema["$ref"])))
        own: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
        if "const" in schema:
            own["enum"] = [schema["const"]]
        if alternatives := schema.get("anyOf") or schema.get("oneOf"):
            own["anyOf"] = [self.inlined(alternative) for alternative in alternatives]
        for key in ("items", "additionalProperties"):
            if key in schema:
                value = schema[key]
                own[key] = self.inlined(value) if isinstance(value, dict) else value
        if "properties" in schema:
            parts_by_name = schema["properties"].items()
            own["properties"] = {name: self.inlined(part) for name, part in parts_by_name}
        merged: dict[str, Any] = {}
        for part in [*parts, own]:
            merged = _merge(merged, part)
        return merged


def _merge(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Merge two schemas; the later one wins where both define the same keyword."""
    merged = {**earlier, **later}
    if "properties" in earlier and "properties" in later:
        before, after = earlier["properties"], later["properties"]
        merged["properties"] = before | {n: before.get(n, {}) | after[n] for n in after}
    if "required" in earlier and "required" in later:
        merged["required"] = list(dict.fromkeys([*earlier["required"], *later["required"]]))
    return merged
