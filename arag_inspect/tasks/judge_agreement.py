"""Agreement of a judge of answers with people."""

from pathlib import Path
from typing import Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import check_choice
from arag_inspect.datasets._io.records import Row, distinct, read_rows
from arag_inspect.scorers import contain_match, llm_accuracy
from arag_inspect.tasks._build import known_parameters

Measure = Literal["llm_accuracy", "contain_match"]

LABELS = ("Correct Answer", "Incorrect Answer", "Refusal")
"""Labels that people gave to answers, in FinanceBench's results."""


@task
@known_parameters
def judge_agreement(*, results: str, measure: Measure = "llm_accuracy") -> Task:
    """Let a judge mark answers that people have labelled; no system is run.

    `arag-inspect judge-agreement RESULTS` runs this and shows the agreement.

    Args:
        results: JSON Lines like those in FinanceBench's `results`: `financebench_id` (or `id`),
            `question`, `gold_answer`, `model_answer` and `label` (Correct Answer, Incorrect Answer
            or Refusal).
        measure: The scorer: llm_accuracy or contain_match.

    Model Roles:
        grader: Judges, with llm_accuracy. Default claude-haiku-4-5.
    """
    check_choice("measure", measure, get_args(Measure))
    path = Path(results).expanduser()
    samples = [_sample(row) for row in distinct(read_rows(path), "financebench_id", "id")]
    return Task(
        dataset=MemoryDataset(samples, name=path.stem, location=str(path)),
        solver=_recorded_answer(),
        scorer=llm_accuracy() if measure == "llm_accuracy" else contain_match(),
        version=1,
    )


@solver
def _recorded_answer() -> Solver:
    """Output the answer that the sample holds."""

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
