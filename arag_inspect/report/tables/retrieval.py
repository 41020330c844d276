"""Tables of retrieval: chunks found, read and missed."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import spearmanr

from ..analysis.matrix import ScoreMatrix
from ..load.records import Benchmark, Run, SampleResult
from .table import Cell, P, Signed, Table

_CHUNKS = (1, 2, 3, 5, 8, 10, 15, 20)
_TOKENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
_CHARACTERS_A_TOKEN = 4


def retrieval(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return recall, precision and unread gold chunks; None if no system retrieved."""
    runs = _retrieving(benchmark)
    if not runs:
        return None
    return Table(
        "retrieval",
        "Retrieval",
        "Gold chunks among those read. Found, not read: gold chunks that a search returned and "
        "the system did not open. Loops and recall: Spearman's correlation over samples.",
        (
            "system",
            "recall",
            "precision",
            "found recall",
            "found, not read",
            "chunks read",
            "loops and recall",
            "p",
            "n",
        ),
        tuple(_retrieval(run, values) for run in runs),
    )


def recall_by_chunks(benchmark: Benchmark) -> Table | None:
    """Return the recall of the first k chunks read; None if no system retrieved."""
    return _growth(
        benchmark,
        "recall_by_chunks",
        "Recall by number of chunks read",
        "Mean recall of the first k chunks that a system read; one that read fewer stays at its "
        "last value.",
        "chunks",
        _CHUNKS,
        lambda sample, most: len(sample.passages[:most]),
    )


def recall_by_tokens(benchmark: Benchmark) -> Table | None:
    """Return the recall within the first tokens read; None if no system retrieved."""
    return _growth(
        benchmark,
        "recall_by_tokens",
        "Recall by tokens read",
        "Mean recall of the chunks that fit into the first tokens read (four characters per token).",
        "tokens",
        _TOKENS,
        _fitting,
    )


def recall_by_loop(benchmark: Benchmark) -> Table | None:
    """Return the recall added by each loop; None if no system has several loops."""
    rows: list[tuple[Cell, ...]] = []
    for run in _retrieving(benchmark):
        samples = _measurable(run)
        last = max((sample.loops or 0 for sample in samples), default=0)
        before = 0.0
        for loop in range(1, last + 1) if last > 1 else ():
            after = float(np.mean([_recall(s, _until_loop(s, loop)) for s in samples]))
            still = sum((sample.loops or 0) >= loop for sample in samples)
            rows.append((run.system, loop, still, after, Signed(after - before)))
            before = after
    if not rows:
        return None
    return Table(
        "recall_by_loop",
        "What each loop adds",
        "Mean recall after each loop over all samples, including those that had ended before, "
        "and the gain of the loop.",
        ("system", "loop", "samples still running", "recall", "added"),
        tuple(rows),
    )


def _retrieval(run: Run, values: ScoreMatrix) -> tuple[Cell, ...]:
    names = ("recall", "precision", "search_recall")
    unread = values.of(run.system, "retrieval_pr.search_recall") - values.of(
        run.system, "retrieval_pr.recall"
    )
    read = [len(sample.passages) for sample in _measurable(run)]
    pairs = [
        (sample.loops, value)
        for sample in run.samples
        if sample.loops and (value := sample.value("retrieval_pr.recall")) is not None
    ]
    rho, p = _correlation(pairs)
    return (
        run.system,
        *(values.estimate(run.system, f"retrieval_pr.{name}") for name in names),
        values.mean(unread, (0, 1)),
        float(np.mean(read)) if read else None,
        rho,
        p,
        len(pairs),
    )


def _growth(
    benchmark: Benchmark,
    name: str,
    title: str,
    text: str,
    unit: str,
    steps: Sequence[int],
    taken: Callable[[SampleResult, int], int],
) -> Table | None:
    runs = [(run, samples) for run in _retrieving(benchmark) if (samples := _measurable(run))]
    if not runs:
        return None
    rows = [
        (
            step,
            *(float(np.mean([_recall(s, taken(s, step)) for s in samples])) for _, samples in runs),
        )
        for step in steps
    ]
    return Table(name, title, text, (unit, *(run.system for run, _ in runs)), tuple(rows))


def _retrieving(benchmark: Benchmark) -> list[Run]:
    """Return the runs that retrieved and have gold chunks."""
    return [
        run
        for run in benchmark.runs
        if any(sample.value("retrieval_pr.recall") is not None for sample in run.samples)
    ]


def _measurable(run: Run) -> list[SampleResult]:
    return [sample for sample in run.samples if sample.value("retrieval_pr.recall") is not None]


def _recall(sample: SampleResult, count: int) -> float:
    gold = sample.gold
    read = gold.found(passage.chunk_id for passage in sample.passages[:count])
    return len(read) / len(gold.chunk_ids) if gold.chunk_ids else 0.0


def _until_loop(sample: SampleResult, loop: int) -> int:
    return sum(passage.loop <= loop for passage in sample.passages)


def _fitting(sample: SampleResult, most: int) -> int:
    sizes = np.cumsum([len(passage.text) / _CHARACTERS_A_TOKEN for passage in sample.passages])
    return int(np.searchsorted(sizes, most, side="right"))


def _correlation(pairs: Sequence[tuple[int, float]]) -> tuple[Cell, Cell]:
    loops, recalls = [loop for loop, _ in pairs], [recall for _, recall in pairs]
    if len(pairs) < 3 or len(set(loops)) < 2 or len(set(recalls)) < 2:
        return None, None
    correlation = spearmanr(loops, recalls)
    return Signed(float(correlation.statistic)), P(float(correlation.pvalue))
