"""Test of the documented measure in a user's file."""

import re
from ast import literal_eval
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState, generate, system_message

from arag_inspect import MeasureSpec, scorer
from arag_inspect.measures.scorer import PlainScorer
from arag_inspect.report import frames, make_report, studies
from arag_inspect.report.output.markdown import to_markdown
from tests.report.material import noticed
from tests.scripted import run, scripted, speak

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-scorer.md"


def _section(heading: str) -> str:
    """Return the page from a heading to the next."""
    text = PAGE.read_text(encoding="utf-8").split(f"{heading}\n")[1]
    return re.split(r"^#+ ", text, maxsplit=1, flags=re.MULTILINE)[0]


def test_documented_measure_decides_under_its_label(logs: Path) -> None:
    section = _section("## Your own measure, in your own file")
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
        log = run(task, scripted(answer))
        assert log.status == "success", log.error
    report = make_report(frames(logs))
    (study,) = report.studies
    (pair,) = study.comparisons
    assert pair.measure.label == "Figures with a year" and pair.role == "primary"
    assert pair.winner and "template=dated" in pair.winner
    assert "Figures with a year" in to_markdown(report)


def _declared_with(low: float | None, high: float | None) -> Scorer:
    @scorer(MeasureSpec("length", "Length", low=low, high=high, higher_is_better=None))
    def length() -> PlainScorer:
        """Count the words after the first."""

        def score(state: TaskState, target: Target) -> Score:
            return Score(value=float(len(state.output.completion.split()) - 1))

        return score

    return length()


@pytest.mark.parametrize(("low", "high"), [(0, None), (None, None), (None, 100)])
def test_declared_open_range_raises_no_doubt_about_scale(
    low: float | None, high: float | None, logs: Path
) -> None:
    for system, text in (("short", "Yes."), ("long", "Sales were 5 in the year.")):
        task = Task(
            [Sample(input=f"Summarize {n}.") for n in range(3)],
            solver=[system_message(system), generate()],
            scorer=_declared_with(low, high),
        )
        run(task, scripted(lambda *_, said=text: speak(said, 1)))
    all_frames = frames(logs)
    assert set(all_frames.scores["value"]) == {0, 5}
    assert "different ranges" not in noticed(all_frames)


@pytest.mark.parametrize(
    "keys", [("words", "first"), ("padding.words", "padding.first"), ("words", "padding.first")]
)
def test_keys_of_several_measures_may_begin_with_scorer(keys: tuple[str, str], logs: Path) -> None:
    @scorer(*(MeasureSpec(key, key.split(".")[-1], high=None) for key in keys))
    def padding() -> PlainScorer:
        """Padding of an answer."""

        def score(state: TaskState, target: Target) -> Score:
            return Score(value={"words": 3.0, "first": 1.0})

        return score

    log = run(Task([Sample("How much?")], scorer=padding()), scripted(lambda *_: speak("5", 1)))
    assert log.status == "success", log.error
    (study,) = studies(frames(logs))
    labels = {spec.key: spec.label for spec in study.catalogue.specs}
    assert labels == {"padding.words": "words", "padding.first": "first"}


def test_page_documents_every_field_of_measure_spec() -> None:
    section = _section("### Fields of `MeasureSpec`")
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    documented: dict[str, str] = {}
    for names, defaults in rows:
        for name, default in zip(names.split(","), defaults.split(","), strict=False):
            documented[name.strip(" `")] = default.strip(" `")
    default_by_field = {field.name: field.default for field in fields(MeasureSpec)}
    assert documented.keys() == default_by_field.keys()
    described = {"short_label", "must_detect"}
    for name in default_by_field.keys() - described:
        if default_by_field[name] is MISSING:
            assert not documented[name], name
        else:
            assert literal_eval(documented[name]) == default_by_field[name], name
