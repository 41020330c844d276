"""Records of logs, sample by sample: what the rows of the frames are made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...types.measures import MeasureSpec
from ...types.sample import GoldChunks
from ...types.trace import Passage, Search
from ..frames import Outcome, Status


class MeasureValue(NamedTuple):
    """The value of one measure for one sample."""

    value: float | None
    """None unless `scored`."""

    status: Status
    reason: str | None = None
    """Why there is no value."""


MISSING = MeasureValue(None, "missing")


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge's verdict on one answer."""

    scorer: str
    """Scorer that asked, e.g. `geval_coverage`."""

    grader: str
    verdict: float | None
    said: str
    """The verdict where it is a word or a list of codes."""

    reasoning: str
    """The judge's whole reply, as text."""

    reason: str | None
    """Why there is no verdict."""

    criteria: tuple[Mapping[str, Any], ...]
    """Name, reasoning and score by criterion, as far as the reply has them."""

    repeat: int
    """0 for the first judgement, 1 for the first repetition, ..."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """Price, that of replies out of a cache included; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Further output of a scorer for a sample."""

    explanation: str | None
    signature: str | None
    """Signature of the measurement."""

    metadata: Mapping[str, Any]
    repeats: tuple[Mapping[str, float], ...] = ()
    """Values of repeated measurements, each by measure."""


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One sample, answered once by one system."""

    id: str
    epoch: int
    company: str
    period: str
    style: str
    question_type: str | None
    question_reasoning: str | None
    source: str
    """Data set."""

    input: str
    target: str
    answer: str
    outcome: Outcome
    error: str | None
    """First line of the error, the reason why it was skipped, or the limit that ended it."""

    system: str
    """Solver that answered; empty if it left no trace."""

    stopped_by: str | None
    """`answer`, `max_loops`, `token_budget`, `skipped` or `error`; None if there is no trace."""

    context: str
    """Kind of passages: `retrieved`, `document`, `none` or `unknown`."""

    word_count: int
    target_length: int | None
    loops: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_ms: float | None
    """Working time, without waits."""

    wall_ms: float | None
    """Wall clock from the first call to the answer."""

    cached_calls: int
    """Calls that Inspect's cache answered."""

    searches: tuple[Search, ...]
    passages: tuple[Passage, ...]
    """Chunks read, in the order of first reading."""

    gold: GoldChunks
    evidence: tuple[str, ...]
    marks: Mapping[str, MeasureValue]
    """By measure: `scorer`, or `scorer.key` for a scorer with several keys."""

    scorings: Mapping[str, Scoring]
    """By scorer."""

    judgements: tuple[Judgement, ...]
    codes: tuple[str, ...] | None
    """Error codes; None if no taxonomy was applied."""

    uuid: str | None

    def mark(self, measure: str) -> MeasureValue:
        """Return the value of a measure with its status; `MISSING` if it was not taken."""
        return self.marks.get(measure, MISSING)

    def value(self, measure: str) -> float | None:
        """Return the value of a measure, if it has one."""
        return self.mark(measure).value

    @property
    def tokens(self) -> int | None:
        """Tokens sent and received, if known."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    @property
    def missed(self) -> tuple[int, ...]:
        """Gold chunks that were not read."""
        read = self.gold.found(passage.chunk_id for passage in self.passages)
        return tuple(chunk for chunk in self.gold.chunk_ids if chunk not in read)


@dataclass(frozen=True)
class Run:
    """One system's answers to the samples of a benchmark, from one log."""

    system: str
    """Name of the system, unique in its benchmark: `arag`, or with the model or parameters that
    distinguish it.
    """

    solver: str
    """`arag`, `naive_rag`, ..."""

    model: str
    graders: tuple[str, ...]
    """Models that judged it."""

    parameters: Mapping[str, Any]
    """Parameters of the solver and of the model's generation."""

    corpus: str | None
    """Digest of the corpus that was searched."""

    version: str
    """Parameters of the task."""

    made_with: Mapping[str, str]
    """Versions of packages, digest of the package's prompts, and commit, as far as the log has
    them.
    """

    location: str
    """Its log."""

    created: str
    """Time, ISO 8601."""

    status: str
    """Inspect's status: `success`, `started`, `cancelled`, `error`."""

    planned: int
    """Number of planned samples, counting each epoch."""

    asked: frozenset[tuple[str, int]]
    """Planned samples, by id and epoch, as far as the log names them."""

    limited: bool
    """Whether the run was asked for a part of the data set (`--limit`, `--sample-id`)."""

    invalidated: frozenset[tuple[str, int]]
    """Samples declared invalid, by id and epoch; they are not in `samples`."""

    impossible: str | None
    """Values left out since they cannot be, in words."""

    eval_id: str
    run_id: str
    task_id: str
    """Inspect's id of the run, which stays when the run is taken up again."""

    samples: tuple[SampleResult, ...]
    """By sample id and epoch."""

    measures: tuple[str, ...]
    """In the order of the log's scorers."""

    signatures: Mapping[str, frozenset[str]]
    """By scorer; more than one if samples were measured differently."""

    declared: Mapping[str, MeasureSpec]
    """Measures by key, as their scorers declare them."""


@dataclass(frozen=True)
class Benchmark:
    """Comparable runs: the same version of a task on the same data."""

    task: str
    version: str
    dataset: str
    runs: tuple[Run, ...]

    @property
    def name(self) -> str:
        """For example `ectsum (ectsum-val), version 1`."""
        return f"{self.task.split('/')[-1]} ({self.dataset}), version {self.version}"
