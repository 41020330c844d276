"""Tests that a scorer that `inspect score` appends again keeps what it declares."""

from dataclasses import asdict
from pathlib import Path

import pytest
from inspect_ai import Task, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.scorer import Score, Scorer
from inspect_ai.solver import generate

from arag_inspect.measure import GRADES, MeasureSpec, measures_of
from arag_inspect.report import frames, studies
from arag_inspect.scorers import (
    answer_match,
    factual_consistency,
    geval,
    geval_coverage,
    geval_faithfulness,
    numeric_match,
)
from tests.report import material as m
from tests.scripted import run, scripted, speak

ANSWER = "Revenue was $5.06 million."


def _spec_of_second(first: Scorer, second: Scorer, key: str, logs: Path) -> MeasureSpec:
    """Score a sample with one scorer twice and return the spec of a measure of the second."""
    sample = Sample(
        input="What was revenue?",
        target="$5 million",
        metadata={"exe_ans": 5.0, "doc": ANSWER, "table": "Revenue: $4 million."},
    )
    task = Task(dataset=[sample], solver=generate(), scorer=first)
    log = run(task, scripted(lambda *_: speak(ANSWER, 1)))
    write_eval_log(score(log, second, action="append", display="none"), log.location)
    (study,) = studies(frames(logs))
    assert key in study.catalogue.keys
    return study.catalogue.spec(key)


def test_second_scorer_has_label_and_direction_of_first(logs: Path) -> None:
    second = numeric_match(tolerance=0.05)
    spec = _spec_of_second(numeric_match(), second, "numeric_match1", logs)
    assert spec.label == "Right number (numeric_match1)"
    assert spec.higher_is_better and spec.aspect == ""
    assert spec.role == "secondary" and not spec.decides_on("answer")


def test_second_scorer_keeps_that_lower_is_better(logs: Path) -> None:
    first, second = (
        factual_consistency(judge=False, context=f"metadata:{name}") for name in ("doc", "table")
    )
    spec = _spec_of_second(first, second, "factual_consistency1.contradicted", logs)
    assert spec.label == "Figures contradicted (factual_consistency1)"
    assert spec.higher_is_better is False


def test_scorer_under_its_name_is_unchanged_beside_second(logs: Path) -> None:
    spec = _spec_of_second(answer_match(), answer_match(tolerance=0.02), "answer_match", logs)
    assert spec.label == "Right answer" and spec.role == "primary"


_TONE = (
    MeasureSpec("geval_tone", "Tone", **GRADES),
    MeasureSpec("geval_tone.friendly", "Friendly sentences", in_metadata=True),
)


@pytest.mark.parametrize(
    "name, repeats, specs, label",
    [
        ("geval_coverage", 2, measures_of(geval_coverage()), "Items stated (geval_coverage1)"),
        (
            "geval_faithfulness",
            2,
            measures_of(geval_faithfulness()),
            "Statements supported (geval_faithfulness1)",
        ),
        ("geval_tone", 1, _TONE, "Friendly sentences"),
    ],
)
def test_share_beside_grade_is_not_read_on_scale_of_grades(
    name: str, repeats: int, specs: tuple[MeasureSpec, ...], label: str, tmp_path: Path
) -> None:
    scorer = f"{name}1" if repeats > 1 else name
    share = next(spec.value_key for spec in specs if spec.in_metadata)
    metadata = {"signature": "judge:other", "shares": {share: 0.5}}
    record = {"name": name, "metadata": {"measures": [asdict(spec) for spec in specs]}}
    sample = m.sample(1, {scorer: Score(value=4, metadata=metadata)})
    m.write(tmp_path, m.log([sample], scorers=[record] * repeats))
    results = frames(tmp_path)
    (study,) = studies(results)
    values = study.scores.set_index("measure")["value"]
    assert (values[scorer], values[f"{scorer}.{share}"]) == (4, 0.5)
    assert study.catalogue.spec(f"{scorer}.{share}").label == label
    assert study.catalogue.spec(scorer).low == 1
    assert not [notice for notice in results.notices if "impossible" in notice.text]


@pytest.mark.parametrize(
    ("dimensions", "labels"),
    [
        (["clarity"], ["G-Eval clarity (1-5)"]),
        (["plain_language", "tone"], ["G-Eval plain language (1-5)", "G-Eval tone (1-5)"]),
        (["tone", "tone"], ["G-Eval tone (1-5)", "G-Eval tone (geval1) (1-5)"]),
        ([""], ["G-Eval (1-5)"]),
    ],
)
def test_grades_of_several_dimensions_are_named_after_them(
    dimensions: list[str], labels: list[str], tmp_path: Path
) -> None:
    m.write(tmp_path, _graded(dimensions))
    (study,) = studies(frames(tmp_path))
    keys = ["geval", "geval1"][: len(dimensions)]
    assert [study.catalogue.spec(key).label for key in keys] == labels


def test_grade_of_another_dimension_in_each_run_has_both_names(tmp_path: Path) -> None:
    m.write(tmp_path, _graded(["tone"], system="arag"), _graded(["clarity"], system="naive_rag"))
    (study,) = studies(frames(tmp_path))
    assert study.catalogue.spec("geval").label == "G-Eval tone / G-Eval clarity (1-5)"


def _graded(dimensions: list[str], system: str = "arag") -> EvalLog:
    """Return a log with a grade of each dimension."""
    measures = [asdict(spec) for spec in measures_of(geval(dimension="coverage"))]
    records, scores = [], {}
    for number, dimension in enumerate(dimensions):
        name = f"geval{number or ''}"
        options = {"dimension": dimension}
        records.append({"name": "geval", "options": options, "metadata": {"measures": measures}})
        scores[name] = Score(value=4, metadata={"signature": f"geval|dimension:{dimension}"})
    return m.log([m.sample(1, scores, system=system)], system=system, scorers=records)
