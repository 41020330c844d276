"""Tests that the effort of other packages' solvers excludes their scorers and judges."""

import asyncio
from pathlib import Path
from typing import Literal

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from arag_inspect.report import frames, studies
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.findings.provenance import about
from arag_inspect.report.study import Choices
from tests.report.material import finding_texts, noticed

WRITER = "mockllm/model"
_SAMPLES = 8

Form = Literal["eval", "json"]


def _mock(name: str, total: int = 0) -> Model:
    """Return a model whose replies cost 18 tokens; Inspect's mock states no total."""
    reply = ModelOutput.from_content(name, "Yes.")
    reply.usage = ModelUsage(input_tokens=9, output_tokens=9, total_tokens=total)
    return get_model(name, custom_outputs=[reply] * _SAMPLES, memoize=False)


@solver
def by_rule(answer: str = "Yes.") -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("rules", answer)
        return state

    return solve


@scorer(metrics=[accuracy()])
def judged(seconds: float = 0) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        await asyncio.sleep(seconds)
        await get_model(role="grader").generate("Is it right?")
        return Score(value=state.output.completion == "Yes.")

    return score


def _run(
    folder: Path, system: Solver, judge: Model, seconds: float = 0, form: Form = "eval"
) -> EvalLog:
    """Run a system, and a judge that takes this long, on a few samples."""
    samples = [Sample(id=number, input=f"Question {number}?") for number in range(_SAMPLES)]
    (log,) = eval(
        Task(dataset=samples, solver=system, scorer=judged(seconds), name="stranger"),
        model=_mock(WRITER),
        model_roles={"grader": judge},
        log_dir=str(folder),
        log_format=form,
        display="none",
    )
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize("form", ["eval", "json"])
def test_time_of_scorers_is_not_the_systems(tmp_path: Path, form: Form) -> None:
    earlier = _run(tmp_path, by_rule("No."), _mock("mockllm/judge"), form=form)
    new = _run(tmp_path, by_rule(), _mock("mockllm/judge"), seconds=0.5, form=form)
    before, after = frames(earlier.location), frames(new.location)
    (change,) = studies(pair_runs(before, after), Choices(is_change=True))
    assert "time per question" not in finding_texts(change).get("Worse elsewhere", "")
    assert after.answers["latency_ms"].between(0, 400).all()


@pytest.mark.parametrize("total", [0, 18])
def test_tokens_of_judge_are_not_the_systems(tmp_path: Path, total: int) -> None:
    log = _run(tmp_path, by_rule(), _mock(WRITER, total))
    all_frames = frames(log.location)
    answers = all_frames.answers
    assert answers["tokens"].isna().all() and answers["cost_usd"].isna().all()
    assert "tokens and cost include" not in noticed(all_frames)


def test_writer_is_named_only_if_it_was_called(tmp_path: Path) -> None:
    for system, is_called in ((by_rule(), False), (generate(), True)):
        for judge in (_mock(WRITER), _mock("mockllm/judge")):
            log = _run(tmp_path, system, judge)
            (study,) = studies(frames(log.location))
            assert (f"written by {WRITER}" in about(study)) is is_called
