"""Score variants of good summaries with Inspect."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import DisplayType

from .._util.errors import InputError
from ..types.measures import find_measure, measures_of
from ..types.trace import recording
from .cases import Case
from .variants import Variant, variants

OFFLINE = "offline/extractive"
"""Default grader: the rule-based judge."""

_LETTERS = {CORRECT: 1.0, PARTIAL: 0.5, INCORRECT: 0.0, NOANSWER: 0.0}


@dataclass
class Measured:
    """Scores of one key of one scorer."""

    scorer: str
    key: str
    """Key of the scorer's value; the scorer's name if the value is one number."""

    lower_is_better: bool = False
    """As the scorer declares."""

    tie: float = 1e-9
    """Smallest difference of two scores that counts, as the scorer declares."""

    values: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    """Score by variant and case."""

    unscored: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """Why a score is missing, by variant and case."""


def score_variants(
    cases: Sequence[Case],
    scorers: Mapping[str, Scorer],
    *,
    grader: str | None = None,
    seed: int = 0,
    log_dir: str | None = None,
    display: DisplayType | None = None,
) -> list[Measured]:
    """Run every scorer on every variant of every case, in one evaluation.

    Args:
        cases: Good summaries.
        scorers: Scorers by name.
        grader: Model that grades, or several separated by commas; None uses the rule-based judge.
        seed: Seed of the perturbations.
        log_dir: Folder of the log; None uses Inspect's.
        display: Inspect's display; None uses its default.

    Raises:
        InputError: The evaluation failed, or the grader is unavailable.
    """
    samples = [sample for case in cases for sample in _samples(case, variants(case, seed))]
    task = replay_task("meta_evaluate", samples, scorers, {case.case_id: case for case in cases})
    [log] = eval(task, log_dir=log_dir, display=display, **run_options(grader))
    if log.status != "success" or all(sample.error for sample in log.samples or []):
        raise failure(log)
    return [
        measured
        for name, scorer in scorers.items()
        for measured in measured_keys(name, scorer, log.samples or [])
    ]


def replay_task(
    name: str,
    samples: list[Sample],
    scorers: Mapping[str, Scorer],
    cases: Mapping[str, Case] = {},
) -> Task:
    """Return a task that outputs the text of each sample, as if written from its case's passages."""
    return Task(
        name=name,
        dataset=MemoryDataset(samples, name=name),
        solver=_replay(cases),
        scorer=list(scorers.values()),
        epochs=1,
    )


def run_options(grader: str | None) -> dict[str, Any]:
    """Return Inspect's options for a replay with the given judges."""
    return {
        "model": OFFLINE,
        "model_roles": grader_role(grader),
        "fail_on_error": False,
        "log_level": "warning",
        "log_realtime": False,  # a third of the time of short samples
        "score_display": False,
    }


def failure(log: EvalLog) -> InputError:
    """Return the error of a run that did not finish, or of its first sample."""
    error = log.error or next((s.error for s in log.samples or [] if s.error), None)
    reason = error.message.splitlines()[0] if error and error.message else log.status
    return InputError(f"the scorers could not be run ({reason}); see {log.location}")


def grader_role(grader: str | None) -> dict[str, Any]:
    """Return the model role of comma-separated judges; None is the rule-based judge."""
    graders = [name.strip() for name in (grader or OFFLINE).split(",")]
    return {"grader": graders[0] if len(graders) == 1 else graders}


def _samples(case: Case, texts: Sequence[Variant]) -> list[Sample]:
    return [
        Sample(
            id=f"{case.case_id}/{variant.name}",
            input=case.input,
            target=case.reference,
            metadata={
                **case.metadata,
                "passages": [passage.text for passage in case.passages],
                "audit": {"case": case.case_id, "variant": variant.name, "text": variant.text},
            },
        )
        for variant in texts
    ]


@solver
def _replay(cases: Mapping[str, Case]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        audit = state.metadata["audit"]
        with recording(state) as trace:
            trace.system, trace.stopped_by = "replay", "answer"
            if case := cases.get(audit["case"]):
                trace.context, trace.loops, trace.passages = case.context, 1, case.passages
        state.output = ModelOutput.from_content(model=str(state.model), content=audit["text"])
        state.messages.append(state.output.message)
        return state

    return solve


def measured_keys(name: str, scorer: Scorer, samples: Sequence[EvalSample]) -> list[Measured]:
    """Return the values of one scorer, key by key."""
    specs = {spec.key: spec for spec in measures_of(scorer)}
    measured_by_key: dict[str, Measured] = {}
    keys = dict.fromkeys(key for sample in samples for key in _values(sample, name))
    for key in keys or {name: None}:
        spec = find_measure(name if key == name else f"{name}.{key}", specs)
        measured_by_key[key] = Measured(name, key, spec.higher_is_better is False, spec.tie)
    for sample in samples:
        audit, values = sample.metadata["audit"], _values(sample, name)
        for key, measured in measured_by_key.items():
            if key in values:
                measured.values[audit["variant"]][audit["case"]] = values[key]
            else:
                measured.unscored[audit["variant"]][audit["case"]] = _reason(sample, name)
    return list(measured_by_key.values())


def _values(sample: EvalSample, name: str) -> dict[str, float]:
    """Return the numbers that a scorer gave a sample, by key."""
    score = (sample.scores or {}).get(name.rpartition("/")[2])
    if score is None:
        return {}
    values = score.value if isinstance(score.value, dict) else {name: score.value}
    numbers = {key: _number(value) for key, value in values.items()}
    return {key: number for key, number in numbers.items() if number is not None}


def _number(value: Any) -> float | None:
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if isnan(number) else number


def _reason(sample: EvalSample, name: str) -> str:
    score: Score | None = (sample.scores or {}).get(name.rpartition("/")[2])
    if score is None:
        return f"error: {sample.error.message.splitlines()[0]}" if sample.error else "no_score"
    return score.reason or "no_value"
