"""JSON Schemas for extractions."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.util import JSONSchema
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_values import parse_json

_COPIED = ("type", "description", "enum", "required", "format", "pattern")
"""Keywords that Inspect's `JSONSchema` supports, except keywords with schemas."""

_LARGEST = 20_000
"""Maximum parts of an expanded schema; the built-in one has about 1,600."""


class Fault(NamedTuple):
    """A fault of a value under its schema."""

    path: str
    """Path, e.g. `pensions.0.value.call_time`; empty for the whole value."""

    message: str


@dataclass(frozen=True)
class Schema:
    """A JSON Schema (draft 2020-12) and its derived forms."""

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
    def response(self) -> JSONSchema:
        """The schema for providers: without `$ref` and `allOf`, which some do not support."""
        return JSONSchema.model_validate(_inline_references(self.document, self.document))

    def faults(self, value: object) -> list[Fault]:
        """Return the faults of a value, ordered by path, with the parts of an alternative."""
        validator = _Validator(
            self.document, registry=Registry(), format_checker=_Validator.FORMAT_CHECKER
        )
        faults = set()
        try:
            for error in chain.from_iterable(map(_leaves, validator.iter_errors(value))):
                path = ".".join(map(str, error.absolute_path))
                faults.add(Fault(path, error.message[:300]))
        except RecursionError:
            return [Fault("", "is nested too deep to be checked")]
        return sorted(faults)


def _leaves(error: Any) -> Iterator[Any]:
    """Yield the errors of the nearest branch of an alternative (`anyOf`)."""
    alternatives = error.context if error.validator in ("anyOf", "oneOf") else []
    nearest_child = max(alternatives, key=_nearness, default=None)
    if nearest_child is None or _nearness(nearest_child) == (len(error.absolute_path), False):
        yield error
        return
    for child in alternatives:
        if child.schema_path[0] == nearest_child.schema_path[0]:
            yield from _leaves(child)


def _nearness(error: Any) -> tuple[int, bool]:
    """Return the depth of an error, and whether its value has the right type."""
    return len(error.absolute_path), error.validator != "type"


@cache
def _compile(pattern: str) -> Any:
    """Compile a pattern for RE2, whose time is linear in the text.

    Raises:
        InputError: The pattern is not valid in RE2.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error:
        raise InputError(f"the schema has a pattern that RE2 does not support: {pattern}") from None


def _check_pattern(_: Any, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _compile(pattern).search(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _check_pattern_properties(
    validator: Any, patterns: dict[str, Any], value: object, _: object
) -> Iterator[ValidationError]:
    for name, part in value.items() if isinstance(value, dict) else ():
        for pattern, schema in patterns.items():
            if _compile(pattern).search(name):
                yield from validator.descend(part, schema, path=name, schema_path=pattern)


def _check_additional_properties(
    validator: Any, additional: Any, value: object, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    """Check the properties that patterns do not match, as for a schema without patterns."""
    patterns = [_compile(pattern) for pattern in schema.get("patternProperties", ())]
    if isinstance(value, dict):
        matched = {name for name in value if any(pattern.search(name) for pattern in patterns)}
        value = {name: part for name, part in value.items() if name not in matched}
    plain_schema = {key: part for key, part in schema.items() if key != "patternProperties"}
    check = Draft202012Validator.VALIDATORS["additionalProperties"]
    yield from check(validator, additional, value, plain_schema)


def _check_unique(_: Any, unique: bool, value: object, __: object) -> Iterator[ValidationError]:
    items = value if unique and isinstance(value, list) else []
    if len({json.dumps(item, sort_keys=True) for item in items}) < len(items):
        yield ValidationError(f"{value!r} has non-unique elements")


_Validator: Any = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _check_pattern,
        "patternProperties": _check_pattern_properties,
        "additionalProperties": _check_additional_properties,
        "uniqueItems": _check_unique,
    },
)
"""Draft 2020-12 validator whose time for patterns and arrays is linear in the answer."""


def load_schema(path: str | None = None) -> Schema:
    """Load a schema.

    Args:
        path: JSON file; None for the built-in schema.

    Raises:
        InputError: The file is unreadable, is not a JSON Schema of an object, is too large, or
            refers to itself or to another file.
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
            raise ValueError("it must be one object")
        _check_parts(schema.document)
        _check_size(schema.document)
        _ = schema.response
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"schema {path} cannot be read ({error})") from None
    except (SchemaError, ValueError, RecursionError) as error:
        reason = getattr(error, "message", str(error))
        raise InputError(f"schema {path} is not a JSON Schema: {reason}") from None
    return schema


