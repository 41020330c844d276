"""Tests of judges without readable replies: gaps are reported, and total failure is an error."""

import json
import re
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from inspect_ai.log import EvalError, read_eval_log, write_eval_log
from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from arag_inspect.report import frames
from tests.commands import typed
from tests.logs import samples_of, scores_of
from tests.scripted import speak, tagged

pytestmark = pytest.mark.usefixtures("logs")


class RefusedQuestionError(Exception):
    def __init__(self, status: str) -> None:
        super().__init__("the prompt was flagged")
        self.status_code = int(status)


@modelapi(name="judging")
class Judging(ModelAPI):
    """A judge whose replies are readable always, never, or on every other question."""

    async def generate(self, input: list[Any], *_: Any, **__: Any) -> ModelOutput:
        every_other = crc32(input[0].text.encode()) % 2
        if every_other and self.model_name in ("400", "413", "422"):
            raise RefusedQuestionError(self.model_name)
        broken = self.model_name == "never" or (every_other and self.model_name == "half")
        grade = "3" if "gravest error" in input[0].text else "answered"
        return speak("Fine!" if broken else tagged(f"VERDICT: {grade}", input), 1)

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4


def _run(corpus: Path, folder: Path, graders: str, scorers: str, code: int) -> list[str]:
    """Judge the answers of two systems and return what the run prints, line by line."""
    return typed(
        folder,
        "arag-inspect run earnings_synthetic --systems closed_book,stuffing --limit 6 "
        f"--model offline/extractive --grader {graders} -T corpus={corpus} "
        f"-T scorers={scorers} --log-dir logs -- --display none",
        code=code,
    ).splitlines()


def test_run_reports_samples_that_one_judge_left_unjudged(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    graders = "judging/half,judging/always"
    printed = _run(synthetic_folder, tmp_path, graders, "abstention", 0)
    lines = [line for line in printed if line.startswith("Not judged: ")]
    cause = "could not be judged by judging/half on [1-5] of 6 samples of .*the last line is not"
    assert len(lines) == 2, printed
    for line in lines:  # one reason for all samples
        assert re.match(f"Not judged: Wrongly declined {cause} `VERDICT CODE: ", line)
    assert "Next: arag-inspect report logs" in printed


def test_run_fails_when_judge_gives_no_readable_verdict(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    scorers = "abstention,severity_judge"
    printed = _run(synthetic_folder, tmp_path, "judging/never", scorers, 1)
    lines = [line for line in printed if line.startswith("Not judged: ")]
    others = [line for line in lines if "could not be judged" not in line]
    assert (len(lines), len(others)) == (4, 2), printed
    for line in others:
        assert "judging/never gave no readable verdict on 6 of the 6 samples of " in line
    refusal = "judging/never gave no readable verdict; the answers are kept"
    assert any(refusal in line for line in printed)
    assert not any("Next: arag-inspect report logs" in line for line in printed)


@pytest.mark.parametrize("judge, code, failed", [("half", 0, "[1-3]"), ("never", 1, "4")])
def test_rejudge_counts_unreadable_verdicts_of_each_panel_judge(
    synthetic_folder: Path, tmp_path: Path, judge: str, code: int, failed: str
) -> None:
    typed(
        tmp_path,
        "arag-inspect run earnings_synthetic --systems stuffing --limit 4 --model "
        f"offline/extractive --grader judging/always -T corpus={synthetic_folder} "
        "-T scorers=contain_match,abstention --log-dir logs -- --display none",
    )
    (log,) = (tmp_path / "logs").glob("*.eval")
    graders = f"judging/always,judging/{judge}"
    call = f"arag-inspect rejudge {log} --grader {graders} -o logs/again/new.eval"
    printed = typed(tmp_path, f"{call} --corpus {synthetic_folder}", code=code)
    lost = rf"judging/{judge} gave no readable verdict on {failed} of (?:the )?4 samples"
    match = re.search(
        rf"^{lost} \(abstention\): the last line is not `VERDICT CODE: ", printed, re.M
    )
    assert (match is not None) == bool(failed), printed
    assert "judging/always gave no" not in printed and "Judged again: " in printed
    assert (f"judging/{judge} gave no readable verdict; the new log is kept" in printed) == code

    for primary, expected in (
        ("contain_match", lost),
        (
            "abstention1.wrong",
            rf"could not be judged by judging/{judge} on {failed} of 4 samples",
        ),
    ):
        printed = typed(tmp_path, f"arag-inspect report logs/again/new.eval --primary {primary}")
        assert bool(re.search(expected, printed)) == bool(failed), printed
        assert ("no readable verdict" in printed) == (bool(failed) and primary == "contain_match")


@pytest.mark.parametrize("status", ["400", "413", "422"])
def test_refused_judge_call_leaves_other_verdicts_intact(status: str, tmp_path: Path) -> None:
    scorer = "severity_judge"
    log = Path(__file__).parents[1] / "frozen" / "logs" / "stuffing.eval"
    judge = f"judging/{status}"
    call = f"arag-inspect rejudge {log} --scorer {scorer} --grader {judge} -o new.eval"
    printed = typed(tmp_path, call)
    match = re.search(
        rf"^{judge} gave no readable verdict on (\d+) of 12 samples \({scorer}\): "
        rf"{judge} refused a call \(status {status}\): the prompt was flagged",
        printed,
        re.M,
    )
    assert match and 0 < int(match[1]) < 12 and "Judged again: new.eval" in printed
    scores = (scores_of(sample) for sample in samples_of(read_eval_log(str(tmp_path / "new.eval"))))
    reasons = [own[f"{scorer}1"].reason for own in scores]
    assert reasons.count("grader_failed") == int(match[1]) and reasons.count(None) == 12 - int(
        match[1]
    )


def test_rejudge_skips_failed_sample(tmp_path: Path) -> None:
    log = read_eval_log(str(Path(__file__).parents[1] / "frozen" / "logs" / "stuffing.eval"))
    assert log.samples
    failed = log.samples[3]
    failed.scores, failed.error = None, EvalError(message="lost", traceback="", traceback_ansi="")
    write_eval_log(log, str(tmp_path / "old.eval"))
    typed(
        tmp_path,
        "arag-inspect rejudge old.eval --scorer severity_judge --grader judging/always -o new.eval",
    )
    rejudged = samples_of(read_eval_log(str(tmp_path / "new.eval")))
    assert [own.id for own in rejudged] == [own.id for own in log.samples]
    scored = [sample for sample in rejudged if sample.id != failed.id]
    assert all("severity_judge1" in scores_of(sample) for sample in scored)
    assert rejudged[3].id == failed.id
    assert rejudged[3].scores is None


def test_rejudged_log_counts_ledger_of_its_answers(tmp_path: Path) -> None:
    log = Path(__file__).parents[1] / "frozen" / "logs" / "stuffing.eval"
    task = read_eval_log(str(log), header_only=True).eval.task_id
    (tmp_path / "paid.jsonl").write_text(json.dumps({"task": task, "usd": 0.5}))
    call = "arag-inspect rejudge {} --scorer severity_judge --grader judging/always -o {}"
    typed(tmp_path, call.format(log, "first.eval"))
    typed(tmp_path, call.format("first.eval", "second.eval"))
    assert list(frames(tmp_path).runs["paid_usd"]) == [0.5]
