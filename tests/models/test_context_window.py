"""What is over a model's window: recorded from llama.cpp's server behind the OpenAI-compatible provider."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import Model, get_model

from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.scripted import Script, run, scripted
from tests.serving import Request, Response, serving

pytest.importorskip("openai", reason="the extra `local` is not installed")
pytestmark = pytest.mark.usefixtures("logs")

RECORDED = {
    "error": {
        "code": 400,
        "message": "request (6031 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 6031,
        "n_ctx": 4096,
    }
}
SEARCH = ("semantic_search", {"query": "revenue", "top_k": 1})
READ = ("chunk_read", {"chunk_ids": [0]})
Turn = str | tuple[str, dict[str, Any]] | None


class Server:
    """Answers in order; None is a prompt that is too long."""

    def __init__(self, *turns: Turn) -> None:
        self.turns, self.asked = list(turns), list[list[dict[str, Any]]]()

    def __call__(self, request: Request) -> Response:
        self.asked.append(json.loads(request.body)["messages"])
        turn = self.turns.pop(0)
        body = RECORDED if turn is None else _completion(turn, len(self.asked))
        return Response(
            400 if turn is None else 200,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )


def _completion(turn: str | tuple[str, dict[str, Any]], number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn}
    if not isinstance(turn, str):
        function = {"name": turn[0], "arguments": json.dumps(turn[1])}
        calls = [{"id": f"call_{number}", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "local",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def answered(folder: Path, system: Any, *turns: Turn) -> tuple[EvalSample, RetrievalTrace, Server]:
    server = Server(*turns)
    with serving(server) as url:
        model: Model = get_model(
            "openai-api/local/model", base_url=f"{url}/v1", api_key="k", memoize=False
        )
        task = earnings_synthetic(corpus=str(folder), system=system, scorers="no_grader")
        log = run(task, model, limit=1)
    assert log.status == "success" and log.samples, log.error
    sample = log.samples[0]
    return sample, sample.store_as(RetrievalTrace), server


@pytest.mark.parametrize("system", ["naive_rag", "stuffing"])
def test_a_prompt_over_the_window_is_skipped_and_unscored(
    system: str, synthetic_folder: Path
) -> None:
    sample, trace, _ = answered(synthetic_folder, system, None)
    assert trace.stopped_by == "skipped" and "over the model's window" in str(trace.skipped)
    assert sample.output.completion == ""
    assert {score.reason for score in (sample.scores or {}).values()} == {"skipped"}


def test_an_agent_over_the_window_answers_from_the_latest_it_read(synthetic_folder: Path) -> None:
    turns = (SEARCH, READ, None, None, "A summary.")
    sample, trace, server = answered(synthetic_folder, "arag", *turns)
    assert sample.output.completion == "A summary." and trace.stopped_by == "token_budget"
    assert [len(asked) for asked in server.asked] == [2, 4, 6, 7, 5]
    assert server.asked[-1][2]["tool_calls"][0]["function"]["name"] == "chunk_read"
    assert not any("context size" in str(message) for message in server.asked[-1])
    assert (trace.loops, trace.input_tokens) == (2, 300)


def test_an_agent_with_nothing_that_fits_is_skipped(synthetic_folder: Path) -> None:
    sample, trace, _ = answered(synthetic_folder, "arag", SEARCH, None, None, None)
    assert trace.skipped == "the conversation is over the model's window"
    assert sample.output.completion == ""
    assert {score.reason for score in (sample.scores or {}).values()} == {"skipped"}


def test_a_grader_over_its_window_has_no_verdict(synthetic_folder: Path) -> None:
    server = Server(None)
    with serving(server) as url:
        grader = get_model(
            "openai-api/local/grader", base_url=f"{url}/v1", api_key="k", memoize=False
        )
        task = earnings_synthetic(
            corpus=str(synthetic_folder), system="closed_book", scorers="geval_coverage"
        )
        log = run(task, scripted(Script("A summary.")), limit=1, model_roles={"grader": grader})
    assert log.status == "success" and log.samples and log.samples[0].scores
    score = log.samples[0].scores["geval_coverage"]
    assert score.reason == "grader_failed" and "over the judge's window" in str(score.explanation)
