"""What a cluster of two nodes builds and evaluates equals what a single process does."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  # else the other tests go first

from arag_inspect._util.cluster import ray_cluster
from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus, Document, Section, build_corpus
from arag_inspect.corpus.stores.lance import distributed
from arag_inspect.corpus.stores.lance.write import convert_to_lance, remove_parts
from arag_inspect.workflows.run_on_cluster import run_on_cluster
from arag_inspect.workflows.run_systems import run_systems


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes with one CPU each, in processes of this machine."""
    import ray
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 100 * 1024**2, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=node)
    made.add_node(**node)
    root = str(Path(__file__).parents[2])
    ray.init(
        address=made.address,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": root, "HF_HUB_OFFLINE": "1"}},
    )
    yield made
    ray.shutdown()
    made.shutdown()


def documents() -> list[Document]:
    return [
        Document(
            f"d{number}",
            f"Firm {number % 3}",
            f"Q{number % 4}",
            (
                Section(
                    "Report",
                    " ".join(
                        f"In case {number} item {line} rose to ${line}.{number} million."
                        for line in range(20)
                    ),
                    f"[FIRM: {number % 3}]",
                ),
            ),
        )
        for number in range(12)
    ]


def table(corpus: Corpus, name: str) -> pa.Table:
    import lance

    assert corpus.manifest.lance
    return lance.dataset(f"{corpus.path}/{corpus.manifest.lance.folder}/{name}.lance").to_table()


def same(built: Path, single: Path) -> None:
    """Hold every chunk, sentence and vector of two corpora against each other."""
    first, second = Corpus.open(built), Corpus.open(single)
    assert first.manifest.counts == second.manifest.counts
    assert first.manifest.embedding == second.manifest.embedding
    assert table(first, "chunks").equals(table(second, "chunks"))
    ours, theirs = table(first, "sentences"), table(second, "sentences")
    assert ours.drop(["vector"]).equals(theirs.drop(["vector"]))
    vectors = [
        t["vector"].combine_chunks().flatten().to_numpy().reshape(len(t), -1)
        for t in (ours, theirs)
    ]
    assert (vectors[0] * vectors[1]).sum(axis=1).min() > 0.999
    assert np.abs(vectors[0] - vectors[1]).max() < 2e-2


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("single")
    build_corpus(documents(), folder / "local", dataset="x", chunk_tokens=100)
    convert_to_lance(folder / "local", str(folder / "lance"), command="")
    return folder / "lance"


def build(out: Path, given: list[Document]) -> None:
    distributed.build_on_ray(given, str(out), dataset="x", chunk_tokens=100, command="")


def test_the_cluster_builds_what_one_process_builds(
    cluster: Any, single: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "_PART", 3)
    out = tmp_path / "corpus"
    broken = [*documents(), Document("empty", "", "", (Section("", " ", ""),))]
    with pytest.raises(InputError, match="document empty is empty"), killing("PartMaker"):
        build(out, broken)
    assert not out.exists()

    def stamps() -> dict[Path, int]:
        parts = (tmp_path / ".corpus.parts").glob("*.json")
        return {path: path.stat().st_mtime_ns for path in parts}

    made, used = stamps(), dict[Path, int]()

    def remove(parts: str) -> None:
        used.update(stamps())
        remove_parts(parts)

    monkeypatch.setattr(distributed, "remove_parts", remove)
    build(out, documents())
    assert len(made) == 4 and used == made  # the parts that were made stay, and are taken up
    same(out, single)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["corpus"]


@contextmanager
def killing(name: str) -> Iterator[None]:
    """Kill the first worker of a name while it is at work, as `kill -9` does."""
    stop = threading.Event()
    killed: list[int] = []

    def kill() -> None:
        while not stop.is_set() and not killed:
            for process in psutil.process_iter(["cmdline"]):
                line = " ".join(process.info["cmdline"] or [])
                if "ray::" in line and name in line and _is_ours(process):
                    os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)
                    return
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        stop.set()
        killer.join()
    assert killed


def _is_ours(process: psutil.Process) -> bool:
    return any(parent.pid == os.getpid() for parent in process.parents())


def test_shards_on_the_cluster_merge_into_the_log_of_one_process(
    cluster: Any, synthetic_folder: Path, logs: Path
) -> None:
    common: dict[str, Any] = {
        "limit": 6,
        "parameters": {"corpus": str(synthetic_folder), "scorers": "retrieval_pr,rouge"},
    }
    chosen = ("earnings_synthetic", ["naive_rag"], ["offline/extractive"])
    with killing("run_shard"):
        (location,) = run_on_cluster(*chosen, log_dir=str(logs), shards=2, **common)
    assert [info.name for info in list_eval_logs(str(logs))] == [f"file://{location}"]
    one = run_systems(*chosen, log_dir=str(logs.parent / "one"), display="none", **common)
    assert one.complete
    merged, single = read_eval_log(location), read_eval_log(one.logs[0].location)
    assert merged.status == single.status == "success"
    samples = [
        {
            (sample.id, sample.epoch): (
                sample.output.completion,
                {name: score.value for name, score in (sample.scores or {}).items()},
            )
            for sample in log.samples or []
        }
        for log in (merged, single)
    ]
    assert samples[0] == samples[1] and len(samples[0]) == 6
    assert merged.results and single.results
    assert _metrics(merged) == _metrics(single) and _metrics(merged)
    assert merged.results.completed_samples == single.results.completed_samples == 6
    assert merged.eval.dataset.samples == single.eval.dataset.samples
    assert merged.stats.model_usage == single.stats.model_usage
    stamp = Path(location).stat().st_mtime_ns
    assert run_on_cluster(*chosen, log_dir=str(logs), shards=2, **common) == [location]
    assert Path(location).stat().st_mtime_ns == stamp


def _metrics(log: EvalLog) -> dict[tuple[str, str], Any]:
    assert log.results is not None
    return {
        (score.name, name): pytest.approx(metric.value, nan_ok=True)
        for score in log.results.scores
        for name, metric in score.metrics.items()
    }


def test_no_cluster_at_the_address_is_one_line() -> None:
    import ray

    if ray.is_initialized():
        pytest.skip("this process is connected")
    with (
        pytest.raises(InputError, match="no Ray cluster at") as caught,
        ray_cluster("127.0.0.1:1"),
    ):
        pass
    assert "\n" not in str(caught.value)
