"""The examples of the documentation run as they stand."""

import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task

from tests.scripted import Script, run, scripted

ROOT = Path(__file__).parents[1]


def test_readme_has_at_most_a_thousand_words() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 1000


@pytest.mark.usefixtures("logs")
def test_every_scorer_of_the_page_scores_a_foreign_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    page = (ROOT / "docs" / "scorers.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(block, "docs/scorers.md", "exec"), names)
    task = names["everything"]()
    assert isinstance(task, Task)
    answer = "Revenue rose 7.5% to $4.2 billion. Free cash flow fell to $310 million."
    log = run(
        task,
        scripted(Script([("read_report", {})], answer)),
        model_roles={"grader": "offline/extractive"},
    )
    assert log.status == "success" and log.samples and log.samples[0].scores
    scores = log.samples[0].scores
    assert len(scores) == 16 and "read_report" in str(log.samples[0].messages)
    unscored = {name: score.explanation for name, score in scores.items() if score.reason}
    assert not unscored
    assert scores["geval_faithfulness"].value == 5
    assert scores["factual_consistency"].value["verified"] == 1.0  # type: ignore[index]
