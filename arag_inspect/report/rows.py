"""Rows of the frames: their columns, with types, meanings and units.

In the frames, numbers are NaN where they are unknown. A column without a description is described
where it first occurs.
"""

from collections.abc import Mapping
from math import nan
from typing import Any, Literal, NamedTuple

from ..measure import MeasureSpec, Scale
from ..types.sample import GoldChunks, SampleFact
from ..types.trace import Passage, ReturnedPassage, Search

ScoreStatus = Literal["scored", "unscored", "skipped", "errored", "missing"]
"""`unscored`: the scorer gave a reason instead of a value; `skipped`: the system did not answer;
`errored`: the sample failed; `missing`: there is no score.
"""

SampleOutcome = Literal["answered", "refused", "truncated", "empty", "errored", "skipped"]
"""Outcome of a sample. `truncated`: the answer was cut off, or a limit of Inspect ended the sample.
"""

SampleKeys = frozenset[tuple[str, int]]
"""Samples by id and epoch."""


AnswerKey = tuple[str, str, int]
"""Log, sample and epoch, which no two answers share."""


class AnswerKeys(NamedTuple):
    """The columns that answers, scores and verdicts share, with which scores begin."""

    answer: int
    eval_id: str
    sample_id: str | None
    benchmark: str
    system: str
    id: str
    epoch: int
    company: str


class RunRow(NamedTuple):
    """A row of the frame of runs: a log that counts."""

    eval_id: str
    """Inspect's id of the run, as in `evals_df`."""

    benchmark: str
    """Comparable runs: task, data set and version, e.g. `ectsum (ectsum-val), task version 1`."""

    task: str
    version: str
    dataset: str
    system: str
    """Name of the system, unique in its benchmark, e.g. `A-RAG · gpt-5 (top_k=3)`."""

    variant: str
    """The name without the model, e.g. `A-RAG (top_k=3)`."""

    named_model: str
    """The model as in the name; empty if the name does not say it, or two runs are compared."""

    solver: str
    """`arag`, `naive_rag`, ..."""

    replayed: bool
    """Whether its answers, with their costs and times, come from a file."""

    model: str
    model_wrote: bool
    """Whether this model wrote an answer, judging by tokens that no other role used."""

    graders: tuple[str, ...]
    """Models that judged."""

    parameters: Mapping[str, Any]
    """Parameters of solver, task and generation."""

    pace: Mapping[str, Any]
    """Settings that change times or cost but no answer (concurrency, cache, retries)."""

    arguments: tuple[str, ...]
    """Names of the parameters that are task arguments."""

    samples_at_once: bool
    """Whether some of its samples ran at the same time, according to their times in the log."""

    corpus: str | None
    """Digest of the corpus; None if unknown."""

    arithmetic: str | None
    """Arithmetic of its searches and reranking, e.g. `float32` or `bfloat16 on NVIDIA H100`; None
    if unknown, or without either.
    """

    made_with: Mapping[str, str]
    """Versions of packages, prompts and commit."""

    location: str
    """Address of the log, or of the newest of several."""

    logs: tuple[str, ...]
    """All logs of the run, the newest first."""

    created: str
    """When the run was set up, as an ISO time."""

    started: str
    """When it began to answer, as an ISO time; empty if unknown."""

    ended: str
    """When it ended; empty if unknown."""

    status: str
    """Inspect's: success, started, cancelled or error."""

    planned: int
    """Samples that were asked for, each epoch counted."""

    asked: SampleKeys
    """Requested samples, if the log lists them."""

    answered: SampleKeys
    """Samples in the log, including failed samples."""

    part: str
    """Part of the task that the newest log covers, e.g. `subject=law`; empty without parts."""

    slice: str
    """Limits or ids of the samples that were asked for; empty for all, or for the first ones."""

    limited: bool
    """Whether the run was asked for a part of the data set."""

    invalidated: SampleKeys
    """Samples declared invalid, which do not count as answers."""

    impossible: str | None
    """Impossible values that were left out, in words."""

    task_id: str
    """Inspect's id of the run, unchanged when the run is resumed or judged again."""

    measures: tuple[str, ...]
    """Keys of the measures, in the order of the scorers."""

    declared: Mapping[str, MeasureSpec]
    """`MeasureSpec` by key, as the scorers declare them."""

    headline: str | None
    """Measure that the task names as its headline."""

    label: str | None
    """Name that the user gave to the system."""

    paid_usd: float
    """Dollars paid over all starts, according to the folder's ledger, and for judging again.

    NaN without a ledger.
    """

    paid_judges_usd: float
    """Part of `paid_usd` that went to judges."""

    cluster: str
    """Noun for the groups of samples, e.g. `company`, `document`, `case` or `sample`."""


