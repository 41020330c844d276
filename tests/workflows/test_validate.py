"""The command, and what report and gate make of its cards."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from arag_inspect.scorers import severity_judge
from arag_inspect.workflows.validate import JudgeMaterial, check_labels
from tests import estimates
from tests.commands import call
from tests.report import material as m
from tests.serving import Request, Response, as_message, serving

WAY = "judge:mock/judge|prompt:abc"
CARD = {
    "judge": "mock/judge", "host": "", "ways": {"geval_coverage": WAY}, "version": "0.1.0",
    "created": "2026-01-02T00:00:00+00:00", "task": "ectsum", "corpus": "ectsum-val",
    "model": "mock/model", "passed": True, "summary": "marks 41% of 200 texts with an error down",
    "parts": [], "measures": [], "bounds": {}, "estimated_usd": None, "paid_usd": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    "card, says, code",
    [
        (None, "Judge not validated (arag-inspect validate): mock/judge", 2),
        ({}, None, 0),
        ({"passed": False}, "mock/judge failed its validation: marks 41% of 200 texts", 2),
        ({"ways": {"geval_coverage": "judge:mock/judge|prompt:other"}}, "Judge not validated", 2),
        ({"ways": "no card"}, "Judge not validated", 2),
    ],
)
def test_a_judge_without_a_good_card_is_named(
    logs: Path, card: dict[str, object] | None, says: str | None, code: int
) -> None:
    score = m.judged(3.0)
    assert score.metadata
    score.metadata["signature"] = f"geval_coverage|{WAY}|arag-inspect:0.1.0"
    log = str(m.write(logs, m.run_of("arag", lambda _: {"geval_coverage": score})))
    cards = Path("results") / "judge-cards"
    cards.mkdir(parents=True)
    if card is not None:
        old = CARD | {"created": "2026-01-01T00:00:00+00:00", "passed": False}
        for name, values in (("old", old | card), ("new", CARD | card)):
            (cards / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    rule = ("--rule", "geval_coverage >= 1")
    call("gate", log, *rule)
    call("gate", log, *rule, "--require-validated", code=code)
    call("report", log, "--out", "report")
    for name in ("report.html", "summarization_report.md"):
        text = (Path("report") / name).read_text(encoding="utf-8").replace("\\", "")
        assert says is None or says in text
        assert ("Judge not validated" in text or "failed its validation" in text) == bool(says)


def test_rules_fail_and_are_told_so(synthetic_folder: Path, logs: Path) -> None:
    offline = ("--model", "offline/extractive", "--grader", "offline/extractive")
    more = ("-T", f"corpus={synthetic_folder}", "-T", "scorers=severity_judge", "--limit", "2")
    done = call("validate", "earnings_synthetic", *offline, *more, "--log-dir", str(logs))
    told = " ".join(done.output.split())
    assert "The judge offline/extractive on earnings_synthetic fails: severity_judge" in told
    assert all(len(line) <= 80 for line in done.output.splitlines())
    (path,) = (Path("results") / "judge-cards").glob("*.json")
    card = json.loads(path.read_text(encoding="utf-8"))
    assert not card["passed"] and card["ways"]["severity_judge"].startswith("judge:offline/")
    assert {part["name"]: part["passed"] for part in card["parts"]}["readable"]
    (check,) = card["measures"]
    assert check["marked"]["figure"][3] == 2 and 0 < check["all_marked"][0] < 1
    assert "| severity\\_judge | marked: figure |" in path.with_suffix(".md").read_text()


def _write_marks(count: int, is_good: Callable[[int, bool], bool]) -> None:
    """Write a set of labels, `marks.yaml`, of texts of which every other one is copied."""
    rows = []
    for number in range(count):
        call = f"Revenue of Firm{number} rose {number + 3}% to ${number + 2}.5 billion this year."
        text = call if number % 2 else call.replace("rose", "fell").replace(".5", ".9")
        mark = is_good(number, number % 2 == 1)
        rows.append({"n": number, "text": text, "call": call, "mark": mark})
    Path("marks.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    columns = {"id": "{n}", "answer": "{text}", "source": "{call}", "group": "{n}"}
    columns |= {"label": "{mark}"}
    described = {
        **{"title": "Marks", "origin": "us", "licence": "ours", "kind": "binary"},
        **{"rule": "true is good", "files": ["*.jsonl"], "columns": columns},
    }
    Path("marks.yaml").write_text(json.dumps(described), encoding="utf-8")


@pytest.mark.parametrize(
    ("count", "is_good", "passed"),
    [
        (24, lambda number, copied: copied, True),
        (24, lambda number, copied: number % 4 < 2, False),
        (6, lambda number, copied: copied, None),
        (24, lambda number, copied: True, None),
    ],
)
def test_labels_of_people_are_compared_with_the_judge(
    logs: Path, count: int, is_good: Callable[[int, bool], bool], passed: bool | None
) -> None:
    _write_marks(count, is_good)
    labels = ("marks.yaml", Path())
    material = JudgeMaterial("t", {}, (severity_judge(),), "", {}, labels, limit=30, seed=0)
    part = check_labels(material, ["offline/extractive"], str(logs))
    assert part.passed is passed, part
    assert part.text.endswith(f", n {count}") or part.text.startswith("all labels")


def test_what_is_judged_twice_is_asked_twice_and_paid(
    synthetic_folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def reply(request: Request) -> Response:
        prompt = str(json.loads(request.body)["messages"])
        codes = re.findall(r"VERDICT ([0-9a-f]{6}):", prompt)
        question = re.sub(r"\b[0-9a-f]{6}\b", "", prompt)  # without the codes, which are drawn
        grade = 1 if question in asked else 5
        asked.append(question)
        text = f"I compared.\nVERDICT {codes[-1]}: {grade}" if codes else "Sales rose."
        return as_message(request, text, input_tokens=len(prompt) // 4, output_tokens=60)

    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    haiku = "anthropic/claude-haiku-4-5"
    line = ("validate", "earnings_synthetic", "--model", "offline/extractive", "--grader", haiku)
    more = ("-T", f"corpus={synthetic_folder}", "-T", "scorers=severity_judge", "--limit", "1")
    with serving(reply) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        refused = call(*line, *more, "--log-dir", str(logs), "--max-dollars", "0.01", code=1)
        assert "nothing was spent" in refused.stderr and not asked
        call(*line, *more, "--log-dir", str(logs), "--max-dollars", "3")
    (path,) = (Path("results") / "judge-cards").glob("*.json")
    card = json.loads(path.read_text(encoding="utf-8"))
    assert card["host"] == "127.0.0.1"
    assert card["measures"][0]["retest"][0] < 1
    paid = sum(len(prompt) // 4 * 1e-6 + 60 * 5e-6 for prompt in asked)
    assert card["paid_usd"] == pytest.approx(paid, rel=0.01)
    assert 0.8 < card["estimated_usd"] / paid < 1.2


@pytest.mark.parametrize(
    ("grader", "scorer", "labelled"),
    [
        (estimates.GRADERS[0], "severity_judge", True),
        (estimates.GRADERS[1], "geval_coverage", False),
    ],
)
def test_the_estimate_is_what_reasoning_judges_are_paid(
    synthetic_folder: Path, logs: Path, grader: str, scorer: str, labelled: bool
) -> None:
    line = ["validate", "earnings_synthetic", "--model", estimates.MODEL, "--grader", grader]
    line += ["-T", f"corpus={synthetic_folder}", "-T", f"scorers={scorer}", "--limit", "1"]
    if labelled:
        _write_marks(8, lambda number, copied: copied)
        line += ["--human", "marks.yaml", "--source", "."]
    with estimates.messages_api(estimates.Replies()):
        call(*line, "--log-dir", str(logs))
    (path,) = (Path("results") / "judge-cards").glob("*.json")
    card = json.loads(path.read_text(encoding="utf-8"))
    assert 0.8 < card["estimated_usd"] / card["paid_usd"] < 1.2
