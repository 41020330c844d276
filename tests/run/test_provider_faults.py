"""Tests of `run` with a failing provider: retries, stops and messages."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import ModelAPI
from tenacity import wait_none

from arag_inspect.models import run_watch
from arag_inspect.models.provider_faults import HalfReplyError, call_error
from arag_inspect.types.trace import RetrievalTrace
from tests.commands import typed
from tests.faulty import FAULTS, FaultyAPI
from tests.logs import samples_of, scores_of
from tests.serving import Request, Response, as_error, as_message, serving
from tests.tables import tables_beside

pytestmark = pytest.mark.usefixtures("logs")

MODEL = "anthropic/claude-sonnet-4-6"
FROZEN = Path(__file__).parents[1] / "frozen"
GRADER = "anthropic/claude-haiku-4-5-20251001"


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelAPI, "retry_wait", lambda _: wait_none())


@contextmanager
def provider_environment(api: Callable[[Request], Response]) -> Iterator[dict[str, Any]]:
    """Serve an API and return the environment of a command that uses it."""
    with serving(api) as url:
        yield {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}


def command(corpus: Path, *, limit: int = 2, systems: str = "arag,naive_rag,stuffing") -> str:
    return (
        f"arag-inspect run earnings_synthetic --systems {systems} --model {MODEL} "
        f"--grader {GRADER} --limit {limit} --log-dir logs -T corpus={corpus} "
        "-T scorers=rouge,abstention,efficiency -- --display none -M max_retries=0"
    )


def results() -> dict[str, EvalLog]:
    logs = [read_eval_log(info) for info in list_eval_logs("logs")]
    return {log.eval.task_args["system"]: log for log in logs}


def values(logs: dict[str, EvalLog]) -> dict[tuple[str, str], Any]:
    """Return every value except times and those that include failed calls."""
    found: dict[tuple[str, str], Any] = {}
    for system, log in logs.items():
        for sample in samples_of(log):
            scores = {name: score.value for name, score in scores_of(sample).items()}
            assert isinstance(scores["efficiency"], dict)
            scores["efficiency"] = scores["efficiency"]["loops"]
            found[system, str(sample.id)] = scores
    return found


def paid(logs: dict[str, EvalLog]) -> float:
    """Return the cost in dollars of all samples and judges in the logs."""
    total = 0.0
    for sample in (sample for log in logs.values() for sample in samples_of(log)):
        total += sample.store_as(RetrievalTrace).cost_usd or 0
        for score in scores_of(sample).values():
            total += sum(judge["cost_usd"] for judge in (score.metadata or {}).get("judges", []))
    return total


def test_provider_faults_leave_results_unchanged(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for share in (0.0, 0.6):
        folder = tmp_path / str(share)
        folder.mkdir()
        api = FaultyAPI(share, seed=5)
        with provider_environment(api) as env:
            printed = typed(folder, command(synthetic_folder), **env)
        monkeypatch.chdir(folder)
        logs = results()
        assert [log.status for log in logs.values()] == ["success"] * 3
        assert not any(s.error_retries for log in logs.values() for s in samples_of(log))
        assert paid(logs) == pytest.approx(api.dollars(), abs=1e-9)
        assert "Traceback" not in printed and "Next: arag-inspect report logs" in printed
        answered = sorted(body for body in api.bodies if "output_format" not in body)
        # a judge's reply is reused for the same question and answer of another system
        found.append((values(logs), answered, set(api.bodies)))
    assert set(api.faults) == set(FAULTS) and found[0] == found[1]


def test_rejected_api_key_ends_run_in_one_line(synthetic_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    api = FaultyAPI(0, refused_after=5)
    with provider_environment(api) as env:
        printed = typed(tmp_path, command(synthetic_folder), code=1, **env)
        assert len(api.bodies) == 5 and api.calls < 5 + 2 * 3 + 1
        lines = printed.strip().splitlines()
        assert lines[-1].removeprefix("Error: ").removeprefix(MODEL).removeprefix(GRADER) == (
            " refused a call (status 401): invalid x-api-key (authentication_error); "
            "finished work is kept: run the same command again to continue"
        )
        assert printed.count("x-api-key") == 1
        assert "Traceback" not in printed and "Sample error" not in printed
        api.refused_after = None
        typed(tmp_path, command(synthetic_folder), **env)
    assert [log.status for log in results().values()] == ["success"] * 3


@pytest.mark.parametrize(("status", "reason", "kind"), tables_beside(__file__)["errors"])
def test_call_error_classifies_fatal_status_codes(status: int, reason: str, kind: str) -> None:
    error: Any = RuntimeError("Request:\n{...}")
    error.status_code, error.body = status, {"error": {"message": reason}}
    fault = call_error("m/m", error)
    assert type(fault).__name__ == kind and str(fault).endswith(f"(status {status}): {reason}")


@pytest.mark.parametrize(
    "error", [json.JSONDecodeError("x", "{", 1), AssertionError(), TypeError()]
)
def test_call_error_classifies_parse_errors_as_half_replies(error: Exception) -> None:
    assert isinstance(call_error("m/m", error), HalfReplyError)
    other = RuntimeError("no reply of a provider")
    assert call_error("m/m", other) is other


def refusing(status: int, message: str) -> Callable[[Request], Response]:
    """Return an API that answers, then refuses every call that offers tools."""
    api = FaultyAPI(0)

    def answer(request: Request) -> Response:
        refused = json.loads(request.body).get("tools")
        return as_error(status, "e", message) if refused else api(request)

    return answer


def test_unsupported_tools_fail_only_agent_system(synthetic_folder: Path, tmp_path: Path) -> None:
    with provider_environment(refusing(400, "this model does not support tools")) as env:
        printed = typed(tmp_path, command(synthetic_folder), code=1, **env)
    assert printed.strip().splitlines()[-2:] == [
        (
            f"samples failed (2): {MODEL} refused a call (status 400): this model does not "
            "support tools (e)"
        ),
        "Error: 1 of 3 runs failed or were interrupted; finished work is kept: run the same "
        "command again to continue",
    ]
    assert "Traceback" not in printed and "Sample error" not in printed
    states = {system: log.status for system, log in results().items()}
    assert states == {"arag": "error", "naive_rag": "success", "stuffing": "success"}


def test_ctrl_c_ends_run_while_provider_is_unavailable(
    synthetic_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(ModelAPI, "retry_wait", lambda _: None)
    monkeypatch.setattr(run_watch, "FAILING", 0.1)
    monkeypatch.setattr(run_watch, "LOOK", 0.05)

    def away(request: Request) -> Response:
        return Response(200, b"{}", break_after=0)

    def press() -> None:
        while not any("has not answered for" in line for line in caplog.messages):
            if ended.wait(0.05):
                return
        for seconds in (0, 40, 40):  # repeated in case a busy machine loses the first
            if not ended.wait(seconds):
                os.kill(os.getpid(), signal.SIGINT)

    ended = threading.Event()
    inherited = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored in background jobs
    threading.Thread(target=press).start()
    try:
        with provider_environment(away) as env:
            printed = typed(tmp_path, command(synthetic_folder), code=1, **env)
            ended.set()
    finally:
        signal.signal(signal.SIGINT, inherited)
    assert "Completed all tasks" not in printed
    start = f"{MODEL} at {env['ANTHROPIC_BASE_URL']} has not answered for "
    assert any(start in line and "peer closed" in line for line in caplog.messages)
    assert printed.strip().endswith(
        "Error: interrupted; finished work is kept: run the same command again to continue"
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("ask {corpus} Revenue? --system closed_book --model {model}", 0),
        ("prepare questions {corpus} -n 1 --types single --out new --model {model}", 1),
        ("rejudge {log} --scorer severity_judge --grader {model} -o new.eval", 1),
    ],
)
def test_every_command_names_unresponsive_server(
    line: str,
    code: int,
    synthetic_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(run_watch, "FAILING", 0.1)
    monkeypatch.setattr(run_watch, "LOOK", 0.05)
    log, end = FROZEN / "logs" / "stuffing.eval", time.monotonic() + 60

    def comes_back(request: Request) -> Response:
        is_named = any("has not answered for" in line for line in caplog.messages)
        if is_named or time.monotonic() > end:
            return as_message(request, "It is as it is.")
        time.sleep(0.02)
        return as_error(500, "api_error", "later")

    with provider_environment(comes_back) as env:
        words = line.format(corpus=synthetic_folder, log=log, model=MODEL)
        printed = typed(tmp_path, f"arag-inspect {words}", code=code, **env)
    message = f"{MODEL} at {env['ANTHROPIC_BASE_URL']} has not answered for "
    assert "".join(message.split()) in "".join(printed.split()), printed
    assert "keeps finished work" not in printed
