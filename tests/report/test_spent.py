"""Tests that the page's costs match the folder's ledger."""

import json
from pathlib import Path

import pytest

from tests.commands import call
from tests.report import material as m


@pytest.mark.parametrize(
    ("paid", "text"),
    [([0.61, 0.23], "$0.8400 spent"), (None, "$0.6200 for answers<")],
)
def test_page_shows_ledger_total_or_price_of_logged_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paid: list[float] | None, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    store = {**m.trace("arag"), "RetrievalTrace:cost_usd": 0.31}
    samples = [
        m.sample(n, {"rouge": m.scored({"rouge2": 0.5}, "rouge")}, store=store) for n in range(2)
    ]
    log = m.log(samples)
    m.write(tmp_path / "logs", log)
    if paid is not None:
        lines = [json.dumps({"task": log.eval.task_id, "usd": dollars}) for dollars in paid]
        Path("logs/paid.jsonl").write_text("\n".join(lines))
    call("report logs")
    page = Path("report/report.html").read_text(encoding="utf-8")
    assert f" · {text}" in page and " · no judge ran · " in page


@pytest.mark.parametrize(
    ("is_in_ledger", "text"),
    [
        (True, "$0.8400 spent: $0.6100 for answers and $0.2300 for verdicts<"),
        (False, "$0.6200 for answers and $0.5000 for verdicts<"),
    ],
)
def test_page_splits_dollars_into_answers_and_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_in_ledger: bool, text: str
) -> None:
    """A judge's verdict that was read from the cache has a price, and cost nothing."""
    monkeypatch.chdir(tmp_path)
    store = {**m.trace("arag"), "RetrievalTrace:cost_usd": 0.31}
    coverage = m.judged(3)
    assert coverage.metadata is not None
    coverage.metadata["judges"][0]["cost_usd"] = 0.25
    samples = [m.sample(n, {"geval_coverage": coverage}, store=store) for n in range(2)]
    log = m.log(samples)
    m.write(tmp_path / "logs", log)
    if is_in_ledger:
        calls = [
            json.dumps({"task": log.eval.task_id, "judge": judge, "usd": dollars})
            for judge, dollars in ((False, 0.61), (True, 0.23))
        ]
        Path("logs/paid.jsonl").write_text("\n".join(calls))
    call("report logs")
    assert f" · {text}" in Path("report/report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("answered_by", "calls", "spent"),
    [
        ("external", [(True, 0.02)], "0.64"),
        ("external", [(True, 0.02), (False, 0.31)], "0.33"),
        ("arag", [(True, 0.02)], "0.02"),
    ],
)
def test_spent_includes_reported_cost_of_live_system_without_calls_in_ledger(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answered_by: str,
    calls: list[tuple[bool, float]],
    spent: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    store = {**m.trace(answered_by), "RetrievalTrace:cost_usd": 0.31}
    samples = [
        m.sample(n, {"rouge": m.scored({"rouge2": 0.5}, "rouge")}, store=store) for n in range(2)
    ]
    log = m.log(samples)
    m.write(tmp_path / "logs", log)
    lines = [
        json.dumps({"task": log.eval.task_id, "judge": judge, "usd": dollars})
        for judge, dollars in calls
    ]
    Path("logs/paid.jsonl").write_text("\n".join(lines))
    result = call("report logs")
    page = Path("report/report.html").read_text(encoding="utf-8")
    assert f" · ${spent}00 spent" in page
    assert f"${spent} spent, earlier starts included" in result.output


def test_amount_spent_is_summed_over_log_folders(tmp_path: Path) -> None:
    for name, dollars in (("arag", 0.5), ("naive_rag", 0.25)):
        log = m.run_of(name, lambda number: {"rouge": m.scored({"rouge2": 0.5}, "rouge")}, 2)
        m.write(tmp_path / name, log)
        line = json.dumps({"task": log.eval.task_id, "judge": True, "usd": dollars})
        (tmp_path / name / "paid.jsonl").write_text(line)
    output = call(
        "report", tmp_path / "arag", tmp_path / "naive_rag", "--out", tmp_path / "out"
    ).output
    assert output.count(" spent") == 1 and "$0.75 spent, earlier starts included" in output
