"""Shapes of the passages in services' answers: texts, ids, documents, and names without a text."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from numbers import Integral
from typing import Any, NamedTuple

from pydantic import BaseModel

from arag_inspect._util.bounds import JSON_VALUES, PASSAGES, check

PASSAGES_NAMES = (
    "passages",
    "contexts",
    "sources",
    "documents",
    "source_documents",
    "sourceDocuments",
    "source_nodes",
)
_PASSAGE_TEXT = ("text", "content", "page_content", "pageContent", "passage", "snippet")
_INSIDE = ("node", "document", "chunk", "content", "text")
"""Mappings within a passage that contain its text."""

_DOCUMENT = ("doc_id", "document_id", "document", "doc_name", "source")
"""Fields with the document of a passage; `document` may also contain its text."""

_LONGEST_NAME = 1_000
"""Longest name of a document, in characters; a longer `document` is a text."""

_GROUPS = ("document", "documents", "chunks", "passages", "results", "nodes")
"""Lists of passages within a source."""

_REFERENCE = re.compile(
    r"[!-~]{1,2000}|.{1,200}\.(?:pdf|docx?|pptx?|xlsx?|html?|txt|md|csv|json)", re.I
)
"""An address, an id or a file name: one word of ASCII, or a name with a suffix."""

_MOST_TITLE_WORDS = 11
_SENTENCE_END = re.compile(
    r"[^\W\d_A-Z]{4}[.!?…]\s|(?<!\bInc)(?<!\bCorp)(?<!\bLtd)(?<!\bCo)[.!?…।][\"'”’»)\]]*\Z|[。！？｡]"
)
"""The end of a sentence, but not of an abbreviation such as `p.` or `Inc.`."""

_AMOUNT = re.compile(
    r"[$€£¥%]|(?<![\d.,])\d+[.,]\d+(?![.,]?\d)|\b(?:[mb]illions?|mn|bn)\b", re.IGNORECASE
)
"""An amount of money, a share or a number with separators, unlike a year, a date or a page."""

_REPR = re.compile(r"\s*(?:\[\s*)?Document\((?:id|metadata|page_content)=")
_REPR_TEXT = re.compile(
    r"""\bpage_content=(?P<text>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")(?=[,)])""", re.DOTALL
)
"""The text in Python's notation of a document of LangChain."""


class ReportedPassages(NamedTuple):
    """The passages of an answer."""

    passages: list[Any] | None
    """Texts, ids and mappings; None if the list is missing or contains only names of sources."""

    names: int
    """Number of sources that are ignored because they have no text."""


def passages_of(value: object) -> ReportedPassages:
    """Return the passages of an answer as one list: texts, ids and mappings.

    Addresses, file names, titles and other references are ignored: their text was not read.

    Raises:
        ValueError: There are more than the limit.
    """
    if not isinstance(value, str | list | tuple | Mapping):
        return ReportedPassages(None, 0)
    items = flatten(value)
    passages = [item for item in items if not _is_reference(item)]
    names = len(items) - len(passages)
    return ReportedPassages(passages if passages or not items else None, names)


def flatten(value: Any) -> list[Any]:
    """Return passages of any nesting as one list.

    Understands lists of lists, a mapping of ids to passages, sources with a list of passages, pairs
    of passage and score, models of pydantic (such as a document of LangChain), one text, and any of
    these written as JSON in a text.

    Raises:
        ValueError: There are more than the limit.
    """
    if isinstance(value, Mapping) and not _is_passage(value):
        alone = [value] if value else []  # one source, perhaps without a text
        value = _lists_within(value) or alone
    items = list(islice(_iterate_leaves(value), PASSAGES.maximum + 1))
    check(len(items), PASSAGES)
    return items


def _lists_within(value: Mapping[Any, Any]) -> list[Any]:
    return [item for item in value.values() if isinstance(item, list | Mapping)]


