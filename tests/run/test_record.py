"""Tests of recording a run from its logs and replaying it with the provider `recorded`."""

import json
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from arag_inspect.report import frames, make_report
from arag_inspect.types.trace import RetrievalTrace
from tests.commands import call, typed
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, Script, scripted, summarized

OFFLINE = "offline/extractive"
SCORERS = "geval_faithfulness,factual_consistency,error_taxonomy,retrieval_pr"


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def recorded_run(run_folder: Path, synthetic_folder: Path) -> dict[str, EvalLog]:
    """Two systems on two samples by rule, with both recorded in `run.jsonl`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARAG_CACHE", str(run_folder / "cache"))
        logs = {
            system: summarized(
                synthetic_folder,
                OFFLINE,
                system,
                scorers=SCORERS,
                limit=2,
                model_roles={"grader": STEADY},
                log_dir=str(run_folder / "logs"),
            )
            for system in ("arag", "naive_rag")
        }
        call("record", run_folder / "logs", "--out", run_folder / "run.jsonl")
    return logs


def _outcomes(log: EvalLog) -> dict[str, Any]:
    assert log.status == "success" and log.samples, log.error
    return {
        str(sample.id): (
            sample.output.completion,
            sample.store_as(RetrievalTrace).loops,
            {name: score.value for name, score in scores_of(sample).items()},
        )
        for sample in log.samples
    }


def _lines(run_folder: Path) -> list[dict[str, Any]]:
    text = (run_folder / "run.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(("system", "at_once"), [("arag", 10), ("naive_rag", 1)])
def test_replay_equals_recorded_run_at_any_concurrency(
    system: str,
    at_once: int,
    recorded_run: dict[str, EvalLog],
    run_folder: Path,
    synthetic_folder: Path,
    logs: Path,
    cache: Path,
) -> None:
    replayed = summarized(
        synthetic_folder,
        f"recorded/{run_folder / 'run.jsonl'}",
        system,
        scorers=SCORERS,
        limit=2,
        max_samples=at_once,
        max_connections=at_once,
    )
    assert _outcomes(replayed) == _outcomes(recorded_run[system])
    assert all(sample.store["Replayed:changed"] == 0 for sample in samples_of(replayed))


def test_replay_has_recorded_tokens_and_no_latency(
    recorded_run: dict[str, EvalLog], run_folder: Path, synthetic_folder: Path, logs: Path
) -> None:
    model = f"recorded/{run_folder / 'run.jsonl'}"
    (replayed,) = samples_of(summarized(synthetic_folder, model))
    (first, _) = samples_of(recorded_run["arag"])
    trace, measured = replayed.store_as(RetrievalTrace), first.store_as(RetrievalTrace)
    assert trace.input_tokens == measured.input_tokens > 0
    assert trace.cost_usd == measured.cost_usd == 0
    assert trace.latency_ms is None and trace.wall_ms is None


def test_replay_with_changed_prompts_is_noted_in_report(
    recorded_run: dict[str, EvalLog], run_folder: Path, synthetic_folder: Path, logs: Path
) -> None:
    log = summarized(
        synthetic_folder,
        f"recorded/{run_folder / 'run.jsonl'}",
        "naive_rag",
        limit=2,
        system_args={"prompt": "Write what the passages say. {{writing}}"},
    )
    answers = {name: answer for name, (answer, *_) in _outcomes(log).items()}
    recorded = _outcomes(recorded_run["naive_rag"])
    assert answers == {name: answer for name, (answer, *_) in recorded.items()}
    notices = [notice.text for notice in make_report(frames([log.location])).notices]
    assert "prompts have changed since the recording (2)" in notices
    day = str(recorded_run["naive_rag"].eval.created)[:10]
    assert [text for text in notices if f"replays a recording of {day}" in text]


def _replayed(
    lines: list[dict[str, Any]],
    corpus: Path,
    folder: Path,
    *,
    scorers: str = "geval_faithfulness",
    system_args: dict[str, Any] | None = None,
) -> EvalLog:
    """Replay an edited recording of naive RAG."""
    recording = folder / "edited.jsonl"
    recording.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    model = f"recorded/{recording}"
    return summarized(corpus, model, "naive_rag", scorers=scorers, system_args=system_args)


def _without(lines: list[dict[str, Any]], scorer: str | None) -> list[dict[str, Any]]:
    """Leave out the replies to a scorer, or to the system if None."""
    header, *replies = lines
    others = [
        line
        for line in replies
        if "system" not in line["key"] or line["key"].get("scorer") != scorer
    ]
    return [header, *others]


def _with_other_form(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line | ({"form": "0" * 12} if "form" in line else {}) for line in lines]


def _with_quote(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line | {"quotes": ["words of no passage"]} if "key" in line else line for line in lines]


@pytest.mark.parametrize(
    ("edit", "system_args", "reason"),
    [
        (list, {"top_k": 1}, "is gone or has another text"),
        (_with_other_form, {}, "the schema that it fills has changed"),
        (_with_quote, {}, "the passage that it quotes is gone: “words of no passage”"),
        (
            lambda lines: _without(lines, None),
            {},
            "the reply to system naive_rag, sample {id} is not in the recording",
        ),
    ],
)
def test_replay_is_rejected_in_one_line_when_recorded_inputs_are_gone(
    edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]],
    system_args: dict[str, Any],
    reason: str,
    recorded_run: dict[str, EvalLog],
    run_folder: Path,
    synthetic_folder: Path,
    logs: Path,
    cache: Path,
    tmp_path: Path,
) -> None:
    lines = edit(_lines(run_folder))
    log = _replayed(lines, synthetic_folder, tmp_path, system_args=system_args)
    assert log.status == "error" and log.error and log.samples
    message = log.error.message
    assert reason.format(id=log.samples[0].id) in message and "\n" not in message.strip()
    assert "record again: arag-inspect record LOGS --out FILE" in message


def test_replay_leaves_score_empty_when_judge_call_is_not_recorded(
    recorded_run: dict[str, EvalLog],
    run_folder: Path,
    synthetic_folder: Path,
    logs: Path,
    cache: Path,
    tmp_path: Path,
) -> None:
    lines = _without(_lines(run_folder), "geval_faithfulness")
    log = _replayed(lines, synthetic_folder, tmp_path, scorers="geval_faithfulness,rouge")
    assert log.status == "success" and log.samples
    for sample in log.samples:
        assert sample.scores and isnan(sample.scores["geval_faithfulness"].as_float())
        assert "rouge" in sample.scores
    notices = [notice.text for notice in make_report(frames([log.location])).notices]
    count = len(log.samples)
    expected = f"questions to the judge are not in the recording and have no verdict ({count})"
    assert expected in notices


def test_record_is_rejected_when_logs_contradict_each_other(
    recorded_run: dict[str, EvalLog], run_folder: Path, synthetic_folder: Path, logs: Path
) -> None:
    other = summarized(synthetic_folder, scripted(Script("Another answer.")), "naive_rag")
    first = recorded_run["naive_rag"].location
    printed = call("record", first, other.location, "--out", "both.jsonl", code=1).output
    assert "contain different replies to system naive_rag, sample" in printed
    assert not Path("both.jsonl").exists()


def test_record_is_rejected_when_earlier_run_wrote_criteria(
    synthetic_folder: Path, logs: Path, cache: Path
) -> None:
    judged: dict[str, Any] = {"scorers": "geval_faithfulness", "model_roles": {"grader": STEADY}}
    runs = [summarized(synthetic_folder, OFFLINE, "naive_rag", **judged) for _ in range(2)]
    first, second = (log.location for log in runs)
    printed = call("record", second, "--out", "run.jsonl", code=1).output
    assert "geval_faithfulness: an earlier run wrote the judge's criteria" in printed
    assert not Path("run.jsonl").exists()
    call("record", first, "--out", "run.jsonl")


def test_record_is_rejected_when_output_is_not_jsonl(
    recorded_run: dict[str, EvalLog], logs: Path
) -> None:
    log = recorded_run["naive_rag"].location
    printed = call("record", log, "--out", "run.json", code=1).output
    assert "--out run.json must end in .jsonl" in printed and not Path("run.json").exists()


def test_record_is_rejected_for_replayed_log(
    recorded_run: dict[str, EvalLog], run_folder: Path, synthetic_folder: Path, logs: Path
) -> None:
    log = summarized(synthetic_folder, f"recorded/{run_folder / 'run.jsonl'}", "naive_rag")
    printed = call("record", log.location, "--out", "again.jsonl", code=1).output
    assert ", a recording" in printed and not Path("again.jsonl").exists()


def test_unknown_recording_is_rejected(logs: Path) -> None:
    line = "arag-inspect ask none Revenue? --model recorded/unknown"
    assert "recording unknown cannot be read" in typed(Path(), line, code=2)
