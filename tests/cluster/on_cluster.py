"""Check that a two-node cluster builds and evaluates the same results as a single process."""

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import psutil
import pyarrow as pa
import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from tests.logs import samples_of, scores_of

os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  # else the other tests go first
# with their own environment, workers would be restarted for each job
os.environ |= {"PYTHONPATH": str(Path(__file__).parents[2]), "HF_HUB_OFFLINE": "1"}

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus, Document, Indexing, Provenance, Section, build_corpus
from arag_inspect.corpus.stores.lance import distributed, indices
from arag_inspect.corpus.stores.lance.write import convert_to_lance, remove_parts
from arag_inspect.run.experiment import Experiment
from arag_inspect.run.run_experiment import run_experiment
from arag_inspect.run.run_on_cluster import run_on_cluster
from arag_inspect.run.serve_corpus import deployment
from tests.serving import free_port


@pytest.fixture(scope="session", autouse=True)
def hashed_vectors() -> None:
    """Embed with the model, as the workers of the cluster do."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start two nodes with one CPU each, as local processes."""
    import ray
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 100 * 1024**2}
    node |= {"include_dashboard": False, "include_log_monitor": False}
    local_cluster = Cluster(initialize_head=True, head_node_args=node)
    local_cluster.add_node(**node)
    ray.init(address=local_cluster.address, log_to_driver=False)
    yield local_cluster
    ray.shutdown()
    local_cluster.shutdown()


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


def check_equal_corpora(built: Path, single: Path) -> None:
    """Compare every chunk, sentence and vector of two corpora."""
    first, second = Corpus.open(built), Corpus.open(single)
    assert first.manifest.counts == second.manifest.counts
    assert first.manifest.embedding == second.manifest.embedding
    assert table(first, "chunks").equals(table(second, "chunks"))
    first_table, second_table = table(first, "sentences"), table(second, "sentences")
    assert first_table.drop(["vector"]).equals(second_table.drop(["vector"]))
    vectors = [
        t["vector"].combine_chunks().flatten().to_numpy().reshape(len(t), -1)
        for t in (first_table, second_table)
    ]
    assert np.abs(vectors[0] - vectors[1]).max() <= 5e-7  # differing numbers of threads


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("single")
    build_corpus(documents(), folder / "local", Provenance("x"), Indexing(chunk_tokens=100))
    convert_to_lance(folder / "local", str(folder / "lance"), command="")
    return folder / "lance"


def build(out: Path, source_documents: list[Document]) -> None:
    distributed.build_on_ray(
        source_documents, str(out), Provenance("x", prepared_by=""), Indexing(chunk_tokens=100)
    )


def test_cluster_build_equals_single_process_build(
    cluster: Any, single: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "_PART", 6)
    monkeypatch.setattr(indices, "UNINDEXED", 100)
    out = tmp_path / "corpus"
    broken = [*documents(), Document("empty", "", "", (Section("", " ", ""),))]
    with pytest.raises(InputError, match="document empty is empty"), killing("PartMaker") as killed:
        build(out, broken)
    assert killed and not out.exists()

    def stamps() -> dict[Path, int]:
        parts = (tmp_path / ".corpus.parts").glob("*.json")
        return {path: path.stat().st_mtime_ns for path in parts}

    times, used = stamps(), dict[Path, int]()

    def remove(parts: str) -> None:
        used.update(stamps())
        remove_parts(parts)

    monkeypatch.setattr(distributed, "remove_parts", remove)
    build(out, documents())
    assert len(times) == 2 and used == times  # finished parts are kept and reused
    check_equal_corpora(out, single)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["corpus"]
    indexed_by_both_nodes(Corpus.open(out), Corpus.open(single))


def indexed_by_both_nodes(corpus: Corpus, exact: Corpus) -> None:
    """Check the segments of every index, and keyword and semantic searches."""
    import lance

    assert corpus.manifest.lance and corpus.manifest.lance.index == "IVF_RQ"
    for name, kinds in {"chunks": {"NGram"}, "sentences": {"IVF_RQ"}}.items():
        data = lance.dataset(f"{corpus.path}/{corpus.manifest.lance.folder}/{name}.lance")
        described_indices = data.describe_indices()
        assert {one.index_type for one in described_indices} == {"BTree", "Bitmap"} | kinds
        for one in described_indices:
            assert len(one.segments) == 2 and one.num_rows_indexed == data.count_rows()
    for search, query in {"keyword_search": ["item 7"], "semantic_search": "item 7 rose"}.items():
        found, right = (
            {hit.chunk_id: hit.score for hit in anyio.run(getattr(one, search), query, 5)}
            for one in (corpus, exact)
        )
        assert found == pytest.approx(right, abs=1e-2)


