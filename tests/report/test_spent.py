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
