"""Test the diagnosis of deliberately spoilt systems: `python -m measurements.diagnosis CORPUS`.

CORPUS is a prepared folder of ECTSum (`arag-inspect prepare ectsum --split train --limit 300`).
Each spoilt system answers every sample once; then the advice is read on ten sets of samples, once
beside the unspoilt system as the baseline, and once without it. The sets share no sample if there
are enough.

The writer is a script that states 8 in 10 of the key facts in its prompt. `offline/extractive`
(`--writer`) writes as few facts from eight passages as from one, so a writer that sees only the
first is no worse. It takes eight minutes of one core's time.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from inspect_ai import eval
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, modelapi
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from arag_inspect.corpus import Chunk, Corpus
from arag_inspect.models.offline.extractive import Extractive
from arag_inspect.report import Frames, Study, frames, studies
from arag_inspect.report.fact_paths import shares
from arag_inspect.report.findings.advice import advice
from arag_inspect.report.study import Choices
from arag_inspect.solvers import arag, naive_rag, oracle
from arag_inspect.systems.single_call import answer_from
from arag_inspect.systems.tools.search import passage
from arag_inspect.systems.tracing import traced_run
from arag_inspect.tasks import ectsum
from arag_inspect.text.sentences import sentences
from arag_inspect.types.sample import sample_metadata
from arag_inspect.types.system import System
from arag_inspect.types.trace import RetrievalTrace, Search

SETS, SIZE = 10, 30
TOP_K, FEW = 8, 2
"""Passages shown; few where the order matters, since a call may have only eight chunks."""

WRITES = 0.8
"""Share of the facts in its prompt that the scripted writer states."""

SPOILT = {
    "random_chunks": ("not_found", "naive_rag"),
    "right_chunk_last": ("not_found", "few_chunks"),
    "first_sentence_read": ("not_read", "arag"),
    "first_passage_only": ("left_out", "naive_rag"),
    "every_second_dropped": ("left_out", "naive_rag"),
    "figure_changed": ("wrong", "naive_rag"),
    "evidence_not_retrieved": ("unread", "naive_rag"),
}
"""Stage that each spoilt system spoils, and the system it derives from."""

UNSPOILT = {"naive_reworded": "naive_rag", "arag_reworded": "arag"}
"""Systems with harmlessly reworded queries."""


class Script:
    """State of the scripted writer: the key facts by request, and the asking system."""

    facts: dict[str, list[str]]
    system = ""


@modelapi(name="writer")
class Writer(Extractive):
    """Searches by the rules of `offline/extractive`, and writes key facts that it was shown."""

    def __init__(self, model_name: str, *more: Any, **named: Any) -> None:
        super().__init__("extractive")

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Call a tool, or write each key fact in the prompt with a probability."""
        output = await super().generate(input, tools, tool_choice, config)
        if output.message.tool_calls:
            return output
        request = next(message.text for message in input if message.role == "user")
        shown = _spaced(" ".join(message.text for message in input))
        stated = [
            fact
            for fact in Script.facts[request.rpartition("Request: ")[2]]
            if _spaced(fact) in shown and random.Random(f"{Script.system} {fact}").random() < WRITES
        ]
        output.completion = " ".join(stated) or output.completion
        return output


def _spaced(text: str) -> str:
    return " ".join(text.split())


@solver
def spoilt(kind: str) -> Solver:
    """Naive RAG, spoilt in one way, as the trace and the answer show it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        corpus = await Corpus.open_async(metadata.corpus)
        gold = set(metadata.gold_chunk_ids)
        with traced_run(state, System(kind, "retrieved")) as trace:
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
            count = FEW if kind in ("few_chunks", "right_chunk_last") else TOP_K
            ids = [] if kind == "evidence_not_retrieved" else ids[:count]
            chunks = [corpus.chunk(chunk_id) for chunk_id in ids]
            if ids:
                trace.searches = [
                    Search(tool="semantic_search", query=query, chunk_ids=ids, scores=[], loop=1)
                ]
            shown = chunks[:1] if kind == "first_passage_only" else chunks
            shown = shown or [corpus.chunk(chunk_id) for chunk_id in sorted(gold)]
            await answer_from(shown, state, metadata, trace)
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


def run_all(split: str, corpus: str, folder: str, writer: str, limit: int | None = None) -> None:
    """Let every system answer every sample, into a folder of logs."""
    task = ectsum(split=split, corpus=corpus, scorers="fact_coverage")
    Script.facts = {
        str(sample.input): [fact["text"] for fact in (sample.metadata or {})["facts"]]
        for sample in task.dataset
    }

    def run(name: str, made: Solver) -> None:
        Script.system = name
        (log,) = eval(
            task,
            solver=made,
            model=writer,
            limit=limit,
            log_dir=folder,
            display="none",
            log_realtime=False,
        )
        assert log.status == "success", log.error
        print(f"{name} has answered", file=sys.stderr, flush=True)

    run("naive_rag", naive_rag(top_k=TOP_K, scope="sample_documents"))
    run("arag", arag())
    run("oracle", oracle())
    run("arag_reworded", arag_reworded())
    for kind in ("few_chunks", "naive_reworded", *SPOILT):
        if kind != "first_sentence_read":
            run(kind, spoilt(kind))
    module = import_module("arag_inspect.systems.tools.search")
    names = ("passage", "show_passage")
    cut: dict[str, Any] = {
        name: partial(_of_first_sentence, getattr(module, name)) for name in names
    }
    with patch.multiple(module, **cut):
        run("first_sentence_read", first_sentence_read())


def _of_first_sentence(function: Callable[..., Any], chunk: Chunk, *more: Any) -> Any:
    first = sentences(chunk.text)[:1]
    return function(replace(chunk, text=first[0] if first else chunk.text), *more)


def part_of(read: Frames, systems: list[str], ids: list[str], baseline: str | None) -> Study:
    """Return a report's data on some systems and samples."""
    runs = read.runs[read.runs["system"].isin(systems)]
    answers, scores = (
        frame[frame["system"].isin(systems) & frame["id"].isin(ids)]
        for frame in (read.answers, read.scores)
    )
    own = read._replace(runs=runs, answers=answers, scores=scores)
    (study,) = studies(own, Choices(baseline=baseline))
    return study


