"""The common handling of samples around scorers, and the details of a scorer."""

import inspect
import math
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.encodable import encodable
from arag_inspect._util.errors import TextTooLongError
from arag_inspect.judge.signature import signature
from arag_inspect.judge.unscored import UnscoredError, check_not_skipped
from arag_inspect.judge.unscored_counts import count_unscored
from arag_inspect.measure import DEFAULT_SCALE, Scale
from arag_inspect.measures._question import has_note_for_answer
from arag_inspect.models.call_monitor import stopping
from arag_inspect.models.request_key import asking
from arag_inspect.text.layout import unwrap
from arag_inspect.text.model_marks import without_thoughts
from arag_inspect.text.scored_text import plain
from arag_inspect.types.sample import replace_surrogates
from arag_inspect.types.score_metadata import read_metadata
from arag_inspect.types.trace import read_record

Scoring = Callable[[TaskState, Target], Awaitable[Score | None] | Score]

LONGEST = 100_000
"""Longest answer or reference that scorers read, in characters: about 16,000 words."""

_DETAILS = "arag_details"
"""Attribute of a scorer: its `ScorerDetails`."""


@dataclass(frozen=True, slots=True)
class ScorerDetails:
    """Details of a scorer in addition to its measures."""

    scale: Scale = DEFAULT_SCALE
    """Scale of its grades."""

    keys: tuple[str, ...] = ()
    """Keys of its values that a pattern among its measures matches."""

    unguarded: Scoring | None = None
    """Its function without the handling common to all scorers."""


def describe_scorer(score: Scoring, details: ScorerDetails) -> None:
    """Attach details to the function of a scorer."""
    setattr(score, _DETAILS, details)


def details_of(scorer: object) -> ScorerDetails:
    """Return the details of a scorer, also of other packages."""
    details: ScorerDetails = getattr(scorer, _DETAILS, ScorerDetails())
    return details


def guard_scoring(name: str, score: Scoring, any_length: bool, reads_marks: bool) -> Scorer:
    """Return a scorer with the handling common to all of them; see `scorer`.

    Args:
        name: The scorer.
        score: Its function, or another scorer, of which it is an alias.
        any_length: Whether it scores texts of any length.
        reads_marks: Whether it judges citations, or reads an answer in JSON.
    """
    details = details_of(score)
    score = details.unguarded or score

    @wraps(score)
    async def score_safely(state: TaskState, target: Target) -> Score | None:
        replace_surrogates(state)
        texts = () if has_note_for_answer(state, target) else target
        references = [unwrap(text) for text in encodable(list(texts))]
        answer = without_thoughts(state.output.completion)
        thought = len(state.output.completion) - len(answer)
        system = read_record(state).system
        asking_scope = asking(
            scorer=name, system=system, sample=str(state.sample_id), epoch=state.epoch
        )
        try:
            check_not_skipped(state)
            if not any_length:
                _check_length(answer=[answer], reference=references)
            if not reads_marks and len(answer) <= LONGEST:
                answer = plain(answer)
            sample = _replace_answer(state, answer), Target(references)
            with stopping(), asking_scope:
                if inspect.iscoroutinefunction(score):
                    result = await score(*sample)
                else:
                    result = await anyio.to_thread.run_sync(score, *sample)
        except TextTooLongError as error:
            result = UnscoredError("too_long", error.message).score()
        except UnscoredError as error:
            result = error.score()
        if result is None:
            return None
        return _complete_score(result, name, answer, thought, system)

    setattr(score_safely, _DETAILS, replace(details, unguarded=score))
    return score_safely


def _complete_score(score: Score, name: str, answer: str, thought: int, system: str) -> Score:
    """Add the answer, an explanation if it is empty, the signature and a note of what was omitted.

    Args:
        score: Score of a scorer.
        name: The scorer.
        answer: The answer that it read.
        thought: Characters of unread thoughts.
        system: System that answered; empty if it is not known.
    """
    if thought > 0:
        score.metadata = {**(score.metadata or {}), "thoughts_left_out": thought}
    if score.answer is None:
        score.answer = answer
    if isinstance(score.value, float) and math.isnan(score.value):
        count_unscored(name, score, system)
        return score
    if isinstance(score.value, dict):
        _count_failed_judges(score, name, system)
    if score.explanation is None and not answer.strip():
        score.explanation = "The answer is empty."
    metadata = dict(score.metadata or {})
    parameters: Any = metadata.get("signature", {})
    if isinstance(parameters, str):  # signed already
        return score
    metadata.pop("signature", None)
    if parameters is not None:
        metadata = {"signature": signature(name, **parameters), **metadata}
    score.metadata = metadata
    return score


def _count_failed_judges(score: Score, name: str, system: str) -> None:
    """Count a score of several keys of which the judged ones have no value, as no judge replied."""
    details = read_metadata(score.metadata)
    if "grader_failed" in (score.reason, *details.unscored.values()):
        reasons = (f"{judge.grader}: {judge.reason}" for judge in details.judges if judge.reason)
        explanation = f"No judge came to a verdict ({'; '.join(dict.fromkeys(reasons))})."
        failed = Score.unscored(reason="grader_failed", explanation=explanation)
        count_unscored(f"{name}, judged keys", failed, system)


def _replace_answer(state: TaskState, answer: str) -> TaskState:
    """Return the state with another answer; the state of the sample keeps its own."""
    if answer == state.output.completion:
        return state
    state = copy(state)
    state.output = state.output.model_copy(update={"completion": answer})
    return state


def _check_length(**texts: list[str]) -> None:
    for name, values in texts.items():
        longest = max(map(len, values), default=0)
        if longest > LONGEST:
            raise TextTooLongError(
                f"The {name} has {longest:,} characters; the limit is {LONGEST:,}."
            )
