"""Records of logs, sample by sample: the input of every table, page and export."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ...types.measures import MeasureSpec, by_family, by_role, find_measure, undeclared
from ...types.sample import GoldChunks
from ...types.scale import Scale, scale_of
from ...types.trace import Passage, Search

Status = Literal["scored", "unscored", "skipped", "errored", "missing"]
"""`unscored`: the scorer gave a reason instead of a value; `skipped`: the system did not answer;
`errored`: the sample failed; `missing`: there is no score.
"""

Outcome = Literal["answered", "refused", "truncated", "empty", "errored", "skipped"]
"""Outcome of a sample. `truncated`: the answer was cut off, or a limit of Inspect ended the sample.
"""

Level = Literal["error", "warning", "note"]


class Notice(NamedTuple):
    """One line for the reader of the report."""

    level: Level
    """`error`: something is left out; `warning`: a comparison is in doubt; `note`: a choice was
    made.
    """

    text: str
    location: str = ""
    """Log concerned, if any."""


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
    def finished(self) -> bool:
        """Whether the system answered the sample; effort is averaged over such samples."""
        return self.outcome not in ("skipped", "errored")

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

    @cached_property
    def by_id(self) -> Mapping[str, tuple[SampleResult, ...]]:
        """The epochs of each sample."""
        epochs_by_id: dict[str, list[SampleResult]] = {}
        for sample in self.samples:
            epochs_by_id.setdefault(sample.id, []).append(sample)
        return {sample_id: tuple(epochs) for sample_id, epochs in epochs_by_id.items()}


@dataclass(frozen=True)
class Benchmark:
    """Comparable runs: the same version of a task on the same data."""

    task: str
    version: str
    dataset: str
    runs: tuple[Run, ...]
    part: str = ""
    """Distinguishes benchmarks of the same task: the system that two sets of logs share."""

    @property
    def name(self) -> str:
        """For example `ectsum (ectsum-val), version 1`."""
        part = f": {self.part}" if self.part else ""
        return f"{self.task.split('/')[-1]} ({self.dataset}), version {self.version}{part}"

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the runs, in order."""
        return tuple(run.system for run in self.runs)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Measures of any run, each once."""
        return tuple(dict.fromkeys(measure for run in self.runs for measure in run.measures))

    @cached_property
    def specs(self) -> tuple[MeasureSpec, ...]:
        """Every measure described, by family."""
        return by_family(self.spec(key) for key in self.measures)

    @cached_property
    def main(self) -> tuple[MeasureSpec, ...]:
        """Measures on which findings are based: the primary ones, then the secondary ones."""
        return by_role(spec for spec in self.specs if spec.role != "diagnostic")

    def spec(self, key: str) -> MeasureSpec:
        """Describe a measure, with the scale of this benchmark's grades."""
        return find_measure(key, self.declared, self.scales.get(key.split(".")[0], ()))

    @cached_property
    def declared(self) -> Mapping[str, MeasureSpec]:
        """Measures by key, as the scorers of any run declare them, but for the contested ones."""
        specs = {key: spec for run in self.runs for key, spec in run.declared.items()}
        return specs | {key: undeclared(key) for key in self.contested}

    @cached_property
    def contested(self) -> tuple[str, ...]:
        """Measures whose direction, range or role the logs that have them state differently."""
        rules: dict[str, set[object]] = {}
        for run in self.runs:
            for key in run.measures:
                rules.setdefault(key, set()).add(find_measure(key, run.declared).rules)
        return tuple(key for key, stated in rules.items() if len(stated) > 1)

    @cached_property
    def sample_ids(self) -> tuple[str, ...]:
        """Samples that any run has, in the order of the first that has them."""
        return tuple(dict.fromkeys(sample_id for run in self.runs for sample_id in run.by_id))

    @cached_property
    def scales(self) -> Mapping[str, tuple[Scale, ...]]:
        """The scales of each scorer's grades, lowest first, as far as the logs name them."""
        scales_by_scorer: dict[str, set[Scale]] = {}
        for _, sample in self.samples():
            for scorer, scoring in sample.scorings.items():
                if scale := scale_of(scoring.metadata):
                    scales_by_scorer.setdefault(scorer, set()).add(scale)
        return {scorer: tuple(sorted(scales)) for scorer, scales in scales_by_scorer.items()}

    @cached_property
    def code_names(self) -> Mapping[str, str]:
        """Words of the error codes, as far as the logs name them."""
        names: dict[str, str] = {}
        for _, sample in self.samples():
            scoring = sample.scorings.get("error_taxonomy")
            named = scoring.metadata.get("names") if scoring else None
            if isinstance(named, Mapping):
                names.update({str(code): str(name)[:60] for code, name in named.items()})
        return names

    def run(self, system: str) -> Run:
        """Return the run of a system."""
        return next(run for run in self.runs if run.system == system)

    def samples(self) -> Iterator[tuple[Run, SampleResult]]:
        """Return every sample of every run."""
        return ((run, sample) for run in self.runs for sample in run.samples)


@dataclass(frozen=True)
class Results:
    """All readable runs, and notices on the rest."""

    benchmarks: tuple[Benchmark, ...]
    notices: tuple[Notice, ...] = field(default=())
