"""Whether values that changed during a conversation keep their earlier states."""

from collections.abc import Sequence
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.json_reply import read_json
from arag_inspect.judge.signature import signature
from arag_inspect.judge.unscored import unscored_if_skipped
from arag_inspect.scorers._shared.border import scorer
from arag_inspect.scorers._shared.metrics import estimates
from arag_inspect.scorers.estimate_flags import match_values
from arag_inspect.types.client_file import Tracked, histories, tracked_values
from arag_inspect.types.measures import MeasureSpec, measures

KEYS = ("earlier", "latest", "in_order")

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


@scorer(metrics={key: estimates() for key in KEYS}, measures=MEASURES)
def value_history() -> Scorer:
    """Does an extraction keep the earlier states of values that changed, with the latest last?

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

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := unscored_if_skipped(state)) is not None:
            return unscored
        answer = state.output.completion
        gold = tracked_values(read_json(target.text))
        if not gold:
            return Score.unscored(
                reason="no_reference",
                explanation="The target is not a record of tracked values.",
                answer=answer,
            )
        if not any(len(states) > 1 for states in histories(gold)):
            return Score.unscored(
                reason="nothing_changed",
                explanation="No value changed during the conversation.",
                answer=answer,
            )
        extraction = read_json(answer)
        if extraction is None:
            return Score.unscored(
                reason="no_json", explanation="The answer holds no JSON object.", answer=answer
            )
        said = tracked_values(extraction)
        return await anyio.to_thread.run_sync(_score, gold, said, answer)

    return score


def _score(gold: Sequence[Tracked], said: Sequence[Tracked], answer: str) -> Score:
    partner = {pair.gold.path: pair.said for pair in match_values(gold, said)}
    theirs = {states[0].series: states for states in histories(said)}
    changed = [states for states in histories(gold) if len(states) > 1]
    kept, latest, ordered, listed = [], [], [], []
    for states in changed:
        matches = [partner.get(one.path) for one in states]
        kept += [
            one is not None and one.path != theirs[one.series][-1].path for one in matches[:-1]
        ]
        last = matches[-1]
        own = [] if last is None else theirs[last.series]
        latest.append(last is not None and own[-1].path == last.path)
        ordered.append([one.path for one in own] == [one.path for one in matches if one])
        ordered[-1] = ordered[-1] and None not in matches
        listed.append(_entry(states, own))
    value = {
        "earlier": sum(kept) / len(kept),
        "latest": sum(latest) / len(latest),
        "in_order": sum(ordered) / len(ordered),
    }
    return Score(
        value=dict(value),
        answer=answer,
        explanation=f"{len(changed)} values changed; {sum(kept)} of {len(kept)} earlier states are "
        f"kept, {sum(latest)} of {len(latest)} latest ones are right.",
        metadata={
            "signature": signature("value_history", libraries=("rapidfuzz",)),
            "changed": listed,
        },
    )


def _entry(states: Sequence[Tracked], own: Sequence[Tracked]) -> dict[str, Any]:
    return {
        "path": states[0].place,
        "label": states[0].label,
        "gold": [_state(one) for one in states],
        "answer": [_state(one) for one in own],
    }


def _state(one: Tracked) -> dict[str, Any]:
    return {"value": one.fact["value"], "call_time": one.text("call_time")}
