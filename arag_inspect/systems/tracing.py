"""The trace of a run: passages read, time, cost and reason for stopping."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version

import anyio
from inspect_ai.log import transcript
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, sample_limits

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import digest
from arag_inspect.corpus import Corpus, Manifest, read_manifest
from arag_inspect.models.call_monitor import stopping
from arag_inspect.models.pricing import warn_of_unknown
from arag_inspect.models.reply_cache import answering
from arag_inspect.models.request_key import asking
from arag_inspect.models.spending import measuring_waits
from arag_inspect.models.token_estimates import estimate_mock_tokens
from arag_inspect.models.usage import add_calls
from arag_inspect.prompts import fence, prompts_digest
from arag_inspect.types.sample import replace_surrogates
from arag_inspect.types.system import System
from arag_inspect.types.trace import TraceRecord, recording


@contextmanager
def traced_run(state: TaskState, system: System, **parameters: object) -> Iterator[TraceRecord]:
    """Record a run of a system: its corpus, time, cost and reason for stopping.

    The cost is taken from Inspect's events, which include every call, even one that exceeded a
    limit and whose output was not used.

    Args:
        state: The sample.
        system: The system.
        parameters: Parameters of the system; replies given under other parameters are not reused.
    """
    if not any(message.role == "user" for message in state.messages):
        raise InputError(f"input of sample {state.sample_id} has no user message")
    replace_surrogates(state)
    fence("passage", "")  # compiles its pattern once, before the clock runs
    request_subject = asking(system=system.name, sample=str(state.sample_id), epoch=state.epoch)
    with stopping(), request_subject, recording(state) as record:
        record.system = system.name
        record.context = system.reads
        record.reads_once = system.reads_once
        manifest = _manifest(state)
        record.corpus_sha256 = manifest.chunks_sha256 if manifest else None
        warn_of_unknown([get_model()])
        estimate_mock_tokens([get_model()])
        first_event = len(transcript().events)
        try:
            conditions = _describe_conditions(manifest, parameters)
            with answering(f"{system.name} {state.sample_id}", conditions), _record_times(record):
                yield record
        except (LimitExceededError, anyio.get_cancelled_exc_class()) as error:
            record.stopped_by = "limit"  # a time limit cancels the task
            record.loops += isinstance(error, LimitExceededError)
            raise
        except Exception:
            record.stopped_by = "error"
            raise
        finally:
            add_calls(record, transcript().events[first_event:])


@contextmanager
def _record_times(record: TraceRecord) -> Iterator[None]:
    """Record the times of a block, unless the block sets them itself."""
    clock = sample_limits().working
    start = clock.usage
    wall_start = time.perf_counter()
    wait_times: list[float] = []
    try:
        with measuring_waits() as wait_times:
            yield
    finally:
        if record.wall_ms is None:
            record.wall_ms = round((time.perf_counter() - wall_start) * 1000, 1)
        if record.latency_ms is None:
            record.latency_ms = round((clock.usage - start - sum(wait_times)) * 1000, 1)


def _manifest(state: TaskState) -> Manifest | None:
    """Return the manifest of the sample's corpus; None if it is missing or unreadable."""
    corpus = (state.metadata or {}).get("corpus")
    if isinstance(corpus, str) and corpus:
        with suppress(InputError):  # systems that search report it
            return read_manifest(Corpus.locate(corpus))
    return None


def _describe_conditions(manifest: Manifest | None, parameters: Mapping[str, object]) -> str:
    """Return the digest of everything except the conversation that answers depend on."""
    texts = [version("arag_inspect"), prompts_digest(), json.dumps(parameters, default=str)]
    if manifest is not None:
        texts += [manifest.chunks_sha256, json.dumps(manifest.embedding.settings)]
    return digest(*texts)


def skip(state: TaskState, trace: TraceRecord, reason: str) -> TaskState:
    """End a sample without an answer; every scorer leaves it unscored.

    Args:
        state: The sample.
        trace: Its record.
        reason: Why, as a clause without a full stop.
    """
    trace.stopped_by = "skipped"
    trace.skipped = reason
    state.output = ModelOutput.from_content(model=str(state.model), content="")
    state.completed = True
    return state
