"""Tools of an MCP server in the place of ours."""

import json
import shlex
from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageTool
from inspect_ai.tool import MCPServer, ToolSource, mcp_server_http, mcp_server_stdio, mcp_tools

from ..._util.errors import InputError, one_line
from ...corpus import Corpus
from ...types.trace import Passage, TraceRecord
from .passages import match_passages
from .reply import Reply, TargetError, read_reply
from .secrets import check_url


def mcp_source(server: str) -> ToolSource:
    """Connect to an MCP server when its tools are called.

    Args:
        server: Command line of a local server, or `http(s)://...`.

    Raises:
        InputError: The package `mcp` is missing, or the address cannot be used.
    """
    try:
        return mcp_tools(_server(server))
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"mcp: {one_line(error)}; pip install 'arag-inspect[mcp]'") from None


def _server(server: str) -> MCPServer:
    if server.startswith(("http://", "https://")):
        check_url(server)
        return mcp_server_http(url=server)
    command, *arguments = shlex.split(server)
    return mcp_server_stdio(command=command, args=arguments)


async def record_results(
    messages: Sequence[ChatMessage], corpus: Corpus, trace: TraceRecord
) -> None:
    """Write what the tools of a server returned into the trace, as passages of the corpus.

    A result in JSON is read like the `passages` of an external system; any other is one text.
    """
    loop = 0
    passages: dict[int, Passage] = {}
    nowhere = 0
    for message in messages:
        loop += message.role == "assistant"
        if not isinstance(message, ChatMessageTool) or message.error or not message.text.strip():
            continue
        matched = await match_passages(_result(message.text).passages or [], corpus)
        for passage in matched.passages:
            if passage.chunk_id < 0:
                nowhere -= 1
            key = nowhere if passage.chunk_id < 0 else passage.chunk_id
            passages.setdefault(key, passage.model_copy(update={"chunk_id": key, "loop": loop}))
    trace.passages = list(passages.values())


def _result(text: str) -> Reply:
    try:
        value = json.loads(text)
    except ValueError:
        value = [text]
    given = value.get("passages", [text]) if isinstance(value, dict) else value
    try:
        return read_reply({"text": "-", "passages": given})
    except TargetError:
        return read_reply({"text": "-", "passages": [text]})
