"""Replay another system's answers, to score them here."""

import json
from pathlib import Path
from typing import Any

from inspect_ai.model import ModelOutput, StopReason
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arag_inspect._util.bounds import STEPS
from arag_inspect._util.encodable import encodable
from arag_inspect._util.errors import InputError, one_line
from arag_inspect.corpus import Corpus
from arag_inspect.systems.live.passages_in_corpus import match_passages
from arag_inspect.systems.live.reply import ReportedPassage, TargetError
from arag_inspect.systems.tools.search import passage
from arag_inspect.systems.tracing import skip
from arag_inspect.types.calls import from_calls
from arag_inspect.types.sample import sample_metadata
from arag_inspect.types.system import REPLAY, ContextSource
from arag_inspect.types.trace import (
    Passage,
    RetrievalTrace,
    ReturnedPassage,
    Search,
    StoppedBy,
)

_STOPS: dict[str, StopReason] = {"refused": "content_filter", "truncated": "max_tokens"}


class ReplayExtras(BaseModel):
    """Further fields that our report stores with an answer."""

    epoch: int = 1
    system: str = REPLAY.name
    context: ContextSource | None = None
    """None: `retrieved` if there are tool calls, else `none`."""

    reads_once: bool = False
    returned: list[ReturnedPassage] = Field(default_factory=list)
    stopped_by: StoppedBy | None = "answer"
    outcome: str = "answered"
    wall_ms: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    chunk_ids: list[int] = Field(default_factory=list)
    """Chunks of the corpus given with the question."""


class Prediction(BaseModel):
    """One answer of an external system; only `id` and `predicted` are required."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str
    predicted: str
    skipped: bool = False
    skip_reason: str = "not answered"
    error: str | None = None
    """Why there is no answer."""

    replay: ReplayExtras = Field(default_factory=ReplayExtras)
    searches: list[Search] = Field(default_factory=list, max_length=STEPS.maximum)
    passages: list[Passage] = Field(default_factory=list)
    """Details of `trace`."""

    passage_texts: list[str] = Field(default_factory=list)
    """Texts of passages whose chunks are unknown."""

    loops: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    latency_ms: float | None = Field(default=None, ge=0, allow_inf_nan=False)


@solver
def replay(*, predictions: str | None = None) -> Solver:
    """Answer each sample with the entry of a file for its id.

    A `predictions.jsonl` of our report restores the whole trace, and so the same scores; a record
    with `skipped` skips the sample.

    Args:
        predictions: Required. JSON Lines with `id` and `predicted` (and optionally `loops`,
            `input_tokens`, `output_tokens`, `cost_usd`, `latency_ms`, and `trace`, a list of tool
            calls with `loop`, `tool_name`, `arguments` and `tool_result`), or a folder of
            `<id>.txt`.

    Raises:
        InputError: The file or folder is missing, or a line is invalid.
    """
    if not isinstance(predictions, str):
        raise InputError("replay needs the path of a file or folder: -S predictions=PATH")
    answers = _read_predictions(Path(predictions).expanduser())

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trace = state.store_as(RetrievalTrace)
        trace.system = REPLAY.name
        trace.context = REPLAY.reads
        sample_id = str(state.sample_id)
        answer = answers.get((sample_id, state.epoch), answers.get((sample_id, 1)))
        if answer is None or (answer.error and not answer.predicted):
            trace.stopped_by = "error"
            suffix = f": {answer.error}" if answer else ""
            raise InputError(f"{predictions} has no prediction for sample {sample_id!r}{suffix}")
        if not answer.passages and not answer.skipped:
            answer.passages = await _corpus_passages(state, answer.replay.chunk_ids)
        return _restore_answer(state, trace, answer)

    return solve


RECORDED = "replayed_answer"
"""Metadata key of the answer that `replay_recorded` gives, as a `Prediction`."""


class FailedCallError(RuntimeError):
    """A recorded call failed; the message is its error."""

    def __repr__(self) -> str:
        """Return the message alone, which Inspect logs as the sample's error."""
        return str(self)


