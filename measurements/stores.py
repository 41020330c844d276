"""Lance and the local store as a corpus grows: build, open, search, recall, size and memory.

`python -m measurements.stores` writes its table into docs/growing.md and a chart beside it;
`python -m measurements.stores 1000 lance` prints the row of one size, for one store or both.
`clustered` gives 50 chunks each a topic around which their vectors lie; otherwise they are random,
the worst case for an index. Every build and every search runs in a separate process.
"""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from arag_inspect.corpus.prepared.manifest import read_manifest
from arag_inspect.corpus.search.filter import EVERYTHING
from arag_inspect.corpus.stores import Store, open_store
from arag_inspect.corpus.stores import lance as datasets
from arag_inspect.corpus.stores.lance.indices import best_by_scan, share_found
from arag_inspect.corpus.stores.lance.store import LanceStore
from arag_inspect.corpus.stores.local import LocalStore

from .measure import memory_of_process
from .page import DOCS, machine, write_part
from .synthetic_chunks import VOCABULARY, Kind, build, unit_vectors, word

_SIZES: dict[Kind, tuple[int, ...]] = {
    "lance": (10_000, 40_000, 200_000, 1_000_000),
    "local": (10_000, 40_000),
}
_OPENED, _WORDS, _QUERIES, _COMMON = 5, 100, 40, 5
_TOPIC = 50


@dataclass(frozen=True)
class Found:
    """What one process measured in a prepared folder; times in milliseconds."""

    opened: list[float]
    first: float
    """First keyword search after opening."""

    keyword: list[float]
    """Words of all frequencies."""

    common: list[float]
    """Words that occur in nearly every chunk."""

    short: list[float]
    """Two characters, which no index of three-character runs holds."""

    semantic: list[float]
    recall: float
    """Share of the exact five best chunks; the local store is exact."""

    index: str
    memory: float
    """Largest resident memory in MiB."""


