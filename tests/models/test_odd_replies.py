"""Tests of replies that deviate from OpenAI's format: read, retried, or a one-line error."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ChatMessageTool, ModelAPI, ModelOutput, get_model
from tenacity import wait_none

from arag_inspect.models.call_monitor import watching
from arag_inspect.solvers import closed_book
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of, scores_of
from tests.scripted import Script, run, scripted, summarized
from tests.serving import Request, Response, serving
from tests.tables import tables_beside

pytest.importorskip("openai", reason="the extra `local` is not installed")
pytestmark = pytest.mark.usefixtures("logs")


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelAPI, "retry_wait", lambda _: wait_none())


def payload(content: Any, reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **more}
    return {
        "id": "1", "object": "chat.completion", "created": 1, "model": "local",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }  # fmt: skip


def called(
    arguments: Any, identity: str | None = "c1", name: str = "semantic_search"
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    calls = [{"id": identity, "type": "function", "function": function}]
    return payload(None, "tool_calls", tool_calls=calls)


def completion_without(reply: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if name != key}


GOOD = payload("Revenue rose.")
OVER_WINDOW = {  # the message of llama.cpp's server
    "error": {
        "code": 400,
        "message": (
            "request (6031 tokens) exceeds the available context size (4096 tokens), try "
            "increasing it"
        ),
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 6031,
        "n_ctx": 4096,
    }
}
QUERY = json.dumps({"query": "revenue"})


def serve_replies(
    folder: Path, system: Any, *replies: Any, scorers: str = "rouge", **options: Any
) -> tuple[EvalLog, list[bytes]]:
    """Serve replies in order, repeating the last; also record the requests."""
    asked: list[bytes] = []

    def server(request: Request) -> Response:
        asked.append(request.body)
        reply = replies[min(len(asked), len(replies)) - 1]
        status = 400 if reply is OVER_WINDOW else 200
        body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        return Response(status, body, {"Content-Type": "application/json"})

    with serving(server) as url:
        model = get_model(
            "openai-api/local/model", base_url=f"{url}/v1", api_key="k", memoize=False
        )
        log = summarized(folder, model, system, scorers=scorers, fail_on_error=False, **options)
        return log, asked


@pytest.mark.parametrize(
    ("system", "first", "asked"),
    [
        ("arag", {**GOOD, "choices": []}, 2),
        ("arag", b'{"id": "1", "obj', 2),
        ("arag", called(QUERY, None), 2),
        ("closed_book", payload("Revenue rose.", None), 1),
        ("closed_book", completion_without(payload("Revenue rose.", None), "usage"), 1),
        ("closed_book", {**GOOD, "choices": []}, 2),
        ("closed_book", {**GOOD, "choices": None}, 2),
        ("closed_book", completion_without(GOOD, "choices"), 2),
        ("closed_book", b'{"id": "1", "obj', 2),
        ("closed_book", called(QUERY, None), 2),
        ("closed_book", payload(["Revenue rose."]), 2),
        ("closed_book", payload(""), 2),
        ("closed_book", payload(None), 2),
    ],
)
def test_odd_reply_is_read_or_asked_again_once(
    system: str, first: Any, asked: int, synthetic_folder: Path
) -> None:
    log, requests = serve_replies(synthetic_folder, system, first, GOOD)
    (sample,) = samples_of(log)
    assert sample.error is None and sample.output.completion == "Revenue rose."
    trace = sample.store_as(RetrievalTrace)
    assert (len(requests), trace.loops, trace.stopped_by) == (asked, 1, "answer")


@pytest.mark.parametrize("arguments", ['{"query": "rev', '["revenue"]', None])
def test_broken_tool_arguments_are_reported_to_agent_and_counted(
    arguments: Any, synthetic_folder: Path
) -> None:
    with watching() as watch:
        log, requests = serve_replies(synthetic_folder, "arag", called(arguments), GOOD)
    (sample,) = samples_of(log)
    (result,) = [each for each in sample.messages if isinstance(each, ChatMessageTool)]
    assert result.error and result.error.type == "parsing" and len(requests) == 2
    assert sample.output.completion == "Revenue rose."
    assert watch.lines() == ["tool calls with unreadable arguments (1)"]


@pytest.mark.parametrize(
    ("reply", "asked", "line"),
    [
        (payload(["Revenue rose."]), 2, "samples failed (1): the reply of openai-api/local/model "),
        (payload(""), 2, "empty answers, also after a retry (1)"),
        (payload("Revenue", "length"), 1, "answers cut off at the output limit (1)"),
        (payload("No.", "content_filter"), 1, "answers refused by the model (1)"),
    ],
)
def test_persistently_odd_reply_is_reported_in_one_line(
    reply: Any, asked: int, line: str, synthetic_folder: Path
) -> None:
    with watching() as watch:
        _, requests = serve_replies(synthetic_folder, "closed_book", reply)
    (printed_line,) = watch.lines()
    assert printed_line.startswith(line) and len(requests) == asked


def test_errors_differing_only_in_numbers_are_counted_together() -> None:
    with watching() as watch:
        watch.count("samples failed", "request 12 timed out after 30 s")
        watch.count("samples failed", "request 7 timed out after 31 s", 2)
        watch.count("samples failed", "another")
    assert watch.lines() == [
        "samples failed (3): request 12 timed out after 30 s",
        "samples failed (1): another",
    ]


OVER = tables_beside(__file__)["over"]


def test_overlong_prompts_are_skipped_and_counted() -> None:
    def over(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        raise RuntimeError(next(text for text in OVER if text in messages[-1].text))

    samples = [Sample(input=message) for message in OVER]
    with watching() as watch:
        log = run(Task(dataset=samples, solver=closed_book()), scripted(over))
    assert log.status == "success", log.error
    counted = f"samples skipped ({len(OVER)}): the prompt is over the model's window"
    assert watch.lines() == [counted]


@pytest.mark.parametrize("system", ["naive_rag", "stuffing"])
def test_prompt_over_window_is_skipped_and_unscored(system: str, synthetic_folder: Path) -> None:
    log, _ = serve_replies(synthetic_folder, system, OVER_WINDOW, scorers="no_grader")
    (sample,) = samples_of(log)
    trace = sample.store_as(RetrievalTrace)
    assert trace.stopped_by == "skipped" and "over the model's window" in str(trace.skipped)
    assert {score.reason for score in scores_of(sample).values()} == {"skipped"}


SEARCH = called(QUERY)
READ = called(json.dumps({"chunk_ids": [0]}), name="chunk_read")


@pytest.mark.parametrize(
    "replies", [(SEARCH, READ, OVER_WINDOW, OVER_WINDOW, GOOD), (SEARCH, OVER_WINDOW)]
)
def test_agent_over_window_answers_from_latest_passages_or_is_skipped(
    replies: tuple[Any, ...], synthetic_folder: Path
) -> None:
    log, requests = serve_replies(synthetic_folder, "arag", *replies, scorers="no_grader")
    (sample,) = samples_of(log)
    trace = sample.store_as(RetrievalTrace)
    if replies[-1] is OVER_WINDOW:
        assert trace.skipped == "the conversation is over the model's window"
        assert {score.reason for score in scores_of(sample).values()} == {"skipped"}
        return
    assert sample.output.completion == "Revenue rose." and trace.stopped_by == "token_budget"
    asked = [json.loads(request)["messages"] for request in requests]
    assert [len(messages) for messages in asked] == [2, 4, 6, 7, 5]
    assert asked[-1][2]["tool_calls"][0]["function"]["name"] == "chunk_read"
    assert not any("context size" in str(message) for message in asked[-1])
    assert (trace.loops, trace.input_tokens) == (2, 300)


@pytest.mark.parametrize(
    ("status_400", "scorer", "reason"),
    [
        (OVER_WINDOW, "geval_coverage", "over the judge's window"),
        ({"error": {"message": "Filtered.", "code": "content_filter"}}, "abstention", "refused"),
    ],
)
def test_judge_rejecting_request_gives_no_verdict_and_costs_nothing(
    synthetic_folder: Path, status_400: Any, scorer: str, reason: str
) -> None:
    def refused(request: Request) -> Response:
        return Response(400, json.dumps(status_400).encode(), {"Content-Type": "application/json"})

    with serving(refused) as url:
        judge = get_model(
            "openai-api/local/judge", base_url=f"{url}/v1", api_key="k", memoize=False
        )
        log = summarized(
            synthetic_folder,
            scripted(Script("Sales rose.")),
            "closed_book",
            scorers=scorer,
            model_roles={"grader": judge},
        )
    assert log.samples and log.samples[0].scores, log.error
    score = log.samples[0].scores[scorer]
    assert score.reason == "grader_failed" and reason in str(score.explanation)
    (asked,) = (score.metadata or {})["judges"]
    assert asked["cost_usd"] == 0 and reason in asked["reason"]
