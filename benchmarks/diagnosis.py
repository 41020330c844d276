"""Are systems that were spoilt on purpose diagnosed? `python -m benchmarks.diagnosis CORPUS`.

CORPUS is a prepared folder of ECTSum val (`arag-inspect prepare ectsum --split val`). Each spoilt
system answers every sample once; then the advice is read on ten sets of 60 samples, once
beside the unspoilt system as the baseline, and once without it.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from inspect_ai import eval
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.corpus import Chunk, Corpus
from arag_inspect.report import Frames, benchmarks, frames
from arag_inspect.report.advice import Advice, advice
from arag_inspect.report.benchmark import Choices
from arag_inspect.solvers import arag, naive_rag, oracle
from arag_inspect.solvers._run import answer_from, traced_run
from arag_inspect.tasks import ectsum
from arag_inspect.text.sentences import sentences
from arag_inspect.tools.search import passage
from arag_inspect.types.sample import sample_metadata
from arag_inspect.types.trace import RetrievalTrace, Search

MODEL = "offline/extractive"
SETS, SIZE = 10, 60
TOP_K = 8

SPOILT = {
    "random_chunks": ("not_found", "naive_rag"),
    "right_chunk_last": ("not_found", "naive_rag"),
    "first_sentence_read": ("not_read", "arag"),
    "first_passage_only": ("left_out", "naive_rag"),
    "every_second_dropped": ("left_out", "naive_rag"),
    "figure_changed": ("wrong", "naive_rag"),
    "evidence_not_retrieved": ("unread", "naive_rag"),
}
"""Stage that each spoils, and the system that it was before."""

UNSPOILT = {"naive_reworded": "naive_rag", "arag_reworded": "arag"}
"""Systems with harmlessly other queries."""


@solver
def spoilt(kind: str) -> Solver:
    """Naive RAG, spoilt in one way, as the trace and the answer show it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        corpus = await Corpus.open_async(metadata.corpus)
        gold = set(metadata.gold_chunk_ids)
        with traced_run(state, kind, "retrieved") as trace:
            query = state.input_text
            if kind == "naive_reworded":
                query = _reworded(query, str(state.sample_id))
            own = corpus.filter(doc_ids=list(metadata.doc_ids))
            hits = await corpus.semantic_search(query, len(corpus), own)
            ids = [hit.chunk_id for hit in hits]
            if kind == "random_chunks":
                ids = random.Random(str(state.sample_id)).sample(range(len(corpus)), TOP_K)
            if kind == "right_chunk_last":
                ids.sort(key=lambda chunk_id: chunk_id in gold)
            ids = [] if kind == "evidence_not_retrieved" else ids[:TOP_K]
            chunks = [corpus.chunk(chunk_id) for chunk_id in ids]
            if ids:
                trace.searches = [
                    Search(tool="semantic_search", query=query, chunk_ids=ids, scores=[], loop=1)
                ]
            shown = chunks[:1] if kind == "first_passage_only" else chunks
            shown = shown or [corpus.chunk(chunk_id) for chunk_id in sorted(gold)]
            state = await answer_from(shown, state, metadata, trace)
            trace.passages = [passage(chunk, loop=1) for chunk in chunks]
        state.output.completion = _written(kind, state.output.completion)
        return state

    return solve


def _written(kind: str, answer: str) -> str:
    if kind == "every_second_dropped":
        return " ".join(sentences(answer)[::2])
    if kind == "figure_changed":
        return " ".join(map(_changed, sentences(answer)))
    return answer


def _changed(sentence: str) -> str:
    """Multiply the first amount or share of a sentence by 1.37."""
    return re.sub(
        r"(?<=\$)\d[\d,]*(?:\.\d+)?|\b\d+(?:\.\d+)?(?=%| percent| million| billion)",
        lambda match: f"{float(match[0].replace(',', '')) * 1.37:,.2f}",
        sentence,
        count=1,
    )


def _reworded(query: str, seed: str) -> str:
    words = ("results", "quarter", "management", "summary", "call", "highlights", "company")
    return f"{query} {random.Random(seed).choice(words)}"


