"""Bounds on input from a model, a tool, a service or a file.

Input that exceeds a bound is either cut, with a notice to its sender (`cut`), or rejected with a
one-line error (`check`).
"""

from typing import Any, NamedTuple, TypeVar

S = TypeVar("S", str, list[Any])


class Bound(NamedTuple):
    """The maximum accepted amount of something."""

    maximum: int
    noun: str


KEYWORDS = Bound(64, "keywords")
KEYWORD = Bound(200, "characters of a keyword")
CHUNK_IDS = Bound(64, "chunk ids")
QUERY = Bound(4_000, "characters")
TOOLS = Bound(64, "tools")
TOOL_RESULT = Bound(100_000, "characters of the result")
STEPS = Bound(1_000, "steps")
PASSAGES = Bound(1_000, "passages")
SCORE_KEYS = Bound(200, "values of a score")
JSON_VALUES = Bound(500_000, "values")
CELLS = Bound(200_000, "cells")

MOST_OFFSET = 10_000
"""Maximum results of a search that can be skipped."""

_LONGEST_ECHO = 200
"""Maximum characters of a model's text that an answer to it repeats."""

CONNECT_SECONDS = 30.0
"""Time limit for connecting to an MCP server and listing its tools."""

CALL_SECONDS = 300.0
"""Time limit for a tool call of an MCP server, and for an answer of a live system."""


def cut(values: S, bound: Bound) -> tuple[S, str]:
    """Return the first characters or items, and a notice; it is empty if nothing was cut."""
    if len(values) <= bound.maximum:
        return values, ""
    return values[: bound.maximum], f"Only the first {bound.maximum:,} {bound.noun} are used."


def check(count: int, bound: Bound) -> None:
    """Raise if a count exceeds a bound.

    Raises:
        ValueError: The count exceeds it; the message names the bound.
    """
    if count > bound.maximum:
        raise ValueError(f"has more than {bound.maximum:,} {bound.noun}, which is the most allowed")


def shorten(text: str) -> str:
    """Shorten a text that is repeated to the model that wrote it."""
    return text if len(text) <= _LONGEST_ECHO else f"{text[:_LONGEST_ECHO]}…"
