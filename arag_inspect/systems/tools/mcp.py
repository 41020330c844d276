"""Tools of an MCP server instead of this package's."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
from inspect_ai.model import ChatMessage, ChatMessageTool, ContentText
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

from arag_inspect._util.addresses import hide
from arag_inspect._util.bounds import CALL_SECONDS, CONNECT_SECONDS, TOOL_RESULT, TOOLS, check, cut
from arag_inspect._util.encodable import change_texts
from arag_inspect._util.errors import InputError, one_line
from arag_inspect._util.network import client_options, failure
from arag_inspect._util.secrets import (
    check_address,
    check_arguments,
    check_headers,
    expand,
    find_variables,
    redact,
)
from arag_inspect.corpus import Corpus
from arag_inspect.systems.live.passages_in_corpus import match_passages
from arag_inspect.systems.live.reply import (
    ReportedPassage,
    TargetError,
    excerpt,
    no_answer_within,
    read_reply,
)
from arag_inspect.types.trace import TraceRecord


def mcp_source(server: str, headers: Any = None, timeout: float = CALL_SECONDS) -> ToolSource:
    """Connect to an MCP server when its tools are called.

    Args:
        server: Command line of a local server, or `http(s)://...`.
        headers: With an address: headers by name, in which `${NAME}` is replaced by an environment variable. What the tools return is logged without credentials.
        timeout: Time limit of a tool call, in seconds.

    Raises:
        InputError: The package `mcp` is missing, or the address or a header cannot be used.
    """
    checked_headers = check_headers(headers)
    redacted = partial(redact, variables=find_variables(checked_headers, server))
    try:
        source = mcp_tools(_connect_server(server, checked_headers, timeout))
        return _McpServer(server, source, redacted, timeout)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"mcp: {one_line(error)}; pip install 'arag-inspect[mcp]'") from None


class _McpServer(ToolSource):
    """Tools that are bounded in time and size, and do not repeat credentials."""

    def __init__(
        self, name: str, source: ToolSource, redact: Callable[[str], str], timeout: float
    ) -> None:
        self._name = name
        self._source = source
        self._redact = redact
        self._timeout = timeout

    async def tools(self) -> list[Tool]:
        """Ask the server for its tools.

        Raises:
            TargetError: It does not answer as an MCP server, or has too many tools.
        """
        try:
            with anyio.fail_after(CONNECT_SECONDS):
                tools = await self._source.tools()
        except Exception as error:
            reason = self._reason(_first_error(error), CONNECT_SECONDS)
            raise TargetError(
                f"{self._name} lists no tools ({reason}); check it and mcp_headers"
            ) from None
        try:
            check(len(tools), TOOLS)
        except ValueError as error:
            raise TargetError(f"{self._name} {error}") from None
        return [self._bound_tool(tool) for tool in tools]

    def _bound_tool(self, tool: Tool) -> Tool:
        defined = ToolDef(tool)

        async def execute(**arguments: Any) -> ToolResult:
            try:
                with anyio.fail_after(self._timeout):
                    result = await tool(**arguments)
            except Exception as error:
                raise self._failure(defined.name, _first_error(error)) from None
            return _cut_result(change_texts(result, self._redact))

        return ToolDef(
            execute,
            name=defined.name,
            description=defined.description,
            parameters=defined.parameters,
            parallel=defined.parallel,
        ).as_tool()

    def _failure(self, tool: str, error: BaseException) -> Exception:
        """Return the message for the model, or the error of the sample if the server is gone."""
        if isinstance(error, ToolError):
            message, _ = cut(self._redact(error.message), TOOL_RESULT)
            return ToolError(message)
        reason = self._reason(error, self._timeout)
        if isinstance(error, TimeoutError):
            return ToolError(f"{tool} {reason}.")
        return TargetError(f"{self._name} failed in {tool} ({reason})")

    def _reason(self, error: BaseException, seconds: float) -> str:
        if isinstance(error, TimeoutError):
            return no_answer_within(seconds)
        return excerpt(self._redact(hide(failure(error, self._name))))


def _first_error(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _cut_result(result: ToolResult) -> ToolResult:
    """Cut the text of a result and append a notice; the result keeps its parts' type."""
    if isinstance(result, str):
        text, notice = cut(result, TOOL_RESULT)
        return f"{text}\n\n{notice}" if notice else text
    parts = result if isinstance(result, list) else []
    whole = "\n".join(part.text for part in parts if isinstance(part, ContentText))
    text, notice = cut(whole, TOOL_RESULT)
    return f"{text}\n\n{notice}" if notice else result


def _connect_server(server: str, headers: Mapping[str, str], timeout: float) -> MCPServer:
    if server.startswith(("http://", "https://")):
        check_address(server, "mcp")
        url = expand(server, in_address=True)
        client_options(url)  # raises if the proxy or certificates cannot be used
        return mcp_server_http(
            url=url, headers=change_texts(dict(headers), expand), sse_read_timeout=timeout
        )
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
    for message in messages:
        loop += message.role == "assistant"
        if isinstance(message, ChatMessageTool) and not message.error and message.text.strip():
            await record_result(message.text, corpus, trace, loop)


async def record_result(text: str, corpus: Corpus, trace: TraceRecord, loop: int) -> list[int]:
    """Record the result of a tool as passages of the corpus, and return the chunks that it contains.

    A text that is in no chunk has a distinct negative id.
    """
    matched = await match_passages(_parse_result(text), corpus)
    chunk_ids = [passage.chunk_id for passage in matched.passages if passage.is_chunk]
    recorded_ids = {passage.chunk_id for passage in trace.passages}
    for passage in matched.passages:
        key = passage.chunk_id if passage.is_chunk else min({0} | recorded_ids) - 1
        if key not in recorded_ids:
            trace.passages.append(replace(passage, chunk_id=key, loop=loop))
            recorded_ids.add(key)
    return chunk_ids


def _parse_result(text: str) -> list[ReportedPassage]:
    whole_text = [text] if len(text.split()) == 1 else [{"text": text}]
    try:
        value = json.loads(text)
    except ValueError:
        value = whole_text
    passages = value.get("passages", whole_text) if isinstance(value, dict) else value
    with suppress(TargetError):
        passages_read = read_reply({"text": "-", "passages": passages}).passages
        if passages_read:
            return passages_read
    return read_reply({"text": "-", "passages": whole_text}).passages or []
