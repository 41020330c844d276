"""Tools of an MCP server in place of ours."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageTool
from inspect_ai.tool import (
    MCPServer,
    Tool,
    ToolDef,
    ToolError,
    ToolResult,
    ToolSource,
    mcp_server_http,
    mcp_server_stdio,
    mcp_tools,
)

from ..._util.addresses import hide
from ..._util.encodable import change_texts
from ..._util.errors import InputError, one_line
from ..._util.network import client_options, failure
from ..._util.secrets import (
    check_address,
    check_arguments,
    check_headers,
    expand,
    redact,
    referenced,
)
from ...corpus import Corpus
from ...types.trace import Passage, TraceRecord
from .reply import EndpointReply, TargetError, match_passages, read_reply


def mcp_source(server: str, headers: Any = None) -> ToolSource:
    """Connect to an MCP server when its tools are called.

    Args:
        server: Command line of a local server, or `http(s)://...`.
        headers: With an address: headers by name, whose `${NAME}` stand for environment variables. What the tools return is logged without credentials.

    Raises:
        InputError: The package `mcp` is missing, or the address or a header cannot be used.
    """
    checked_headers = check_headers(headers)
    redacted = partial(redact, variables=referenced(checked_headers, server))
    try:
        return _McpServer(server, mcp_tools(_server(server, checked_headers)), redacted)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"mcp: {one_line(error)}; pip install 'arag-inspect[mcp]'") from None


class _McpServer(ToolSource):
    """Tools whose results and errors do not repeat credentials."""

    def __init__(self, name: str, source: ToolSource, redact: Callable[[str], str]) -> None:
        self._name, self._source, self._redact = name, source, redact

    async def tools(self) -> list[Tool]:
        """Ask the server for its tools.

        Raises:
            TargetError: It does not answer as an MCP server.
        """
        try:
            tools = await self._source.tools()
        except Exception as error:
            first: BaseException = error
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            reason = self._redact(hide(failure(first, self._name)))[:300]
            raise TargetError(
                f"{self._name} lists no tools ({reason}); check it and mcp_headers"
            ) from None
        return [_redact_tool(tool, self._redact) for tool in tools]


def _redact_tool(tool: Tool, redact: Callable[[str], str]) -> Tool:
    defined = ToolDef(tool)

    async def execute(**arguments: Any) -> ToolResult:
        try:
            result: ToolResult = change_texts(await tool(**arguments), redact)
        except ToolError as error:
            raise ToolError(redact(error.message)) from None
        return result

    return ToolDef(
        execute,
        name=defined.name,
        description=defined.description,
        parameters=defined.parameters,
        parallel=defined.parallel,
    ).as_tool()


def _server(server: str, headers: Mapping[str, str]) -> MCPServer:
    if server.startswith(("http://", "https://")):
        check_address(server, "mcp")
        url = expand(server, in_address=True)
        client_options(url)  # the environment's settings can be used
        return mcp_server_http(url=url, headers=change_texts(dict(headers), expand))
    if headers:
        raise InputError("mcp_headers go with an address; a local server reads its environment")
    command, *arguments = shlex.split(server)
    check_arguments(arguments)
    return mcp_server_stdio(command=command, args=arguments)


async def record_results(
    messages: Sequence[ChatMessage], corpus: Corpus, trace: TraceRecord
) -> None:
    """Record the results of a server's tools in the trace, as passages of the corpus.

    A JSON result is parsed like the `passages` of an external system; any other is one text.
    """
    loop = 0
    passages: dict[int, Passage] = {}
    lowest_id = 0
    for message in messages:
        loop += message.role == "assistant"
        if not isinstance(message, ChatMessageTool) or message.error or not message.text.strip():
            continue
        matched = await match_passages(_parse_result(message.text).passages or [], corpus)
        for passage in matched.passages:
            if passage.chunk_id < 0:
                lowest_id -= 1
            key = lowest_id if passage.chunk_id < 0 else passage.chunk_id
            passages.setdefault(key, replace(passage, chunk_id=key, loop=loop))
    trace.passages = list(passages.values())


def _parse_result(text: str) -> EndpointReply:
    try:
        value = json.loads(text)
    except ValueError:
        value = [text]
    passages = value.get("passages", [text]) if isinstance(value, dict) else value
    try:
        return read_reply({"text": "-", "passages": passages})
    except TargetError:
        return read_reply({"text": "-", "passages": [text]})
