"""Tests of reports on one system, twelve, several tasks and models, and none."""

import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalError, EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import frames, make_report, studies
from arag_inspect.report.findings.provenance import about
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.page.render import render_page
from tests.commands import call
from tests.report import material as m


def _log(system: str, grade: float, count: int = 16, **spec: Any) -> EvalLog:
    def scores(number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(grade + number % 2)}

    return m.run_of(system, scores, count, company="C{}", **spec)


def _board(page: str, part: int = 0) -> list[list[str]]:
    """Return the words of each row of a leaderboard."""
    board = page.split('<table class="board"')[part + 1].split("</table>")[0]
    return [re.sub("<.*?>", " ", f"<{row}").split() for row in board.split("<tr")[2:]]


def test_single_system_is_described_and_not_compared(tmp_path: Path) -> None:
    report = make_report(frames(m.write(tmp_path, _log("arag", 3))))
    page, text = render_page(report), to_markdown(report)
    (row,) = _board(page)
    assert row[:2] == ["A-RAG", "3.500"] and row[-3:] == ["1.0", "s", "1,100"]
    assert "A-RAG has 3.500 " in text and "on 16 samples, 50% at 4 or better" in text
    assert "weakest: 8 samples (3)." in text and "is better" not in text
    assert '<p class="headline">A-RAG: coverage 3.500' in page


def test_weakest_samples_are_not_named_when_all_are_equal(tmp_path: Path) -> None:
    log = m.run_of("arag", {"geval_coverage": m.judged(4)})
    (finding,) = m.report_of(tmp_path, log).findings
    assert finding.text.startswith("A-RAG has 4.000 ") and "weakest" not in finding.text


@pytest.mark.parametrize(
    ("grades", "named"),
    [
        ((1, 5, 5, 5), "s000 (1)"),
        ((5, 2, 5, 3), "s001 (2), s003 (3)"),
        ((4, 1, 5, 5), "s001 (1)"),
        ((2.126, 5, 5, 5), "s000 (2.126)"),
    ],
)
def test_samples_that_are_no_worse_than_the_mean_are_not_weakest(
    tmp_path: Path, grades: tuple[float, ...], named: str
) -> None:
    log = m.run_of("arag", lambda n: {"geval_coverage": m.judged(grades[n])}, len(grades))
    texts = [finding.text for finding in m.report_of(tmp_path, log).findings]
    (text,) = [text for text in texts if "weakest" in text]
    assert text.endswith(f"; weakest: {named}.")


@pytest.mark.parametrize(("count", "shown"), [(2, " (too few companies)"), (6, "")])
def test_difference_that_all_groups_share_has_no_interval(
    tmp_path: Path, count: int, shown: str
) -> None:
    logs = _log("arag", 3, count), _log("naive_rag", 2, count)
    report = make_report(frames(m.write(tmp_path, *logs)))
    page, text = render_page(report), to_markdown(report)
    (gap,) = set(re.findall(r'<span class="gap.*?>(\+.*?)</span>', page))
    assert gap == f"+1.000{shown}"
    (row,) = m.rows_of(report.studies[0], "comparisons")
    assert (row["a - b"].low is None) == (count == 2)
    assert "[+1.000, +1.000]" not in text


def test_measure_and_columns_without_any_value_are_left_out(tmp_path: Path) -> None:
    nothing = Score.unscored(reason="no_gold")
    scores = {"geval_coverage": m.judged(4), "bertscore": nothing}
    log = m.run_of("arag", scores, effort={"cost_usd": None})
    report = m.report_of(tmp_path, log)
    assert [row["measure"] for row in m.rows_of(report, "headline")] == ["Coverage (1-5)"]
    assert m.rows_of(report, "cost")[0]["total USD"] is None
    (cost,) = (
        block
        for block in to_markdown(make_report(frames(tmp_path))).split("#### ")
        if block.startswith("Cost and latency")
    )
    headings = cost.split("\n\n")[2].splitlines()[0]
    assert "p50 ms" in headings and "total USD" not in headings


def test_rules_that_wrote_are_named_once_for_all_benchmarks(tmp_path: Path) -> None:
    for task in ("ectsum", "custom"):
        for how in ("digits", "lead"):
            log = _log("mine", 3, task=f"arag_inspect/{task}", model="offline/extractive")
            log.plan.steps[0].params = {"how": how}
            m.write(tmp_path / "logs", log)
    printed = call("report", tmp_path / "logs", "--out", tmp_path / "report")
    warnings = [line for line in printed.output.splitlines() if line.startswith("warning: ")]
    assert warnings == ["warning: Written by rules, not by a language model."]