def _iterate_leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, str):
        passages = _written_passages(value)
        yield from passages or [value]
        return
    if isinstance(value, Mapping):
        groups = [value[name] for name in _GROUPS if isinstance(value.get(name), list)]
        if _is_passage(value) or not groups:
            yield value
        else:
            yield from _iterate_leaves(groups[0])
    elif isinstance(value, list | tuple):
        is_pair = len(value) == 2 and isinstance(value[1], float)
        if is_pair and not isinstance(value[0], list | tuple):
            yield from (_add_score(item, value[1]) for item in _iterate_leaves(value[0]))
        else:
            for item in value:
                yield from _iterate_leaves(item)
    else:
        yield value


def _written_passages(text: str) -> list[Any]:
    """Return the passages that a text contains as JSON or in Python's notation of documents.

    Raises:
        ValueError: There are more values than the limit.
    """
    if _REPR.match(text):
        texts = [match["text"] for match in _REPR_TEXT.finditer(text)]
        with suppress(ValueError, SyntaxError, MemoryError):
            return [{"text": ast.literal_eval(literal)} for literal in texts]
    if not text.lstrip().startswith(("{", "[")):
        return []
    check(text.count(","), JSON_VALUES)
    try:
        value = json.loads(text)
        if isinstance(value, dict) and not _is_passage(value):
            value = _lists_within(value)
        leaves = list(islice(_iterate_leaves(value), PASSAGES.maximum + 1))
    except (ValueError, RecursionError):
        return []
    holds_passages = any(isinstance(leaf, Mapping) and _is_passage(leaf) for leaf in leaves)
    are_texts = text.lstrip().startswith("[") and all(isinstance(leaf, str) for leaf in leaves)
    return leaves if holds_passages or are_texts else []


def _is_passage(value: Mapping[Any, Any]) -> bool:
    return passage_text(value) is not None or chunk_id_of(value) is not None


def _add_score(passage: Any, score: float) -> Any:
    """Return a passage of a pair with its score."""
    if isinstance(passage, Mapping):
        return {"score": score, **passage}
    name = "text" if isinstance(passage, str) else "chunk_id"
    return {name: passage, "score": score}


def _is_reference(item: object) -> bool:
    if isinstance(item, str):
        text = item.strip()
        is_name = not text or _REFERENCE.fullmatch(text) is not None
        return is_name or _is_title(text) or _REPR.match(text) is not None
    if isinstance(item, Mapping):
        return not _is_passage(item)
    return isinstance(item, bool) or not isinstance(item, Integral)


def _is_title(text: str) -> bool:
    """Return whether a text is a title, such as `Annual report 2015, page 3`.

    A title is one line of a few words, without the end of a sentence and without amounts.
    """
    is_short = (
        len(text) <= 120
        and len(text.split()) <= _MOST_TITLE_WORDS
        and not re.search(r"[\n\t]", text)
    )
    return is_short and not _SENTENCE_END.search(text) and not _AMOUNT.search(text)


def passage_text(passage: Mapping[Any, Any]) -> str | None:
    """Return the text of a passage, or of a mapping within it."""
    for name in _PASSAGE_TEXT:
        text = passage.get(name)
        if isinstance(text, str) and text.strip():
            return text
    for name in _INSIDE:
        inner = passage.get(name)
        inner_text = passage_text(inner) if isinstance(inner, Mapping) else None
        if inner_text is not None:
            return inner_text
        if name == "document" and isinstance(inner, str) and inner.strip():
            return inner
    return None


def chunk_id_of(passage: Mapping[Any, Any]) -> int | None:
    """Return the integer under `chunk_id`, or in the metadata; None if missing."""
    for mapping in _passage_mappings(passage):
        number = mapping.get("chunk_id")
        if isinstance(number, str) and re.fullmatch(r"-?\d{1,9}", number):
            return int(number)
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    return None


def doc_id_of(passage: Mapping[Any, Any]) -> str | None:
    """Return the name under the first of `_DOCUMENT`, or in the metadata; None if missing."""
    for name in _DOCUMENT:
        for mapping in _passage_mappings(passage):
            document = mapping.get(name)
            if isinstance(document, str) and 0 < len(document.strip()) <= _LONGEST_NAME:
                return document
    return None


def _passage_mappings(passage: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], ...]:
    metadata = passage.get("metadata")
    return (passage, metadata) if isinstance(metadata, Mapping) else (passage,)
