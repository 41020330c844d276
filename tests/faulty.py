"""A local Messages API that returns faults for a share of the calls."""

import json
import random
import threading
import time
from dataclasses import replace
from typing import Any

from inspect_ai.model import ModelUsage, compute_model_cost, get_model_info

from tests.caching import CachingAPI, agent_or_judge, text
from tests.serving import Request, Response, as_error, as_events

FAULTS = (
    "429",
    "500",
    "503",
    "529",
    "error event",
    "reset",
    "cut",
    "slow",
    "ended",
    "broken body",
    "broken event",
)
"""Status codes; an error inside a stream; connections cut immediately or midway; a late reply; a
stream that ends before `message_stop`; a body, and a last event, that are not JSON."""

_VERDICT = '{"reasoning": "It answers.", "verdict": "ANSWERED"}'
"""Reply of the judge of `abstention`."""


class FaultyAPI(CachingAPI):
    """Charges complete replies in full, and truncated streams for the usage reported so far.

    Args:
        share: Share of calls that fail.
        seed: Seed for the order of faults.
        kinds: Kinds of fault, used in turn.
        loops: Number of the agent's tool calls before it answers.
        refused_after: Number of calls after which all are refused with status 401.
        away_after: Number of calls after which all connections break.
    """

    def __init__(
        self,
        share: float,
        seed: int = 0,
        kinds: tuple[str, ...] = FAULTS,
        *,
        loops: int = 3,
        refused_after: int | None = None,
        away_after: int | None = None,
    ) -> None:
        answer = agent_or_judge(loops)
        super().__init__(lambda body: text(_VERDICT) if "output_format" in body else answer(body))
        self._share, self._kinds = share, kinds
        self.refused_after, self.away_after = refused_after, away_after
        self._draw, self._drawing = random.Random(seed), threading.Lock()
        self.faults: list[str] = []
        self.bodies: list[str] = []
        """Requests that received a complete reply."""
        self.calls = 0

    def __call__(self, request: Request) -> Response:
        if request.path.startswith("/v1/messages/count_tokens"):
            return super().__call__(request)
        with self._drawing:
            self.calls += 1
            refused, away = (
                after is not None and self.calls > after
                for after in (self.refused_after, self.away_after)
            )
            if refused or away:
                error = as_error(401, "authentication_error", "invalid x-api-key")
                return error if refused else Response(200, b"{}", break_after=0)
            fault = self._draw.random() < self._share
            kind = self._kinds[len(self.faults) % len(self._kinds)] if fault else ""
            self.faults += [kind] * fault
        body = json.loads(request.body)
        if kind in ("ended", "broken event", "error event") and not body.get("stream"):
            kind = "broken body"
        if kind.isdigit():
            error = as_error(int(kind), "overloaded_error", "later")
            return Response(503) if kind == "503" else error
        if kind == "reset":
            return Response(200, b"{}", break_after=0)
        if kind == "cut":
            return Response(200, b'{"id": "msg_1", "type": "mess', break_after=20)
        if kind == "broken body":
            return Response(200, b'{"id": "msg_1", "type', {"Content-Type": "application/json"})
        if kind:
            if kind == "slow":
                time.sleep(0.3)
            else:
                return self._stream(body, kind)
        self.bodies.append(request.body.decode())
        return super().__call__(request)

    def _stream(self, body: dict[str, Any], kind: str) -> Response:
        with self._lock:
            kept = set(self._kept)
            events = as_events(self._message(body)).split(b"\n\n")
            asked = self.asked.pop()
            self._kept = kept
            if kind == "ended":
                self.asked.append(replace(asked, output_tokens=1))
                events = events[: len(events) // 2]
            elif kind == "broken event":
                events = [*events[:-3], b'event: message_delta\ndata: {"type": "message_d']
            else:
                error = {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}
                events = [*events[:2], f"event: error\ndata: {json.dumps(error)}".encode()]
        stream = b"\n\n".join([*events, b""])
        return Response(200, stream, {"Content-Type": "text/event-stream"}, length=None)

    def prices(self) -> list[float]:
        """Return the cost of each reply."""
        return [
            dollars(
                asked.model,
                ModelUsage(
                    input_tokens=asked.input_tokens,
                    input_tokens_cache_write=asked.written,
                    input_tokens_cache_read=asked.read,
                    output_tokens=asked.output_tokens,
                ),
            )
            for asked in self.asked
        ]

    def dollars(self) -> float:
        """Cost of all replies."""
        return sum(self.prices())


def dollars(model: str, usage: ModelUsage) -> float:
    """The list price of a call to one of Anthropic's models."""
    info = get_model_info(f"anthropic/{model}")
    assert info is not None and info.cost is not None
    return compute_model_cost(info.cost, usage)
