"""Record the model replies of a run from its logs, for the provider `recorded`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, resolve_sample_attachments

from .._util.errors import InputError
from .._util.log_files import find_logs, open_log
from ..models.recorded import is_recorded
from ..models.recorded.recording import (
    Header,
    RecordedReply,
    Recording,
    read_request,
    recorded_reply,
)
from ..models.request_key import RequestKey, key_of
from ..types.trace import TRACE_PREFIX


@dataclass
class RecordedLogs:
    """Contents of logs."""

    replies: dict[RequestKey, RecordedReply] = field(default_factory=dict)
    made: str = ""
    """Date of the last run."""

    failed: int = 0
    """Number of failed samples, which are skipped."""

    unnamed: Counter[str] = field(default_factory=Counter)
    """Replies skipped because their requests lack a sample, by model."""

    criteria_scorers: set[str] = field(default_factory=set)
    """Scorers whose judge used criteria written by a judge."""

    _runs: dict[RequestKey, tuple[str, str]] = field(default_factory=dict)
    """Inspect's run id and the log of each reply."""

    def add(self, log: EvalLog) -> None:
        """Add the replies of a log; replies of a later start of the same run replace earlier ones.

        Raises:
            InputError: Another run has a different reply to the same request.
        """
        self.made = max(self.made, str(log.eval.created)[:10])
        for sample in log.samples or []:
            if sample.error is not None:
                self.failed += 1
                continue
            self.criteria_scorers |= _scorers_by_criteria(sample)
            for event in _calls(sample):
                key = key_of(event.input, _answer_key(sample))
                if key is None:
                    self.unnamed[event.model] += 1
                else:
                    self._add(_reply(key, event), log)

    def _add(self, reply: RecordedReply, log: EvalLog) -> None:
        key = reply.key
        run, location = self._runs.setdefault(key, (log.eval.task_id, log.location))
        other = self.replies.get(key, reply)
        is_other = (reply.text, reply.calls) != (other.text, other.calls)
        if run != log.eval.task_id and is_other:
            raise InputError(
                f"{location} and {log.location} contain different replies to {key.describe()}; "
                "record one run of each system, all made with one $ARAG_CACHE"
            )
        self.replies[key] = reply

    @property
    def lacks_criteria(self) -> bool:
        """Whether judges used criteria that were written in another run."""
        criteria_count = sum(key.purpose == "criteria" for key in self.replies)
        return criteria_count < len(self.criteria_scorers)

    def recording(self, note: str) -> Recording:
        """Return the recording.

        Args:
            note: How the run was made, and what it cannot show.
        """
        writers: dict[str, str] = {}
        judges: dict[str, None] = {}
        as_json = False
        for key, reply in self.replies.items():
            if key.is_of_judge:
                judges[reply.model] = None
                as_json |= reply.form is not None and not reply.code
            elif not key.purpose:
                writers[key.system] = reply.model
        header = Header(
            made=self.made, writers=writers, judges=list(judges), as_json=as_json, note=note
        )
        return Recording(header, self.replies)


def record_logs(locations: Sequence[str]) -> RecordedLogs:
    """Collect the replies of models from logs.

    Args:
        locations: Logs, or folders of logs.

    Raises:
        InputError: A log is unreadable, two runs have different replies to one request, there is
            no reply, or the judges' criteria are of an earlier run.
    """
    logs = RecordedLogs()
    for location in _logs(locations):
        logs.add(open_log(location))
    if not logs.replies:
        raise InputError(
            f"{', '.join(locations)}: no reply to record; only runs made with this version note "
            "the sample that a request is about"
        )
    if logs.lacks_criteria:
        raise InputError(
            f"{', '.join(sorted(logs.criteria_scorers))}: an earlier run wrote the judge's "
            "criteria; add its logs, or run again with an empty folder as $ARAG_CACHE"
        )
    return logs


def _scorers_by_criteria(sample: EvalSample) -> set[str]:
    scores = (sample.scores or {}).items()
    signatures = {name: str((score.metadata or {}).get("signature")) for name, score in scores}
    return {name for name, text in signatures.items() if "|criteria:generated:" in text}


def _logs(locations: Sequence[str]) -> list[str]:
    """Return the logs, with each folder's logs in chronological order."""
    logs: list[str] = []
    for location in locations:
        try:
            times = dict(find_logs(location))
        except FileNotFoundError as error:
            raise InputError(f"{location} cannot be read: {error}") from None
        logs += sorted(times, key=times.__getitem__)
    return logs


def _answer_key(sample: EvalSample) -> RequestKey:
    system = str(sample.store.get(f"{TRACE_PREFIX}system", ""))
    return RequestKey(system=system, sample=str(sample.id), epoch=sample.epoch)


def _calls(sample: EvalSample) -> Iterator[ModelEvent]:
    """Yield the calls of a sample that a model answered.

    Raises:
        InputError: The model replays a recording.
    """
    for event in resolve_sample_attachments(sample, "full").events:
        if isinstance(event, ModelEvent) and event.error is None and event.output.choices:
            if is_recorded(event.model):
                raise InputError(f"sample {sample.id} was answered by {event.model}, a recording")
            yield event


def _reply(key: RequestKey, event: ModelEvent) -> RecordedReply:
    request = read_request(event.input, event.tools, event.config)
    seconds = None if event.cache == "read" else event.working_time
    return recorded_reply(key, event.model, request, event.output, seconds)