def diagnose(read: Frames, system: str, baseline: str | None, ids: list[str]) -> str:
    """Return the stage that the advice names, with "!" if it reports a fault there.

    A fault is a stage that loses more than the baseline, or where facts are stated wrongly or
    unread; any other stage is only where most is lost.
    """
    names = [system, "oracle", *([baseline] if baseline else [])]
    found = [one for one in advice(part_of(read, names, ids, baseline)) if one.system == system]
    return next(
        (
            one.stage + "!" * bool(one.reference or one.stage in ("wrong", "unread"))
            for one in found
        ),
        "-",
    )


def worse(read: Frames, system: str, baseline: str) -> float:
    """Return how much less a system states than its baseline, over all samples."""
    ids = list(read.answers["id"].unique())
    own = shares(part_of(read, [system, baseline], ids, baseline))
    stated = [np.nanmean(own[name, "stated"]) for name in (baseline, system)]
    return float(stated[0] - stated[1])


def draw_sets(ids: list[str], seed: int, size: int) -> list[list[str]]:
    """Return sets of samples, apart from each other if there are enough."""
    chance = random.Random(seed)
    if len(ids) < SETS * size:
        return [chance.sample(ids, min(size, len(ids))) for _ in range(SETS)]
    drawn = chance.sample(ids, SETS * size)
    return [drawn[start : start + size] for start in range(0, len(drawn), size)]


def tally(read: Frames, seed: int, size: int) -> Iterator[tuple[str, bool, list[str]]]:
    """Yield the stages named in each set, of every system, with a baseline and without."""
    systems = {
        str(run.parameters.get("kind", run.solver)): str(run.system)
        for run in read.runs.itertuples()
    }
    sets = draw_sets(sorted(read.answers["id"].unique()), seed, size)
    cases = {**{name: base for name, (_, base) in SPOILT.items()}, **UNSPOILT}
    for name, base in cases.items():
        print(f"{name} states {worse(read, systems[name], systems[base]):.2f} less", flush=True)
        for beside in (True, False):
            against = systems[base] if beside else None
            yield name, beside, [diagnose(read, systems[name], against, part) for part in sets]


def main() -> None:
    """Print how often the spoilt stage is named."""
    parser = argparse.ArgumentParser(prog="python -m measurements.diagnosis")
    parser.add_argument("corpus")
    parser.add_argument("--split", default="train")
    parser.add_argument("--logs", help="folder of logs; what is there is not run again")
    parser.add_argument("--limit", type=int, default=SETS * SIZE)
    parser.add_argument("--size", type=int, default=SIZE, help="samples of a set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--writer", default="writer/known")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = options.logs or temporary
        if not any(Path(folder).glob("*.eval")):
            run_all(options.split, options.corpus, folder, options.writer, options.limit)
        read = frames(folder)
    right, named_right, false = Counter[bool](), Counter[bool](), Counter[bool]()
    for name, beside, named in tally(read, options.seed, options.size):
        expected = SPOILT.get(name, ("none",))[0]
        right[beside] += named.count(f"{expected}!")
        named_right[beside] += sum(stage.rstrip("!") == expected for stage in named)
        false[beside] += sum(stage.endswith("!") for stage in named) * (name in UNSPOILT)
        how = "beside the baseline" if beside else "alone"
        print(f"{name:24}{how:20}{expected:10} {dict(Counter(named))}", flush=True)
    for beside, how in ((True, "beside the baseline"), (False, "alone")):
        print(
            f"{how}: {named_right[beside]} of 70 named, {right[beside]} as what is wrong; "
            f"{false[beside]} of 20 unspoilt called wrong"
        )


if __name__ == "__main__":
    main()
