"""Check whether vaguely stated values, and only those, are marked as estimates."""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState
from rapidfuzz import fuzz

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec, measures

from .client_file import Tracked, extraction_of, gold_values, tracked_values


class Pair(NamedTuple):
    """A value of the answer with its gold value."""

    gold: Tracked
    said: Tracked

    @property
    def is_right(self) -> bool:
        """Whether both are estimates or neither is."""
        return _flag(self.gold) == _flag(self.said)


MEASURES = measures(
    MeasureSpec(
        "estimate_flags.accuracy",
        "Estimate flags right",
        "Flags",
        "Share of matched values whose estimate flag is the gold one.",
        role="secondary",
        noun="right estimate flags",
    ),
    MeasureSpec(
        "estimate_flags.sensitivity",
        "Vague values flagged",
        "Sensitivity",
        "Share of values that are estimates and flagged as such.",
    ),
    MeasureSpec(
        "estimate_flags.specificity",
        "Exact values not flagged",
        "Specificity",
        "Share of exact values that are not flagged as estimates.",
    ),
    family="facts",
    signature=("rapidfuzz",),
)


@scorer(MEASURES, reads_marks=True)
def estimate_flags() -> PlainScorer:
    """Is `is_estimate` right, for the values that an extraction got right?

    1. Gold and answer are JSON objects with tracked values (`value` and `is_estimate` beside it);
       the gold one is the sample's target.
    2. A value is matched with a gold one of the same section (first name of its path), the same
       field (last name) and the same value: numbers equal, texts equal but for case and white
       space. Each counts once; of several, those with the same call time go together first, then
       those with the most similar label.
    3. `accuracy`: the share of matched values whose flag is the gold one. A flag that is missing or
       not a boolean is wrong.
    4. `sensitivity` and `specificity`: the same among gold estimates, and among the other values;
       unscored if there are none.
    5. Unmatched values are ignored; `fact_match` measures them. Without a gold record, a JSON
       object or a match the sample is unscored.

    Metadata: how many values there are and how many matched; the paths of the wrong flags.
    """

    def score(state: TaskState, target: Target) -> Score:
        gold = gold_values(target)
        values = tracked_values(extraction_of(state))
        pairs = match_values(gold, values)
        if not pairs:
            raise UnscoredError("nothing_matched", "No value of the answer is a gold one.")
        return _score(pairs, gold, values)

    return score


def match_values(gold: Sequence[Tracked], values: Sequence[Tracked]) -> list[Pair]:
    """Match the values of an answer with gold values, each once; see `estimate_flags`."""
    candidates = []
    for (i, gold_value), (j, value) in product(enumerate(gold), enumerate(values)):
        if _same(gold_value, value):
            other_time = gold_value.text("call_time") != value.text("call_time")
            likeness = fuzz.ratio(gold_value.label, value.label)
            candidates.append((other_time, -likeness, i, j))
    partners: dict[int, int] = {}
    for _, _, i, j in sorted(candidates):
        if i not in partners and j not in partners.values():
            partners[i] = j
    return [Pair(gold[i], values[j]) for i, j in sorted(partners.items())]


def _same(first: Tracked, second: Tracked) -> bool:
    """Return whether two values have the same section, field and value."""
    if (first.section, first.field) != (second.section, second.field):
        return False
    a, b = first.fact["value"], second.fact["value"]
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-9)
    return " ".join(str(a).casefold().split()) == " ".join(str(b).casefold().split())


def _flag(value: Tracked) -> bool | None:
    flag = value.fact.get("is_estimate")
    return flag if isinstance(flag, bool) else None


def _score(pairs: Sequence[Pair], gold: Sequence[Tracked], values: Sequence[Tracked]) -> Score:
    groups = {
        "accuracy": pairs,
        "sensitivity": [pair for pair in pairs if _flag(pair.gold)],
        "specificity": [pair for pair in pairs if not _flag(pair.gold)],
    }
    shares = {
        key: sum(pair.is_right for pair in group) / len(group) if group else float("nan")
        for key, group in groups.items()
    }
    wrong = [pair.said.place for pair in pairs if not pair.is_right]
    return Score(
        value=dict(shares),
        explanation=f"{len(pairs)} of {len(gold)} gold values matched; "
        + (f"wrong flags: {', '.join(wrong)}." if wrong else "all their flags are right."),
        metadata={
            "signature": {"libraries": ("rapidfuzz",)},
            "gold_values": len(gold),
            "values": len(values),
            "matched": len(pairs),
            "wrong": wrong,
        },
    )
