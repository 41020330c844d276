"""Tests that no scorer fails on samples without an answer."""

import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ModelCost,
    ModelInfo,
    ModelOutput,
    get_model,
    set_model_info,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall
from inspect_ai.util import time_limit

from arag_inspect import scorers
from arag_inspect.report import frames
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, run, speak

pytestmark = pytest.mark.usefixtures("logs")

OFFLINE = "offline/extractive"
MADE: dict[str, dict[str, Any]] = {
    "geval": {"dimension": "coherence", "definition": "Its sentences follow from each other."}
}
REFERENCE = "Revenue rose 7.5% to $4.2 billion."
DOCUMENTS = [
    {"id": 1, "content": "The bridge saves an hour."},
    {"id": 2, "content": "The bridge costs a billion."},
]


def _call() -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", "")
    output.choices[0].stop_reason = "tool_calls"
    output.choices[0].message.tool_calls = [ToolCall(id="1", function="chunk_read", arguments={})]
    return output


OUTPUTS = {
    "no output": ModelOutput(),
    "an error": ModelOutput(model="mockllm/model", error="the provider failed"),
    "an empty message": ModelOutput.from_content("mockllm/model", ""),
    "an empty list": ModelOutput.from_message(ChatMessageAssistant(content=[])),
    "white space": ModelOutput.from_content("mockllm/model", " \n"),
    "a call of a tool": _call(),
}


@solver
def ends() -> Solver:
    """Set the output that the sample names, as if the agent had read something."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = OUTPUTS[state.metadata["end"]]
        state.messages += [choice.message for choice in state.output.choices]
        trace = state.store_as(RetrievalTrace)
        trace.system, trace.context, trace.loops = "arag", "retrieved", 1
        return state

    return solve


def test_missing_answer_scores_like_empty_answer() -> None:
    about = {
        "passages": ["Revenue rose 7.5% to $4.2 billion."],
        "documents": DOCUMENTS,
        "transcript": "[00:01] Adviser: Hello.",
        "gold_chunk_ids": [1],
        "doc_ids": ["a"],
    }
    material = {"much": (REFERENCE, about), "little": ("", {})}
    samples = [
        Sample(
            id=f"{end}/{amount}",
            input="Summarise. Revenue rose 7.5%.",
            target=target,
            metadata={**metadata, "end": end},
        )
        for amount, (target, metadata) in material.items()
        for end in OUTPUTS
    ]
    makers = [getattr(scorers, name)(**MADE.get(name, {})) for name in scorers.__all__]
    log = run(
        Task(dataset=samples, solver=ends(), scorer=makers), OFFLINE, model_roles={"grader": STEADY}
    )
    assert log.status == "success", log.error
    scores = {str(sample.id): scores_of(sample) for sample in samples_of(log)}
    for amount, end, name in product(material, OUTPUTS, scorers.__all__):
        score, empty = scores[f"{end}/{amount}"][name], scores[f"an empty message/{amount}"][name]
        assert (repr(score.value), score.reason) == (repr(empty.value), empty.reason), (name, end)


LIMITS: dict[str, dict[str, Any]] = {
    "token": {"token_limit": 1},
    "message": {"message_limit": 3},
    "cost": {"cost_limit": 0.00001},
    "time": {},
    "working": {"working_limit": 1},
}


@solver
def limited(inner: Solver) -> Solver:
    """Solve with a limit of a twentieth of a second; a run accepts whole seconds only."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with time_limit(0.05):
            return await inner(state, generate)

    return solve


@pytest.mark.parametrize("limit", LIMITS)
def test_inspect_limit_ends_sample_without_failing_run(
    limit: str, synthetic_folder: Path, logs: Path
) -> None:
    def search(*_: Any) -> ModelOutput:
        time.sleep({"time": 0.1, "working": 1.1}.get(limit, 0))
        return speak(("semantic_search", {"query": "revenue"}), 1)

    cost = ModelCost(input=1, output=1, input_cache_write=0, input_cache_read=0)
    for name in ("mockllm/priced", STEADY):
        set_model_info(name, ModelInfo(cost=cost))
    model = get_model("mockllm/priced", custom_outputs=search)
    task = earnings_synthetic(corpus=str(synthetic_folder), system="arag", scorers="default")
    if limit == "time":
        task.solver = limited(task.solver)
    log = run(task, model, limit=1, model_roles={"grader": STEADY}, **LIMITS[limit])
    assert log.status == "success", log.error
    (sample,) = samples_of(log)
    assert sample.limit and sample.limit.type == limit and sample.error is None
    assert sample.store_as(RetrievalTrace).stopped_by == "limit"
    coded = scores_of(sample)["error_taxonomy"]
    assert isinstance(coded.value, dict) and coded.value["P"] == coded.value["any"] == 1
    assert "stopped by a limit of Inspect" in str(coded.explanation)
    assert [*frames(logs).answers["outcome"]] == ["truncated"]
