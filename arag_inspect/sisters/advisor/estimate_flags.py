"""Check whether vaguely stated values, and only those, are marked as estimates."""

from collections.abc import Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState
from rapidfuzz import fuzz

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec

from .client_file import Tracked, extraction_of, gold_values, tracked_values


class Pair(NamedTuple):
    """A value of the answer with its gold value."""

    gold: Tracked
    said: Tracked

    @property
    def is_right(self) -> bool:
        """Whether both are estimates or neither is."""
        return _flag(self.gold) == _flag(self.said)


@scorer(
    MeasureSpec("accuracy", "Right estimate flags", "Flags", role="secondary"),
    MeasureSpec("sensitivity", "Vague values flagged", "Sensitivity"),
    MeasureSpec("specificity", "Exact values not flagged", "Specificity"),
    family="facts",
    signature=("rapidfuzz",),
    reads_marks=True,
)
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
        gold, values = gold_values(target), tracked_values(extraction_of(state))
        pairs = match_values(gold, values)
        if not pairs:
            raise UnscoredError("nothing_matched", "No value of the answer is a gold one.")
        groups = {
            "accuracy": pairs,
            "sensitivity": [pair for pair in pairs if _flag(pair.gold)],
            "specificity": [pair for pair in pairs if not _flag(pair.gold)],
        }
        wrong = [pair.said.place for pair in pairs if not pair.is_right]
        flags = f"wrong flags: {', '.join(wrong)}" if wrong else "all their flags are right"
        return Score(
            value={
                key: fmean(pair.is_right for pair in group) if group else float("nan")
                for key, group in groups.items()
            },
            explanation=f"{len(pairs)} of {len(gold)} gold values matched; {flags}.",
            metadata={
                "signature": {"libraries": ("rapidfuzz",)},
                "gold_values": len(gold),
                "values": len(values),
                "matched": len(pairs),
                "wrong": wrong,
            },
        )

    return score


def match_values(gold: Sequence[Tracked], values: Sequence[Tracked]) -> list[Pair]:
    """Match the values of an answer with gold values, each once; see `estimate_flags`."""
    candidates = [
        (a.text("call_time") != b.text("call_time"), -fuzz.ratio(a.label, b.label), i, j)
        for (i, a), (j, b) in product(enumerate(gold), enumerate(values))
        if a.key == b.key
    ]
    partners: dict[int, int] = {}
    for _, _, i, j in sorted(candidates):
        if i not in partners and j not in partners.values():
            partners[i] = j
    return [Pair(gold[i], values[j]) for i, j in sorted(partners.items())]


def _flag(value: Tracked) -> bool | None:
    flag = value.fact.get("is_estimate")
    return flag if isinstance(flag, bool) else None
