"""Ray's workers: killed at random moments, and four of them against one.

`python -m benchmarks.workers` writes its tables into docs/growing.md; `kills` or `scaling`
prints one of them.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["INSPECT_DISPLAY"] = "none"

from inspect_ai.log import EvalLog, read_eval_log

from arag_inspect.corpus.stores.lance import distributed
from arag_inspect.corpus.stores.lance.write import remove_parts
from arag_inspect.datasets import Options, prepare_dataset
from arag_inspect.workflows.run_on_cluster import run_on_cluster
from tests.cluster.on_cluster import documents, killing

from .page import machine, write_part
from .slow import SlowMaker

_MOMENTS, _REPEATS, _WORKERS = 10, 5, 4
_DOCUMENTS, _EPOCHS = 160, 5
_ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Fill the tables that are named, or both."""
    benches = {"kills": kills, "scaling": scaling}
    chosen = [name for name in benches if name in sys.argv[1:]] or list(benches)
    for name in chosen:
        with TemporaryDirectory() as work:
            table = benches[name](Path(work))
        print(table, flush=True)
        if not sys.argv[1:]:
            write_part("growing.md", name, f"{table}\n\n{machine()}.")


@contextmanager
def _ray(cpus: int) -> Iterator[None]:
    """Ray on this machine with so many CPU shares."""
    import ray

    ray.init(
        address="local",
        num_cpus=cpus,
        log_to_driver=False,
        include_dashboard=False,
        object_store_memory=100 * 1024**2,
        runtime_env={"env_vars": {"PYTHONPATH": str(_ROOT), "HF_HUB_OFFLINE": "1"}},
    )
    try:
        yield
    finally:
        ray.shutdown()


def kills(work: Path) -> str:
    """Kill a worker at random moments of a build and of a run."""
    lines = [
        "| `kill -9` of a worker at a random moment of | tries | documents or samples lost | doubled | results that differ |",
        "|---|---:|---:|---:|---:|",
    ]
    with _ray(2), patch.object(distributed, "_PART", 3):
        lines.append(
            _killed("a build", partial(_build, work), "PartMaker|write_fragments|_segment")
        )
        lines.append(_killed("a run", partial(_run, work, _calls(work, 6)), "run_shard"))
    return "\n".join(lines)


def _killed(what: str, act: Callable[[str], tuple[Counter[str], Any]], names: str) -> str:
    """Do work undisturbed, then with a worker killed, until it was killed ten times.

    Args:
        what: The work, for the table.
        act: Does it under a name; returns what was done, by id, and the whole result.
        names: Pattern of the workers.
    """
    moments = Random(7)
    started = perf_counter()
    expected, whole = act("whole")
    seconds = perf_counter() - started
    tries, lost, doubled, different = 0, 0, 0, 0
    while tries < _MOMENTS:
        moment = moments.uniform(0, seconds)
        with killing(names, after=moment) as killed:
            found, result = act(f"killed after {moment}")
        if not killed:  # the work had ended
            continue
        tries += 1
        lost += (expected - found).total()
        doubled += (found - expected).total()
        different += result != whole
        _say(f"{what}: killed after {moment:.1f} of {seconds:.1f} s")
    return f"| {what} | {tries} | {lost} | {doubled} | {different} |"


def _build(work: Path, name: str) -> tuple[Counter[str], Any]:
    """Build a corpus of 12 documents in four parts."""
    import lance

    out = work / name
    distributed.build_on_ray(documents(), str(out), dataset="x", chunk_tokens=100, command="")
    (data,) = out.glob("data-*")
    chunks, sentences = (
        lance.dataset(data / f"{name}.lance").to_table() for name in ("chunks", "sentences")
    )
    places = zip(chunks["doc_id"].to_pylist(), chunks["text"].to_pylist(), strict=True)
    return Counter(f"{doc_id} {text}" for doc_id, text in places), (chunks, sentences)


def _run(work: Path, corpus: Path, name: str) -> tuple[Counter[str], Any]:
    """Answer six questions in two shards."""
    (location,) = run_on_cluster(
        *("earnings_synthetic", ["naive_rag"], ["offline/extractive"]),
        log_dir=str(work / f"{name} logs"),
        shards=2,
        parameters={"corpus": str(corpus), "scorers": "retrieval_pr,rouge"},
    )
    log = read_eval_log(location)
    answers = {
        str(sample.id): (
            sample.output.completion,
            {name: score.value for name, score in (sample.scores or {}).items()},
        )
        for sample in log.samples or []
    }
    return Counter(str(sample.id) for sample in log.samples or []), (answers, _metrics(log))


