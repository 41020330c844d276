"""Bounds on input from a model, a tool, a service or a file.

Input that exceeds a bound is either cut, with a notice to its sender (`cut`), or rejected with a
one-line error (`check`).
"""

from typing import Any, NamedTuple, TypeVar

S = TypeVar("S", str, list[Any])


class SizeBound(NamedTuple):
    """The maximum accepted amount of something."""

    maximum: int
    noun: str


KEYWORDS = SizeBound(64, "keywords")
KEYWORD = SizeBound(200, "characters of a keyword")
CHUNK_IDS = SizeBound(64, "chunk ids")
QUERY = SizeBound(4_000, "characters")
TOOLS = SizeBound(64, "tools")
TOOL_RESULT = SizeBound(100_000, "characters of the result")
STEPS = SizeBound(1_000, "steps")
PASSAGES = SizeBound(1_000, "passages")
SCORE_KEYS = SizeBound(200, "values of a score")
JSON_VALUES = SizeBound(500_000, "values")
CELLS = SizeBound(200_000, "cells")

MOST_OFFSET = 10_000
"""Maximum results of a search that can be skipped."""

_LONGEST_ECHO = 200
"""Maximum characters of a model's text that are repeated to it."""

CONNECT_SECONDS = 30.0
"""Time limit for connecting to an MCP server and listing its tools."""

CALL_SECONDS = 300.0
"""Time limit for a tool call of an MCP server, and for an answer of a live system."""


def cut(values: S, bound: SizeBound) -> tuple[S, str]:
    """Return the first characters or items, and a notice; it is empty if nothing was cut."""
    if len(values) <= bound.maximum:
        return values, ""
    return values[: bound.maximum], f"Only the first {bound.maximum:,} {bound.noun} are used."


def check(count: int, bound: SizeBound) -> None:
    """Raise if a count exceeds a bound.

    Raises:
        ValueError: The count exceeds the bound, which the message states.
    """
    if count > bound.maximum:
        raise ValueError(f"has more than {bound.maximum:,} {bound.noun}, which is the limit")


def shorten(text: str) -> str:
    """Shorten a text that is repeated to the model that wrote it."""
    return text if len(text) <= _LONGEST_ECHO else f"{text[:_LONGEST_ECHO]}…"
