"""The tools of A-RAG: their names, what they search, and how they are made."""

from collections.abc import Collection, Sequence
from typing import Any

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

_TOOLS = (*ALL_TOOLS, "chunk_summarize", *PLAIN_TOOLS)


async def load_tools(
    corpus: str, names: Sequence[str], retriever: Retriever, rerank: str | None
) -> list[str]:
    """Load what the tools search, and return the fields by which they can narrow a search."""
    opened_corpus = await Corpus.open_async(corpus)
    if not {"keyword_search", "semantic_search"}.isdisjoint(names):
        await opened_corpus.load()  # loads the keyword index as well
        await load_retriever(opened_corpus, retriever, rerank)
    return await _fields(opened_corpus)


def make_tools(
    names: Sequence[str],
    corpus: str,
    top_k: int,
    doc_ids: tuple[str, ...] | None,
    retriever: Retriever,
    rerank: str | None,
    fields: Collection[str],
) -> list[ToolDef]:
    """Make the tools; a search offers only the filters whose fields the corpus has."""
    options: dict[str, dict[str, Any]] = {
        "keyword_search": {"top_k": top_k},
        "grep": {"top_k": top_k},
        "semantic_search": {"top_k": top_k, "retriever": retriever, "rerank": rerank},
    }
    absent_filters = [field for field in _FILTERS if field not in fields]
    definitions = []
    for name in dict.fromkeys(names):
        if name in _TOOLS:
            make_tool = getattr(toolbox, name)
            tool = make_tool(corpus=corpus, doc_ids=doc_ids, **options.get(name, {}))
            definitions.append(strict_tool(tool, absent_filters))
        else:
            definitions.append(added_tool(load_added(name, _TOOLS), corpus))
    return definitions


async def _fields(corpus: Corpus) -> list[str]:
    """Return the fields of a corpus by which searches can be narrowed, those of its first header."""
    chunks = await corpus.chunks(range(min(1, len(corpus))))
    header = chunks[0].prefix if chunks else ""
    return [field for field in _FILTERS if f"{field.upper()}:" in header]


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
