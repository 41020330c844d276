"""Tests of the documented mock judge, and that it needs no download."""

import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import generate

from arag_inspect.scorers import llm_accuracy
from tests.scripted import run, scripted, speak

PAGE = Path(__file__).parents[2] / "docs" / "judges.md"
TARGET = "Revenue was $5 million."
OBJECT = '{"reasoning": "It gives the gold figure.", "verdict": "CORRECT"}'


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every tokenizer fail, as it does where no file can be downloaded."""

    def refuse(*_: Any) -> None:
        raise ConnectionError("no network")

    monkeypatch.setattr("tiktoken.get_encoding", refuse)


def _run(reply: Any, logs: Path) -> Any:
    task = Task([Sample(input="What?", target=TARGET)], solver=generate(), scorer=llm_accuracy())
    grader = get_model("mockllm/model", custom_outputs=reply) if reply else "mockllm/model"
    log = run(task, scripted(lambda *_: speak(TARGET, 1)), model_roles={"grader": grader})
    assert log.status == "success" and log.samples and log.samples[0].scores, log.error
    return log.samples[0].scores["llm_accuracy"]


@pytest.mark.usefixtures("offline")
def test_documented_judge_gives_every_form_of_verdict(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    section = PAGE.read_text(encoding="utf-8").split("## A mock judge for your tests")[1]
    (code,) = re.findall(r"```py\n(.*?)```", section, re.DOTALL)
    exec(code, {"__name__": "mock_judge"})
    lines = capsys.readouterr().out.splitlines()
    values = dict(line.split(" ", 1) for line in lines if " " in line)
    assert "'correct': 1" in values["llm_accuracy"]
    assert float(values["severity_judge"]) == 1
    assert "'f1': 1" in values["fact_match"]


@pytest.mark.usefixtures("offline")
def test_mock_judge_may_reply_with_object_alone(logs: Path) -> None:
    score = _run(lambda *_: ModelOutput.from_content("mockllm/model", OBJECT), logs)
    assert score.value["correct"] == 1


@pytest.mark.usefixtures("offline")
def test_mock_judge_with_default_reply_leaves_sample_unscored(logs: Path) -> None:
    score = _run(None, logs)
    assert score.reason == "grader_failed"
