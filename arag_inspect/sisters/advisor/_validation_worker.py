"""Validate a value against a JSON Schema in a subprocess, so that an endless check can be stopped."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator


def find_faults(schema: dict[str, Any], value: object) -> list[tuple[str, str]]:
    """Return path and message of each fault, ordered by path.

    An alternative counts by its parts.
    """
    checker = Draft202012Validator.FORMAT_CHECKER
    validator = Draft202012Validator(schema, format_checker=checker)
    try:
        errors = [leaf for error in validator.iter_errors(value) for leaf in _leaves(error)]
    except RecursionError:
        return [("", "is nested too deep to be checked")]
    return sorted({(_dotted(error.absolute_path), error.message[:300]) for error in errors})


def _leaves(error: Any) -> Iterator[Any]:
    """Yield the errors of the deepest branch of an alternative (`anyOf`)."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield error
        return
    branches: dict[Any, list[Any]] = {}
    for child in error.context:
        branches.setdefault(child.schema_path[0], []).append(child)
    best = max(branches.values(), key=_depth)
    if _depth(best) == len(error.absolute_path):
        deep = [child for child in error.context if child.validator != "type"]
        if not deep:
            yield error
            return
        best = deep
    for child in best:
        yield from _leaves(child)


def _depth(errors: list[Any]) -> int:
    """Return the length of the longest path among errors."""
    return max(len(error.absolute_path) for error in errors)


def _dotted(path: Any) -> str:
    return ".".join(str(part) for part in path)


if __name__ == "__main__":
    request = json.load(sys.stdin)
    json.dump(find_faults(request["schema"], request["value"]), sys.stdout)
