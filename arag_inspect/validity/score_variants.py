"""Score variants of summaries, as if a system had written them."""

import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, eval_set
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import DisplayType

from .._util.errors import InputError, resume_error
from .._util.extras import extra
from .._util.files import digest
from .._util.log_files import PURPOSE
from ..benchmark.scorers import is_judged
from ..models.call_monitor import watching
from ..types.system import REPLAY
from ..types.trace import recording
from .cases import Case
from .scorer_names import logged_name

with extra("report"):
    from ..report import Frames, LogOptions, frames

if TYPE_CHECKING:
    import pandas as pd

_NO_MODEL = "offline/extractive"
"""Model under test; the texts are given, so it writes nothing."""


def replay(
    name: str,
    samples: Sequence[Sample],
    scorers: Sequence[Scorer],
    *,
    log_dir: str,
    cases: Sequence[Case] = (),
    arguments: object = (),
    grader: str | None = None,
    lower_is_better: Collection[str] = (),
    display: DisplayType | None = None,
) -> Frames:
    """Score the texts of samples; resume an interrupted run, and read a complete one.

    Each combination of texts, scorers, arguments and graders has a folder in `log_dir`.

    Args:
        name: Name of the task.
        samples: Samples from `replayed`.
        scorers: Scorers to apply.
        log_dir: Folder of logs.
        cases: Cases of the samples, whose passages count as read.
        arguments: Arguments of the scorers; different arguments make a different run.
        grader: Model that grades, or several separated by commas.
        lower_is_better: Undeclared measures for which lower is better.
        display: Inspect's display; None uses its default.

    Raises:
        InputError: The run did not finish, a scorer asks a grader and none is given, or the grader
            is unavailable.
    """
    judged = [scorer for scorer in scorers if is_judged(scorer)]
    if judged and not grader:
        names = ", ".join(map(logged_name, judged))
        raise InputError(f"{names} cannot score without a grader; name one with --grader MODEL")
    scorer_digests = map(_code_digest, scorers)
    texts = [f"{s.id} {s.metadata['audit']['text']} {s.target}" for s in samples if s.metadata]
    key = digest("replay", *scorer_digests, str(arguments), grader or "", *texts)
    task = replay_task(name, samples, scorers, cases)
    graders = [model.strip() for model in (grader or "").split(",") if model.strip()]
    roles: dict[str, Any] = {"grader": graders[0] if len(graders) == 1 else graders}
    with watching(stops=False):
        complete, logs = eval_set(
            task,
            log_dir=f"{log_dir.rstrip('/')}/{name}-{key}",
            model=_NO_MODEL,
            model_roles=roles if graders else None,
            fail_on_error=False,
            retry_attempts=0,
            retry_immediate=False,
            log_level="warning",
            log_realtime=False,  # a third of the time of short samples
            score_display=False,
            display=display,
        )
    if not logs:
        raise resume_error("interrupted")
    (log,) = logs
    if not complete or not (log.results and log.results.completed_samples):
        raise _failure(read_eval_log(log.location))
    return frames(log.location, reading=LogOptions(lower=tuple(lower_is_better)))


def replay_task(
    name: str, samples: Sequence[Sample], scorers: Sequence[Scorer], cases: Sequence[Case]
) -> Task:
    """Return a task that outputs each sample's text as if written from its case's passages."""
    return Task(
        name=name,
        dataset=MemoryDataset(list(samples), name=name),
        solver=_replay({case.case_id: case for case in cases}),
        scorer=list(scorers),
        epochs=1,
        metadata={PURPOSE: "a check of scorers on damaged texts"},
    )


def replay_texts(case: Case, texts: Mapping[str, str]) -> list[Sample]:
    """Return a sample for each text about a case."""
    passages = [passage.text for passage in case.passages]
    samples = []
    for name, text in texts.items():
        audit = {"case": case.case_id, "text": text}
        sample = Sample(
            id=f"{case.case_id}/{name}",
            input=case.input,
            target=case.reference,
            metadata={**case.metadata, "passages": list(passages), "audit": audit},
        )
        samples.append(sample)
    return samples


def scores_by_variant(answer_frames: Frames) -> "pd.DataFrame":
    """Return the scores with columns `case` and `variant`, and a reason for each gap."""
    scores = answer_frames.scores
    ids = scores["id"].str.rpartition("/")
    return scores.assign(
        case=ids[0], variant=ids[2], reason=scores["reason"].fillna(scores["status"])
    )


def _code_digest(scorer: Scorer) -> str:
    """Return a scorer's name and its module's digest; a changed scorer is run again."""
    path = Path(str(sys.modules[scorer.__module__].__file__))
    return f"{logged_name(scorer)} {digest(path.read_text(encoding='utf-8'))}"


def _failure(log: EvalLog) -> InputError:
    """Return the error of an unfinished run, or of its first sample."""
    error = log.error or next((s.error for s in log.samples or [] if s.error), None)
    reason = error.message.splitlines()[0] if error and error.message else log.status
    return InputError(f"the scorers could not be run ({reason}); see {log.location}")


@solver
def _replay(cases: Mapping[str, Case]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        audit = state.metadata["audit"]
        with recording(state) as trace:
            trace.system = REPLAY.name
            trace.stopped_by = "answer"
            case = cases.get(audit["case"])
            if case is not None:
                trace.context = case.context
                trace.loops = 1
                trace.passages = case.passages
        state.output = ModelOutput.from_content(model=str(state.model), content=audit["text"])
        state.messages.append(state.output.message)
        return state

    return solve
