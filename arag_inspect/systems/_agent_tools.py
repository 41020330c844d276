"""The tools of A-RAG: their names, what they search, and how they are made."""

import re
from collections.abc import Sequence
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

_FIELD = re.compile(r"([A-Z][A-Z ]*): ([^|\]]*[^|\]\s])")
"""A field of a header, with its value."""

_EXAMPLE_HEADER = "[COMPANY: AAN | TYPE: EARNINGS_CALL | PERIOD: Q3_2021]"

_TOOLS = (*ALL_TOOLS, "chunk_summarize", *PLAIN_TOOLS)


async def load_tools(
    corpus: str, names: Sequence[str], retriever: Retriever, rerank: str | None
) -> str:
    """Load what the tools search, and return the first header of the corpus."""
    opened_corpus = await Corpus.open_async(corpus)
    if not {"keyword_search", "semantic_search"}.isdisjoint(names):
        await opened_corpus.load()  # loads the keyword index as well
        await load_retriever(opened_corpus, retriever, rerank)
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
    """Return a header like one of the corpus, but of an invented company and, if it can, period."""
    fields = _FIELD.findall(header)
    if not fields:
        return _EXAMPLE_HEADER
    invented = dict(_FIELD.findall(_EXAMPLE_HEADER))
    values = []
    for name, value in fields:
        example = invented.get(name, value)
        fits = name == "COMPANY" or _without_digits(example) == _without_digits(value)
        values.append(f"{name}: {example if fits else value}")
    return f"[{' | '.join(values)}]"


def _without_digits(text: str) -> str:
    return re.sub(r"\d", "0", text)


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
