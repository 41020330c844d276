"""Tests of the `validate` command and the log that it writes."""

import json
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from tests import estimates
from tests.commands import call
from tests.logs import samples_of
from tests.scripted import graded, speak, tagged
from tests.serving import Request, Response, as_message, serving


@modelapi(name="wayward")
def wayward() -> type[ModelAPI]:
    """A judge whose grades do not depend on the text."""

    class Wayward(ModelAPI):
        async def generate(self, input: Any, *args: Any, **kwargs: Any) -> ModelOutput:
            prompt = input[0].text
            words = " ".join(prompt.split())
            return speak(tagged(graded(1 + crc32(words.encode()) % 5, prompt), input), 1)

    return Wayward


def result_of(logs: Path) -> EvalLog:
    """Return the log in which a validation is written."""
    (path,) = logs.glob("*validate-earnings-synthetic*.eval")
    return read_eval_log(str(path))


def test_validate_is_undecided_on_few_texts(synthetic_folder: Path, logs: Path) -> None:
    offline = ("--model", "offline/extractive", "--grader", "wayward/judge")
    scorers = "scorers=severity_judge,citation_accuracy"
    more = ("-T", f"corpus={synthetic_folder}", "-T", scorers, "--limit", "2")
    result = call("validate", "earnings_synthetic", *offline, *more, "--log-dir", str(logs))
    printed = " ".join(result.output.split())
    verdict = "is undecided: severity_judge has too few texts"
    assert f"The judge wayward/judge on earnings_synthetic {verdict}" in printed
    assert "Not checked: citation_accuracy, " in printed
    *lines, log_line = result.stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    log = result_of(logs)
    assert log_line == f"Log: {log.location}"
    details = log.eval.metadata
    assert details and not details["passed"]
    assert details["judge"] == "wayward/judge"
    figures = details["figures"]["severity_judge"]
    assert figures["errors marked: figure"]["n"] == 2
    assert "marked for: instruction to the judge" in figures
    assert 0 < figures["errors marked: all"]["value"] < 1
    scores = {s.id: s.scores["judge_check"].value for s in samples_of(log) if s.scores}
    assert scores["readable"] == 1 and scores["errors"] != scores["errors"]
    refused = call("report", log.location, "--out", "report", code=1).stderr
    assert "is the result of a validation and is ignored" in refused and verdict in refused
    printed = call("report", str(logs), "--out", "report").stderr
    assert "note: " in printed and verdict in printed
    page = (Path("report") / "summarization_report.md").read_text(encoding="utf-8")
    assert "judge\\_check" not in page and "validate\\_severity" not in page


def test_validate_requests_and_pays_for_each_repeated_judgement(
    synthetic_folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[str] = []

    def reply(request: Request) -> Response:
        prompt = str(json.loads(request.body)["messages"])
        grade = 1 if prompt.split() in map(str.split, prompts) else 5
        prompts.append(prompt)
        verdict = json.dumps({"reasoning": "I compared.", "verdict": grade})
        text = verdict if "Then give the `verdict`" in prompt else "Sales rose."
        return as_message(request, text, input_tokens=len(prompt) // 4, output_tokens=60)

    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    haiku = "anthropic/claude-haiku-4-5"
    line = ("validate", "earnings_synthetic", "--model", "offline/extractive", "--grader", haiku)
    more = ("-T", f"corpus={synthetic_folder}", "-T", "scorers=severity_judge", "--limit", "1")
    with serving(reply) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        refused = call(*line, *more, "--log-dir", str(logs), "--max-dollars", "0.01", code=1)
        assert "nothing was spent" in refused.stderr and not prompts
        call(*line, *more, "--log-dir", str(logs), "--max-dollars", "3")
    assert len(set(prompts)) == len(prompts)  # otherwise a proxy could answer from its cache
    details = result_of(logs).eval.metadata or {}
    assert details["figures"]["severity_judge"]["same when judged again"]["value"] < 1
    paid = sum(len(prompt) // 4 * 1e-6 + 60 * 5e-6 for prompt in prompts)
    assert details["paid_usd"] == pytest.approx(paid, rel=0.01)
    assert 0.8 < details["estimated_usd"] / paid < 1.2


def test_validate_estimate_matches_cost_of_reasoning_judge(
    synthetic_folder: Path, logs: Path, cache: Path
) -> None:
    line = ["validate", "earnings_synthetic", "--model", estimates.MODEL]
    line += ["--grader", estimates.GRADERS[1], "-T", f"corpus={synthetic_folder}"]
    line += ["-T", "scorers=geval_coverage", "--limit", "1"]
    with estimates.messages_api(estimates.Replies()):
        call(*line, "--log-dir", str(logs))
    details = result_of(logs).eval.metadata or {}
    assert 0.8 < details["estimated_usd"] / details["paid_usd"] < 1.2


def test_validate_estimate_uses_prices_of_the_user(tmp_path: Path, synthetic_folder: Path) -> None:
    prices = tmp_path / "prices.yaml"
    price = "{input: 3, output: 15, input_cache_write: 4, input_cache_read: 1}"
    prices.write_text(f"mockllm/priced_judge: {price}")
    line = ["validate", "earnings_synthetic", "--model", "offline/extractive"]
    line += ["--grader", "mockllm/priced_judge", "-T", f"corpus={synthetic_folder}"]
    line += ["-T", "scorers=severity_judge", "--limit", "1", "--estimate"]
    unpriced, priced = call(*line).output, call(*line, "--model-cost-config", str(prices)).output
    rows = (text[text.index("its judge") :].splitlines()[0] for text in (unpriced, priced))
    unknown, (_, _, _, tokens_in, tokens_out, dollars, *_) = (row.split() for row in rows)
    assert unknown[5:] == ["-", "-", "-"]
    expected = (3 * int(tokens_in) + 15 * int(tokens_out)) / 1e6
    assert float(dollars[1:]) == pytest.approx(expected, abs=0.0001)
