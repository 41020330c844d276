"""A local Messages API with a prompt cache, accounted for as Anthropic does."""

import hashlib
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.scripted import OF_ANY_TEXT
from tests.serving import Request, Response, as_json, as_reply, message

SMALLEST = {"claude-sonnet-4-6": 2048, "claude-haiku-4-5-20251001": 4096}
"""Minimum length in tokens of a cached prefix."""

LOOKBACK = 20
"""Number of blocks before a marker in which cached prefixes are looked up."""


@dataclass(frozen=True)
class JudgePrompt:
    """A request and its charged usage."""

    model: str
    marked: bool
    input_tokens: int
    written: int
    read: int
    output_tokens: int


class CachingAPI:
    """Returns the given replies; a token is four characters.

    The cache holds prefixes that end at a marker (`cache_control` on a block, or on
    the request for its last block): tools, then system, then messages. Changing the
    reply format invalidates all of them; changing `tool_choice` invalidates those
    that extend into the messages.

    Args:
        reply: Content blocks of the reply to a request.
    """

    def __init__(self, reply: Callable[[dict[str, Any]], list[dict[str, Any]]]) -> None:
        self._reply, self._kept, self._lock = reply, set[str](), threading.Lock()
        self.asked: list[JudgePrompt] = []

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.body)
        if request.path.startswith("/v1/messages/count_tokens"):
            return as_json({"input_tokens": 10})
        with self._lock:
            reply_message = self._message(body)
        return as_reply(body, reply_message)

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        content = self._reply(body)
        asked = self._account(body, sum(len(json.dumps(block)) for block in content) // 4)
        self.asked.append(asked)
        return message(
            body["model"],
            content,
            input_tokens=asked.input_tokens,
            output_tokens=asked.output_tokens,
            cache_creation_input_tokens=asked.written,
            cache_read_input_tokens=asked.read,
        )

    def _account(self, body: dict[str, Any], output_tokens: int) -> JudgePrompt:
        prefixes = _prefixes(body)
        marks = [place for place, one in enumerate(prefixes) if one.marked]
        smallest = SMALLEST[body["model"]]
        marks = [place for place in marks if prefixes[place].tokens >= smallest]
        found = [
            prefixes[place].tokens
            for mark in marks
            for place in range(max(0, mark - LOOKBACK + 1), mark + 1)
            if prefixes[place].key in self._kept
        ]
        cache_read, total = max(found, default=0), prefixes[-1].tokens
        ends = prefixes[marks[-1]].tokens if marks else 0
        self._kept |= {prefixes[place].key for place in marks}
        return JudgePrompt(
            body["model"],
            any(one.marked for one in prefixes),
            total - max(ends, cache_read),
            max(0, ends - cache_read),
            cache_read,
            output_tokens,
        )


@dataclass
class _Prefix:
    """Everything up to the end of a block."""

    key: str
    tokens: int
    marked: bool


def _prefixes(body: dict[str, Any]) -> list[_Prefix]:
    messages = [
        (message["role"], block) for message in body["messages"] for block in _blocks(message)
    ]
    head = [("tools", block) for block in body.get("tools") or []]
    head += [("system", block) for block in body.get("system") or []]
    digest = hashlib.sha256(json.dumps([body["model"], body.get("output_format")]).encode())
    found: list[_Prefix] = []
    tokens = 0
    for place, (role, block) in enumerate([*head, *messages]):
        if place == len(head):
            digest.update(json.dumps(body.get("tool_choice")).encode())
        text = json.dumps({k: v for k, v in block.items() if k != "cache_control"})
        digest.update(f"{role}{text}".encode())
        tokens += len(text) // 4
        found.append(_Prefix(digest.hexdigest(), tokens, "cache_control" in block))
    if "cache_control" in body:
        found[-1].marked = True
    return found


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def text(reply: str) -> list[dict[str, Any]]:
    """Return a text reply."""
    return [{"type": "text", "text": reply}]


def _grade(asked: str) -> Any:
    """Return a grade, with a list of typical length where the question asks for one."""
    for key, verdict in (("statements", "supported"), ("items", "stated")):
        if f"In `{key}` list" in asked:
            return {key: [{"text": OF_ANY_TEXT, "verdict": verdict}] * 9, "score": 4}
    return 4


def agent_or_judge(loops: int) -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
    """Reply as an agent that searches and reads, a model that answers, or a judge that grades.

    Args:
        loops: Number of the agent's tool calls before it answers.
    """

    def reply(body: dict[str, Any]) -> list[dict[str, Any]]:
        blocks = [block for message in body["messages"] for block in _blocks(message)]
        turn = sum(block["type"] == "tool_result" for block in blocks)
        if body.get("tools") and body.get("tool_choice", {}).get("type") != "none" and turn < loops:
            name, arguments = [
                ("semantic_search", {"query": f"results of part {turn}"}),
                ("chunk_read", {"chunk_ids": [turn]}),
            ][turn % 2]
            return [{"type": "tool_use", "id": f"toolu_{turn}", "name": name, "input": arguments}]
        asked = "\n".join(str(block.get("text", "")) for block in blocks)
        if code := re.search(r"^VERDICT [0-9a-f]{6}:", asked, re.MULTILINE):
            return text(f"{code[0]} {json.dumps(_grade(asked))}")
        if "as the text `reasoning`" in asked:
            return text(json.dumps({"reasoning": "", "verdict": _grade(asked)}))
        if "one JSON object" in asked:
            return text(json.dumps({"clients": []}))
        return text("Revenue grew in the quarter, and the outlook was raised. " * 8)

    return reply
