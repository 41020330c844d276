"""Tests that truncated provider replies are retried and never taken for an answer or a verdict."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
)
from tenacity import wait_none

from arag_inspect.benchmarks.advisor import client_file, extract_facts
from arag_inspect.benchmarks.perspectives import multi_perspective, perspective_validity
from arag_inspect.report import frames
from arag_inspect.scorers import geval_coverage, llm_accuracy
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of
from tests.scripted import USAGE, Script, run, scripted, speak, summarized
from tests.serving import Request, Response, serving

pytestmark = pytest.mark.usefixtures("logs")

SUMMARY = json.dumps(
    {
        "claims": [
            {
                "stance": stance,
                "claim": "There is a case.",
                "perspectives": [{"text": f"The bridge is {word}.", "evidence_docs": [number]}],
            }
            for number, stance, word in ((1, "for", "useful"), (2, "against", "dear"))
        ]
    }
)
SEARCH = ("semantic_search", {"query": "revenue"})
WHOLE = {"extract_facts": '{"clients": []}', "multi_perspective": SUMMARY}


def broken(text: str) -> ModelOutput:
    output = speak(text, 1)
    output.choices[0].stop_reason = "unknown"
    return output


def unreadable(text: str) -> ModelOutput:
    return ModelOutput(model="unreadable")


def nothing(text: str) -> ModelOutput:
    return ModelOutput(model="mockllm/model", usage=ModelUsage(**USAGE))


def task(system: Any, folder: Path) -> Task:
    if system == "extract_facts":
        sample = Sample(input="[00:01] Ann: I have no debts.")
        return Task(dataset=[sample], solver=extract_facts(), scorer=client_file())
    if system == "multi_perspective":
        documents = [{"id": i, "content": "The bridge is useful and dear."} for i in (1, 2)]
        sample = Sample(input="Build it?", metadata={"documents": documents})
        return Task(dataset=[sample], solver=multi_perspective(), scorer=perspective_validity())
    return earnings_synthetic(corpus=str(folder), system=system, scorers="rouge,efficiency")


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelAPI, "retry_wait", lambda _: wait_none())


def solve(
    system: str, folder: Path, end: Callable[[str], ModelOutput], times: int, **options: Any
) -> tuple[EvalLog, int]:
    """Truncate the first answers; the last is complete. Also return the number of model calls."""
    text = WHOLE.get(system, "Revenue rose.")
    outputs = [end(text[: len(text) // 2])] * times + [speak(text, 2)]
    if system == "arag":
        outputs = [speak(SEARCH, 1), *outputs]
    asked: list[object] = []

    def reply(*_: Any) -> ModelOutput:
        asked.append(None)
        output = outputs[min(len(asked), len(outputs)) - 1]
        return json.loads("{") if output.model == "unreadable" else output.model_copy(deep=True)

    return run(task(system, folder), scripted(reply), limit=1, **options), len(asked)


SYSTEMS = ("closed_book", "arag", "extract_facts", "multi_perspective")
"""Systems that call models differently; naive RAG and stuffing do as `closed_book` does."""


@pytest.mark.parametrize(
    ("system", "end"),
    [*((system, broken) for system in SYSTEMS), ("arag", nothing), ("arag", unreadable)],
)
def test_truncated_answer_is_asked_again(
    system: str, end: Callable[[str], ModelOutput], synthetic_folder: Path
) -> None:
    log, asked = solve(system, synthetic_folder, end, 2)
    (sample,) = samples_of(log)
    assert log.status == "success" and sample.error is None and sample.scores
    assert not sample.error_retries and sample.store_as(RetrievalTrace).stopped_by == "answer"
    assert asked == 3 + (system == "arag")


def test_sample_errors_when_answer_is_always_broken_off(synthetic_folder: Path, logs: Path) -> None:
    log, asked = solve("naive_rag", synthetic_folder, broken, 9, fail_on_error=False)
    (sample,) = samples_of(log)
    assert sample.error and "mockllm/model was broken off" in sample.error.message
    assert asked == 6 and not sample.scores
    assert sample.store_as(RetrievalTrace).stopped_by == "error"
    assert [*frames(logs).answers["outcome"]] == ["errored"]


@pytest.mark.parametrize(
    ("reason", "outcome"), [("max_tokens", "truncated"), ("content_filter", "refused")]
)
@pytest.mark.parametrize("system", SYSTEMS)
def test_length_limited_or_refused_answer_is_scored_and_counted(
    system: str, reason: Any, outcome: str, synthetic_folder: Path, logs: Path
) -> None:
    def half(*_: Any) -> ModelOutput:
        output = speak("I cannot", 1)
        output.choices[0].stop_reason = reason
        return output

    log = run(task(system, synthetic_folder), scripted(half), limit=1)
    assert log.status == "success", log.error
    (sample,) = samples_of(log)
    assert sample.scores and all(score.reason is None for score in sample.scores.values())
    assert sample.output.completion == "I cannot"
    assert [*frames(logs).answers["outcome"]] == [outcome]


def test_answer_without_stop_reason_is_accepted(synthetic_folder: Path) -> None:
    def silent(*_: Any) -> ModelOutput:
        message = ChatMessageAssistant(content="Revenue rose.")
        choices = [ChatCompletionChoice(message=message)]
        return ModelOutput(model="mockllm/model", choices=choices, usage=ModelUsage(**USAGE))

    log = summarized(synthetic_folder, scripted(silent), "closed_book", scorers="rouge")
    (sample,) = samples_of(log)
    assert sample.output.stop_reason == "unknown" and sample.scores and sample.error is None


def _stream(*pieces: str) -> bytes:
    """Return the stream of a server that dies before sending a stop reason."""
    about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = [{"role": "assistant", "content": piece} for piece in pieces]
    chunks = [{**about, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()


def test_early_ended_stream_is_sample_error(synthetic_folder: Path) -> None:
    pytest.importorskip("openai", reason="the extra `local` is not installed")

    def server(request: Request) -> Response:
        assert json.loads(request.body)["stream"]
        return Response(200, _stream("Revenue ", "rose by"), {"Content-Type": "text/event-stream"})

    with serving(server) as url:
        model = get_model(
            "openai-api/local/model", base_url=f"{url}/v1", api_key="k", memoize=False, stream=True
        )
        log = summarized(
            synthetic_folder, model, "closed_book", scorers="rouge", fail_on_error=False
        )
    (sample,) = samples_of(log)
    assert sample.error and "broken off" in sample.error.message and not sample.scores


@pytest.mark.parametrize("end", [broken, nothing])
def test_broken_off_verdict_is_sample_error(end: Callable[[str], ModelOutput]) -> None:
    sample = Sample(input="How much? Revenue was $4 billion.", target="$4 billion")
    judge = get_model("mockllm/judge", custom_outputs=lambda *_: end("VERDICT: 4"))
    judged_task = Task(dataset=[sample], scorer=[geval_coverage(), llm_accuracy()])
    log = run(judged_task, scripted(Script("$4 billion")), model_roles={"grader": judge})
    assert log.status == "error" and "mockllm" in str(log.error and log.error.message)
