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
    """Yield the errors of the nearest branch of an alternative (`anyOf`)."""
    alternatives = error.context if error.validator in ("anyOf", "oneOf") else []
    nearest = max(alternatives, key=_nearness, default=None)
    if nearest is None or _nearness(nearest) == (len(error.absolute_path), False):
        yield error
        return
    for child in alternatives:
        if child.schema_path[0] == nearest.schema_path[0]:
            yield from _leaves(child)


def _nearness(error: Any) -> tuple[int, bool]:
    """Return how deep an error is, and whether its value at least has the right type."""
    return len(error.absolute_path), error.validator != "type"


def _dotted(path: Any) -> str:
    return ".".join(str(part) for part in path)


if __name__ == "__main__":
    request = json.load(sys.stdin)
    json.dump(find_faults(request["schema"], request["value"]), sys.stdout)
