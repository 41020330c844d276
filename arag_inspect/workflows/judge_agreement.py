"""Measure a judge's agreement with human labels: kappa and a confusion table."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from .._util.errors import InputError
from .._util.extras import extra
from ..datasets._io.records import Row, distinct, read_rows
from ..scorers import contain_match, llm_accuracy

with extra("report"):
    from sklearn.metrics import cohen_kappa_score

Measure = Literal["llm_accuracy", "contain_match"]

LABELS = ("Correct Answer", "Incorrect Answer", "Refusal")
"""Labels that people gave to answers, in FinanceBench's results."""

OFFLINE = "offline/extractive"
VERDICTS = ("correct", "incorrect", "refusal")
_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge's verdicts compared with human labels."""

    judge: str
    answers: int
    """Number of judged answers."""

    unscored: int
    confusion: Mapping[tuple[str, str], int]
    """Number of answers by human label and judge's verdict."""

    log: str
    """Path of Inspect's log."""

    @property
    def verdicts(self) -> list[str]:
        """Possible verdicts of the judge, in order."""
        judge_verdicts = {verdict for _, verdict in self.confusion}
        return [
            verdict for verdict in VERDICTS if verdict in judge_verdicts or verdict != "refusal"
        ]

    @property
    def agreement(self) -> float:
        """Share of answers on which both say correct, or both say not correct."""
        table = self._table()
        return float(np.trace(table) / table.sum())

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of correct against not correct; None if one of them never varies."""
        people, judge = [], []
        for (label, verdict), count in self.confusion.items():
            people += [label == LABELS[0]] * count
            judge += [verdict == VERDICTS[0]] * count
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = float(cohen_kappa_score(people, judge, labels=[True, False]))
        return None if math.isnan(kappa) else kappa

    def kappa_interval(self, seed: int = 7) -> Interval | None:
        """Return a bootstrap interval over the answers; None if kappa is not defined."""
        table = self._table()
        if self.kappa is None:
            return None
        shares = table.ravel() / table.sum()
        resamples = np.random.default_rng(seed).multinomial(int(table.sum()), shares, _RESAMPLES)
        tables = resamples.reshape(-1, 2, 2) / table.sum()
        observed = tables[:, 0, 0] + tables[:, 1, 1]
        expected = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            kappas = (observed - expected) / (1 - expected)
        low, high = np.nanpercentile(kappas, [2.5, 97.5])
        return Interval(float(low), float(high))

    def _table(self) -> Any:
        """Return the counts of correct and not correct, shape (2, 2): people by judge."""
        table = np.zeros((2, 2), dtype=np.int64)
        for (label, verdict), count in self.confusion.items():
            table[int(label != LABELS[0]), int(verdict != VERDICTS[0])] += count
        return table


def measure_agreement(
    results: Path,
    *,
    measure: Measure = "llm_accuracy",
    grader: str | None = None,
    limit: int | None = None,
    log_dir: str = "logs/agreement",
) -> Agreement:
    """Let a judge mark the answers of a file, as an Inspect run, and compare.

    Args:
        results: JSON Lines like those in FinanceBench's `results`: `financebench_id` (or `id`),
            `question`, `gold_answer`, `model_answer` and `label` (Correct Answer, Incorrect Answer
            or Refusal).
        measure: The scorer.
        grader: Model that judges, with llm_accuracy; None uses the rule-based judge, which needs no
            key.
        limit: Only the first answers, up to this number.
        log_dir: Folder of Inspect's log.

    Raises:
        InputError: The file cannot be read, or the run did not finish.
    """
    judge = grader or OFFLINE
    log = eval(
        _marking(results, measure),
        model=OFFLINE,  # never called: the answers exist
        model_roles={"grader": judge},
        limit=limit,
        log_dir=log_dir,
    )[0]
    if log.status != "success":
        reason = log.error.message if log.error else log.status
        raise InputError(f"judging {results} failed ({reason}); see {log.location}")
    samples = log.samples or []
    pairs = [(_label(sample), _verdict(sample)) for sample in samples]
    confusion = Counter((label, verdict) for label, verdict in pairs if verdict is not None)
    if not confusion:
        raise InputError(f"no answer of {results} could be judged; see {log.location}")
    return Agreement(
        judge=f"{measure} ({judge})" if measure == "llm_accuracy" else measure,
        answers=confusion.total(),
        unscored=len(pairs) - confusion.total(),
        confusion=dict(confusion),
        log=log.location,
    )


def _marking(results: Path, measure: Measure) -> Task:
    """Return the task of marking recorded answers; no system is run."""
    samples = [_sample(row) for row in distinct(read_rows(results), "financebench_id", "id")]
    return Task(
        name="judge_agreement",
        dataset=MemoryDataset(samples, name=results.stem, location=str(results)),
        solver=_recorded_answer(),
        scorer=llm_accuracy() if measure == "llm_accuracy" else contain_match(),
        version=1,
    )


@solver
def _recorded_answer() -> Solver:
    """Output the answer that the sample holds."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        answer = str(state.metadata["model_answer"])
        state.output = ModelOutput.from_content(model=str(state.model), content=answer)
        state.messages.append(state.output.message)
        return state

    return solve


def _sample(row: Row) -> Sample:
    label = row.text("label")
    if label not in LABELS:
        raise row.wrong(f"label {label!r} is unknown; expected {', '.join(LABELS)}")
    return Sample(
        id=row.text("financebench_id", "id"),
        input=row.text("question"),
        target=row.text("gold_answer", "answer"),
        metadata={"label": label, "model_answer": row.optional_text("model_answer") or ""},
    )


def _label(sample: EvalSample) -> str:
    return str(sample.metadata["label"])


def _verdict(sample: EvalSample) -> str | None:
    """Return the verdict with the largest share; None without a verdict."""
    score = next(iter((sample.scores or {}).values()), None)
    if score is None or not _numbers(score.value):
        return None
    if isinstance(score.value, dict):
        shares = {name: float(score.value[name]) for name in VERDICTS}
        return max(shares, key=lambda name: shares[name])
    return VERDICTS[0] if float(score.value) == 1 else VERDICTS[1]  # type: ignore[arg-type]


def _numbers(value: Any) -> bool:
    values: Sequence[Any] = list(value.values()) if isinstance(value, dict) else [value]
    return all(isinstance(number, int | float) and not math.isnan(number) for number in values)
