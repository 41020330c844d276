"""Test of the documented measure in a file of one's own."""

import re
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import generate, system_message

from arag_inspect.report import frames, make_report
from arag_inspect.report.markdown import to_markdown
from tests.scripted import run, scripted, speak

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-scorer.md"


def test_documented_measure_decides_under_its_label(logs: Path) -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Your own measure, in your own file")[1]
    code = re.findall(r"```py\n(.*?)```", section, re.DOTALL)[0]
    names: dict[str, Any] = {"__name__": "dated"}
    exec(code, names)
    for system, text in (("dated", "In 2023 sales were 5."), ("undated", "Sales were 5.")):

        def answer(*_: Any, said: str = text) -> ModelOutput:
            return speak(said, 1)

        samples = [
            Sample(input=f"Summarize {n}.", metadata={"company": f"C{n}"}) for n in range(12)
        ]
        steps = [system_message(system), generate()]
        task = Task(samples, solver=steps, scorer=names["dated_figures"](), name="own")
        made = run(task, scripted(answer))
        assert made.status == "success", made.error
    report = make_report(frames(logs))
    (study,) = report.studies
    (pair,) = study.comparisons
    assert pair.measure.label == "Figures with a year" and pair.role == "primary"
    assert pair.winner and "template=dated" in pair.winner
    assert "Figures with a year" in to_markdown(report)
