"""Tests that a run's recorded costs match the provider's ledger under faults, caches and limits."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import CachePolicy, ChatMessageUser, GenerateConfig, ModelAPI, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError
from tenacity import wait_none

from arag_inspect.judge.judge import judge
from arag_inspect.judge.judgement import Judgement
from arag_inspect.judge.parsing import integer_form
from arag_inspect.models.call import call_model
from arag_inspect.models.call_monitor import track_spending
from arag_inspect.models.pricing import known_price
from arag_inspect.models.spending import LEDGER, Spending
from arag_inspect.report import frames, make_report
from arag_inspect.run.api import run_systems
from arag_inspect.run.run_experiment import RunResult
from arag_inspect.systems.tracing import traced_run
from arag_inspect.types.system import System
from arag_inspect.types.trace import RetrievalTrace
from tests.commands import call
from tests.logs import samples_of
from tests.serving import Request, Response, as_error, as_message, serving

pytestmark = pytest.mark.usefixtures("logs")
SONNET = "anthropic/claude-sonnet-4-6"
HAIKU = "anthropic/claude-haiku-4-5-20251001"
JUDGED = "geval_coverage,geval_faithfulness,efficiency"
PRICE = {"claude-sonnet-4-6": (3.0, 15.0), "claude-haiku-4-5-20251001": (1.0, 5.0)}


class Provider:
    """A Messages API with a ledger; every answered call costs the same number of tokens."""

    def __init__(self) -> None:
        self.tokens = (1000, 100)
        self.gone_after = float("inf")
        self.billed: list[float] = []
        self.answered: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def ledger(self) -> float:
        return sum(self.billed)

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.body)
        asked = json.dumps([body["messages"], body.get("system")])
        if "(slowly)" in asked:
            time.sleep(0.2)
            return as_error(529, "api_error", "no")
        if "(refused)" in asked:
            return as_error(400, "api_error", "no")
        with self._lock:
            if "(retried)" in asked and self.failed[asked] < 3:  # the client's attempts
                self.failed[asked] += 1
                return as_error(529, "api_error", "no")
            if len(self.billed) >= self.gone_after:
                return as_error(403, "api_error", "no")
            self.answered[asked] += 1
            sent, received = self.tokens
            price = PRICE[body["model"]]
            self.billed.append((sent * price[0] + received * price[1]) / 1e6)
        text = "Revenue rose. VERDICT: 4"
        return as_message(request, text, input_tokens=sent, output_tokens=received)


@pytest.fixture(scope="module")
def server() -> Iterator[list[Provider]]:
    """One address for all tests, because Inspect caches a model with its address."""
    now: list[Provider] = []
    with serving(lambda request: now[-1](request)) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_BASE_URL", url)
        patch.setenv("ANTHROPIC_API_KEY", "none")
        patch.setattr(ModelAPI, "retry_wait", lambda _: wait_none())
        known_price(SONNET), known_price(HAIKU)
        yield now


@pytest.fixture
def provider(server: list[Provider]) -> Provider:
    server.append(Provider())
    return server[-1]


@solver
def asking(kinds: list[str], at_once: int) -> Solver:
    """Make calls of these kinds, with limited concurrency."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()

        async def ask(number: int, kind: str) -> None:
            text = f"{kind} {state.sample_id}" + ("" if kind == "same" else f" {number}")
            message = ChatMessageUser(content=text)
            config = GenerateConfig(cache=CachePolicy(scopes={"test": "same"}), max_retries=5)
            try:
                with anyio.move_on_after(0.05) if kind == "(slowly)" else anyio.fail_after(30):
                    await call_model(model, [message], config=config)
            except LimitExceededError:
                raise
            except Exception:
                assert kind == "(refused)"

        with traced_run(state, System("asking", "none")):
            for start in range(0, len(kinds), at_once):
                async with anyio.create_task_group() as group:
                    for number in range(start, min(start + at_once, len(kinds))):
                        group.start_soon(ask, number, kinds[number])
        return state

    return solve


def _events_paid(log: EvalLog) -> float:
    return sum(
        event.output.usage.total_cost or 0
        for sample in samples_of(log)
        for event in sample.events
        if event.event == "model" and event.output.usage and event.cache != "read"
    )


@settings(
    max_examples=6,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    kinds=st.lists(
        st.sampled_from(["new", "same", "(refused)", "(slowly)", "(retried)"]),
        min_size=1,
        max_size=8,
    ),
    limited=st.booleans(),
)
@example(kinds=["(retried)"], limited=False)
def test_logged_cost_matches_provider_ledger_under_any_faults(
    server: list[Provider],
    tmp_path_factory: pytest.TempPathFactory,
    kinds: list[str],
    limited: bool,
) -> None:
    server.append(provider := Provider())
    folder = tmp_path_factory.mktemp("run")
    limit = 0.01 if limited else None
    at_once = 1 if limited else 2  # a limit cancels the sample's other calls, paid or not
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSPECT_CACHE_DIR", str(folder / "cache"))
        with track_spending(Spending(max_dollars=1.0, ledger=folder / LEDGER)) as spent:
            samples = [Sample("?", id=1), Sample("?", id=2)]
            task = Task(dataset=samples, solver=asking(kinds, at_once))
            (log,) = eval(task, model=SONNET, display="none", log_dir=str(folder), cost_limit=limit)
    assert log.samples and log.status == "success"
    traces = [sample.store_as(RetrievalTrace) for sample in log.samples]
    own = sum((trace.cost_usd or 0) - trace.cached_usd for trace in traces)
    lines = (folder / LEDGER).read_text().splitlines() if (folder / LEDGER).exists() else []
    assert own == pytest.approx(provider.ledger)
    assert _events_paid(log) == pytest.approx(provider.ledger)
    assert spent.paid == pytest.approx(provider.ledger)
    assert sum(json.loads(line)["usd"] for line in lines) == pytest.approx(provider.ledger)
    assert not spent._open


