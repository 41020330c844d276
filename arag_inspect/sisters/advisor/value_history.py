"""Whether values that changed during a conversation keep their earlier states."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec, measures

from .client_file import Tracked, extraction_of, gold_values, histories, tracked_values
from .estimate_flags import match_values

MEASURES = measures(
    MeasureSpec(
        "value_history.earlier",
        "Earlier values kept",
        "Earlier",
        "Share of later corrected values that the extraction keeps as earlier states.",
        role="secondary",
    ),
    MeasureSpec(
        "value_history.latest",
        "Latest values right",
        "Latest",
        "Share of changed values whose latest state is the last one stated.",
        role="secondary",
    ),
    MeasureSpec(
        "value_history.in_order",
        "Histories right",
        "History",
        "Share of changed values with all states, in order, and no other.",
    ),
    family="facts",
    signature=("rapidfuzz",),
)


@scorer(MEASURES, reads_marks=True)
def value_history() -> PlainScorer:
    """Does an extraction keep the earlier states of changed values, latest last?

    1. Gold and answer are JSON objects with tracked values in `dynamic` lists of states; the gold
       one is the sample's target. A gold value with two or more states has changed.
    2. States are matched by section, field and value, as by `estimate_flags`.
    3. `earlier`: the share of earlier gold states that the answer has as an earlier state. One
       given as the latest does not count.
    4. `latest`: the share of changed gold values whose last state the answer has as its latest.
    5. `in_order`: the share of changed gold values whose states are those of one value of the
       answer, in this order, and no other.
    6. Unscored if nothing changed, if there is no gold record, and if the answer holds no JSON
       object.

    Metadata: `changed`, each value's path with its gold states and those of the answer.
    """

    def score(state: TaskState, target: Target) -> Score:
        gold = gold_values(target)
        if not any(len(states) > 1 for states in histories(gold)):
            raise UnscoredError("nothing_changed", "No value changed during the conversation.")
        return _score(gold, tracked_values(extraction_of(state)))

    return score


def _score(gold: Sequence[Tracked], values: Sequence[Tracked]) -> Score:
    partners = {pair.gold.path: pair.said for pair in match_values(gold, values)}
    answer_histories = {states[0].series: states for states in histories(values)}
    changed = [states for states in histories(gold) if len(states) > 1]
    earlier, latest, in_order, entries = [], [], [], []
    for states in changed:
        matches = [partners.get(state.path) for state in states]
        for match in matches[:-1]:
            history = [] if match is None else answer_histories[match.series]
            earlier.append(match is not None and match.path != history[-1].path)
        last = matches[-1]
        answer_states = [] if last is None else answer_histories[last.series]
        latest.append(last is not None and answer_states[-1].path == last.path)
        answer_paths = [state.path for state in answer_states]
        in_order.append(answer_paths == [match.path if match else None for match in matches])
        entries.append(_entry(states, answer_states))
    value = {
        "earlier": sum(earlier) / len(earlier),
        "latest": sum(latest) / len(latest),
        "in_order": sum(in_order) / len(in_order),
    }
    return Score(
        value=dict(value),
        explanation=f"{len(changed)} values changed; {sum(earlier)} of {len(earlier)} earlier "
        f"states are kept, {sum(latest)} of {len(latest)} latest ones are right.",
        metadata={"signature": {"libraries": ("rapidfuzz",)}, "changed": entries},
    )


def _entry(states: Sequence[Tracked], answer_states: Sequence[Tracked]) -> dict[str, Any]:
    return {
        "path": states[0].place,
        "label": states[0].label,
        "gold": [_state(state) for state in states],
        "answer": [_state(state) for state in answer_states],
    }


def _state(state: Tracked) -> dict[str, Any]:
    return {"value": state.fact["value"], "call_time": state.text("call_time")}