def _check_parts(document: dict[str, Any]) -> None:
    """Raise unless every reference and pattern in a schema is valid.

    Raises:
        InputError: A reference leads outside the schema, or a pattern or keyword is not supported.
        SchemaError: A reference leads to a part that is not a schema.
    """
    keywords = set(chain.from_iterable(_objects(document)))
    if {"patternProperties", "unevaluatedProperties"} <= keywords:  # would be matched by `re`
        raise InputError(
            "the schema uses patternProperties and unevaluatedProperties, which is not supported"
        )
    for part in _objects(document):
        for name in ("$id", "$schema"):  # another $schema would need another validator
            if isinstance(part.get(name), str) and part is not document:
                raise InputError(f"the schema uses {name} in a part, which is not supported")
        for pattern in _patterns(part):
            _compile(pattern)
        for reference in _references(part):
            Draft202012Validator.check_schema(_find(document, reference))


def _check_size(document: dict[str, Any]) -> None:
    """Raise unless the expanded schema is finite, so that every validation terminates.

    Raises:
        InputError: It refers to itself, or is too large.
    """
    parts: list[Any] = [document]
    count = 0
    while parts:
        part = parts.pop()
        parts += (child for child in _children(part) if isinstance(child, dict | list))
        if isinstance(part, dict):
            parts += (_find(document, reference) for reference in _references(part))
        count += 1
        if count + len(parts) > _LARGEST:
            raise InputError(f"the schema refers to itself, or has more than {_LARGEST:,} parts")


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield an object and its nested objects."""
    if isinstance(value, dict):
        yield value
    for child in _children(value):
        yield from _objects(child)


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _patterns(part: dict[str, Any]) -> list[str]:
    patterns = [part["pattern"]] if isinstance(part.get("pattern"), str) else []
    names = part.get("patternProperties")
    return [*patterns, *names] if isinstance(names, dict) else patterns


def _references(part: dict[str, Any]) -> list[str]:
    references = [part.get("$ref"), part.get("$dynamicRef")]
    return [reference for reference in references if isinstance(reference, str)]


def _find(document: dict[str, Any], reference: str) -> Any:
    """Return the schema of a reference.

    Raises:
        InputError: The reference is not in the document.
    """
    resolver = Registry().resolver_with_root(DRAFT202012.create_resource(document))
    try:
        return resolver.lookup(reference).contents
    except (Unresolvable, TypeError, ValueError):
        raise InputError(f"the schema refers to {reference}, which is not in it") from None


def _inline_references(schema: Any, document: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its `$ref` and `allOf` replaced by the schemas they refer to."""
    if not isinstance(schema, dict):
        return {}
    parts = [_inline_references(branch, document) for branch in schema.get("allOf", ())]
    if "$ref" in schema:
        parts.insert(0, _inline_references(_find(document, schema["$ref"]), document))
    copied: dict[str, Any] = {key: schema[key] for key in _COPIED if key in schema}
    if "const" in schema:
        copied["enum"] = [schema["const"]]
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        copied["anyOf"] = [
            _inline_references(alternative, document) for alternative in alternatives
        ]
    for key in ("items", "additionalProperties"):
        if key in schema:
            value = schema[key]
            copied[key] = _inline_references(value, document) if isinstance(value, dict) else value
    if "properties" in schema:
        parts_by_name = schema["properties"].items()
        copied["properties"] = {
            name: _inline_references(part, document) for name, part in parts_by_name
        }
    merged: dict[str, Any] = {}
    for part in [*parts, copied]:
        merged = _merge(merged, part)
    return merged


def _merge(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Merge two schemas; the later one wins if both define a keyword."""
    merged = {**earlier, **later}
    if "properties" in earlier and "properties" in later:
        before = earlier["properties"]
        after = later["properties"]
        merged["properties"] = before | {n: before.get(n, {}) | after[n] for n in after}
    if "required" in earlier and "required" in later:
        merged["required"] = list(dict.fromkeys([*earlier["required"], *later["required"]]))
    return merged
