"""Tests of the scorer `factual_consistency`."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.scorers import factual_consistency
from arag_inspect.types.trace import Passage, RetrievalTrace
from tests.logs import scores_of

SOURCE = (
    "Good morning. Revenue was $1.2 billion in the quarter. "
    "Operating margin was 9.6%, down from 10.2% last year."
)


@solver
def answer_with(
    passages: tuple[str, ...] = (),
    tool: str | None = None,
    skipped: str | None = None,
    prefix: str = "p",
) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trace = state.store_as(RetrievalTrace)
        trace.skipped = skipped
        trace.passages = [
            Passage(chunk_id=i, doc_id="d", prefix=prefix, text=text, loop=1)
            for i, text in enumerate(passages)
        ]
        if tool is not None:
            state.messages.append(ChatMessageTool(content=tool, tool_call_id="1", function="read"))
        return await generate(state)

    return solve


def score_of(
    answer: str, *, question: str = "Summarise.", context: str = "auto", **solved: Any
) -> tuple[Score, EvalLog]:
    output = ModelOutput.from_content("mockllm/model", answer)
    output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    task = Task(
        dataset=[Sample(id="one", input=question)],
        solver=answer_with(**solved),
        scorer=factual_consistency(judge=False, context=context),
    )
    model = get_model("mockllm/model", custom_outputs=[output])
    (log,) = eval(task, model=model, display="none")
    stored_log = read_eval_log(log.location)
    assert stored_log.status == "success" and stored_log.samples, stored_log.error
    (score,) = scores_of(stored_log.samples[0]).values()
    return score, stored_log


def test_factual_consistency_logs_shares_claims_and_explanation(logs: Path) -> None:
    answer = "Revenue was $1.2 billion. Operating margin was 10.2%. Debt was $7 million. All good."
    score, log = score_of(answer, passages=(SOURCE,))
    assert score.value == {
        "supported": pytest.approx(1 / 3),
        "contradicted": pytest.approx(1 / 3),
        "numerical_precision": pytest.approx(2 / 3),
    }
    metadata = score.metadata or {}
    verdicts = [claim["verdict"] for claim in metadata["claims"]]
    assert verdicts == ["supported", "contradicted", "not_found"]
    assert metadata["claims"][1]["differs"] == ["period"]
    assert json.loads(json.dumps(metadata)) == metadata
    assert metadata["signature"].startswith("factual_consistency|context:passages|")
    lines = (score.explanation or "").splitlines()
    assert lines[0] == "supported: $1.2 billion in: Revenue was $1.2 billion."
    assert lines[1] == "    read: Revenue was $1.2 billion in the quarter."
    assert lines[2].startswith("contradicted (period): 10.2% in:")
    assert lines[-1] == "not found: $7 million in: Debt was $7 million."
    assert log.results is not None
    names = {result.name for result in log.results.scores}
    assert names == {"supported", "contradicted", "numerical_precision"}
    assert all({"mean", "stderr"} <= set(result.metrics) for result in log.results.scores)


def test_factual_consistency_says_why_there_is_no_precision(logs: Path) -> None:
    """ECTSum's measure knows no numbers in words."""
    text = "Revenue rose seven percent."
    score, _ = score_of(text, passages=(text,))
    assert score.metadata and score.metadata["unscored"]["numerical_precision"] == "no_numbers"


@pytest.mark.parametrize(
    ("solved", "context", "source"),
    [
        ({"passages": (SOURCE,), "tool": "Revenue was $9."}, "auto", "passages"),
        ({"tool": SOURCE}, "auto", "tools"),
        ({"question": f"Summarise this: {SOURCE}"}, "auto", "prompt"),
        ({"passages": ("Revenue was $9.",), "tool": SOURCE}, "tools", "tools"),
        ({"passages": ("Revenue was $9.",), "question": SOURCE}, "input", "input"),
    ],
)
def test_factual_consistency_selects_source_by_context(
    logs: Path, solved: dict[str, Any], context: str, source: str
) -> None:
    score, _ = score_of("Revenue was $1.2 billion.", context=context, **solved)
    assert isinstance(score.value, dict) and score.value["supported"] == 1
    assert f"|context:{source}|" in (score.metadata or {})["signature"]


@pytest.mark.parametrize(
    ("answer", "options", "reason"),
    [
        ("It was a good quarter, in 2021 too.", {"passages": (SOURCE,)}, "no_claims"),
        ("", {"passages": (SOURCE,)}, "no_claims"),
        ("Revenue was $1.", {"context": "passages"}, "no_passages"),
        ("Revenue was $1.", {"passages": (SOURCE,), "skipped": "too long"}, "skipped"),
    ],
)
def test_factual_consistency_is_unscored_with_reason(
    logs: Path, answer: str, options: dict[str, Any], reason: str
) -> None:
    score, log = score_of(answer, **options)
    assert score.reason == reason
    assert score.explanation and not isinstance(score.value, dict)
    assert log.results is not None
    assert {result.unscored_samples for result in log.results.scores} == {1}


REST_OF_TABLE = "| Orders | 512 | 240 |\n| Adjusted EBITDA | 248.7 | 236.2 |"


@pytest.mark.parametrize(
    ("prefix", "answer", "supported"),
    [
        ("EUR million | 2025 | 2024", "Adjusted EBITDA was EUR 248.7 million.", 1),
        ("EUR million | 2025 | 2024", "Adjusted EBITDA was EUR 236.2 million in 2025.", 0),
        ("Orders ($ thousands) Item | 2025 | 2024", "Orders were $512 thousand in 2025.", 1),
        ("Orders ($ thousands) Item | 2025 | 2024", "Orders were $512 million in 2025.", 0),
        ("", "Adjusted EBITDA was EUR 248.7 million.", 0),
    ],
)
def test_factual_consistency_reads_continued_table_below_its_head(
    logs: Path, prefix: str, answer: str, supported: int
) -> None:
    head = f"[DOCUMENT: d.md | TABLE: {prefix}]" if prefix else "[DOCUMENT: d.md]"
    score, _ = score_of(answer, passages=(REST_OF_TABLE,), prefix=head)
    assert isinstance(score.value, dict) and score.value["supported"] == supported
