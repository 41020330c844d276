"""Tests of charts: distinguishable colours, labels, axes and long names."""

import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report.chart import as_spec, as_svg
from arag_inspect.report.comparison.examples import choose_examples
from tests.report import material as m

JUDGES = [f"anthropic/claude-{name}-with-a-long-name-4-6" for name in ("sonnet", "opus", "haiku")]


@pytest.mark.parametrize("count", [2, 8, 24])
def test_every_error_code_has_own_colour_and_label(tmp_path: Path, count: int) -> None:
    codes = ["H", "HE", *(f"E{n}" for n in range(count - 2))]
    names = {code: f"kind {code}" for code in codes}
    flags = {**dict.fromkeys(codes, 1), "any": 1}
    report = m.report_of(
        tmp_path, m.run_of("arag", lambda n: {"error_taxonomy": m.scored(flags, names=names)}, 4)
    )
    color = as_spec(m.chart_of(report, "errors"))["encoding"]["color"]
    assert color["scale"]["domain"] == [f"Kind {code} ({code})" for code in codes]
    assert len(set(color["scale"]["range"])) == count


def test_every_system_has_own_colour(tmp_path: Path) -> None:
    def scores(index: int, number: int) -> dict[str, Score]:
        return {"rouge": m.scored({"rouge2": index / 20 + number / 100})}

    logs = [m.run_of("arag", partial(scores, n), 4, params={"top_k": n}) for n in range(12)]
    report = m.report_of(tmp_path, *logs)
    spec = as_spec(m.chart_of(report, "differences"))["spec"]
    scale = spec["layer"][1]["encoding"]["color"]["scale"]
    assert len(set(scale["range"])) == len(scale["domain"]) == 12


@pytest.mark.parametrize("tokens", [(100, 5000), (9000, 9001), (1, 90_000)])
def test_frontier_axes_start_at_zero_and_span_grade_scale(
    tmp_path: Path, tokens: tuple[int, int]
) -> None:
    best = {"geval_coverage": m.judged(5)}
    logs = [
        m.run_of(system, best, 4, effort={"input_tokens": taken, "cost_usd": None})
        for system, taken in zip(("arag", "stuffing"), tokens, strict=True)
    ]
    axes = as_spec(m.chart_of(m.report_of(tmp_path, *logs), "frontier"))["layer"][-1]["encoding"]
    assert axes["x"]["scale"] == {"zero": True}
    assert axes["y"]["scale"]["domain"] == [1, 5]


@pytest.mark.parametrize(
    ("tokens", "grade", "note"),
    [
        ((5000, 5000), 5, "Overlapping points: A-RAG and Stuffing."),
        ((5000, 5040), 5, "Overlapping points: A-RAG and Stuffing."),
        ((5000, 9000), 5, ""),
        ((5000, 5000), 4, ""),
    ],
)
def test_frontier_names_systems_whose_points_hide_each_other(
    tmp_path: Path, tokens: tuple[int, int], grade: int, note: str
) -> None:
    logs = []
    for system, used, own_grade in zip(("arag", "stuffing"), tokens, (5, grade), strict=True):
        scores = {"geval_coverage": m.judged(own_grade)}
        effort = {"input_tokens": used, "cost_usd": None}
        logs.append(m.run_of(system, scores, 4, effort=effort))
    assert m.chart_of(m.report_of(tmp_path, *logs), "frontier").note == note


def test_points_far_apart_on_logarithmic_axis_do_not_overlap(tmp_path: Path) -> None:
    tokens = {"a": 100, "b": 101, "c": 230, **{f"d{n}": 30_000 + 2_000 * n for n in range(5)}}
    logs = []
    for system, used in tokens.items():
        effort = {"input_tokens": used, "cost_usd": None}
        scores = {"geval_coverage": m.judged(5 if used < 1_000 else 3)}
        logs.append(m.run_of(system, scores, 4, effort=effort))
    note = m.chart_of(m.report_of(tmp_path, *logs), "frontier").note
    assert note and note.endswith("Overlapping points: a and b.")


def test_long_judge_names_are_drawn_once_and_unrotated(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        by_judge = dict.fromkeys(JUDGES, 0.5 + number / 10)
        parts = {"judge": {"value": 0.5, "weight": 0.5}, "nli": {"value": 0.5, "weight": 0.5}}
        return {
            "composite_faithfulness": m.scored(0.5, by_judge=by_judge, parts=parts),
            "severity_judge": m.judged(dict.fromkeys(JUDGES, 3.0 + number)),
            "nli_contradiction": m.scored(0.5),
        }

    report = m.report_of(tmp_path, m.run_of("arag", scores, 3))
    drawn = {chart.name: chart for chart in report.charts}
    for name in ("parts_by_judge", "ranking", "composite_cases"):
        svg = ElementTree.fromstring(as_svg(drawn[name]))
        texts = [text for text in svg.iter() if text.tag.endswith("}text")]
        labels = [(text.text or "", text.get("transform") or "") for text in texts]
        turns = [turn for text, turn in labels if text.removesuffix(": A-RAG") in JUDGES]
        assert len(turns) == 3, (name, labels)
        assert not any(re.search(r"rotate", turn) for turn in turns), name


def test_failure_example_is_worst_answer_in_any_primary_measure(tmp_path: Path) -> None:
    """Faithfulness is perfect throughout; one answer covers little, another found nothing."""

    def scores(number: int) -> dict[str, Score]:
        return {
            "geval_faithfulness": m.judged(5, name="geval_faithfulness"),
            "geval_coverage": m.judged(2 if number == 1 else 4),
            "retrieval_pr": m.scored({"recall": 0.1 if number == 3 else 0.9}),
        }

    report = m.report_of(tmp_path / "one", m.run_of("arag", scores))
    (failure,) = choose_examples(report.study)
    assert (failure.title, failure.sample_id) == ("A-RAG: failure", "s003")
    assert failure.rule == (
        "lowest of Faithfulness (1-5), Coverage (1-5), Recall: here Recall of A-RAG"
    )
    flawless = {"geval_coverage": m.judged(5), "retrieval_pr": m.scored({"recall": 1.0})}
    report = m.report_of(tmp_path / "two", m.run_of("arag", flawless))
    (failure,) = choose_examples(report.study)
    assert failure.sample_id is None
    assert failure.rule == "lowest of Coverage (1-5), Recall"
    errors = [{"factual_consistency": m.scored({"contradicted": n / 9})} for n in range(8)]
    run = m.run_of("arag", lambda n: errors[n])
    report = m.report_of(tmp_path / "three", run, primary=["factual_consistency.contradicted"])
    assert choose_examples(report.study)[0].sample_id == "s007"


@pytest.mark.parametrize("systems", [("naive_rag", "oracle_like"), ("zeta", "naive_rag")])
def test_failure_example_is_of_worst_system_whatever_its_name(
    tmp_path: Path, systems: tuple[str, str]
) -> None:
    better, worse = systems
    runs = []
    for system, grade in ((worse, 2), (better, 5)):
        scores = {"geval_coverage": m.judged(grade)}
        runs.append(m.run_of(system, scores, 12))
    report = m.report_of(tmp_path, *runs)
    first, last = (row.system for row in report.leaderboard.rows)
    titles = [(choice.title, choice.sample_id) for choice in choose_examples(report.study)]
    assert titles[0] == (f"{first}: win", "s000")
    assert titles[-1] == (f"{last}: failure", "s000")