def main() -> None:
    """Measure the cases named on the command line, or all of them for the page."""
    named = [int(text) for text in sys.argv[1:] if text.isdigit()]
    kinds = [kind for kind in _SIZES if kind in sys.argv[1:]] or list(_SIZES)
    clustered = "clustered" in sys.argv[1:]
    rows: list[str] = []
    points: list[dict[str, Any]] = []
    for kind in kinds:
        for chunks in named or _SIZES[kind]:
            seconds, size, found = measure(kind, chunks, chunks // _TOPIC if clustered else 0)
            rows.append(_row(kind, chunks, seconds, size, found))
            points += [
                {"store": kind, "search": what, "chunks": chunks, "ms": float(np.median(times))}
                for what, times in (("keyword", found.keyword), ("semantic", found.semantic))
            ]
            print(rows[-1], flush=True)
    table = "\n".join([_HEAD, f"|---|{'---:|' * (_HEAD.count('|') - 2)}", *rows])
    if not named and not clustered and kinds == list(_SIZES):
        write_part("growing.md", "stores", f"{table}\n\n{machine()}.")
        _draw(points)


def measure(kind: Kind, chunks: int, clusters: int) -> tuple[float, int, Found]:
    """Build a corpus and search it.

    Returns:
        Seconds of the build, bytes on disk, and what the searches took.
    """
    with TemporaryDirectory() as work:
        folder = Path(work) / "corpus"
        seconds = _in_subprocess(_timed_build, kind, chunks, folder, clusters)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        truth = _in_subprocess(_truth, folder, clusters) if kind == "lance" else None
        return seconds, size, _in_subprocess(_search, folder, truth, clusters)


def _in_subprocess(work: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a separate process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _timed_build(kind: Kind, chunks: int, folder: Path, clusters: int) -> float:
    started = perf_counter()
    build(kind, chunks, folder, clusters)
    return perf_counter() - started


def _truth(folder: Path, clusters: int) -> list[dict[int, float]]:
    """The exact five best chunks of each query, with their scores."""
    (data,) = folder.glob("data-*")
    sentences = datasets.open_dataset(f"{data}/{datasets.SENTENCES}")
    return best_by_scan(sentences, _queries(clusters), 5)


def _queries(clusters: int) -> Any:
    return unit_vectors(np.random.default_rng(1), _QUERIES, clusters)


def _search(folder: Path, truth: list[dict[int, float]] | None, clusters: int) -> Found:
    opened: list[float] = []
    for _ in range(_OPENED):
        started = perf_counter()
        manifest = read_manifest(folder)
        store = open_store(folder, manifest)
        opened.append(1000 * (perf_counter() - started))
    ranks = np.unique(np.geomspace(20, VOCABULARY - 1, _WORDS).astype(int))
    words = np.random.default_rng(4).permutation([word(rank) for rank in ranks]).tolist()
    (first,) = _keywords(store, [word(7)])
    keyword = _keywords(store, words)
    common = _keywords(store, [word(rank) for rank in range(1, 1 + _COMMON)])
    short = _keywords(store, ["ba", "z.", "qu", "$1", "u."])
    semantic, hits = [], []
    assert isinstance(store, LocalStore | LanceStore)
    queries = _queries(clusters)
    store.nearest(queries[0], 5)
    for query in queries:
        started = perf_counter()
        nearest_rows = store.nearest(query, 5)
        semantic.append(1000 * (perf_counter() - started))
        hits.append(nearest_rows)
    shares = [share_found(*pair) for pair in zip(hits, truth, strict=True)] if truth else [1.0]
    return Found(
        opened=opened,
        first=first,
        keyword=keyword,
        common=common,
        short=short,
        semantic=semantic,
        recall=float(np.mean(shares)),
        index=manifest.lance.index if manifest.lance else "every vector",
        memory=memory_of_process("VmHWM") or 0,
    )


def _keywords(store: Store, words: Sequence[str]) -> list[float]:
    taken = []
    for keyword in words:
        started = perf_counter()
        store.keyword_page([keyword], 5, 0, EVERYTHING)
        taken.append(1000 * (perf_counter() - started))
    return taken


_HEAD = (
    "| store, chunks | build, chunks/s | size | open | first keyword search | keyword p50 / p99 | "
    "keyword in every chunk | keyword of two characters | semantic p50 / p99 | recall@5 | memory |"
)


def _row(kind: Kind, chunks: int, seconds: float, size: int, found: Found) -> str:
    recall = f"{found.index}: {found.recall:.3f}"
    cells = [
        f"{kind}, {chunks:,}",
        f"{chunks / seconds:,.0f}",
        f"{size / 1e9:.2f} GB",
        _range(found.opened),
        f"{found.first:,.0f} ms",
        _percentiles(found.keyword),
        _range(found.common),
        _range(found.short),
        _percentiles(found.semantic),
        recall,
        f"{found.memory:,.0f} MiB",
    ]
    return f"| {' | '.join(cells)} |"


def _range(times: Sequence[float]) -> str:
    return f"{np.median(times):,.0f} ms ({min(times):,.0f} to {max(times):,.0f})"


def _percentiles(times: Sequence[float]) -> str:
    return f"{np.percentile(times, 50):,.0f} / {np.percentile(times, 99):,.0f} ms"


def _draw(points: list[dict[str, Any]]) -> None:
    """Draw the median times against the number of chunks."""
    import altair as alt

    log = alt.Scale(type="log", nice=False)
    chart = alt.Chart(alt.InlineData(values=points)).mark_line(point=True)
    chart.encode(
        x=alt.X("chunks:Q", scale=log, title="Chunks"),
        y=alt.Y("ms:Q", scale=log, title="Median of a search, ms"),
        color=alt.Color("search:N", title="Search"),
        strokeDash=alt.StrokeDash("store:N", title="Store"),
    ).properties(width=520, height=260).save(DOCS / "images" / "growing.svg")


if __name__ == "__main__":
    main()
