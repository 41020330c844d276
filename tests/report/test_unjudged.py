"""Tests that an unjudged primary measure is shown first in every output."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect import compare
from arag_inspect.judge.judgement import Judgement, no_verdict
from arag_inspect.report import StudyReport, frames, make_report
from arag_inspect.report.page.render import render_page
from arag_inspect.report.table import escape
from tests.commands import call
from tests.report import material as m

REASON = "the last line is not VERDICT"
SAMPLES = 12


def _log(system: str, failing: dict[str, int], start: float) -> EvalLog:
    """A run whose judge failed on the first samples, for some measures."""
    failed = no_verdict([Judgement("mock/judge", None, REASON, ["Fine!"])])

    def scores(n: int) -> dict[str, Score]:
        names = ("geval_faithfulness", "geval_coverage")
        judged = {name: m.judged(start + n % 2, name=name) for name in names}
        return judged | {name: failed for name, most in failing.items() if n < most}

    return m.run_of(system, scores, SAMPLES, company="C{}")


def _expected(failing: dict[str, int]) -> list[str]:
    labels = {"geval_faithfulness": "Faithfulness (1-5)", "geval_coverage": "Coverage (1-5)"}
    return [
        f"{labels[name]} could not be judged on {count} of {SAMPLES} samples of {system} ({REASON})"
        for name, count in failing.items()
        for system in ("A-RAG", "Naive RAG")
    ]


def _not_judged(report: StudyReport) -> list[str]:
    return [finding.text for finding in report.findings if finding.kind == "not judged"]


@pytest.mark.parametrize("failing", [{"geval_coverage": 1}, {}])
def test_unjudged_notice_names_only_failed_measures(
    tmp_path: Path, failing: dict[str, int]
) -> None:
    logs = m.write(tmp_path, _log("arag", failing, 3), _log("naive_rag", failing, 1))
    report = make_report(frames(logs))
    assert [*report.unjudged] == [f"{text}." for text in _expected(failing)]
    assert ("ot be judged" in render_page(report)) == bool(failing)


def test_failed_judge_is_reported_first_on_every_surface(tmp_path: Path) -> None:
    failing = {"geval_faithfulness": 12, "geval_coverage": 6}
    new = m.write(tmp_path / "new", _log("arag", failing, 3), _log("naive_rag", failing, 1))
    base = m.write(tmp_path / "base", _log("arag", {}, 3), _log("naive_rag", {}, 1))
    expected, out = _expected(failing), tmp_path / "report"
    printed = call("report", new, "-o", out).stdout.splitlines()
    assert [line for line in printed if "Not judged" in line] == [
        f"Not judged: {text}." for text in expected
    ]
    assert printed[0] == f"Not judged: {expected[0]}."
    assert "score the same" not in "".join(printed)
    markdown = (out / "summarization_report.md").read_text()
    assert markdown.split("\n\n")[1] == f"**Not judged:** {escape(expected[0])}."
    assert markdown.split("#### Leaderboard\n\n")[1].startswith(f"{expected[0]}.")
    page = (out / "report.html").read_text()
    position = page.index(f"<strong>Not judged</strong> {expected[0]}.")
    assert position < page.index('<p class="headline">')

    assert expected[0] in compare(base, new).unjudged[0]
    gate = ["--rule", "geval_coverage >= -0.5", "--rule", "geval_faithfulness >= -0.5"]
    gated = call(
        "gate", new, "--against", base, *gate, "--junit", out / "gate.xml", code=None
    ).stdout
    (first, *_) = ElementTree.parse(out / "gate.xml").getroot()
    assert gated.splitlines()[0] == f"not judged: {expected[0]}"
    assert first.get("name") == expected[0]


def test_failed_panel_judge_is_named_with_most_frequent_reason(tmp_path: Path) -> None:
    def scores(n: int) -> dict[str, Score]:
        score = m.judged({"mock/a": 4, "mock/b": 5})
        if n < 3:
            why = "cut off" if n else "refused"
            (score.metadata or {})["judges"][1] |= {"verdict": None, "reason": why}
        return {"geval_coverage": score}

    report = m.report_of(tmp_path, m.run_of("arag", scores, SAMPLES, company="C{}"))
    message = "Coverage (1-5) could not be judged by mock/b on 3 of 12 samples of A-RAG (cut off)."
    assert _not_judged(report) == [message]


def _coded(name: str, failed: int, by_rule: bool) -> EvalLog:
    """A run whose error judge failed on the first samples, so that rules assigned the codes."""

    def scores(n: int) -> dict[str, Score]:
        is_unread = n < failed
        verdict = {"verdict": None, "reason": REASON} if is_unread else {"verdict": ["H"]}
        metadata = {
            "signature": "error_taxonomy|judge:mock/judge",
            "coded_by": "rules" if is_unread and by_rule else "judge",
            "codes": {"H": ""},
            "judges": [{"grader": "mock/judge", "raw": ["Fine!"], **verdict}],
        }
        flags = {"H": 1.0, "O": 0.0, "any": 1.0}
        return {
            "geval_coverage": m.judged(4),
            "error_taxonomy": Score(value=flags, metadata=metadata),
        }

    return m.run_of(name, scores, SAMPLES, company="C{}")


@pytest.mark.parametrize("failed", [12, 5])
def test_failed_secondary_judge_is_a_finding_below_the_headline(
    tmp_path: Path, failed: int
) -> None:
    all_frames = frames(
        m.write(tmp_path / "logs", _coded("arag", failed, True), _coded("naive_rag", 0, True))
    )
    message = f"mock/judge gave no readable verdict on {failed} of the 12 samples of "
    message += f"A-RAG that asked the judge (error_taxonomy): {REASON}"
    report = m.report_on(all_frames)
    assert not _not_judged(report)
    (finding,) = [item for item in report.findings if item.topic == "Unreadable verdicts"]
    assert (finding.kind, finding.text) == ("further", f"{message}.")
    assert "readable" not in m.noticed(all_frames)

    by_rule = f"as no judge gave one: A-RAG {failed} of 12 answers"
    for name in ("errors", "failures"):
        assert f"Codes by rule, {by_rule}." in m.table_of(report, name).text
    chart = m.chart_of(report, "errors")
    assert f"(codes by rule, {by_rule})" in chart.title


def test_error_codes_from_judges_carry_no_rule_label(tmp_path: Path) -> None:
    report = m.report_of(tmp_path, _coded("arag", 0, False), _coded("naive_rag", 0, False))
    assert not _not_judged(report)
    assert "by rule" not in m.table_of(report, "errors").text
    assert m.chart_of(report, "errors").title == "Errors per answer by system"
