"""Tests of cost, time, loops and tokens of any system, against hand-computed values."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, score
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import Model, ModelCost, get_model
from inspect_ai.scorer import Score, model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, chain, generate, solver
from inspect_ai.tool import Tool, tool

from arag_inspect.models.pricing import set_prices
from arag_inspect.report import frames
from arag_inspect.scorers import efficiency, retrieval_pr
from arag_inspect.tools import chunk_read, keyword_search
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import metrics_of
from tests.scripted import Reply, Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")

DOLLARS = ModelCost(input=3, output=15, input_cache_write=3.75, input_cache_read=0.3)
USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "input_tokens_cache_read": 1000,
    "total_tokens": 1110,
}
CALL = (100 * 3 + 10 * 15 + 1000 * 0.3) / 1e6
"""Cost of one call in dollars."""


def model(*replies: Reply, price: bool = True) -> Model:
    name = f"mockllm/{'priced' if price else 'costs-unknown'}"
    if price:
        set_prices({name: DOLLARS})
    return get_model(name, custom_outputs=Script(*replies, usage=USAGE), memoize=False)


def effort(log: EvalLog) -> tuple[dict[str, Any], Score]:
    assert log.status == "success" and log.samples and log.samples[0].scores, log.error
    result = log.samples[0].scores["efficiency"]
    assert isinstance(result.value, dict)
    return result.value, result


@solver
def leaves(**fields: Any) -> Solver:
    """Set a trace and a four-word answer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trace = state.store_as(RetrievalTrace)
        for name, value in fields.items():
            setattr(trace, name, value)
        state.output.completion = "Four words are here."
        return state

    return solve


@tool
def ask_expert() -> Tool:
    async def execute() -> str:
        """Ask an expert."""
        await asyncio.sleep(0.05)
        return (await model("Ask the CFO.").generate("?")).completion

    return execute


def test_efficiency_measures_plain_generate() -> None:
    task = Task(dataset=[Sample(input="?")], solver=generate(), scorer=efficiency())
    started = time.perf_counter()
    values, score = effort(run(task, model("Revenue rose by 7.5%.")))
    elapsed_ms = 1000 * (time.perf_counter() - started)
    assert values == {
        "cost_usd": pytest.approx(CALL),
        "latency_ms": values["latency_ms"],
        "wall_ms": values["wall_ms"],
        "loops": 1,
        "word_count": 4,
        "input_tokens": 1100,
        "output_tokens": 10,
    }
    assert (
        0 <= values["latency_ms"] <= values["wall_ms"] <= elapsed_ms and score.explanation is None
    )


def test_efficiency_counts_model_calls_made_by_tools(tmp_path: Path) -> None:
    """Three turns, two with another model: five calls; the judge's call is not counted."""
    agent = react(tools=[ask_expert()])
    judge = scripted(Script("GRADE: C", usage=USAGE))
    task = Task(
        dataset=[Sample(input="?", target="x")],
        solver=agent,
        scorer=[model_graded_qa(model=judge), efficiency()],
    )
    turns = model(("ask_expert", {}), ("ask_expert", {}), ("submit", {"answer": "Rose."}))
    started = time.perf_counter()
    log = run(task, turns, log_dir=str(tmp_path))
    elapsed_ms = 1000 * (time.perf_counter() - started)
    values, _ = effort(log)
    assert values["cost_usd"] == pytest.approx(5 * CALL)
    assert (values["loops"], values["input_tokens"], values["output_tokens"]) == (3, 5500, 50)
    assert 100 <= values["latency_ms"] <= elapsed_ms and 100 <= values["wall_ms"] <= elapsed_ms
    answers = frames(str(tmp_path)).answers
    (answer,) = answers.to_dict("records")
    assert answer["cost_usd"] == pytest.approx(5 * CALL) and answer["loops"] == 3
    assert answer["latency_ms"] == values["latency_ms"]
    rescored = score(read_eval_log(log.location), efficiency(), action="overwrite", display="none")
    assert effort(rescored)[0] == values


def test_retrieval_is_traced_by_loop_under_inspect_agent(synthetic_folder: Path) -> None:
    corpus = str(synthetic_folder)
    turns = model(
        ("keyword_search", {"keywords": ["revenue"]}),
        ("chunk_read", {"chunk_ids": [1]}),
        [("chunk_read", {"chunk_ids": [2]}), ("chunk_read", {"chunk_ids": [3]})],
        ("submit", {"answer": "Revenue rose."}),
    )
    task = Task(
        dataset=[Sample(input="?", metadata={"gold_chunk_ids": [1, 3], "corpus": corpus})],
        solver=react(tools=[keyword_search(corpus=corpus), chunk_read(corpus=corpus)]),
        scorer=[retrieval_pr(), efficiency()],
    )
    log = run(task, turns)
    values, _ = effort(log)
    assert values["loops"] == 4 and values["cost_usd"] == pytest.approx(4 * CALL)
    assert log.samples and log.samples[0].scores
    found = log.samples[0].scores["retrieval_pr"]
    assert found.metadata and found.metadata["recall_by_loop"] == [0, 0.5, 1, 1]
    assert found.explanation and found.explanation.startswith("Read 3 chunks in 4 loops")


def test_efficiency_explains_unknown_price_and_missing_calls(
    caplog: pytest.LogCaptureFixture,
) -> None:
    task = Task(dataset=[Sample(input="?")], solver=generate(), scorer=efficiency())
    values, score = effort(run(task, model("Rose.", price=False)))
    assert {key for key, value in values.items() if value != value} == {"cost_usd"}
    assert score.explanation == "cost_usd unknown: no known price, or no tokens reported."
    assert caplog.text.count("mockllm/costs-unknown has no known price") == 1
    silent = Task(dataset=[Sample(input="?")], solver=chain([]), scorer=efficiency())
    values, score = effort(run(silent, model("Rose.")))
    assert {key for key, value in values.items() if value == value} == {"word_count"}
    assert "loops unknown: no call of a model is recorded" in str(score.explanation)


def test_efficiency_takes_values_from_trace() -> None:
    known = {
        "cost_usd": 0.25, "latency_ms": 1500.0, "wall_ms": 1800.0, "loops": 7, "input_tokens": 90,
        "output_tokens": 8,
    }  # fmt: skip
    samples = [Sample(input="?", id=str(i)) for i in range(3)]
    task = Task(dataset=samples, solver=leaves(**known), scorer=efficiency())
    log = run(task, "mockllm/model")
    assert effort(log)[0] == {**known, "word_count": 4}
    assert metrics_of(log, "latency_ms") == dict.fromkeys(("mean", "p50", "p90"), 1500)


def test_cost_is_unscored_not_zero_when_price_is_unknown() -> None:
    solving = leaves(loops=1, cost_usd=None, latency_ms=1.0)
    sample = [Sample(input="?", id="s")]
    log = run(Task(dataset=sample, solver=solving, scorer=efficiency()), "mockllm/model")
    assert log.results
    by_name = {s.name: s for s in log.results.scores}
    assert (by_name["cost_usd"].scored_samples, by_name["cost_usd"].unscored_samples) == (0, 1)
    assert by_name["word_count"].scored_samples == 1
