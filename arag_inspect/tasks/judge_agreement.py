"""Does a judge of answers agree with people?"""

from pathlib import Path
from typing import Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import InputError
from arag_inspect.datasets._io.records import Row, distinct, read_rows
from arag_inspect.scorers import contain_match, llm_accuracy

Measure = Literal["llm_accuracy", "contain_match"]

LABELS = ("Correct Answer", "Incorrect Answer", "Refusal")
"""What people said of an answer, in FinanceBench's results."""


@task
def judge_agreement(*, results: str, measure: Measure = "llm_accuracy") -> Task:
    """Let a judge mark answers that people have marked; no system is run.

    `arag-inspect judge-agreement RESULTS` runs this and shows the agreement.

    Args:
        results: JSON Lines like those in FinanceBench's `results`: `financebench_id` (or `id`), `question`, `gold_answer`, `model_answer` and `label`, one of Correct Answer, Incorrect Answer, Refusal.
        measure: What judges: llm_accuracy or contain_match.

    Model Roles:
        grader: Who judges, with llm_accuracy. Default claude-haiku-4-5.
    """
    if measure not in get_args(Measure):
        raise InputError(
            f"measure {measure!r} is unknown; choose from {', '.join(get_args(Measure))}"
        )
    path = Path(results).expanduser()
    samples = [_sample(row) for row in distinct(read_rows(path), "financebench_id", "id")]
    return Task(
        dataset=MemoryDataset(samples, name=path.stem, location=str(path)),
        solver=_given(),
        scorer=llm_accuracy() if measure == "llm_accuracy" else contain_match(),
        version=1,
    )


@solver
def _given() -> Solver:
    """Give the answer that the sample holds."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        answer = str(state.metadata["model_answer"])
        state.output = ModelOutput.from_content(model=str(state.model), content=answer)
        state.messages.append(state.output.message)
        return state

    return solve


def _sample(row: Row) -> Sample:
    label = row.text("label")
    if label not in LABELS:
        raise row.wrong(f"label {label!r} is unknown; expected {', '.join(LABELS)}")
    return Sample(
        id=row.text("financebench_id", "id"),
        input=row.text("question"),
        target=row.text("gold_answer", "answer"),
        metadata={"label": label, "model_answer": row.optional_text("model_answer") or ""},
    )
