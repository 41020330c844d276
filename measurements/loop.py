"""Compare A-RAG, its loop alone and in full, with a bare Inspect loop doing the same work."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from unittest.mock import patch
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
from inspect_ai.tool import Tool, ToolChoice, ToolInfo

from arag_inspect.corpus import Corpus, Document, Provenance, build_corpus
from arag_inspect.prompts import load_prompt
from arag_inspect.solvers import arag
from arag_inspect.systems import tools as toolbox
from arag_inspect.systems.agent_tools import ARAG_TOOLS
from arag_inspect.types.sample import SampleMetadata
from arag_inspect.types.trace import RetrievalTrace

from .material import documents, keyword_queries, pieces, questions
from .measure import Row, best

_LOOPS = 22
_AGENTS = 32
"""Samples that run concurrently."""

_USAGE = ModelUsage(input_tokens=5000, output_tokens=100, total_tokens=5100)


def loop(quick: bool) -> list[Row]:
    """Measure the processor time of evaluations with a model that answers instantly."""
    samples, repeats = (4, 1) if quick else (12, 3)
    calls = documents(4 if quick else 8)
    with TemporaryDirectory() as folder:
        build_corpus(calls, Path(folder) / "corpus", Provenance("benchmark"))
        corpus = Corpus.open(Path(folder) / "corpus")
        script = Script(samples, calls, len(corpus))
        run = partial(evaluate, script=script, samples=samples, corpus=corpus, logs=folder)
        tools = _from_memory(str(corpus.path), run(arag()))
        makers: dict[str, Any] = {name: _making(tool) for name, tool in tools.items()}
        [(whole, log), (ours, _), (plain, _)] = best(
            [
                partial(run, arag()),
                patch.multiple(toolbox, **makers)(partial(run, arag())),
                partial(run, _bare(tools.values())),
            ],
            repeats,
            process_time,
        )
        _check(log)
    what = f"A-RAG, {samples} samples of {_LOOPS} loops, processor time"
    return [
        Row(
            f"{what}, {included}, against react() with the same tools from memory",
            f"{seconds:.1f} s",
            f"{plain:.1f} s",
            seconds / plain,
            None if quick else target,
            at_most=True,
            repeats=repeats,
        )
        for included, seconds, target in (
            ("its tools too return from memory what they found before", ours, 1.15),
            ("its tools search: embedding, indices, snippets", whole, 1.25),
        )
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


def _bare(tools: Iterable[Tool]) -> Solver:
    """Inspect's own agent."""
    prompt = AgentPrompt(
        instructions=load_prompt("systems/arag"),
        handoff_prompt=None,
        assistant_prompt=None,
        submit_prompt=None,
    )
    return as_solver(react(prompt=prompt, tools=list(tools), submit=False))


def _from_memory(corpus: str, log: EvalLog) -> dict[str, Tool]:
    """A-RAG's tools as the model sees them, which return what they returned in a log."""
    found = cycle(
        message.text
        for sample in log.samples or []
        for message in sample.messages
        if message.role == "tool"
    )

    def idle(searching: Tool) -> Tool:
        @wraps(searching)
        async def execute(**arguments: Any) -> str:
            return next(found)

        return execute

    return {name: idle(getattr(toolbox, name)(corpus=corpus)) for name in ARAG_TOOLS}


def _making(tool: Tool) -> Callable[..., Tool]:
    return lambda **options: tool


class Script:
    """A model that searches by keyword and by meaning and reads in turn, then answers."""

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
    """Check that A-RAG did everything that is timed."""
    for sample in log.samples or []:
        trace = sample.store_as(RetrievalTrace)
        assert trace.loops == _LOOPS and trace.stopped_by == "answer"
        assert len(trace.searches) == 14
        assert all(
            search.chunk_ids for search in trace.searches if search.tool == "semantic_search"
        )
