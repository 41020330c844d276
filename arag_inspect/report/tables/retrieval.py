"""Tables of retrieval: chunks found, read and missed."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from ..benchmark import Benchmark, once
from ..table import Cell, P, Signed, Words, tabled

_RECALL = "retrieval_pr.recall"
_CHUNKS = (1, 2, 3, 5, 8, 10, 15, 20)
_TOKENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
_CHARACTERS_A_TOKEN = 4


@tabled("retrieval")
def retrieval(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return recall, precision and unread gold chunks; None if no system retrieved."""
    for system, answers in _retrieving(benchmark):
        recalled = benchmark.of(system, "retrieval_pr.search_recall")
        names = ("recall", "precision", "search_recall")
        looped = answers.dropna(subset=["loops"])
        yield (
            system,
            *(benchmark.estimate(system, f"retrieval_pr.{name}") for name in names),
            benchmark.mean(recalled - benchmark.of(system, _RECALL), (0, 1)),
            float(answers["passages"].map(len).mean()),
            *_correlation(looped["loops"], looped["recall"]),
            len(looped),
        )


def _columns(benchmark: Benchmark) -> Words:
    return {"retrieving": [system for system, _ in _retrieving(benchmark)]}


@tabled("recall_by_chunks", _columns)
def recall_by_chunks(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the recall of the first k chunks read; None if no system retrieved."""
    yield from _growth(benchmark, "chunks", _CHUNKS)


@tabled("recall_by_tokens", _columns)
def recall_by_tokens(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the recall within the first tokens read; None if no system retrieved."""
    yield from _growth(benchmark, "tokens", _TOKENS)


@tabled("recall_by_loop")
def recall_by_loop(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the recall added by each loop; None if no system has several loops."""
    for system, answers in _retrieving(benchmark):
        loops, before = answers["loops"].fillna(0), 0.0
        reads = _first_reads(answers)
        for loop in range(1, int(loops.max()) + 1) if loops.max() > 1 else ():
            after = _recall(reads, "loop", loop)
            yield system, loop, int((loops >= loop).sum()), after, Signed(after - before)
            before = after


def _growth(benchmark: Benchmark, unit: str, steps: Sequence[int]) -> Iterator[Sequence[Cell]]:
    """Yield the mean recall of every system that retrieved, after each step."""
    systems = [_first_reads(answers) for _, answers in _retrieving(benchmark)]
    for step in steps if systems else ():
        yield step, *(_recall(reads, unit, step) for reads in systems)


@once
def _retrieving(benchmark: Benchmark) -> list[tuple[str, pd.DataFrame]]:
    """Return the answers with a recall of every system that has some."""
    scores = benchmark.scores
    recall = scores[scores["measure"] == _RECALL].set_index("answer")["value"]
    answers = benchmark.answers.assign(recall=recall).dropna(subset=["recall"])
    return [(system, own) for system, own in benchmark.by_system(answers) if len(own)]


def _first_reads(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a row per gold chunk that was read: with how many chunks and tokens, and in which loop.

    `share` is its part in the mean recall of the answers.
    """
    rows = []
    for gold, passages in zip(answers["gold"], answers["passages"], strict=True):
        tokens = np.cumsum([len(passage.text) / _CHARACTERS_A_TOKEN for passage in passages])
        order = {passages[i].chunk_id: i for i in reversed(range(len(passages)))}
        for chunk in gold.chunk_ids:
            copies = (chunk, *gold.copies.get(chunk, ()))
            if reads := [order[copy] for copy in copies if copy in order]:
                first, share = min(reads), 1 / len(gold.chunk_ids) / len(answers)
                rows.append((first + 1, tokens[first], passages[first].loop, share))
    return pd.DataFrame(rows, columns=["chunks", "tokens", "loop", "share"])


def _recall(reads: pd.DataFrame, unit: str, most: int) -> float:
    """Return the mean recall after so many chunks, tokens or loops."""
    return float(reads.loc[reads[unit] <= most, "share"].sum())


def _correlation(loops: "pd.Series[float]", recalls: "pd.Series[float]") -> tuple[Cell, Cell]:
    if len(loops) < 3 or loops.nunique() < 2 or recalls.nunique() < 2:
        return None, None
    correlation = spearmanr(loops, recalls)
    return Signed(float(correlation.statistic)), P(float(correlation.pvalue))
