"""Tests that a killed run repeats at most its pending calls and reports all costs."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from arag_inspect.models.pricing import known_price
from tests.faults import FULL
from tests.faulty import FaultyAPI
from tests.serving import Request, Response, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

CONNECTIONS = 5
MODEL, JUDGE = "anthropic/claude-sonnet-4-6", "anthropic/claude-haiku-4-5-20251001"
COMMAND = (
    f"run earnings_synthetic --systems grep_agent,naive_rag_bm25,stuffing --model {MODEL} "
    f"--grader {JUDGE} --log-dir logs -T scorers=abstention,efficiency -T corpus={{corpus}} "
    f"-- --display none --max-connections {CONNECTIONS}"
)


class KillingAPI(FaultyAPI):
    """Kills the calling process after a number of replies."""

    def __init__(self) -> None:
        super().__init__(0.0, loops=5)
        self.victim: subprocess.Popen[bytes] | None = None
        self.after = 0
        self._killing = threading.Lock()

    def __call__(self, request: Request) -> Response:
        time.sleep(0.1)
        response = super().__call__(request)
        with self._killing:
            if self.victim is not None and len(self.bodies) >= self.after:
                os.kill(self.victim.pid, signal.SIGKILL)
                self.victim = None
        return response


def start(line: str, folder: Path, url: str) -> subprocess.Popen[bytes]:
    env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}
    env |= {"INSPECT_CACHE_DIR": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    words = [sys.executable, "-m", "arag_inspect.cli.main", *line.split()]
    return subprocess.Popen(words, cwd=folder, env={**os.environ, **env})


def test_killed_run_repeats_at_most_one_paid_call_per_connection(
    material: Path, tmp_path: Path
) -> None:
    assert known_price(MODEL) and known_price(JUDGE)
    api = KillingAPI()
    line = COMMAND.format(corpus=material / "corpus")
    moments = random.Random(9)
    with serving(lambda request: api(request)) as url:
        (tmp_path / "whole").mkdir()
        assert start(line, tmp_path / "whole", url).wait() == 0
        calls = len(api.bodies)
        assert len(set(api.bodies)) == calls
        late = [calls - 1, calls - 8]
        for after in [*late, *(moments.randrange(3, calls) for _ in range(10 * FULL))]:
            folder = tmp_path / str(after)
            folder.mkdir(exist_ok=True)
            api = KillingAPI()
            api.after, api.victim = after, (victim := start(line, folder, url))
            assert victim.wait() == -signal.SIGKILL
            time.sleep(0.5)  # the server finishes pending requests
            assert start(line, folder, url).wait() == 0
            twice = Counter(api.bodies)
            twice.subtract(set(api.bodies))
            of_judge = sum(n for body, n in twice.items() if json.loads(body)["model"] in JUDGE)
            assert of_judge <= CONNECTIONS and twice.total() - of_judge <= CONNECTIONS
            assert start("report logs", folder, url).wait() == 0
            page = (folder / "report" / "report.html").read_text(encoding="utf-8")
            spent, *_ = re.findall(r"\$([\d.]+) spent", page)
            # calls killed before they reached the provider are booked too
            most = api.dollars() + 2 * CONNECTIONS * max(api.prices())
            assert api.dollars() - 0.0001 <= float(spent) <= most + 0.0001
