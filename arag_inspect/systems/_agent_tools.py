"""The tools of A-RAG: their names, what they search, and how they are made."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import anyio.to_thread
from inspect_ai.tool import ToolDef

from arag_inspect._util.errors import InputError, check_choice
from arag_inspect.corpus import Corpus
from arag_inspect.systems import tools as toolbox
from arag_inspect.systems.tools.added import added_tool, load_added
from arag_inspect.systems.tools.retrieval import Retriever, load_retriever
from arag_inspect.systems.tools.strict import strict_tool

ALL_TOOLS = ("keyword_search", "semantic_search", "chunk_read")

PLAIN_TOOLS = ("grep", "read")

_FILTERS = ("company", "period")

_EXAMPLE_HEADERS = {
    "[DOCUMENT: ": "[DOCUMENT: annual-report.pdf]",
    "FILING: ": "[COMPANY: AAN | FILING: 10K_2021 | SECTION: Risk Factors]",
    "TYPE: ANNUAL_REPORT": "[COMPANY: AAN | TYPE: ANNUAL_REPORT | PERIOD: FY_2021 | PAGE: 12]",
}
"""Example of a header for the prompt, by what a header of the corpus holds."""

_EARNINGS_CALL = "[COMPANY: AAN | TYPE: EARNINGS_CALL | PERIOD: Q3_2021]"

_TOOLS = (*ALL_TOOLS, "chunk_summarize", *PLAIN_TOOLS)


async def load_tools(
    corpus: str, names: Sequence[str], retriever: Retriever, rerank: str | None
) -> str:
    """Load what the tools search, and return the first header of the corpus."""
    opened_corpus = await Corpus.open_async(corpus)
    if not {"keyword_search", "semantic_search"}.isdisjoint(names):
        await opened_corpus.load()  # this loads the keyword index as well
        await load_retriever(opened_corpus, retriever, rerank)
    if "grep" in names:
        await anyio.to_thread.run_sync(import_module, "re2")
    chunks = await opened_corpus.chunks(range(min(1, len(opened_corpus))))
    return chunks[0].prefix if chunks else ""


def make_tools(
    names: Sequence[str],
    corpus: str,
    top_k: int,
    doc_ids: tuple[str, ...] | None,
    retriever: Retriever,
    rerank: str | None,
    header: str,
) -> list[ToolDef]:
    """Make the tools; a search offers only the filters whose fields a header of the corpus has."""
    options: dict[str, dict[str, Any]] = {
        "keyword_search": {"top_k": top_k},
        "grep": {"top_k": top_k},
        "semantic_search": {"top_k": top_k, "retriever": retriever, "rerank": rerank},
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
    """Return an invented header with the fields of one of the corpus.

    Nothing of the header itself is returned: a document could name itself like an instruction.
    """
    for mark, example in _EXAMPLE_HEADERS.items():
        if mark in header:
            return example
    return _EARNINGS_CALL


def tool_names(tools: str | Sequence[str]) -> list[str]:
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
