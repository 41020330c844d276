"""Scores of the values in a client file: their form, estimates and history."""

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState
from rapidfuzz import fuzz

from arag_inspect._util.untrusted import check_value, read_json
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec

from .client_file import Tracked, extraction_of, gold_values, histories, tracked_values
from .schema import Fault, load_schema

_SHOWN = 50


@scorer(
    MeasureSpec("valid", "Fit with the schema", "Valid", role="secondary"),
    MeasureSpec("failing_paths", "Failing paths", higher_is_better=False),
    family="facts",
    signature=("schema", "jsonschema"),
    reads_marks=True,
)
def schema_validity(*, schema: str | None = None) -> PlainScorer:
    """Does the answer fit a JSON Schema, by the library `jsonschema` (draft 2020-12)?

    1. The answer is the first JSON object of the output, with or without a code fence.
    2. `valid` is 1 if nothing in it violates the schema, else 0. `format` is checked, e.g. of
       dates.
    3. `failing_paths` is the share of its paths that violate the schema, from 0 to 1. Paths are
       those of every member and item of the answer, and the whole; a missing or additional member
       counts at its object.
    4. For alternatives (`anyOf`), the faults of the nearest branch count.
    5. An output without a JSON object, or with one nested more than a hundred levels deep, has
       `valid` 0 and `failing_paths` 1. Unscored if the system gave up, and if the check does not
       end within 20 s.

    Metadata: `faults`, each with path and message (the first 50), and their number.

    Args:
        schema: Path of a JSON Schema. Default: a client's finances.

    Raises:
        InputError: The schema cannot be read.
    """
    form = load_schema(schema)
    signature = {"libraries": ("jsonschema",), "schema": form.digest}

    def score(state: TaskState, target: Target) -> Score:
        value = read_json(state.output.completion)
        try:
            check_value(value)
            faults = [] if value is None else form.faults_in_time(value)
        except ValueError as error:
            value, faults = None, [Fault("", f"cannot be checked: {error}")]
        if faults is None:
            raise UnscoredError(
                "unchecked",
                "The check does not end: a pattern or the alternatives of the schema take too long.",
            )
        if value is None and not faults:
            faults = [Fault("", "the answer holds no JSON object")]
        failing = {fault.path for fault in faults}
        paths = {".".join(path) for path in _paths(value)} | failing
        first_faults = faults[:_SHOWN]
        lines = [f"{fault.path or '(whole)'}: {fault.message}" for fault in first_faults]
        return Score(
            value={"valid": float(not faults), "failing_paths": len(failing) / len(paths)},
            explanation="\n".join(lines) or "The answer fits the schema.",
            metadata={
                "signature": signature,
                "faults": [fault._asdict() for fault in first_faults],
                "fault_count": len(faults),
                "paths": len(paths),
            },
        )

    return score


def _paths(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, str(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, (*path, str(index)))


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