class AnswerRow(NamedTuple):
    """A row of the frame of answers."""

    answer: int
    """Number of the row, for joins with scores; the answer itself is in `text`."""

    eval_id: str
    """Inspect's id of the log."""

    task_id: str
    sample_id: str | None
    """Inspect's unique id of the answer, as in `samples_df`."""

    benchmark: str
    system: str
    model: str
    part: str
    id: str
    epoch: int
    """From 1."""

    company: str
    """Company, or other group of the sample; empty if unknown."""

    period: str
    """Period in the data set's notation, e.g. `Q3_2021` or a date; empty if unknown."""

    style: str
    """Kind of text asked for, e.g. `earnings_call` or `qa`."""

    question_type: str | None
    question_reasoning: str | None
    source: str
    """Data set of the sample."""

    input: str
    """Question."""

    system_message: str
    """System message of the conversation; empty without one, or if it is not a text."""

    target: str
    text: str
    """The answer, as the system wrote it."""

    outcome: SampleOutcome
    error: str | None
    """First line of the error, reason of the skip, or limit; else None."""

    answered_by: str
    """Solver named in the trace; empty without a trace."""

    stopped_by: str | None
    """`answer`, `max_loops`, `token_budget`, `skipped` or `error`; None without a trace."""

    skipped_tokens: float
    """Tokens of the document if the sample was skipped because it is too long; else NaN."""

    context: str
    """Kind of passages: retrieved, document, gold, none or unknown."""

    reads_once: bool
    """Whether the system by design reads once and then answers."""

    returned: list[ReturnedPassage]
    """Passages of a live system in its order."""

    words: float
    """Words of the answer; NaN if the sample was skipped or errored."""

    target_length: int | None
    """Words asked for."""

    undamaged_question: str
    """The question before typos were made in it; empty if none were."""

    loops: float
    """Turns of the agent."""

    input_tokens: float
    """Tokens sent by the system under test."""

    output_tokens: float
    """Tokens received by the system under test."""

    tokens: float
    """Sum of `input_tokens` and `output_tokens`, as far as they are known."""

    cost_usd: float
    """US dollars of the system under test."""

    latency_ms: float
    """Milliseconds of working time of the system, without waits."""

    wall_ms: float
    """Milliseconds from the first call to the answer."""

    cached_calls: int
    """Calls that Inspect's cache answered."""

    recordings: tuple[str, ...]
    """Recordings from which the answer or its verdicts were replayed, in words."""

    changed_prompts: int
    """Number of replayed requests whose wording has changed since the recording."""

    unrecorded_verdicts: int
    """Number of scorers' questions that were not recorded and have no verdict."""

    searches: tuple[Search, ...]
    passages: tuple[Passage, ...]
    """Passages read, in the order of first reading."""

    gold: GoldChunks
    """Chunks with the evidence, and copies of them."""

    gold_missed: tuple[int, ...]
    """Gold chunks that were not read."""

    evidence: tuple[str, ...]
    """Texts of the evidence."""

    doc_ids: tuple[str, ...]
    """Documents of the sample."""

    facts: tuple[SampleFact, ...]
    """Facts against which answers are scored."""

    codes: tuple[str, ...] | None
    """Error codes; None if no taxonomy was applied."""


class ScoreRow(NamedTuple):
    """A row of the frame of scores: an answer and a measure."""

    answer: int
    eval_id: str
    sample_id: str | None
    benchmark: str
    system: str
    id: str
    epoch: int
    company: str
    measure: str
    """Key of the measure: `scorer`, or `scorer.key` for a score with several keys."""

    scorer: str
    value: float
    """Value of the measure; NaN if there is none."""

    status: ScoreStatus
    reason: str | None = None
    """Why there is no value."""

    signature: str | None = None
    """How the measure was taken."""

    text: str | None = None
    """Explanation of the scorer."""

    details: Mapping[str, Any] | None = None
    """Metadata of the scorer."""

    scale: Scale | None = None
    """Lowest and highest grade."""


class VerdictRow(NamedTuple):
    """A row of the frame of verdicts: a judge's verdict, or a value taken again."""

    answer: int
    eval_id: str
    sample_id: str | None
    benchmark: str
    system: str
    id: str
    epoch: int
    company: str
    measure: str
    """The scorer that asked the judge, or the measure that was repeated."""

    scorer: str
    judge: str
    """The judge; empty for a repeated value."""

    repeat: int
    """0, or the number of the repetition by `rejudge`."""

    value: float
    """Value of the verdict; NaN if there is none."""

    said: str | None = None
    """The verdict, if it is a word or a list of codes."""

    reason: str | None = None
    """Why there is no value."""

    signature: str | None = None
    """How the measure was taken."""

    text: str | None = None
    """The judge's whole reply."""

    details: tuple[Mapping[str, Any], ...] | None = None
    """Criteria of the verdict."""

    input_tokens: float = nan
    """Tokens sent to the judge."""

    output_tokens: float = nan
    """Tokens received from the judge."""

    cost_usd: float = nan
    """US dollars of the judge."""


def keys_of(row: AnswerRow) -> AnswerKeys:
    """Return the columns that the scores and verdicts of an answer share with it."""
    return AnswerKeys(*(getattr(row, name) for name in AnswerKeys._fields))


def answer_key(row: AnswerRow | ScoreRow | VerdictRow) -> AnswerKey:
    """Return what tells the answer of a row from all others."""
    return row.eval_id, row.id, row.epoch
