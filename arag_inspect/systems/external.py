"""Call your own live system, once per sample."""

import logging
import math
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import concurrency

from arag_inspect._util.encodable import change_texts
from arag_inspect._util.errors import InputError, check_number, check_positive
from arag_inspect._util.user_code import COMMAND, code_digests
from arag_inspect.corpus import Corpus
from arag_inspect.prompts import load_prompt
from arag_inspect.systems.live.endpoint import Api, Endpoint
from arag_inspect.systems.live.local import CommandSystem, FunctionSystem
from arag_inspect.systems.live.passages_in_corpus import Matched, match_passages
from arag_inspect.systems.live.reply import EndpointReply, Note, TargetError, read_reply
from arag_inspect.systems.prompting import DEFAULT_LENGTH, writing_instructions
from arag_inspect.systems.tracing import traced_run
from arag_inspect.types.sample import SampleMetadata, most_words, sample_metadata
from arag_inspect.types.system import EXTERNAL
from arag_inspect.types.trace import Search, TraceRecord

logger = logging.getLogger(__name__)

_ASKABLE = ("source", "corpus", "doc_ids", "company", "period", "style", "target_length")
"""Metadata that a system may see, without gold answer and evidence."""


class _LiveSystem(Protocol):
    """An endpoint, a function or a program."""

    @property
    def searches_corpus(self) -> bool:
        """Whether it may search the corpus through this package."""

    async def ask(self, fields: Mapping[str, Any], corpus: Corpus | None) -> object:
        """Return the answer to the question of the fields."""

    def request(self, fields: Mapping[str, Any]) -> str:
        """Return the request that `ask` sends."""

    def redact(self, text: str) -> str:
        """Replace credentials in a text that is recorded."""


@solver
def external(
    *,
    target: str | None = None,
    name: str | None = None,
    api: Api = "json",
    method: str = "POST",
    headers: dict[str, str] | None = None,
    body: Any = None,
    paths: dict[str, str] | None = None,
    instructions: bool = False,
    bridge: bool = False,
    timeout: float = 300,
    retries: int = 3,
    max_connections: int = 4,
) -> Solver:
    """Answer with a live system: a Python function, an HTTP endpoint or a program.

    The system answers with text, or with a mapping of `text` and optionally `passages` (chunk ids,
    texts, or mappings of `chunk_id`, `text` and `score`), `input_tokens`, `output_tokens`,
    `cost_usd` and `steps` (a number, or searches with `query`, `tool` and `chunk_ids`). Passages
    are located in the corpus by their text; without a text, by their chunk id. A return value that
    is not a valid answer fails the sample.

    Args:
        target: Required. `module:function` or `file.py:function` (synchronous or not; gets the
            question, and `metadata` and `corpus` if it takes arguments of these names),
            `http(s)://...`, or `$ COMMAND LINE` of an agent that reads the question from its input.
        name: Name of the system in the report. Default: external, with the target if there are
            several.
        api: Kind of endpoint: json, or openai-compatible for a chat endpoint.
        method: POST, GET or PUT.
        headers: Headers of each request. Unless a header is known to be harmless, its value must be
            `${NAME}` with an environment variable, alone or after a scheme such as `Bearer`. The
            same holds for parameters of the address.
        body: Body of each request, with placeholders `{{question}}`, `{{sample_id}}` and fields of
            the metadata, e.g. `{{company}}`. Default `{"question": "{{question}}"}`.
        paths: JSONPaths of `text`, `passages`, `passage_text`, `passage_id` (both within a
            passage), `input_tokens`, `output_tokens`, `cost_usd`, `steps` and `stop_reason` in the
            response. Several matches of `text` are the parts of an answer; several matches of
            tokens and cost are added up. Default: the names above.
        instructions: Whether to add the writing instructions of our own systems to the question.
            Without them, a request for a summary ends with one line about its length.
        bridge: Whether an asynchronous function runs in Inspect's agent bridge: if its OpenAI,
            Anthropic or Google client requests the model `inspect`, it gets the model of the run,
            and tokens and dollars are counted.
        timeout: Time limit of an answer, in seconds.
        retries: Further attempts after a status 408, 429 or 5xx, a broken connection or a timeout.
        max_connections: Concurrent questions.

    Raises:
        InputError: The target or a parameter is invalid.
    """
    _check_parameters(name, timeout, retries, max_connections)
    target = _checked_target(target)
    warned: set[str] = set()
    if target.startswith(("http://", "https://")):
        system: _LiveSystem = Endpoint(
            target,
            fields=("question", "sample_id", *_ASKABLE),
            api=api,
            method=method,
            headers=headers,
            body=body,
            paths=paths,
            timeout=timeout,
            retries=retries,
        )
    else:
        system = _local_system(target, bridge, timeout)
    digests = code_digests(target)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        corpus = await _open_corpus(sample_metadata(state).corpus, system)
        fields = _fields(state, instructions)
        with traced_run(state, EXTERNAL) as trace:
            trace.code_sha256 = digests
            start_time = time.perf_counter()
            try:
                async with concurrency(f"external {target}", max_connections):
                    reading = await _answer(state, system, fields, corpus, trace, start_time)
            except TargetError as error:
                raise TargetError(f"{target} {system.redact(str(error))}") from None
            if bridge:  # the bridge's calls are counted from Inspect's events
                trace.cost_usd = 0.0
            state.output.metadata = reading.metadata(system.redact(system.request(fields)))
            _warn_once(target, reading.notes, warned)
        return state

    return solve


