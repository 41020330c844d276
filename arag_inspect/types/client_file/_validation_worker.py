"""Validate a value against a JSON Schema in a subprocess, so that an endless check can be stopped."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator


def find_faults(schema: dict[str, Any], value: object) -> list[tuple[str, str]]:
    """Return path and message of each fault, ordered by path; an alternative counts by its parts."""
    checker = Draft202012Validator.FORMAT_CHECKER
    validator = Draft202012Validator(schema, format_checker=checker)
    try:
        found = [leaf for error in validator.iter_errors(value) for leaf in _leaves(error)]
    except RecursionError:
        return [("", "is nested too deep to be checked")]
    return sorted({(_dotted(error.absolute_path), error.message[:300]) for error in found})


def _leaves(error: Any) -> Iterator[Any]:
    """Yield the most specific errors below an alternative (`anyOf`): those of its deepest branch."""
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


if __name__ == "__main__":
    given = json.load(sys.stdin)
    json.dump(find_faults(given["schema"], given["value"]), sys.stdout)