@solver
def replay_recorded() -> Solver:
    """Answer each sample with the answer in its metadata, and remove it from there.

    If the sample has a corpus, passages are located in it by their text.

    Raises:
        InputError: The passages are too long for a log.
        FailedCallError: The recorded call failed.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        answer = Prediction.model_validate(state.metadata[RECORDED])
        state.metadata = {key: state.metadata[key] for key in state.metadata if key != RECORDED}
        texts = [ReportedPassage(text=text) for text in answer.passage_texts]
        if texts:
            corpus = sample_metadata(state).corpus
            try:
                matched = await match_passages(
                    texts, await Corpus.open_async(corpus) if corpus else None
                )
            except TargetError as error:
                raise InputError(f"the answer to sample {state.sample_id} {error}") from None
            answer.passages = matched.passages
            answer.replay.returned = matched.returned
        trace = state.store_as(RetrievalTrace)
        if answer.error:
            trace.system = answer.replay.system
            trace.stopped_by = "error"
            trace.cost_usd = answer.cost_usd
            trace.input_tokens = answer.input_tokens
            trace.output_tokens = answer.output_tokens
            raise FailedCallError(answer.error)
        return _restore_answer(state, trace, answer)

    return solve


def _restore_answer(state: TaskState, trace: RetrievalTrace, answer: Prediction) -> TaskState:
    """Set an answer and its trace."""
    details = answer.replay
    has_retrieved = bool(answer.searches or answer.passages)
    trace.system = details.system
    trace.reads_once = details.reads_once
    trace.returned = details.returned
    trace.context = details.context or ("retrieved" if has_retrieved else "none")
    trace.cost_usd = answer.cost_usd
    if answer.skipped:
        return skip(state, trace, answer.skip_reason)
    trace.searches = answer.searches
    trace.passages = answer.passages
    trace.loops = answer.loops
    trace.stopped_by = details.stopped_by
    trace.input_tokens = answer.input_tokens
    trace.output_tokens = answer.output_tokens
    trace.latency_ms = answer.latency_ms
    trace.wall_ms = details.wall_ms
    stop: StopReason = _STOPS.get(details.outcome, "stop")
    state.output = ModelOutput.from_content(str(state.model), answer.predicted, stop)
    state.messages.append(state.output.message)
    return state


async def _corpus_passages(state: TaskState, chunk_ids: list[int]) -> list[Passage]:
    """Return chunks of the sample's corpus in the trace's form."""
    corpus = sample_metadata(state).corpus if chunk_ids else ""
    if not corpus:
        return []
    opened_corpus = await Corpus.open_async(corpus)
    chunks = await opened_corpus.chunks(chunk_ids)
    parts = await opened_corpus.parts(chunks)
    return [passage(chunk, 1, parts.get(chunk.chunk_id, "")) for chunk in chunks]


def _read_predictions(path: Path) -> dict[tuple[str, int], Prediction]:
    predictions = []
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    for file in files:
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"predictions {file} cannot be read: {one_line(error)}") from None
        if path.is_dir():
            predictions.append(Prediction(id=file.stem, predicted=text))
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                predictions.append(_parse_prediction(line, f"{path}, line {number}"))
    if not predictions:
        raise InputError(f"{path} has no predictions; give JSON Lines or a folder of <id>.txt")
    answers: dict[tuple[str, int], Prediction] = {}
    for prediction in predictions:
        key = prediction.id, prediction.replay.epoch
        if key in answers:
            raise InputError(f"{path} has two predictions for id {prediction.id!r}")
        answers[key] = prediction
    return answers


def _parse_prediction(line: str, origin: str) -> Prediction:
    try:
        record: Any = json.loads(line)
        fields = _read_fields(record) if isinstance(record, dict) else record
        return encodable(Prediction.model_validate(fields))
    except ValidationError as error:
        first_error = error.errors()[0]
        field = ".".join(map(str, first_error["loc"])) or "line"
        raise InputError(f"{origin}: {field}: {first_error['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{origin} is not JSON: {error}") from None


def _read_fields(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without null values, with its calls parsed."""
    fields = {key: value for key, value in record.items() if value is not None}
    if not isinstance(fields.get("error"), str):
        fields.pop("error", None)
    if fields.get("skipped") or fields.get("error"):
        fields.setdefault("predicted", "")
    try:
        fields["searches"], fields["passages"] = from_calls(record.get("trace") or [])
    except (KeyError, TypeError, ValueError):
        fields["searches"] = []  # not tool calls
        fields["passages"] = []
    return fields
