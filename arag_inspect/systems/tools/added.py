"""User-defined tools: a function, or an Inspect tool, in a file or an installed module."""

import inspect
import json
from functools import cache
from typing import Any

import anyio.to_thread
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import registry_info

from arag_inspect._util.errors import InputError
from arag_inspect._util.functions import Function, load_function
from arag_inspect.corpus import Corpus
from arag_inspect.systems.tools.mcp import record_result
from arag_inspect.systems.tools.strict import strict_tool
from arag_inspect.types.trace import Search, current_loop, current_trace


@cache
def load_added(target: str, choices: tuple[str, ...]) -> Function:
    """Load a tool by the name of its file or module.

    Raises:
        InputError: There is no such function, or it has no docstring to describe it to a model.
    """
    accepted = f"{', '.join(choices)}, file.py:function or module:function"
    function = load_function(target, kind="tool", accepted=accepted)
    if not _is_inspect_tool(function) and not inspect.getdoc(function):
        raise InputError(f"tool {target} has no docstring, from which a model learns its use")
    return function


def added_tool(function: Function, corpus: str) -> ToolDef:
    """Return a tool that records its results as a search and as passages that were read.

    Args:
        function: An Inspect tool, which gets the folder of the corpus if it takes `corpus`, or a
            function, which gets the corpus itself.
        corpus: Folder of the prepared corpus.
    """
    tool = _make(function, corpus)
    definition = strict_tool(tool, without=("corpus",))

    async def execute(**arguments: Any) -> str:
        values = {name: value for name, value in arguments.items() if value is not None}
        result = await tool(**values)
        text = result if isinstance(result, str) else json.dumps(result, default=str)
        trace = current_trace()
        opened_corpus = await Corpus.open_async(corpus)
        chunk_ids = await record_result(text, opened_corpus, trace, current_loop())
        query = json.dumps(values, ensure_ascii=False)
        search = Search(definition.name, query, chunk_ids, scores=[], loop=current_loop())
        trace.searches.append(search)
        return text

    return ToolDef(execute, definition.name, definition.description, definition.parameters)


def _make(function: Function, corpus: str) -> Tool:
    takes_corpus = "corpus" in inspect.signature(function).parameters
    if _is_inspect_tool(function):
        created_tool: Tool = function(corpus=corpus) if takes_corpus else function()
        return created_tool

    async def call(**arguments: Any) -> Any:
        if takes_corpus:
            arguments["corpus"] = await Corpus.open_async(corpus)
        if inspect.iscoroutinefunction(function):
            return await function(**arguments)
        return await anyio.to_thread.run_sync(lambda: function(**arguments))

    described = ToolDef(function)
    return ToolDef(call, described.name, described.description, described.parameters).as_tool()


def _is_inspect_tool(function: Function) -> bool:
    try:
        return registry_info(function).type == "tool"
    except ValueError:
        return False