@contextmanager
def killing(pattern: str, after: float = 0) -> Iterator[list[int]]:
    """Kill a worker with SIGKILL while it is running.

    Args:
        pattern: Regular expression for its name.
        after: Seconds to wait before killing the first worker found.

    Yields:
        Id of the killed process; empty until then.
    """
    stop = threading.Event()
    killed: list[int] = []

    def kill() -> None:
        stop.wait(after)
        while not stop.is_set() and not killed:
            for process in psutil.process_iter(["cmdline"]):
                line = " ".join(process.info["cmdline"] or [])
                if "ray::" in line and re.search(pattern, line) and _is_ours(process):
                    os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)
                    return
            stop.wait(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        stop.set()
        killer.join()


def _is_ours(process: psutil.Process) -> bool:
    return any(parent.pid == os.getpid() for parent in process.parents())


def test_cluster_shards_merge_into_single_process_log(
    cluster: Any, synthetic_folder: Path, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = Experiment(
        "earnings_synthetic",
        ["stuffing"],
        ["offline/extractive"],
        limit=6,
        parameters={"corpus": str(synthetic_folder), "scorers": "retrieval_pr,rouge"},
    )
    with killing("run_shard") as killed:
        (location,) = run_on_cluster(experiment, str(logs), shards=2)
    assert killed
    assert [info.name for info in list_eval_logs(str(logs))] == [f"file://{location}"]
    one = run_experiment(experiment, str(logs.parent / "one"), display="none")
    assert one.complete
    merged, single = read_eval_log(location), read_eval_log(one.logs[0].location)
    assert merged.status == single.status == "success"
    samples = [
        {
            (sample.id, sample.epoch): (
                sample.output.completion,
                {name: score.value for name, score in scores_of(sample).items()},
            )
            for sample in samples_of(log)
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
    assert "kept" not in capsys.readouterr().out
    assert run_on_cluster(experiment, str(logs), shards=2) == [location]
    assert "Nothing ran; kept 1 complete run: to repeat" in capsys.readouterr().out
    assert Path(location).stat().st_mtime_ns == stamp


_LIVE = """
import time
from contextlib import suppress
from pathlib import Path

PLACE = Path(__file__).parent

def answer(question, metadata):
    first, (document,) = PLACE / "first", metadata["doc_ids"]
    with suppress(FileExistsError):
        first.symlink_to(document)
    if str(first.readlink()) == document or (PLACE / "go").exists():
        return "Revenue rose."
    if (PLACE / "fail").exists():
        raise ValueError("out of order")
    time.sleep(600)
"""
"""A system that answers about one document only until the file `go` exists."""


def test_interrupted_cluster_run_resumes_from_finished_shards(
    cluster: Any, synthetic_folder: Path, logs: Path
) -> None:
    live = logs.parent / "live.py"
    live.write_text(_LIVE)

    experiment = Experiment(
        "earnings_synthetic",
        ["external"],
        ["offline/extractive"],
        limit=2,
        parameters={
            "corpus": str(synthetic_folder),
            "scorers": "rouge",
            "system_args": {"target": f"{live}:answer", "retries": 0},
        },
        eval_options={"retry_attempts": 1, "retry_wait": 0.1},
    )

    def run() -> list[str]:
        return run_on_cluster(experiment, str(logs), shards=2)

    interrupting = interrupt_after(lambda: len(_finished_logs(logs)) == 1)
    with interrupting, pytest.raises(InputError, match="interrupted; finished work is kept"):
        run()
    (finished_log,) = _finished_logs(logs)
    stamp = finished_log.stat().st_mtime_ns
    live.with_name("fail").touch()
    with pytest.raises(
        InputError, match=r"1 of 2 shards failed \(.*\.shards/.*/[01]: .*out of order"
    ):
        run()
    assert not list(logs.glob("*.eval"))
    live.with_name("go").touch()
    (location,) = run()
    assert finished_log.stat().st_mtime_ns == stamp  # not repeated
    merged = read_eval_log(location)
    assert merged.status == "success" and len(samples_of(merged)) == 2


def _finished_logs(logs: Path) -> list[Path]:
    found = []
    for path in Path(f"{logs}.shards").rglob("*.eval"):
        with suppress(Exception):  # may be partly written
            if read_eval_log(path, header_only=True).status == "success":
                found.append(path)
    return found


@contextmanager
def interrupt_after(happened: Callable[[], bool]) -> Iterator[None]:
    """Press Ctrl-C after something has happened."""
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore SIGINT

    def press() -> None:
        while not stop.wait(0.1):
            if happened():
                os.kill(os.getpid(), signal.SIGINT)
                return

    presser = threading.Thread(target=press)
    presser.start()
    try:
        yield
    finally:
        stop.set()
        presser.join()


def test_cluster_search_service_matches_local_corpus(cluster: Any, synthetic_folder: Path) -> None:
    from ray import serve

    port = free_port()
    serve.start("HeadOnly", {"host": "127.0.0.1", "port": port})
    serve.run(deployment(str(synthetic_folder)), name="arag-inspect")
    found, expected = (
        anyio.run(corpus.keyword_search, ["revenue"], 5)
        for corpus in (Corpus.open(f"http://127.0.0.1:{port}"), Corpus.open(synthetic_folder))
    )
    assert found == expected and len(found) == 5
    serve.shutdown()


def _metrics(log: EvalLog) -> dict[tuple[str, str], Any]:
    assert log.results is not None
    return {
        (score.name, name): pytest.approx(metric.value, nan_ok=True)
        for score in log.results.scores
        for name, metric in score.metrics.items()
    }