def _metrics(log: EvalLog) -> dict[str, float]:
    scores = log.results.scores if log.results else []
    return {
        f"{score.name} {name}": round(metric.value, 9)
        for score in scores
        for name, metric in score.metrics.items()
    }


def _calls(work: Path, number: int) -> Path:
    """Prepare synthetic calls."""
    options = Options(out=work / "calls", chunk_tokens=500)
    return prepare_dataset("synthetic", documents=number, options=options).folder


def scaling(work: Path) -> str:
    """Time a build and an evaluation that sleep, with one worker and with four."""
    lines = [
        f"| median of {_REPEATS} (smallest to largest) | 1 worker | {_WORKERS} workers | efficiency |",
        "|---|---:|---:|---:|",
        *_compared(f"{_DOCUMENTS} documents", partial(_slow_build, work)),
    ]
    corpus = _calls(work, 8)
    with _ray(_WORKERS):
        _slow_run(work, corpus, _WORKERS, "first")  # workers import what they need
        lines += _compared(f"{8 * _EPOCHS} samples", partial(_slow_run, work, corpus))
    return "\n".join(lines)


def _compared(what: str, act: Callable[[int, str], tuple[float, float]]) -> list[str]:
    """Do work with one worker and with four, in turn.

    Args:
        what: The work, for the table.
        act: Does it with so many workers, under a name; returns the seconds of the whole, and those
            of a result after the first of each worker.
    """
    times: dict[int, list[tuple[float, float]]] = {1: [], _WORKERS: []}
    for turn in range(_REPEATS):
        for workers, taken in times.items():
            taken.append(act(workers, f"{what} {workers} {turn}"))
            _say(f"{what}, workers {workers}: {taken[-1]}")
    parts = {"the whole": "{:.1f} s", "a result, after the first": "{:.2f} s"}
    lines = []
    for place, (part, form) in enumerate(parts.items()):
        one, four = ([taken[place] for taken in measured] for measured in times.values())
        ratios = [alone / (_WORKERS * shared) for alone, shared in zip(one, four, strict=True)]
        cells = [_spread(one, form), _spread(four, form), _spread(ratios, "{:.2f}")]
        lines.append(f"| {what}, {part} | {' | '.join(cells)} |")
    return lines


def _spread(values: Sequence[float], form: str) -> str:
    middle, least, most = (form.format(f(values)) for f in (np.median, min, max))
    return f"{middle} ({least} to {most})"


def _slow_build(work: Path, workers: int, name: str) -> tuple[float, float]:
    """Build on so many workers, half of the CPU shares."""
    given = [
        replace(document, doc_id=f"{n}") for n, document in enumerate(documents()[:1] * _DOCUMENTS)
    ]
    stamps: list[float] = []

    def remove(parts: str) -> None:
        stamps.extend(path.stat().st_mtime for path in Path(parts).glob("*.json"))
        remove_parts(parts)

    with (
        _ray(2 * workers),
        patch.object(distributed, "PartMaker", SlowMaker),
        patch.object(distributed, "_PART", 4),
        patch.object(distributed, "remove_parts", remove),
    ):
        started = perf_counter()
        distributed.build_on_ray(given, str(work / name), dataset="x", command="")
        return perf_counter() - started, _each(stamps, workers)


def _slow_run(work: Path, corpus: Path, workers: int, name: str) -> tuple[float, float]:
    """Answer in one shard a worker, one sample at a time."""
    started = perf_counter()
    (location,) = run_on_cluster(
        *("earnings_synthetic", ["external"], ["offline/extractive"]),
        log_dir=str(work / f"{name} logs"),
        shards=workers,
        epochs=_EPOCHS,
        parameters={
            "corpus": str(corpus),
            "scorers": "efficiency",
            "system_args": {"target": "benchmarks.slow:answer", "max_connections": 1},
        },
        eval_options={"max_samples": 1},
    )
    seconds = perf_counter() - started
    ends = [
        datetime.fromisoformat(sample.completed_at).timestamp()
        for sample in read_eval_log(location).samples or []
        if sample.completed_at
    ]
    return seconds, _each(ends, workers)


def _each(ends: Sequence[float], workers: int) -> float:
    """Return the seconds of a result, after the first of each worker."""
    return (max(ends) - min(ends)) / (len(ends) - workers)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
