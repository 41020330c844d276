"""Scores of the same answers in other settings of the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import FULL

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

_SETTINGS: list[dict[str, str]] = [
    {"LC_ALL": "C", "TZ": "Asia/Tokyo", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "77"},
    {"TZ": "America/St_Johns", "OMP_NUM_THREADS": "2", "ORDER": "shuffled"},
    {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "4242", "ORDER": "shuffled"},
]


def test_scores_are_the_same_in_every_setting(material: Path, tmp_path: Path) -> None:
    results = []
    for number, setting in enumerate([{}, *_SETTINGS[: 3 if FULL else 1]]):
        out = tmp_path / f"{number}.json"
        words = [str(material / "corpus"), str(out), "6" if FULL else "2"]
        subprocess.run(
            [sys.executable, "-m", "tests.faults.scored", *words],
            env={**os.environ, **setting},
            check=True,
        )
        results.append(out.read_text("utf-8"))
    assert results == results[:1] * len(results)