def test_same_warning_of_several_logs_is_stated_once(tmp_path: Path) -> None:
    scores = {"density": Score(value=0.3)}
    m.write(tmp_path, *(m.run_of(system, scores) for system in ("arag", "naive_rag")))
    (text,) = (notice.text for notice in frames(tmp_path).notices if "density" in notice.text)
    assert text.endswith("use --lower NAME or --higher NAME (the same in 1 more log)")


def test_single_system_is_placed_between_floor_and_ceiling(tmp_path: Path) -> None:
    m.write(tmp_path, _log("arag", 3), _log("closed_book", 1), _log("reference", 4))
    report = m.report_on(frames(tmp_path))
    (text,) = [finding.text for finding in report.findings if "weakest" in finding.text]
    assert text.startswith("A-RAG has 3.500 ")
    assert "where Closed book has 1.5, where Reference has 4.5" in text
    m.write(tmp_path, _log("naive_rag", 2))
    report = m.report_on(frames(tmp_path))
    assert not any("weakest" in finding.text for finding in report.findings)


def test_twelve_systems_are_ranked_in_a_few_sentences(tmp_path: Path) -> None:
    names = [f"s{number:02}" for number in range(12)]
    m.write(tmp_path, *(_log(name, 1 + max(index, 1) / 4) for index, name in enumerate(names)))
    report = m.report_on(frames(tmp_path))
    (finding,) = report.findings
    assert finding.text == (
        "s11 covers more than 11 others, the nearest s10 (+0.250, the same on every sample). s00 "
        "and s01 score the same in coverage on every sample."
    )
    ranks = [row.standings[0].rank for row in report.leaderboard.rows if row.standings[0]]
    assert ranks == [*range(1, 11), 11, 11]
    forest = m.chart_of(report, "differences")
    assert forest.title == "Difference to s00, primary measures"
    assert re.findall(r"(s\d\d): ", forest.description) == names[1:]


def test_every_task_has_leaderboard_of_all_models(tmp_path: Path) -> None:
    tasks, models = ("ectsum", "legal_cases"), ("a/one", "b/two")
    logs = [
        _log("arag", 1 + index, 2, task=f"arag_inspect/{task}", model=model)
        for task in tasks
        for index, model in enumerate(models)
    ]
    m.write(tmp_path, *logs)
    report = make_report(frames(tmp_path))
    page, text = render_page(report), to_markdown(report)
    assert page.count('<table class="board"') == 2
    for part, task in enumerate(sorted(tasks)):
        assert f"{task} (ectsum-val)".replace("_", "\\_") in text
        rows = _board(page, part)
        assert sorted(row[2] for row in rows) == sorted(model.split("/")[1] for model in models)
        assert sorted(row[3] for row in rows) == ["1.500", "2.500"]


def test_report_states_reasons_when_no_sample_was_answered(tmp_path: Path) -> None:
    error = EvalError(message="The model is down", traceback="", traceback_ansi="")
    for system in ("arag", "stuffing"):
        skipped = m.trace(system, skipped="too long")
        samples = [m.sample(0, None, system=system, answer="", error=error)]
        samples.append(m.sample(1, {}, system=system, answer="", store=skipped))
        m.write(tmp_path / "logs", m.log(samples, system=system))
    report = make_report(frames(tmp_path / "logs"))
    page, text = render_page(report), to_markdown(report)
    assert [row[-3:] for row in _board(page)] == [["0", "of", "2"]] * 2
    sentence = "No sample was answered (2 errored: The model is down; 2 skipped: too long)."
    assert sentence in page and sentence in text


@pytest.mark.parametrize(
    ("scorer", "options", "judges"),
    [
        ("model_graded_qa", {}, "mock/one and mock/two"),
        ("inspect_ai/model_graded_fact", {"model": None}, "mock/one and mock/two"),
        ("model_graded_qa(partial_credit = TRUE)", {}, "mock/one and mock/two"),
        ("model_graded_qa", {"model": ["mock/b", "mock/a"]}, "mock/b and mock/a"),
        ("model_graded_qa", {"model": 5}, "5"),
        ("match", {}, ""),
    ],
)
def test_model_graded_scorer_without_grader_is_judged_by_answering_model(
    tmp_path: Path, scorer: str, options: dict[str, Any], judges: str
) -> None:
    records: Any = [{"name": scorer, "options": options}]
    logs = [
        m.run_of("s", lambda n: {"graded": Score(value=n % 2)}, model=model, scorers=records)
        for model in ("mock/one", "mock/two")
    ]
    all_frames = frames(m.write(tmp_path, *logs))
    (study,) = studies(all_frames)
    notices = m.noticed(all_frames)
    assert (f"judged by {judges}" if judges else "the logs record no judge") in about(study)
    assert ("may come from the judges" in notices) == (judges == "mock/one and mock/two")
    assert ("judged s · one, written by mock/one of the same family" in notices) == (
        "one" in judges
    )
    assert ("tokens and cost include its judging" in notices) == ("one" in judges)
