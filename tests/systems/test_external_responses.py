"""Tests of service responses, read with documented options of `external` or rejected."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.corpus import Corpus
from arag_inspect.solvers import external
from arag_inspect.systems.live.reply import read_reply
from arag_inspect.types.trace import RetrievalTrace
from tests.conftest import SHARED_CASES
from tests.logs import samples_of
from tests.scripted import run
from tests.serving import Request, Response, serving
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("logs")

SHARED = SHARED_CASES / "responses" / "responses.jsonl"
OTHERS = Path(__file__).with_name("responses.jsonl")
"""Each row has the URL of the page documenting the response; texts are invented."""


@cache
def cases_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@solver
def each_its_own(solvers: dict[str, Solver]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await solvers[str(state.sample_id)](state, generate)

    return solve


def _with_passages(value: Any, corpus: Corpus) -> Any:
    """Return a response with the texts of chunks, escaped where they are within JSON or a repr."""
    if isinstance(value, dict):
        return {name: _with_passages(item, corpus) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_passages(item, corpus) for item in value]
    if not isinstance(value, str):
        return value
    for number in (1, 4):
        text = corpus.chunk(number).text
        as_json = json.dumps(text)[1:-1] if value.startswith(('{"', "[{")) else text
        as_python = repr(text + '"')[1:-2]  # in single quotes, whatever the text has
        value = value.replace(f"{{{{PASSAGE_{number}}}}}", as_json)
        value = value.replace(f"{{{{PASSAGE_{number}_REPR}}}}", as_python)
    return value


def answers(cases: list[dict[str, Any]], corpus: Corpus) -> dict[str, EvalSample]:
    """Query `external` with each response and its options."""

    def answer(request: Request) -> Response:
        case = cases[int(request.path.split("/")[2])]
        given_response = case["response"]
        filled = _with_passages(given_response, corpus)
        body = filled if isinstance(filled, str) else json.dumps(filled)
        return Response(case["status"], body.encode(), {"Content-Type": case["content_type"]})

    with serving(answer) as url:
        solvers = {
            case["name"]: external(target=f"{url}/case/{number}", retries=0, **case["options"])
            for number, case in enumerate(cases)
        }
        metadata = {"corpus": str(corpus.path), "style": "qa"}
        samples = [
            Sample(id=case["name"], input="What was revenue?", metadata=metadata) for case in cases
        ]
        task = Task(samples, solver=each_its_own(solvers))
        log = run(task, "none", fail_on_error=False, max_samples=4)
    return {str(sample.id): sample for sample in samples_of(log)}


def understood(sample: EvalSample) -> dict[str, Any]:
    if sample.error:
        assert len(sample.error.message.splitlines()) == 1
        return {"error": True}
    trace = sample.store_as(RetrievalTrace)
    ids_read = sorted(passage.chunk_id for passage in trace.passages)
    return {
        "text": sample.output.completion.strip(),
        "passages": ids_read if trace.context == "retrieved" else None,
        "input_tokens": trace.input_tokens,
        "output_tokens": trace.output_tokens,
        "cost_usd": trace.cost_usd,
        "stop_reason": sample.output.stop_reason,
        "refusal": sample.output.stop_reason == "content_filter",
    }


@pytest.mark.parametrize("path", [OTHERS, SHARED], ids=["documented", "reported"])
def test_responses_of_services_are_read_as_documented(path: Path, corpus: Corpus) -> None:
    if not path.exists():
        pytest.skip(f"{path} is not here")
    cases = cases_of(path)
    samples = answers(cases, corpus)
    wrong = {}
    for case in cases:
        expected = {key: value for key, value in case["expect"].items() if key != "why"}
        result = understood(samples[case["name"]])
        actual = {key: result.get(key) for key in expected}
        if actual != expected:
            wrong[case["name"]] = (actual, samples[case["name"]].error)
    assert not wrong


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"sources": ["Annual letter, p. 2", "Orders fell by 10% again."]}, "were ignored: 1"),
        ({"sources": ["Annual letter, p. 2"]}, "count as unknown"),
        ({"cost": 0.5, "currency": "EUR"}, "in EUR, not in dollars"),
    ],
)
def test_parts_left_out_of_answer_are_noted(fields: dict[str, Any], note: str) -> None:
    (noted,) = read_reply({"answer": "Orders fell.", **fields}).notes
    assert note in noted.text


@pytest.mark.parametrize("text", TABLES["short texts"])
def test_short_text_with_sentence_or_amount_is_passage(text: str) -> None:
    (passage,) = read_reply({"answer": "Orders fell.", "sources": [text]}).passages or []
    assert passage.text == text


@pytest.mark.parametrize("chunk_id", [0, 10**8])
def test_foreign_chunk_ids_are_noted_and_not_recorded_as_searches(
    corpus: Corpus, chunk_id: int
) -> None:
    text = corpus.chunk(3).text
    response = {
        "answer": "Revenue climbed.",
        "sources": [{"chunk_id": chunk_id, "text": text}],
        "steps": [{"query": "revenue", "chunk_ids": [0, 2, 10**9]}],
    }
    case = {"name": "a", "status": 200, "content_type": "application/json"}
    (sample,) = answers([{**case, "response": response, "options": {}}], corpus).values()
    trace = sample.store_as(RetrievalTrace)
    assert [passage.chunk_id for passage in trace.passages] == [3]
    assert trace.searches[0].chunk_ids == []
    (note,) = (sample.output.metadata or {})["notes"]
    assert note.endswith("; passages are found by their text")
    reason = f"does not have (e.g. {chunk_id})" if chunk_id else "given text (e.g. chunk 0: "
    assert reason in note and (chunk_id or note.split('"')[1] in text)