@solver
def first_sentence_read() -> Solver:
    """A-RAG, whose `chunk_read` gives the first sentence of a chunk (patched by `run_all`)."""
    return _named("first_sentence_read", arag())


@solver
def arag_reworded() -> Solver:
    """A-RAG with four results a search where it has five."""
    return _named("arag_reworded", arag(top_k=4))


def _named(name: str, inner: Solver) -> Solver:
    """Return the same solver under another name."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await inner(state, generate)
        state.store_as(RetrievalTrace).system = name
        return state

    return solve


def run_all(corpus: str, folder: str, limit: int | None = None) -> None:
    """Let every system answer every sample, into a folder of logs."""

    def run(made: Solver) -> None:
        task = ectsum(split="val", corpus=corpus, scorers="fact_coverage,retrieval_pr")
        (log,) = eval(task, solver=made, model=MODEL, limit=limit, log_dir=folder, display="none")
        assert log.status == "success", log.error

    for made in (
        naive_rag(top_k=TOP_K, scope="sample_documents"),
        arag(),
        oracle(),
        arag_reworded(),
    ):
        run(made)
    for kind in (*SPOILT, "naive_reworded"):
        if kind != "first_sentence_read":
            run(spoilt(kind))
    module = import_module("arag_inspect.tools.search")
    names = ("passage", "show_passage")
    cut: dict[str, Any] = {
        name: partial(_of_first_sentence, getattr(module, name)) for name in names
    }
    with patch.multiple(module, **cut):
        run(first_sentence_read())


def _of_first_sentence(function: Callable[..., Any], chunk: Chunk, *more: Any) -> Any:
    first = sentences(chunk.text)[:1]
    return function(replace(chunk, text=first[0] if first else chunk.text), *more)


def diagnose(read: Frames, system: str, baseline: str | None, ids: list[str]) -> Advice | None:
    """Return the advice on a system from some samples, beside the oracle and maybe a baseline."""
    names = [system, "oracle", *([baseline] if baseline else [])]
    runs = read.runs[read.runs["system"].isin(names)]
    answers, scores = (
        frame[frame["system"].isin(names) & frame["id"].isin(ids)]
        for frame in (read.answers, read.scores)
    )
    own = read._replace(runs=runs, answers=answers, scores=scores)
    (benchmark,) = benchmarks(own, Choices(baseline=baseline))
    return next((one for one in advice(benchmark) if one.system == system), None)


def tally(read: Frames, sets: int = SETS) -> dict[tuple[str, bool], list[str]]:
    """Return the stages named, of every system and set, with a baseline and without."""
    systems = {_kind(run): str(run.system) for run in read.runs.itertuples()}
    ids = sorted(read.answers["id"].unique())
    parts = [random.Random(seed).sample(ids, min(SIZE, len(ids))) for seed in range(sets)]
    cases = {**{name: base for name, (_, base) in SPOILT.items()}, **UNSPOILT}
    return {
        (name, beside): [
            f"{found.stage}{'' if found.reference or not beside else ' (largest)'}"
            if (found := diagnose(read, systems[name], systems[base] if beside else None, part))
            else "-"
            for part in parts
        ]
        for name, base in cases.items()
        for beside in (True, False)
    }


def _kind(run: Any) -> str:
    return str(run.parameters.get("kind", run.solver))


def main(corpus: str, logs: str | None = None) -> None:
    """Print how often the stage that was spoilt is named."""
    with TemporaryDirectory() as temporary:
        if logs is None:
            run_all(corpus, temporary)
        read = frames(logs or temporary)
    right = {True: 0, False: 0}
    for (name, beside), named in tally(read).items():
        expected = SPOILT.get(name, ("none",))[0]
        hits = sum(stage.startswith(expected) for stage in named)
        right[beside] += hits if name in SPOILT else 0
        how = "beside the baseline" if beside else "alone"
        print(f"{name:24}{how:20}{expected:10} {dict(Counter(named))}")
    print(f"right beside the baseline {right[True]} of 70, alone {right[False]} of 70")


if __name__ == "__main__":
    main(*sys.argv[1:])
