"""A Messages API with faults, whose ledger is compared with our dollars; and scores in every setting."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from inspect_ai import eval
from inspect_ai.model import ModelUsage, compute_model_cost, get_model

from arag_inspect.models.pricing import known_price
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.caching import CachingAPI, JudgePrompt, agent_or_judge
from tests.serving import Request, Response, serving

from .row import Row

_SYSTEM, _JUDGE = "claude-sonnet-4-6", "claude-haiku-4-5-20251001"


class FaultyAPI(CachingAPI):
    """A Messages API of which 30 % of the replies are faults; those are not charged."""

    def __init__(self, seed: int) -> None:
        super().__init__(agent_or_judge(3))
        self._draw, self._drawing = random.Random(seed), threading.Lock()
        self.faults = 0

    def __call__(self, request: Request) -> Response:
        with self._drawing:
            fault = self._draw.random() < 0.3
            kind = self._draw.choice(["429", "500", "529", "reset", "cut", "empty", "slow"])
            self.faults += fault
        if not fault or request.path.startswith("/v1/messages/count_tokens"):
            return super().__call__(request)
        if kind == "slow":
            time.sleep(0.5)
            return super().__call__(request)
        if kind == "reset":
            return Response(200, b"{}", break_after=0)
        if kind == "cut":
            return Response(200, b'{"id": "msg_1", "type": "mess', break_after=20)
        if kind == "empty":
            return Response(503, b"")
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}
        return Response(int(kind), json.dumps(error).encode(), {"retry-after": "0"})


def provider(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Answer and judge over the faulty API: every sample is complete, and dollars are the server's."""
    requests = faults = 0
    for seed in range(1 if quick else 8):
        api = FaultyAPI(seed)
        with serving(api) as url:
            model, grader = (
                get_model(
                    f"anthropic/{name}", base_url=url, api_key="none", memoize=False, max_retries=20
                )
                for name in (_SYSTEM, _JUDGE)
            )
            task = earnings_synthetic(
                system="arag", corpus=str(material / "corpus"), scorers="geval_coverage,efficiency"
            )
            [log] = eval(
                task,
                model=model,
                model_roles={"grader": grader},
                display="none",
                log_dir=str(folder / "logs"),
            )
        requests += len(api.asked) + api.faults
        faults += api.faults
        spent = 0.0
        for sample in log.samples or []:
            trace = sample.store_as(RetrievalTrace)
            score = (sample.scores or {}).get("geval_coverage")
            judges: list[dict[str, Any]] = ((score and score.metadata) or {}).get("judges", [])
            costs = [trace.cost_usd, *(judge["cost_usd"] for judge in judges)]
            spent += sum(cost or 0 for cost in costs)
            row.count(lost=sample.error is not None or score is None)
        charged = sum(map(_dollars, api.asked))
        row.wrong += abs(spent - charged) > 1e-9
    row.note = f"{requests:,} requests, {faults:,} faults"


def _dollars(asked: JudgePrompt) -> float:
    price = known_price(f"anthropic/{asked.model}")
    if price is None:
        raise SystemExit(f"no price of {asked.model}")
    usage = ModelUsage(
        input_tokens=asked.input_tokens,
        input_tokens_cache_write=asked.written,
        input_tokens_cache_read=asked.read,
        output_tokens=asked.output_tokens,
    )
    return compute_model_cost(price, usage)


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
