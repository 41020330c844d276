"""A-RAG as a whole against a bare Inspect loop: same model, same turns, tools that do nothing."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from inspect_ai import Task, eval
from inspect_ai.agent import AgentPrompt, as_solver, react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Solver
from inspect_ai.tool import Tool, ToolChoice, ToolInfo, tool

from arag_inspect.corpus import Corpus, Document, build_corpus
from arag_inspect.prompts import load_prompt
from arag_inspect.solvers import arag
from arag_inspect.types.sample import SampleMetadata
from arag_inspect.types.trace import RetrievalTrace

from .material import documents, keyword_queries, pieces, questions
from .measure import Row, best

_LOOPS = 22
_AGENTS = 32
"""Samples that run at once."""

_USAGE = ModelUsage(input_tokens=5000, output_tokens=100, total_tokens=5100)


def loop(quick: bool) -> list[Row]:
    """Time evaluations with a model that answers at once."""
    samples, repeats = (4, 1) if quick else (200, 2)
    calls = documents(4 if quick else 40)
    passages = pieces(3 * len(calls))
    with TemporaryDirectory() as folder:
        build_corpus(calls, Path(folder) / "corpus", dataset="benchmark")
        corpus = Corpus.open(Path(folder) / "corpus")
        script = Script(samples, calls, len(corpus))
        run = partial(evaluate, script=script, samples=samples, corpus=corpus, logs=folder)
        run(arag(), samples=2)
        (ours, log), (as_long, _), (short, _) = best(
            [
                partial(run, arag()),
                partial(run, _bare(passages)),
                partial(run, _bare(["Nothing."])),
            ],
            repeats,
        )
        _check(log)
    what = f"A-RAG, {samples} samples of {_LOOPS} loops, model that answers at once"
    return [
        Row(
            f"{what}, against react() with tools that return {returned}",
            f"{ours:.1f} s",
            f"{bare:.1f} s",
            ours / bare,
            None if quick else 1.25,
            at_most=True,
            repeats=repeats,
        )
        for returned, bare in (("a passage from memory", as_long), ("one word", short))
    ]


def evaluate(
    solver: Solver,
    script: "Script",
    samples: int,
    corpus: Corpus,
    logs: str,
    at_once: int = _AGENTS,
) -> EvalLog:
    """Evaluate a solver on samples that are numbered, with a script for a model."""
    metadata = SampleMetadata(corpus=str(corpus.path), style="earnings_call", target_length=75)
    dataset = [
        Sample(id=f"s{number}", input=f"Summarize call {number}.", metadata=metadata.model_dump())
        for number in range(samples)
    ]
    [log] = eval(
        Task(dataset=dataset, solver=solver, config=GenerateConfig(max_connections=at_once)),
        model=get_model("mockllm/model", custom_outputs=script, memoize=False),
        display="none",
        log_dir=logs,
        log_level="warning",
    )
    assert log.status == "success", log.error
    return log


def _bare(texts: Sequence[str]) -> Solver:
    """Inspect's own agent, whose tools return the texts in turn."""
    prompt = AgentPrompt(
        instructions=load_prompt("systems/arag"),
        handoff_prompt=None,
        assistant_prompt=None,
        submit_prompt=None,
    )
    return as_solver(react(prompt=prompt, tools=_idle_tools(cycle(texts)), submit=False))


def _idle_tools(texts: Iterator[str]) -> list[Tool]:
    """Tools by the names of ours that do nothing."""

    @tool(name="keyword_search", max_output=0)
    def keyword_search() -> Tool:
        async def execute(keywords: list[str]) -> str:
            """Find chunks that hold exact keywords.

            Args:
                keywords: Exact keywords.
            """
            return next(texts)

        return execute

    @tool(name="semantic_search", max_output=0)
    def semantic_search() -> Tool:
        async def execute(query: str) -> str:
            """Find chunks by meaning.

            Args:
                query: A phrase.
            """
            return next(texts)

        return execute

    @tool(name="chunk_read", max_output=0)
    def chunk_read() -> Tool:
        async def execute(chunk_ids: list[int]) -> str:
            """Read chunks in full.

            Args:
                chunk_ids: Ids from search results.
            """
            return next(texts)

        return execute

    return [keyword_search(), semantic_search(), chunk_read()]


class Script:
    """A model that searches by keyword, searches by meaning and reads, in turn, and then answers."""

    def __init__(self, samples: int, calls: Sequence[Document], chunks: int) -> None:
        turns = samples * _LOOPS
        self._keywords = keyword_queries(pieces(2 * len(calls)), turns)
        self._questions = questions(turns, calls)
        self._chunks = chunks

    def __call__(
        self,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        turn = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        [asked] = [message.text for message in messages if message.role == "user"]
        number = int(asked.split()[-1].rstrip(".")) * _LOOPS + turn
        output = (
            ModelOutput.from_content("mockllm", "Revenue rose.")
            if turn == _LOOPS - 1
            else self._call(turn, number)
        )
        output.usage = _USAGE.model_copy()
        return output

    def _call(self, turn: int, number: int) -> ModelOutput:
        name, arguments = (
            ("keyword_search", {"keywords": self._keywords[number]}),
            ("semantic_search", {"query": self._questions[number]}),
            ("chunk_read", {"chunk_ids": [(number * 7 + turn) % self._chunks]}),
        )[turn % 3]
        return ModelOutput.for_tool_call("mockllm", name, arguments, tool_call_id=uuid4().hex)


def _check(log: EvalLog) -> None:
    """Make sure that A-RAG did all that is being timed."""
    for sample in log.samples or []:
        trace = sample.store_as(RetrievalTrace)
        assert trace.loops == _LOOPS and trace.stopped_by == "answer"
        assert len(trace.searches) == 14
        assert all(
            search.chunk_ids for search in trace.searches if search.tool == "semantic_search"
        )
