"""Convert a trace to and from a list of tool calls, the exchange format of A-RAG and others."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .trace import Passage, Search


class Call(NamedTuple):
    """Arguments and result of a call; for reading, also the position of each chunk in the result."""

    loop: int
    tool_name: str
    arguments: dict[str, Any]
    tool_result: str
    passages: list[dict[str, Any]] | None = None
    """Per chunk read: `doc_id`, `how`, `prefix` and the number of `characters` of its text."""


def to_calls(searches: Iterable[Search], passages: Iterable[Passage]) -> list[Call]:
    """Return searches and reading by loop; all reading in one loop is one call."""
    calls = [
        Call(
            search.loop,
            search.tool,
            {"keywords" if isinstance(search.query, list) else "query": search.query},
            json.dumps(dict(zip(search.chunk_ids, search.scores, strict=False))),
        )
        for search in searches
    ]
    loops: dict[int, list[Passage]] = defaultdict(list)
    for passage in passages:
        loops[passage.loop].append(passage)
    calls += [
        Call(
            loop,
            "chunk_read",
            {"chunk_ids": [one.chunk_id for one in read]},
            "\n\n".join(f"{one.prefix}\n{one.text}" for one in read),
            [
                {
                    "doc_id": one.doc_id,
                    "how": one.how,
                    "prefix": one.prefix,
                    "characters": len(one.text),
                }
                for one in read
            ],
        )
        for loop, read in loops.items()
    ]
    return sorted(calls, key=lambda call: call.loop)


def from_calls(calls: Sequence[Mapping[str, Any]]) -> tuple[list[Search], list[Passage]]:
    """Reconstruct searches and reading; exact for our own calls.

    In other calls, the chunks in an argument `chunk_ids` were read,
    and the keys of a JSON result are what `query` or `keywords` found.

    Raises:
        ValueError: A call is malformed.
        KeyError: A call lacks a field.
        TypeError: A field has a wrong type.
    """
    searches: list[Search] = []
    passages: dict[int, Passage] = {}
    for call in calls:
        arguments, result, loop = call["arguments"], str(call["tool_result"]), int(call["loop"])
        if "chunk_ids" in arguments:
            for passage in _read(arguments["chunk_ids"], result, loop, call.get("passages")):
                passages.setdefault(passage.chunk_id, passage)
        elif "query" in arguments or "keywords" in arguments:
            found = _found(result)
            searches.append(
                Search(
                    tool=str(call["tool_name"]),
                    query=arguments.get("keywords", arguments.get("query")),
                    chunk_ids=list(found),
                    scores=list(found.values()),
                    loop=loop,
                )
            )
    return searches, list(passages.values())


def _read(
    chunk_ids: Sequence[int], result: str, loop: int, parts: Sequence[Mapping[str, Any]] | None
) -> list[Passage]:
    if parts is None:  # chunk boundaries are unknown: the first chunk gets the whole text
        texts = [result, *[""] * len(chunk_ids)]
        return [
            Passage(chunk_id=chunk, doc_id="", prefix="", text=text, loop=loop)
            for chunk, text in zip(chunk_ids, texts, strict=False)
        ]
    passages, place = [], 0
    for chunk, part in zip(chunk_ids, parts, strict=True):
        start = place + len(part["prefix"]) + 1
        place = start + part["characters"] + 2
        passages.append(
            Passage(
                chunk_id=chunk,
                doc_id=part["doc_id"],
                prefix=part["prefix"],
                text=result[start : place - 2],
                loop=loop,
                how=part["how"],
            )
        )
    return passages


def _found(result: str) -> dict[int, float]:
    try:
        return {int(chunk): float(score) for chunk, score in json.loads(result).items()}
    except (ValueError, TypeError, AttributeError):
        return {}
