"""Local HTTP servers with replies defined by tests."""

import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import uvicorn


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Response:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    break_after: int | None = None
    """Number of bytes after which the connection is cut."""

    length: str | None = ""
    """Content-Length to send; the body's if empty. If None, closing the connection ends it."""


@dataclass
class FileServer:
    """Serves one file; the first responses may break off."""

    content: bytes
    breaks: int = 0
    status: int = 200
    asked: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Response:
        self.asked.append(request)
        if self.status != 200:
            return Response(self.status)
        breaks = len(self.asked) <= self.breaks
        return Response(200, self.content, break_after=len(self.content) // 2 if breaks else None)


def free_port() -> int:
    """Find a free port outside the system's range for outgoing connections."""
    for port in random.sample(range(20_000, 32_000), 1000):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port")


_port = 0
"""Port shared by this process's servers in turn, as Inspect caches models with their address."""


class _Server(ThreadingHTTPServer):
    """A server that ends its connections when it closes, so that none outlives it."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self.connections: list[socket.socket] = []
        try:
            super().__init__(("127.0.0.1", _port), handler)
        except OSError:  # another server of this process is running
            super().__init__(("127.0.0.1", 0), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a disconnect is not an error, and its traceback would clutter tests."""

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.append(request)
        super().process_request(request, client_address)

    def server_close(self) -> None:
        super().server_close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving(answer: Callable[[Request], Response]) -> Iterator[str]:
    """Serve on the loopback address; yield the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            request = Request(
                self.command,
                self.path,
                {k.lower(): v for k, v in self.headers.items()},
                self.rfile.read(length),
            )
            response = answer(request)
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            if response.length is not None:
                self.send_header("Content-Length", response.length or str(len(response.body)))
            self.close_connection = response.length is None
            self.end_headers()
            if self.command == "HEAD":
                return
            if response.break_after is None:
                self.wfile.write(response.body)
            else:
                self.wfile.write(response.body[: response.break_after])
                self.wfile.flush()
                self.close_connection = True

        do_GET = do_HEAD = do_POST = _handle

        def log_message(self, *_: object) -> None:
            pass

    global _port
    server = _Server(Handler)
    _port = _port or server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def running(app: Any, http: Any = "auto") -> Iterator[str]:
    """Run an ASGI application on the loopback address; yield the base URL."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", http=http))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def as_json(body: object, status: int = 200, **headers: str) -> Response:
    """Return a body as a JSON response."""
    return Response(
        status, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
    )


def as_error(status: int, kind: str, message: str) -> Response:
    """Return an error in the Messages API's format, with no delay before retries."""
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return as_json(error, status, **{"retry-after": "0", "retry-after-ms": "1"})


def message(model: str, content: list[dict[str, Any]], **usage: int) -> dict[str, Any]:
    """Return a message in the Messages API's format.

    Args:
        model: Model name to report.
        content: Content blocks.
        usage: Token counts, by the API's names.
    """
    called = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "m1", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": "tool_use" if called else "end_turn", "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def as_reply(body: dict[str, Any], message: dict[str, Any]) -> Response:
    """Return a message as the reply to a request, streamed if requested."""
    if body.get("stream"):
        return Response(200, as_events(message), {"Content-Type": "text/event-stream"})
    return as_json(message)


def as_message(
    request: Request, text: str, *, input_tokens: int = 1000, output_tokens: int = 100
) -> Response:
    """Return a text reply in the Messages API's format."""
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    content = [{"type": "text", "text": text}]
    return as_reply(json.loads(request.body), message("claude-haiku-4-5", content, **usage))


def as_events(message: dict[str, Any]) -> bytes:
    """Return a message of the Messages API as server-sent events."""
    start = {
        **message,
        "content": [],
        "stop_reason": None,
        "usage": {**message["usage"], "output_tokens": 1},
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": ended, "usage": message["usage"]},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()
