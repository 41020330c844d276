"""Convert a trace to and from a list of tool calls, the exchange format of A-RAG and others."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .trace import Passage, Search


class TracedCall(NamedTuple):
    """Arguments and result of a tool call."""

    loop: int
    tool_name: str
    arguments: dict[str, Any]
    tool_result: str
    passages: list[dict[str, Any]] | None = None
    """Per chunk read: `doc_id`, `how`, `prefix`, `part` and the text's `characters`."""


def to_calls(searches: Iterable[Search], passages: Iterable[Passage]) -> list[TracedCall]:
    """Return searches and reading by loop; all reading in one loop is one call."""
    calls = [_search_call(search) for search in searches]
    passages_by_loop: dict[int, list[Passage]] = defaultdict(list)
    for passage in passages:
        passages_by_loop[passage.loop].append(passage)
    calls += [_read_call(loop, read_there) for loop, read_there in passages_by_loop.items()]
    return sorted(calls, key=lambda call: call.loop)


def _search_call(search: Search) -> TracedCall:
    argument = "keywords" if isinstance(search.query, list) else "query"
    scores = dict(zip(search.chunk_ids, search.scores, strict=False))
    return TracedCall(search.loop, search.tool, {argument: search.query}, json.dumps(scores))


def _read_call(loop: int, passages: Sequence[Passage]) -> TracedCall:
    chunk_ids = [passage.chunk_id for passage in passages]
    result = "\n\n".join(f"{passage.prefix}\n{passage.text}" for passage in passages)
    parts = [_part(passage) for passage in passages]
    return TracedCall(loop, "chunk_read", {"chunk_ids": chunk_ids}, result, parts)


def _part(passage: Passage) -> dict[str, Any]:
    return {
        "doc_id": passage.doc_id,
        "how": passage.how,
        "prefix": passage.prefix,
        "part": passage.part,
        "characters": len(passage.text),
    }


def from_calls(calls: Sequence[Mapping[str, Any]]) -> tuple[list[Search], list[Passage]]:
    """Reconstruct searches and reading; exact for our own calls.

    In other calls, the chunks in an argument `chunk_ids` were read, and the keys of a JSON result
    are the ids of the chunks that a search found.

    Raises:
        ValueError: A call is malformed.
        KeyError: A call lacks a field.
        TypeError: A field has a wrong type.
    """
    searches: list[Search] = []
    passages: dict[int, Passage] = {}
    for call in calls:
        arguments = call["arguments"]
        result = str(call["tool_result"])
        loop = int(call["loop"])
        if "chunk_ids" in arguments:
            parts = call.get("passages")
            for passage in _read_passages(arguments["chunk_ids"], result, loop, parts):
                passages.setdefault(passage.chunk_id, passage)
        elif "query" in arguments or "keywords" in arguments:
            scores = _read_scores(result)
            searches.append(
                Search(
                    tool=str(call["tool_name"]),
                    query=arguments.get("keywords", arguments.get("query")),
                    chunk_ids=list(scores),
                    scores=list(scores.values()),
                    loop=loop,
                )
            )
    return searches, list(passages.values())


def _read_passages(
    chunk_ids: Sequence[int], result: str, loop: int, parts: Sequence[Mapping[str, Any]] | None
) -> list[Passage]:
    if parts is None:  # chunk boundaries are unknown: the first chunk gets the whole text
        texts = [result, *[""] * len(chunk_ids)]
        return [
            Passage(chunk_id=chunk, doc_id="", prefix="", text=text, loop=loop)
            for chunk, text in zip(chunk_ids, texts, strict=False)
        ]
    passages = []
    position = 0
    for chunk, part in zip(chunk_ids, parts, strict=True):
        start = position + len(part["prefix"]) + 1
        position = start + part["characters"] + 2
        passages.append(
            Passage(
                chunk_id=chunk,
                doc_id=part["doc_id"],
                prefix=part["prefix"],
                part=part.get("part", ""),
                text=result[start : position - 2],
                loop=loop,
                how=part["how"],
            )
        )
    return passages


def _read_scores(result: str) -> dict[int, float]:
    try:
        return {int(chunk): float(score) for chunk, score in json.loads(result).items()}
    except (ValueError, TypeError, AttributeError):
        return {}
