"""Whether values that changed during a conversation keep their earlier states."""

from collections.abc import Sequence
from statistics import fmean

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec

from .client_file import Tracked, extraction_of, gold_values, histories, tracked_values
from .estimate_flags import match_values


@scorer(
    MeasureSpec("earlier", "Earlier values kept", "Earlier", role="secondary"),
    MeasureSpec("latest", "Latest values right", "Latest", role="secondary"),
    MeasureSpec("in_order", "Histories right", "History", "All states in order."),
    family="facts",
    signature=("rapidfuzz",),
    reads_marks=True,
)
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

    Metadata: `changed`, each value's path and label, and whether its states are right.
    """

    def score(state: TaskState, target: Target) -> Score:
        gold = gold_values(target)
        changed = [states for states in histories(gold) if len(states) > 1]
        if not changed:
            raise UnscoredError("nothing_changed", "No value changed during the conversation.")
        return _score(gold, changed, tracked_values(extraction_of(state)))

    return score


def _score(
    gold: Sequence[Tracked], changed: Sequence[Sequence[Tracked]], values: Sequence[Tracked]
) -> Score:
    partners = {pair.gold.path: pair.said for pair in match_values(gold, values)}
    answered = {states[0].series: [state.path for state in states] for states in histories(values)}
    earlier, latest, in_order, entries = [], [], [], []
    for states in changed:
        matches = [partners.get(state.path) for state in states]
        *paths, last = (match and match.path for match in matches)
        answer_paths = [answered[match.series] if match else [] for match in matches]
        earlier += [
            path is not None and path != own[-1]
            for path, own in zip(paths, answer_paths, strict=False)
        ]
        latest.append(last is not None and answer_paths[-1][-1] == last)
        in_order.append(answer_paths[-1] == [*paths, last])
        entries.append(
            {"path": states[0].place, "label": states[0].label, "in_order": in_order[-1]}
        )
    return Score(
        value={"earlier": fmean(earlier), "latest": fmean(latest), "in_order": fmean(in_order)},
        explanation=f"{len(changed)} values changed; {sum(earlier)} of {len(earlier)} earlier "
        f"states are kept, {sum(latest)} of {len(latest)} latest ones are right.",
        metadata={"signature": {"libraries": ("rapidfuzz",)}, "changed": entries},
    )
