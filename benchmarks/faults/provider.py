"""A Messages API with faults, whose ledger is compared with our dollars; and scores in every setting."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ModelAPI
from tenacity import wait_none

from arag_inspect.datasets import Options, prepare_dataset
from arag_inspect.types.trace import RetrievalTrace
from arag_inspect.workflows.run_systems import Ran, run_systems
from tests.faulty import FaultyAPI
from tests.serving import serving

from .row import Row

_MODEL, _JUDGE = "anthropic/claude-sonnet-4-6", "anthropic/claude-haiku-4-5-20251001"
_SYSTEMS = ("arag", "naive_rag", "stuffing")
_SECONDS = 5.0
"""Processor time from the first refusal to the end of the run."""

_TWICE = 0.1
"""Share of the answered calls that a second start may ask again."""


def provider(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Three systems over 20 samples: with faults, and refused or away half-way and started again."""
    ModelAPI.retry_wait = lambda _: wait_none()  # type: ignore[method-assign,assignment]
    os.environ["ANTHROPIC_API_KEY"] = "none"
    corpus, limit = material / "corpus", 3
    if not quick:
        corpus, limit = folder / "corpus", 20
        prepare_dataset("synthetic", documents=limit, options=Options(out=corpus))

    def started(api: FaultyAPI, name: str) -> tuple[Ran, dict[tuple[str, str], Any], float]:
        os.environ["INSPECT_CACHE_DIR"] = str(folder / name / "cache")
        logs = folder / name / "logs"
        with serving(api) as url:
            os.environ["ANTHROPIC_BASE_URL"] = url
            ran = run_systems(
                "earnings_synthetic",
                _SYSTEMS,
                [_MODEL],
                log_dir=str(logs),
                graders=[_JUDGE],
                limit=limit,
                parameters={"corpus": str(corpus), "scorers": "rouge,llm_accuracy,efficiency"},
                eval_options={"max_retries": 30},
                display="none",
            )
        return ran, *_values(logs)

    plain = FaultyAPI(0)
    _, expected, _ = started(plain, "plain")
    if len(expected) != len(_SYSTEMS) * limit:
        raise SystemExit(f"{len(expected)} samples without faults")
    requests = faults = 0
    for seed in range(1 if quick else 3):
        api = FaultyAPI(0.6, seed)
        ran, values, dollars = started(api, f"faults{seed}")
        for key, value in expected.items():
            row.count(lost=key not in values, wrong=values.get(key) != value, what=str(key))
        again = len(api.bodies) - len(set(api.bodies)) - _repeated(plain)
        row.count(
            lost=not ran.complete,
            wrong=abs(dollars - api.dollars()) > 1e-9 or again > len(_SYSTEMS) * limit,
            what=f"seed {seed}: ${dollars} of ${api.dollars()}, {again} asked again",
        )
        requests, faults = requests + api.calls, faults + len(api.faults)
    for kind in ("refused", "away"):
        api = FaultyAPI(0)
        setattr(api, f"{kind}_after", len(plain.bodies) // 2)
        if kind == "away":
            threading.Thread(target=_interrupt, args=[api], daemon=True).start()
        ran, _, _ = started(api, kind)
        seconds = time.process_time() - api.failed_at
        row.count(
            wrong=ran.complete or (kind == "refused") != (ran.stopped is not None),
            what=f"{kind}: {ran.stopped}",
        )
        row.count(wrong=kind == "refused" and seconds > _SECONDS, what=f"{seconds:.1f} s")
        api.refused_after = api.away_after = None
        ran, values, _ = started(api, kind)
        twice = len(api.bodies) / len(plain.bodies) - 1
        row.count(
            lost=not ran.complete,
            wrong=values != expected or twice > _TWICE,
            what=f"{twice:.0%} twice",
        )
        row.note += f"{kind} half-way: {max(twice, 0):.0%} asked twice; "
    row.note += f"{requests:,} requests, {faults:,} faults"


def _interrupt(api: FaultyAPI) -> None:
    while not api.failed_at:
        time.sleep(0.1)
    time.sleep(2)
    os.kill(os.getpid(), signal.SIGINT)


def _repeated(api: FaultyAPI) -> int:
    return len(api.bodies) - len(set(api.bodies))


def _values(logs: Path) -> tuple[dict[tuple[str, str], Any], float]:
    """Return the values of every sample without an error, and the dollars of all in the logs."""
    values: dict[tuple[str, str], Any] = {}
    dollars = 0.0
    for info in list_eval_logs(str(logs)):
        log = read_eval_log(info)
        for sample in log.samples or []:
            trace, scores = sample.store_as(RetrievalTrace), sample.scores or {}
            judges = (scores["llm_accuracy"].metadata or {}).get("judges", []) if scores else []
            dollars += (trace.cost_usd or 0) - trace.cached_usd
            dollars += sum(judge["cost_usd"] for judge in judges)
            if sample.error is None and scores:
                found = scores["rouge"].value, scores["llm_accuracy"].value, trace.loops
                values[log.eval.task_args["system"], str(sample.id)] = found
    return values, dollars


_SETTINGS: list[dict[str, str]] = [
    {"PYTHONHASHSEED": "1"},
    {"LC_ALL": "C", "TZ": "Asia/Tokyo", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "77"},
    {"TZ": "America/St_Johns", "OMP_NUM_THREADS": "2", "ORDER": "shuffled"},
    {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "4242", "ORDER": "shuffled"},
]


def determinism(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Score the same answers in other settings of the process."""
    found = []
    for number, setting in enumerate([{}, *_SETTINGS[1 : 2 if quick else None]]):
        out = folder / f"{number}.json"
        words = [str(material / "corpus"), str(out), "2" if quick else "6"]
        command = [sys.executable, "-m", "benchmarks.faults.scored", *words]
        code = subprocess.run(
            command, env={**os.environ, **setting}, stdout=subprocess.DEVNULL, check=False
        ).returncode
        found.append(out.read_text("utf-8") if code == 0 else None)
    for other in found[1:]:
        row.count(lost=other is None, wrong=other != found[0])
