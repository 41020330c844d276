"""Run the cluster checks in a subprocess, because Ray kills a process that loses its cluster."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arag_inspect._util.cluster import ray_cluster
from arag_inspect._util.errors import InputError
from arag_inspect.run.experiment import Experiment
from arag_inspect.run.run_on_cluster import Shard, run_shard


@pytest.mark.slow
@pytest.mark.timeout(1300)
def test_cluster_matches_single_process(
    synthetic_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    command = [
        *(sys.executable, "-m", "pytest", "-p", "no:xdist", "--basetemp", str(shared / "cluster")),
        str(Path(__file__).with_name("on_cluster.py")),
    ]
    environment = {**os.environ, "ARAG_TESTS_SYNTHETIC": str(synthetic_folder)}
    for _ in range(2):  # a loaded machine may lose the first
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        if re.search(r"\d (passed|failed)", done.stdout):
            break
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_shard_failure_is_reported_when_worker_lacks_driver_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARAG_DATASETS", str(tmp_path))
    experiment = Experiment("ectsum", ["nowhere"], ["offline/extractive"])
    folders = str(tmp_path / "of the driver"), str(tmp_path)
    assert "nowhere" in run_shard(Shard(experiment, str(tmp_path / "logs")), folders)


def test_unreachable_cluster_is_reported_in_one_line() -> None:
    with (
        pytest.raises(InputError, match=r"no Ray cluster at .*refused") as caught,
        ray_cluster("127.0.0.1:1"),
    ):
        pass
    assert "\n" not in str(caught.value)