def _run(folder: Path, systems: tuple[str, ...], **more: Any) -> RunResult:
    arguments: Any = {"corpus": str(folder), "scorers": more.pop("scorers", "efficiency")}
    own: Any = {"log_dir": "logs/run", "graders": [HAIKU], "display": "none", **more}
    return run_systems("earnings_synthetic", systems, [SONNET], parameters=arguments, **own)


def test_first_burst_of_calls_stays_within_dollar_limit(
    provider: Provider, synthetic_folder: Path
) -> None:
    provider.tokens = (20_000, 2_000)  # $0.09, thirty times any estimate
    run_logs = _run(
        synthetic_folder, ("closed_book", "stuffing"), limit=5, max_dollars=0.5,
        expected={SONNET: 0.003},
    )  # fmt: skip
    assert run_logs.spending.stopped
    assert run_logs.spending.paid == pytest.approx(provider.ledger)
    assert 0.4 <= provider.ledger <= 0.5


def test_cached_replies_cost_nothing(provider: Provider, synthetic_folder: Path) -> None:
    system, options = "naive_rag", {"cache": True}
    first = _run(synthetic_folder, (system,), limit=4, eval_options=options)
    assert first.complete and first.spending.paid == pytest.approx(provider.ledger) != 0
    for log in list_eval_logs("logs/run"):
        Path(log.name.removeprefix("file://")).unlink()
    billed = provider.ledger
    again = _run(synthetic_folder, (system,), limit=4, max_dollars=billed / 4, eval_options=options)
    assert again.complete and again.spending.paid == 0 and provider.ledger == billed


def test_cached_judge_reply_is_not_charged(provider: Provider) -> None:
    config = GenerateConfig(cache=True)
    form = integer_form(1, 5)

    async def ask() -> Judgement[int]:
        return await judge(get_model(HAIKU), "How good is it?", form, config=config)

    first, again = anyio.run(ask), anyio.run(ask)
    assert first.cost.cost_usd == pytest.approx(provider.ledger) and first.cost.cached_usd == 0
    assert again.cost.cost_usd == 0 and again.cost.cached_usd == pytest.approx(first.cost.cost_usd)
    assert again.cost.latency_ms == 0 < first.cost.latency_ms


def test_resumed_run_does_not_repay_after_provider_outage(
    provider: Provider, synthetic_folder: Path
) -> None:
    """The provider goes down while answers are being judged."""
    systems, options = ("closed_book", "naive_rag"), {"retry_attempts": 0, "max_connections": 4}
    provider.gone_after = 18
    first = _run(synthetic_folder, systems, scorers=JUDGED, eval_options=options)
    assert not first.complete and first.spending.paid == pytest.approx(provider.ledger)
    provider.gone_after = float("inf")
    again = _run(synthetic_folder, systems, scorers=JUDGED, eval_options=options)
    assert again.complete
    asked = sum(provider.answered.values())
    assert asked - len(provider.answered) <= 0.1 * asked, provider.answered.most_common(3)
    lines = [json.loads(line) for line in Path("logs/run", LEDGER).read_text().splitlines()]
    assert sum(line["usd"] for line in lines) == pytest.approx(provider.ledger)
    logs = [read_eval_log(log.name) for log in list_eval_logs("logs/run")]
    assert {line["task"] for line in lines} == {log.eval.task_id for log in logs}
    answers = [sample.store_as(RetrievalTrace) for log in logs for sample in samples_of(log)]
    assert sum(answer.cost_usd or 0 for answer in answers) == pytest.approx(
        sum(line["usd"] for line in lines if not line["judge"])
    )


def test_spent_total_is_reported_beside_price_of_answers(
    provider: Provider, synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    provider.tokens = (100_000, 1_000)  # $0.315
    command = ["run", "earnings_synthetic", "--model", SONNET, "--systems", "closed_book"]
    command += ["--limit", "2", "--log-dir", "logs/run", "-T", f"corpus={synthetic_folder}"]
    command += ["-T", "scorers=efficiency"]
    result = call(*command)
    assert "\n$0.63 spent, earlier starts included\n" in result.output
    with Path("logs/run", LEDGER).open("a") as file:  # from a run whose replies are lost
        file.write('{"task": "gone", "model": "m", "judge": false, "usd": 0.21}\n{"task": nu')
    (log,) = list_eval_logs("logs/run")
    sample = (whole := read_eval_log(log.name)).samples
    assert sample
    sample[0].store["RetrievalTrace:cached_calls"] = 1
    write_eval_log(whole, log.name)
    notices = [notice.text for notice in make_report(frames("logs/run")).notices]
    assert (
        "$0.84 spent, earlier starts included; $0.21 of it (25%) on calls whose replies are in no "
        f"log; left out 1 damaged line of {LEDGER}"
    ) in notices
    assert any("1 of 2 answers of Closed book used cached replies" in n for n in notices)
