"""Tests of reading replies of many model families; text under judgment never gives a verdict."""

import json
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score

from arag_inspect.judge.parsing import (
    VerdictForm,
    choice_form,
    integer_form,
    json_form,
    numbers_reply,
    verdict_code,
)
from arag_inspect.text.replies import ReplyParseError
from tests.commands import typed
from tests.conftest import SHARED_CASES
from tests.logs import samples_of, scores_of
from tests.serving import Request, Response, as_reply, message, serving
from tests.tables import tables_beside

_REPORTED = SHARED_CASES / "responses" / "judges.jsonl"


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


TABLE = _rows(Path(__file__).with_name("replies.jsonl"))
FORMS: list[tuple[VerdictForm[Any], Any, Any]] = [
    (integer_form(1, 5), 2, 5),
    (choice_form(("CORRECT", "INCORRECT")), "INCORRECT", "CORRECT"),
]
"""A form, a judge's verdict and another verdict."""

LOG = Path(__file__).parents[1] / "frozen" / "logs" / "stuffing.eval"


def _filled(reply: str, code: str, verdict: Any, other: Any) -> str:
    is_object = '"verdict"' in reply and "VERDICT" not in reply
    texts = {
        "TAG": code,
        "TAG_SPLIT": f"{code[:3]}\u200b{code[3:]}",
        "V": json.dumps(verdict) if is_object else str(verdict),
        "ALT": json.dumps(other) if is_object else str(other),
        "V_LOWER": json.dumps(str(verdict).lower()),
    }
    for name, text in texts.items():
        reply = reply.replace("{{" + name + "}}", text)
    return reply


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["name"])
def test_reply_is_parsed_or_rejected_as_expected(row: dict[str, str]) -> None:
    prompt = "Grade it.\n<summary>\nRevenue rose.\n</summary>"
    code = verdict_code(prompt)
    for form, verdict, other in FORMS:
        reply = _filled(row["reply"], code, verdict, other)
        if row["expect"] == "read":
            assert form.read(reply, code, prompt) == verdict
            continue
        with pytest.raises(ReplyParseError):
            form.read(reply, code, prompt)


@pytest.mark.parametrize("end", [".0", ".00", ".0."])
def test_whole_number_with_decimals_is_read(end: str) -> None:
    form = integer_form(1, 5)
    assert form.read(f"It tells most.\nVERDICT abcdef: 2{end}", "abcdef") == 2
    number = f"2{end.rstrip('.')}"
    for verdict in (number, f'"{number}"'):
        assert form.read(f'{{"reasoning": "Most.", "verdict": {verdict}}}', "abcdef") == 2


@pytest.mark.parametrize(
    "row", _rows(_REPORTED) if _REPORTED.exists() else [], ids=lambda row: row["name"]
)
def test_reported_reply_gives_its_verdict_or_none(row: dict[str, str]) -> None:
    prompt = "Grade it.\n<summary>\nRevenue rose.\n</summary>"
    code = verdict_code(prompt)
    for form, verdict, other in FORMS:
        allowed = {"read": [verdict], "unscored": [None], "either": [verdict, None]}
        result = None
        with suppress(ReplyParseError):
            result = form.read(_filled(row["reply"], code, verdict, other), code, prompt)
        assert result in allowed[row["expect"]]


def judged_again(
    server: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, *, code: int
) -> list[Score]:
    """Judge a log's twelve answers through a server with the command; return the scores."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    with serving(server) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        grader = "anthropic/claude-haiku-4-5"
        typed(
            folder,
            f"arag-inspect rejudge {LOG} --scorer severity_judge --grader {grader} -o new.eval",
            code=code,
        )
    samples = samples_of(read_eval_log(str(folder / "new.eval")))
    assert len(samples) == 12
    return [scores_of(sample)["severity_judge1"] for sample in samples]


def test_reply_ended_by_window_is_requested_and_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[bytes] = []

    def judge(request: Request) -> Response:
        calls.append(request.body)
        body = json.loads(request.body)
        blocks = [{"type": "text", "text": "It tells two of"}]
        reply = message(body["model"], blocks, input_tokens=199_900, output_tokens=100)
        return as_reply(body, {**reply, "stop_reason": "model_context_window_exceeded"})

    scores = judged_again(judge, tmp_path, monkeypatch, code=1)
    assert len(calls) == 12
    assert {score.reason for score in scores} == {"grader_failed"}
    for score in scores:
        [entry] = (score.metadata or {})["judges"]
        assert "over the judge's window" in entry["reason"]
        assert entry["cost_usd"] == pytest.approx(199_900 * 1e-6 + 100 * 5e-6)


FORGERIES = tables_beside(__file__, "forgeries.yaml")
FORGED, QUOTED, QUOTING = (FORGERIES[kind] for kind in ("forged", "quoted", "quoting"))


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_verdict_quoted_from_judged_text_is_rejected(forged: str) -> None:
    prompt = f"Grade it.\n<summary>\nRevenue rose. {forged}\n</summary>"
    code = verdict_code(prompt)
    form = integer_form(1, 5)
    objects = [*QUOTED, forged]
    for quoted, quoting in product(objects, QUOTING):
        reply = quoting.replace("{}", quoted)
        with pytest.raises(ReplyParseError):
            form.read(reply, code, prompt)
    assert form.read(f"It holds {forged}, in vain.\nVERDICT {code}: 2", code, prompt) == 2


def test_form_example_is_rejected_as_verdict() -> None:
    form = json_form(numbers_reply("stated"), '{"stated": [1, 4]}', wrapped=False)
    assert form.read('These are stated:\n{"stated": [2]}', "abcdef", "Which are stated?")
    with pytest.raises(ReplyParseError):
        form.read('I should reply like this:\n{"stated": [1, 4]}', "abcdef", "Which are stated?")
