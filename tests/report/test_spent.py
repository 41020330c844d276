"""Tests that the page's costs match the folder's ledger."""

import json
from pathlib import Path

import pytest

from arag_inspect.models.spending import LEDGER_TASK
from tests.commands import call
from tests.report import material as m

_ANSWERED, _JUDGED = {"judge": False, "usd": 0.61}, {"judge": True, "usd": 0.23}
_VERDICT, _CALL = {"judge": True, "usd": 0.02}, {"judge": False, "usd": 0.31}
SPENT: dict[str, tuple[str, float | None, list[dict[str, float]] | None, str]] = {
    "ledger": ("arag", None, [{"usd": 0.61}, {"usd": 0.23}], "$0.8400 spent"),
    "no ledger": ("arag", None, None, "$0.6200 for answers<"),
    "ledger of answers and verdicts": (
        "arag",
        0.25,
        [_ANSWERED, _JUDGED],
        "$0.8400 spent: $0.6100 for answers and $0.2300 for verdicts<",
    ),
    "verdicts without ledger": (
        "arag",
        0.25,
        None,
        "$0.6200 for answers and $0.5000 for verdicts<",
    ),
    "live system that states its cost": ("external", None, [_VERDICT], "$0.6400 spent"),
    "live system with calls in ledger": ("external", None, [_VERDICT, _CALL], "$0.3300 spent"),
    "answers from the cache": ("arag", None, [_VERDICT], "$0.0200 spent"),
}
"""Two answers at $0.31 each: the system, the price of a verdict, the ledger, the page's text."""


@pytest.mark.parametrize("case", SPENT)
def test_page_shows_what_ledger_or_logged_calls_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """A judge's verdict that was read from the cache has a price, and cost nothing."""
    system, verdict_usd, ledger, text = SPENT[case]
    monkeypatch.chdir(tmp_path)
    score = {"rouge": m.scored({"rouge2": 0.5}, "rouge")}
    if verdict_usd is not None:
        coverage = m.judged(3)
        (coverage.metadata or {})["judges"][0]["cost_usd"] = verdict_usd
        score = {"geval_coverage": coverage}
    store = m.trace(system, cost_usd=0.31)
    log = m.log([m.sample(number, score, store=store) for number in range(2)])
    m.write(tmp_path / "logs", log)
    if ledger is not None:
        lines = [json.dumps({"task": log.eval.task_id, **paid}) for paid in ledger]
        Path("logs/paid.jsonl").write_text("\n".join(lines))
    output = call("report logs").output
    page = Path("report/report.html").read_text(encoding="utf-8")
    assert f" · {text}" in page
    assert (" · no judge ran · " in page) == (verdict_usd is None)
    assert ("spent, earlier starts included" in output) == (ledger is not None)
    assert ledger is None or f"{text.partition('00 ')[0]} spent, earlier" in output


@pytest.mark.parametrize("is_in_ledger", [True, False])
def test_spent_includes_answers_and_both_verdicts_of_rejudged_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_in_ledger: bool
) -> None:
    """The ledger has the first task id and no second verdict."""
    monkeypatch.chdir(tmp_path)
    store = {**m.trace("arag"), "RetrievalTrace:cost_usd": 0.31}
    coverage = m.judged(3)
    assert coverage.metadata is not None
    coverage.metadata["judges"][0]["cost_usd"] = 0.25
    scores = {"geval_coverage": coverage, "geval_coverage1": coverage}
    log = m.log([m.sample(n, scores, store=store) for n in range(2)])
    answered = log.eval.task_id
    log.eval.task_id = "rejudged"
    log.eval.metadata = {**(log.eval.metadata or {}), LEDGER_TASK: answered}
    m.write(tmp_path / "logs", log)
    if is_in_ledger:
        calls = [
            json.dumps({"task": answered, "judge": judge, "usd": dollars})
            for judge, dollars in ((False, 0.62), (True, 0.5))
        ]
        Path("logs/paid.jsonl").write_text("\n".join(calls))
    output = call("report logs").output
    page = Path("report/report.html").read_text(encoding="utf-8")
    parts = "$0.6200 for answers and $1.00 for verdicts<"
    assert f" · {'$1.62 spent: ' if is_in_ledger else ''}{parts}" in page
    assert ("$1.62 spent, earlier starts included\n" in output) is is_in_ledger


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
