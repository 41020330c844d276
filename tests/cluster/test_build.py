"""A corpus built on a cluster of two nodes equals the one built by a single process."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pytest

os.environ["RAY_AUTH_MODE"] = "disabled"

from arag_inspect._util.cluster import ray_cluster
from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus, Document, Section, build_corpus
from arag_inspect.corpus.stores.lance import distributed
from arag_inspect.corpus.stores.lance.write import convert_to_lance

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes with two CPUs each, in processes of this machine."""
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    made.add_node(num_cpus=2)
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
    stop = threading.Event()
    killed: list[int] = []

    def kill_a_worker() -> None:
        """Kill the first process that makes parts, while it is at work."""
        while not stop.is_set() and not killed:
            for process in psutil.process_iter(["cmdline"]):
                line = " ".join(process.info["cmdline"] or [])
                if "ray::" in line and "PartMaker" in line and _is_ours(process):
                    os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)
                    return
            time.sleep(0.05)

    killer = threading.Thread(target=kill_a_worker)
    killer.start()
    try:
        build(out, documents())
    finally:
        stop.set()
        killer.join()
    assert killed
    same(out, single)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["corpus"]

    broken = [*documents(), Document("empty", "", "", (Section("", " ", ""),))]
    before = (out / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="document empty is empty"):
        build(out, broken)
    assert (out / "manifest.json").read_bytes() == before
    parts = list((tmp_path / ".corpus.parts").glob("*.json"))
    stamps = {path: path.stat().st_mtime_ns for path in parts}
    assert len(parts) == 4  # the parts that were made stay, and are taken up
    monkeypatch.setattr(distributed, "remove_parts", lambda parts: None)
    build(out, documents())
    assert {path: path.stat().st_mtime_ns for path in parts} == stamps
    same(out, single)


def _is_ours(process: psutil.Process) -> bool:
    return any(parent.pid == os.getpid() for parent in process.parents())


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
