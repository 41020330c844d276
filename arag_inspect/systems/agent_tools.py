"""The tools of A-RAG: their names, indices and construction."""

from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from typing import Any

import anyio.to_thread
from inspect_ai.tool import ToolDef

from arag_inspect._util.errors import InputError, check_choice
from arag_inspect.corpus import Corpus
from arag_inspect.systems import tools as toolbox
from arag_inspect.systems.tools.added import added_tool, load_added
from arag_inspect.systems.tools.retrieval import Retrieval
from arag_inspect.systems.tools.strict import strict_tool

_SEARCH_ADVICE = {
    "keyword_search": "Search for exact terms (line items, names, years) with `keyword_search`.",
    "grep": "Search for regular expressions (line items, names, years) with `grep`.",
    "semantic_search": "Search for the meaning of the question with `semantic_search`.",
}
_READING_ADVICE = {
    "chunk_summarize": "Skim many chunks with `chunk_summarize`.",
    "read": "Read a chunk in full, with its neighbours, with `read` before you rely on it.",
    "chunk_read": "Read a chunk in full with `chunk_read` before you rely on it.",
}
"""Advice on each tool, in the order of the prompt."""

_TOOLS = (*_SEARCH_ADVICE, *_READING_ADVICE)

ARAG_TOOLS = ("keyword_search", "semantic_search", "chunk_read")
"""Tools of A-RAG, by default."""

PLAIN_TOOLS = ("grep", "read")
"""Tools of an agent without a search index."""

_FILTERS = ("company", "period")

_EXAMPLE_HEADERS = {
    "[DOCUMENT: ": "[DOCUMENT: annual-report.pdf]",
    "FILING: ": "[COMPANY: AAN | FILING: 10K_2021 | SECTION: Risk Factors]",
    "TYPE: ANNUAL_REPORT": "[COMPANY: AAN | TYPE: ANNUAL_REPORT | PERIOD: FY_2021 | PAGE: 12]",
}
"""Example of a header for the prompt, by the fields of the corpus's headers."""

_EARNINGS_CALL = "[COMPANY: AAN | TYPE: EARNINGS_CALL | PERIOD: Q3_2021]"


async def load_tools(corpus: str, names: Sequence[str], retrieval: Retrieval) -> None:
    """Load the index or model that the tools search."""
    opened_corpus = await Corpus.open_async(corpus)
    if not {"keyword_search", "semantic_search"}.isdisjoint(names):
        await opened_corpus.load()  # this loads the keyword index as well
        await retrieval.load(opened_corpus)
    if "grep" in names:
        await anyio.to_thread.run_sync(import_module, "re2")


async def first_header(corpus: str) -> str:
    """Return the header of the first chunk of a corpus; empty if it has none."""
    opened_corpus = await Corpus.open_async(corpus)
    chunks = await opened_corpus.chunks(range(min(1, len(opened_corpus))))
    return chunks[0].prefix if chunks else ""


def make_tools(
    names: Sequence[str],
    corpus: str,
    doc_ids: tuple[str, ...] | None,
    top_k: int,
    retrieval: Retrieval,
    header: str,
) -> list[ToolDef]:
    """Make the tools; a search offers only the filters whose fields a header of the corpus has."""
    options: dict[str, dict[str, Any]] = {
        "keyword_search": {"top_k": top_k},
        "grep": {"top_k": top_k},
        "semantic_search": {"top_k": top_k, **asdict(retrieval)},
    }
    absent_filters = [field for field in _FILTERS if f"{field.upper()}:" not in header]
    definitions = []
    for name in dict.fromkeys(names):
        if name in _TOOLS:
            make_tool = getattr(toolbox, name)
            tool = make_tool(corpus=corpus, doc_ids=doc_ids, **options.get(name, {}))
            definitions.append(strict_tool(tool, absent_filters))
        else:
            definitions.append(added_tool(load_added(name, _TOOLS), corpus))
    return definitions


def example_header(header: str) -> str:
    """Return an invented header with the fields of a header of the corpus.

    The header itself is not returned: the name of a document could be an instruction.
    """
    for mark, example in _EXAMPLE_HEADERS.items():
        if mark in header:
            return example
    return _EARNINGS_CALL


def tool_advice(names: Sequence[str]) -> dict[str, str]:
    """Return the prompt's advice on the available tools."""
    searching_advice = [advice for name, advice in _SEARCH_ADVICE.items() if name in names]
    reading_advice = [advice for name, advice in _READING_ADVICE.items() if name in names]
    evidence = (
        "show where to look and are not evidence."
        if reading_advice
        else "are all that you can see: rely on nothing else."
    )
    return {
        "searching": " ".join(searching_advice) or "Read what may answer it.",
        "reading": " ".join([f"They {evidence}", *reading_advice]),
    }


def tool_names(tools: str | Sequence[str]) -> list[str]:
    """Return names of tools as a list.

    Raises:
        InputError: No tool is given, or a tool is unknown.
    """
    if not isinstance(tools, str | list | tuple):
        choices = ", ".join(_TOOLS)
        raise InputError(f"tools must be names of tools, got {tools!r}; choose from {choices}")
    names = [name.strip() for name in tools.split(",")] if isinstance(tools, str) else list(tools)
    for name in names:
        if ":" in name:
            load_added(name, _TOOLS)
        else:
            check_choice("tool", name, _TOOLS)
    if not names:
        raise InputError(f"no tool is given; choose from {', '.join(_TOOLS)}")
    return names
