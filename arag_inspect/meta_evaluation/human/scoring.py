"""Run scorers over labelled answers as an ordinary Inspect run."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import eval_set
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.scorer import Scorer
from inspect_ai.util import DisplayType

from ..._util.hashing import digest
from ..score_variants import OFFLINE, Measured, failure, measured_keys, replay_task, run_options
from ..scorer_selection import logged_name
from .labelled import LabelledAnswer

ANSWER = "answer"
"""Name of the only variant of a labelled answer."""


def score_answers(
    name: str,
    answers: Sequence[LabelledAnswer],
    scorers: Mapping[str, Scorer],
    arguments: Mapping[str, Mapping[str, Any]],
    *,
    grader: str | None = None,
    log_dir: str,
    display: DisplayType | None = "none",
) -> tuple[list[Measured], dict[str, float | None]]:
    """Score answers; resume an interrupted run, and read a complete one.

    Args:
        name: Name of the set.
        answers: Answers to replay.
        scorers: Scorers by name.
        arguments: Arguments of the scorers; different ones are different runs.
        grader: Model that grades, or several separated by commas; None uses the rule-based offline
            judge.
        log_dir: Folder for logs; each combination of answers and scorers has a folder there.
        display: Inspect's display.

    Returns:
        Values of each key of each scorer, and the dollars of each scorer's judges.

    Raises:
        InputError: The run did not finish.
    """
    key = digest(
        "replay", *map(_code, scorers.values()), str(sorted(arguments.items())), grader or OFFLINE,
        *(f"{a.id} {a.answer} {a.reference}" for a in answers),
    )  # fmt: skip
    complete, [log] = eval_set(
        replay_task(f"human_{name}", [_sample(answer) for answer in answers], scorers),
        log_dir=f"{log_dir.rstrip('/')}/{name}-{key}",
        retry_attempts=0,
        retry_immediate=False,
        display=display,
        **run_options(grader),
    )
    if not complete:
        raise failure(log)
    samples = read_eval_log(log.location).samples or []
    measured = [
        result
        for scorer_name, scorer in scorers.items()
        for result in measured_keys(scorer_name, scorer, samples)
    ]
    return measured, _dollars(scorers, samples)


def _dollars(
    scorers: Mapping[str, Scorer], samples: Sequence[EvalSample]
) -> dict[str, float | None]:
    """Return the cost of the judges recorded in the scores, by scorer."""
    dollars: dict[str, float | None] = {}
    for name, scorer in scorers.items():
        scores = [(sample.scores or {}).get(logged_name(scorer)) for sample in samples]
        judges = [
            judge
            for score in scores
            if score is not None
            for judge in (score.metadata or {}).get("judges") or []
        ]
        if judges:
            costs = [judge.get("cost_usd") for judge in judges]
            dollars[name] = None if None in costs else sum(costs)
    return dollars


def _code(scorer: Scorer) -> str:
    """Return a scorer's name and its module's digest; a changed scorer is run again."""
    path = Path(str(sys.modules[scorer.__module__].__file__))
    return f"{logged_name(scorer)} {digest(path.read_text(encoding='utf-8'))}"


def _sample(answer: LabelledAnswer) -> Sample:
    source = {"document": answer.source} if answer.source else {}
    return Sample(
        id=answer.id,
        input=answer.question or "Summarise the document.",
        target=answer.reference or answer.source,
        metadata={
            **source,
            "label": answer.label,
            "audit": {"case": answer.id, "variant": ANSWER, "text": answer.answer},
        },
    )