def _checked_target(target: object) -> str:
    if not isinstance(target, str) or not target.strip():
        raise InputError("external needs a target: -S target=file.py:function or http://...")
    return target


def _check_parameters(name: object, timeout: float, retries: int, max_connections: int) -> None:
    check_positive(max_connections=max_connections)
    check_number(0.001, math.inf, timeout=timeout)
    check_number(0, math.inf, retries=retries)
    if name is not None and not (isinstance(name, str) and name.strip()):
        raise InputError(f"name must be text, got {name!r}")


def _local_system(target: str, bridge: bool, timeout: float) -> _LiveSystem:
    if target.startswith(COMMAND):
        return CommandSystem(target, timeout=timeout)
    return FunctionSystem(target, bridge=bridge, timeout=timeout)


async def _open_corpus(address: str | None, system: _LiveSystem) -> Corpus | None:
    """Open the corpus of a sample, with model and index loaded if the system may search in it.

    Loading them is not part of the time that an answer takes.
    """
    if not address:
        return None
    corpus = await Corpus.open_async(address)
    if system.searches_corpus:
        with suppress(InputError):  # a search reports it, and not all systems search
            await corpus.load()
    return corpus


def _fields(state: TaskState, instructions: bool) -> dict[str, Any]:
    """Return the fields that a request to the system may use."""
    metadata = sample_metadata(state)
    return {
        "question": _format_question(state.input_text, metadata, instructions),
        "sample_id": state.sample_id,
        **metadata.model_dump(mode="json", include=set(_ASKABLE)),
    }


def _warn_once(target: str, notes: Iterable[Note], warned: set[str]) -> None:
    """Warn of each kind of note on an answer once."""
    for note in notes:
        if note.kind not in warned:
            warned.add(note.kind)
            logger.warning(f"{target} {note.text}; doctor --system shows one answer")


class _Reading(NamedTuple):
    """How an answer was understood."""

    passages: dict[str, int] | None
    """Number of passages by how they were found in the corpus; None without reported passages."""

    notes: list[Note]

    def metadata(self, sent: str) -> dict[str, Any]:
        """Return the log's entries about an answer and its request."""
        notes = [note.text for note in self.notes]
        return {"passages": self.passages, "notes": notes, "sent": sent}


async def _answer(
    state: TaskState,
    system: _LiveSystem,
    fields: dict[str, Any],
    corpus: Corpus | None,
    trace: TraceRecord,
    start_time: float,
) -> _Reading:
    """Ask the system and record its answer; return how it was understood.

    Both times exclude the matching of passages.
    """
    start = time.perf_counter()
    answer = await system.ask(fields, corpus)
    questions = (state.input_text.strip(), str(fields["question"]).strip())
    reply = change_texts(read_reply(answer, system.redact, questions), system.redact)
    end = time.perf_counter()
    trace.latency_ms = round((end - start) * 1000, 1)
    trace.wall_ms = round((end - start_time) * 1000, 1)
    trace.loops = len(reply.steps) if isinstance(reply.steps, list) else reply.steps or 0
    trace.input_tokens = reply.input_tokens or 0
    trace.output_tokens = reply.output_tokens or 0
    matched = None
    if reply.passages is not None:
        matched = await match_passages(reply.passages, corpus)
        trace.context = "retrieved"
        trace.loops = trace.loops or 1
        trace.passages = matched.passages
        trace.returned = matched.returned
    trace.searches = _searches(reply, matched, state.input_text, corpus)
    state.output = ModelOutput.from_content(str(state.model), reply.text, reply.stop_reason)
    state.messages.append(state.output.message)
    trace.cost_usd = reply.cost_usd
    trace.stopped_by = "answer"
    if matched is None:
        return _Reading(None, reply.notes)
    return _Reading(matched.counts, [*reply.notes, *filter(None, [matched.foreign_id])])


def _format_question(text: str, metadata: SampleMetadata, instructions: bool) -> str:
    """Return the request: the bare question, a request with its length, or our instructions."""
    length = metadata.target_length or DEFAULT_LENGTH
    if instructions:
        return f"{text}\n\n{writing_instructions(metadata.style, length, 'retrieved')}"
    wording = load_prompt(f"styles/{metadata.style}")
    has_length = "{{most_words}}" in wording or "{{target_length}}" in wording
    return f"{text}\n\nWrite at most {most_words(length)} words." if has_length else text


def _searches(
    reply: EndpointReply, matched: Matched | None, question: str, corpus: Corpus | None
) -> list[Search]:
    """Return the searches that a reply reports, else a search that found its passages."""
    if isinstance(reply.steps, list) and reply.steps:
        are_ours = matched is None or matched.foreign_id is None
        searches = []
        for loop, step in enumerate(reply.steps, start=1):
            chunk_ids = _select_valid_ids(step.chunk_ids, corpus) if are_ours else []
            searches.append(Search(step.tool, step.query, chunk_ids, scores=[], loop=loop))
        return searches
    if matched is None:
        return []
    scores = [score for score in matched.ranked.values() if score is not None]
    return [
        Search(
            tool=EXTERNAL.name,
            query=question,
            chunk_ids=list(matched.ranked),
            scores=scores if len(scores) == len(matched.ranked) else [],
            loop=1,
        )
    ]


def _select_valid_ids(chunk_ids: list[int], corpus: Corpus | None) -> list[int]:
    """Return the ids of chunks of the corpus."""
    return [number for number in chunk_ids if corpus is None or 0 <= number < len(corpus)]
