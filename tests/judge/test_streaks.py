"""Tests that a judge with unreadable replies is stopped early in a run."""

from collections.abc import Callable
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Scorer

from arag_inspect.judge.streaks import MOST_UNREADABLE
from arag_inspect.scorers import geval_coverage, llm_accuracy
from tests.logs import scores_of
from tests.scripted import Script, graded, run, scripted, speak, tagged

SAMPLES = 50
AT_ONCE = 10
"""Samples scored concurrently; those in progress still end when the judge is stopped."""


class Judge:
    """Replies readably to some questions and unreadably to others; counts the questions."""

    def __init__(self, chatters: Callable[[str, int], bool]) -> None:
        self._chatters = chatters
        self.asked: dict[str, int] = {}

    def __call__(self, messages: list[Any], *_: Any) -> ModelOutput:
        kind = messages[0].text.split("<")[0][:60]
        self.asked[kind] = self.asked.get(kind, 0) + 1
        reply = "VERDICT: correct" if kind.startswith("You decide") else graded(4, messages[0].text)
        if self._chatters(kind, self.asked[kind]):
            reply = "What a fine answer!"
        return speak(tagged(reply, messages), 1)


def _eval(judge: Judge, *scorers: Scorer) -> EvalLog:
    task = Task(
        [Sample(input=f"q{n}", target="Yes.") for n in range(SAMPLES)], scorer=list(scorers)
    )
    grader = get_model("mockllm/judge", custom_outputs=judge, memoize=False)
    roles = {"grader": grader}
    return run(task, scripted(Script("Yes.")), model_roles=roles, max_samples=AT_ONCE)


def _reasons(log: EvalLog, scorer: str) -> list[str]:
    assert log.status == "success" and log.samples
    scores = [scores_of(sample)[scorer] for sample in log.samples]
    return [(score.metadata or {}).get("reason", "") for score in scores]


def _is_stopped_soon(question_count: int) -> bool:
    return MOST_UNREADABLE <= question_count < MOST_UNREADABLE + 2 * AT_ONCE


def test_always_unreadable_judge_is_no_longer_asked() -> None:
    judge = Judge(lambda _, __: True)
    log = _eval(judge, llm_accuracy())
    question_count = sum(judge.asked.values())
    assert _is_stopped_soon(question_count)
    reasons = _reasons(log, "llm_accuracy")
    stopped = [reason for reason in reasons if "stopped asking after 20 unreadable" in reason]
    assert len(stopped) == SAMPLES - question_count // 2 and len(reasons) == SAMPLES
    assert "the last: the last line is not" in stopped[0]


def test_only_unreadable_question_is_no_longer_asked() -> None:
    judge = Judge(lambda kind, _: kind.startswith("You decide"))
    log = _eval(judge, llm_accuracy(), geval_coverage(criteria="pinned"))
    unreadable_count, readable_count = judge.asked.values()
    assert _is_stopped_soon(unreadable_count) and readable_count == SAMPLES
    assert _reasons(log, "geval_coverage") == [""] * SAMPLES


def test_often_unreadable_judge_is_asked_for_every_sample() -> None:
    judge = Judge(lambda _, number: number % 4 != 0)
    log = _eval(judge, llm_accuracy())
    assert not any("stopped asking" in reason for reason in _reasons(log, "llm_accuracy"))


def test_criteria_generation_stops_after_twenty_unreadable_replies(
    monkeypatch: Any, tmp_path: Any
) -> None:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path))
    judge = Judge(lambda _, __: True)
    log = _eval(judge, geval_coverage(criteria="generated"))
    (question_count,) = judge.asked.values()
    assert _is_stopped_soon(question_count)
    stopped = ["stopped asking after 20" in reason for reason in _reasons(log, "geval_coverage")]
    assert sum(stopped) == SAMPLES - question_count // 2


def test_unreadable_judge_is_asked_again_in_new_run() -> None:
    judge = Judge(lambda _, __: True)
    grader = get_model("mockllm/judge", custom_outputs=judge, memoize=False)
    for _ in range(2):
        judge.asked.clear()
        samples = [Sample(input=f"q{n}", target="Yes.") for n in range(12)]
        task = Task(samples, scorer=llm_accuracy())
        run(task, scripted(Script("Yes.")), model_roles={"grader": grader})
        assert sum(judge.asked.values()) >= MOST_UNREADABLE
