"""How often a judge's verdicts on facts change when the other list is reordered."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from ..._util.log_files import is_appended_score
from ...stats.estimates import Estimate, estimate
from ...types.score_metadata import read_metadata


class ReorderedVerdict(NamedTuple):
    """Verdicts on a fact before and after the other list is reordered."""

    sample: str
    epoch: int
    side: str
    fact: str
    before: bool
    """Whether a matching fact of the other list was found."""

    after: bool


class OrderEffect(NamedTuple):
    """How often the verdicts of one judge change with the order."""

    scorer: str
    judge: str
    verdicts: int
    changed: tuple[ReorderedVerdict, ...]
    share: Estimate
    """Share of changed verdicts, with Wilson's 95 % interval over samples."""


def order_effect(before: EvalLog, after: EvalLog, names: Sequence[str]) -> tuple[OrderEffect, ...]:
    """Compare the verdicts of a log with the same judges' verdicts on reordered facts.

    A verdict is whether the judge itself found a match, before rules reconcile the two directions.
    Facts compared with a list of one fact are omitted, since it has only one order.

    Args:
        before: The log.
        after: The log with the new scores next to the old ones, or the same log.
        names: Names of the scorers in `before`.
    """
    groups: dict[tuple[str, str], list[ReorderedVerdict]] = {}
    for old, new in zip(before.samples or [], after.samples or [], strict=True):
        old_scores = old.scores or {}
        new_scores = new.scores or {}
        for name in names:
            new_keys = new_scores.keys() - old_scores.keys()
            added = [key for key in new_keys if is_appended_score(key, name)]
            repeated_verdicts = dict(_verdicts(new_scores.get(max(added, default=name))))
            for (judge, side, fact), matched in _verdicts(old_scores.get(name)):
                repeated_match = repeated_verdicts.get((judge, side, fact))
                if repeated_match is not None:
                    verdict = ReorderedVerdict(
                        str(old.id), old.epoch, side, fact, matched, repeated_match
                    )
                    groups.setdefault((name, judge), []).append(verdict)
    return tuple(_effect(*key, verdicts) for key, verdicts in groups.items())


def _effect(scorer: str, judge: str, verdicts: Sequence[ReorderedVerdict]) -> OrderEffect:
    changes = np.array([verdict.before != verdict.after for verdict in verdicts], float)
    _, clusters = np.unique([verdict.sample for verdict in verdicts], return_inverse=True)
    changed = tuple(verdict for verdict in verdicts if verdict.before != verdict.after)
    return OrderEffect(scorer, judge, len(verdicts), changed, estimate(changes, clusters, (0, 1)))


def _verdicts(score: Score | None) -> Iterator[tuple[tuple[str, str, str], bool]]:
    """Yield whether a judge found a match, by judge, side and fact."""
    for record in read_metadata(score.metadata if score else None).judges:
        sides = {"gold": record.gold, "predicted": record.predicted}
        for side, other in (("gold", "predicted"), ("predicted", "gold")):
            for fact in sides[side] if len(sides[other]) > 1 else ():
                if fact.reasoning is not None:  # the judge replied
                    # a rule reversed the verdict
                    matched = (fact.verdict == "TP") != (fact.rule is not None)
                    yield (record.grader, side, fact.id), matched
