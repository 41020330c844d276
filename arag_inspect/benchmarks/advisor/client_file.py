"""Scorer of a client's file: its form, citations, estimates and history."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState
from pydantic import NonNegativeInt
from rapidfuzz import fuzz

from arag_inspect._util.json_values import check_value
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.judge.unscored_counts import count_unscored
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.keyed_score import NoValue, keyed_score
from arag_inspect.measures.scorer import PlainScorer, Proportion, scorer
from arag_inspect.text.replies import read_json
from arag_inspect.types.trace import read_record

from .citations import check_citations
from .schema import Fault, Schema, load_schema
from .tracked import Tracked, gold_values, histories, tracked_values, transcript_of

_SHOWN = 50

_NO_OBJECT = Fault("", "the answer has no JSON object")

_KEYS = {
    "form": ("valid", "failing_paths"),
    "citations": ("exact", "fuzzy", "at_call_time"),
    "estimates": ("flags",),
    "history": ("earlier", "latest", "in_order"),
}


@scorer(
    MeasureSpec("valid", "Fit with the schema", "Valid", role="secondary"),
    MeasureSpec("failing_paths", "Failing paths", higher_is_better=False),
    MeasureSpec("exact", "Word-for-word citations", "Exact", role="secondary"),
    MeasureSpec("fuzzy", "Citations", "Cited", "Up to the tolerance."),
    MeasureSpec("at_call_time", "Citations at their time", "In time"),
    MeasureSpec("flags", "Right estimate flags", "Flags", role="secondary"),
    MeasureSpec("earlier", "Earlier values kept", "Earlier", role="secondary"),
    MeasureSpec("latest", "Latest values right", "Latest", role="secondary"),
    MeasureSpec("in_order", "Histories right", "History", "All states in order."),
    family="facts",
    signature=("schema", "jsonschema", "tolerance", "seconds", "rapidfuzz"),
    reads_marks=True,
)
def client_file(
    *, schema: str | None = None, tolerance: Proportion = 0.15, seconds: NonNegativeInt = 5
) -> PlainScorer:
    """Is an extracted client's file well formed, cited and complete in time?

    The answer is the first JSON object of the output, with or without a code fence. A tracked value
    is an object with a `value` other than null and a `citation`, `call_time` or `is_estimate`. The
    gold record is the sample's target.

    Form, by the library `jsonschema` (draft 2020-12):

    1. `valid` is 1 if nothing in the answer violates the schema, else 0. `format` (e.g. of dates)
       is checked too.
    2. `failing_paths` is the share of the answer's paths that violate the schema, from 0 to 1.
       Every member and item of the answer has a path, and so has the whole answer; a missing or
       additional member counts at its object.
    3. For alternatives (`anyOf`), the faults of the nearest branch count.
    4. An output without a JSON object, or with one nested more than a hundred levels deep, has
       `valid` 0 and `failing_paths` 1.

    Citations of the answer's tracked values (a value without a citation is cited wrongly):

    5. `exact`: the share whose citation occurs in the transcript. White space, case, kinds of
       quotation marks and dashes are ignored; `...` matches omitted words.
    6. `fuzzy`: the share that is exact, or differs from a passage of the transcript by at most
       `tolerance` of its characters (Levenshtein).
    7. `at_call_time`: the share that is found, exactly or nearly, in the line spoken at its
       `call_time`, or in one up to `seconds` away. No value without times in the transcript.
    8. A citation of one or two words, which may occur by chance, counts only in that line. The
       transcript is `transcript` in the sample's metadata (without it, the sample's input), with
       lines such as `[00:03:25] Adviser: ...`.

    Estimates:

    9. A value is matched with a gold value of the same section (first name of its path) and the
       same field (last name), if both are equal (for texts, ignoring case and white space). Each
       value is matched once; values with the same call time are matched first, then values with the
       most similar label. Unmatched values are ignored; `fact_match` measures them.
    10. `flags`: the share of matched values whose `is_estimate` equals the gold flag. A flag that
        is missing or not a boolean is wrong.

    History of the gold values with two or more states in a `dynamic` list:

    11. `earlier`: the share of earlier gold states that the answer has as an earlier state (not as
        the latest). States are matched as for `flags`.
    12. `latest`: the share of changed gold values whose last state the answer has as its latest.
    13. `in_order`: the share of changed gold values whose states are exactly the states of one
        value of the answer, in the same order.

    If a part is not measurable (no JSON object, no gold record, no transcript, nothing matched,
    nothing changed), its keys have no value, and the reason is in the metadata. Unscored if the
    system gave up.

    Metadata: `faults`, the first 50 with path and message, and their number; `citations` with path
    and results; how many values matched and the paths of `wrong` flags; `changed`, each changed
    value and whether its states are right; `unscored`, the reason for each key without a value.

    Args:
        schema: Path of a JSON Schema. Default: a client's finances.
        tolerance: Share of a citation's characters that may differ.
        seconds: Largest error of a call time, in seconds.

    Raises:
        InputError: The schema is unreadable, or a parameter is out of range.
    """
    form = load_schema(schema)
    signature = {
        "libraries": ("jsonschema", "rapidfuzz"),
        "schema": form.digest,
        "tolerance": tolerance,
        "seconds": seconds,
    }

    def score(state: TaskState, target: Target) -> Score:
        answer = read_json(state.output.completion)

        def values() -> list[Tracked]:
            if answer is None:
                raise UnscoredError("no_json", "The answer has no JSON object.")
            return tracked_values(answer)

        def citations() -> Score:
            return check_citations(transcript_of(state), values(), tolerance, seconds)

        checks: dict[str, Callable[[], Score]] = {
            "form": lambda: _check_form(answer, form),
            "citations": citations,
            "estimates": lambda: _check_estimates(gold_values(target), values()),
            "history": lambda: _check_history(gold_values(target), values()),
        }
        value: dict[str, Any] = {}
        metadata: dict[str, Any] = {"signature": signature, "unscored": {}}
        lines = []
        for part, check in checks.items():
            try:
                part_score = check()
            except UnscoredError as error:
                value |= dict.fromkeys(_KEYS[part], NoValue(error.reason))
                lines.append(str(error))
                count_unscored(f"client_file, {part}", error.score(), read_record(state).system)
            else:
                value |= part_score.as_dict()
                metadata |= part_score.metadata or {}
                lines.append(str(part_score.explanation))
        return keyed_score(value, "\n".join(lines), metadata)

    return score


def _check_form(answer: dict[str, Any] | None, form: Schema) -> Score:
    try:
        check_value(answer)
        faults = form.faults(answer) if answer is not None else [_NO_OBJECT]
    except ValueError as error:
        answer = None
        faults = [Fault("", f"cannot be checked: {error}")]
    failing = {fault.path for fault in faults}
    paths = {".".join(path) for path in _paths(answer)} | failing
    first_faults = faults[:_SHOWN]
    lines = [f"{fault.path or '(whole)'}: {fault.message}" for fault in first_faults]
    return Score(
        value={"valid": float(not faults), "failing_paths": len(failing) / len(paths)},
        explanation="\n".join(lines) or "The answer fits the schema.",
        metadata={
            "faults": [fault._asdict() for fault in first_faults],
            "fault_count": len(faults),
            "paths": len(paths),
        },
    )


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
    answer: Tracked

    @property
    def is_right(self) -> bool:
        """Whether both are estimates or neither is."""
        return _estimate_flag(self.gold) == _estimate_flag(self.answer)


def _check_estimates(gold: Sequence[Tracked], values: Sequence[Tracked]) -> Score:
    pairs = match_values(gold, values)
    if not pairs:
        raise UnscoredError("nothing_matched", "No value of the answer is a gold one.")
    wrong_flags = [pair.answer.place for pair in pairs if not pair.is_right]
    flags = f"wrong flags: {', '.join(wrong_flags)}" if wrong_flags else "all their flags are right"
    return Score(
        value={"flags": fmean(pair.is_right for pair in pairs)},
        explanation=f"{len(pairs)} of {len(gold)} gold values matched; {flags}.",
        metadata={
            "gold_values": len(gold),
            "values": len(values),
            "matched": len(pairs),
            "wrong": wrong_flags,
        },
    )


def match_values(gold: Sequence[Tracked], values: Sequence[Tracked]) -> list[Pair]:
    """Match the values of an answer with gold values, each once; see `client_file`."""
    candidates = []
    for gold_index, value_index in product(range(len(gold)), range(len(values))):
        gold_value = gold[gold_index]
        value = values[value_index]
        if gold_value.key == value.key:
            is_at_other_time = gold_value.text("call_time") != value.text("call_time")
            difference = -fuzz.ratio(gold_value.label, value.label)
            candidates.append((is_at_other_time, difference, gold_index, value_index))
    partners: dict[int, int] = {}
    for _, _, gold_index, value_index in sorted(candidates):
        if gold_index not in partners and value_index not in partners.values():
            partners[gold_index] = value_index
    return [Pair(gold[i], values[j]) for i, j in sorted(partners.items())]


def _estimate_flag(value: Tracked) -> bool | None:
    flag = value.fact.get("is_estimate")
    return flag if isinstance(flag, bool) else None


def _check_history(gold: Sequence[Tracked], values: Sequence[Tracked]) -> Score:
    changed = [states for states in histories(gold) if len(states) > 1]
    if not changed:
        raise UnscoredError("nothing_changed", "No value changed during the conversation.")
    partners = {pair.gold.path: pair.answer for pair in match_values(gold, values)}
    paths_by_series = {}
    for states in histories(values):
        paths_by_series[states[0].series] = [state.path for state in states]
    earlier = []
    latest = []
    order_flags = []
    entries = []
    for states in changed:
        matches = [partners.get(state.path) for state in states]
        *paths, last = (match.path if match else None for match in matches)
        answer_paths = [paths_by_series[match.series] if match else [] for match in matches]
        earlier += [
            path is not None and path != answer_path[-1]
            for path, answer_path in zip(paths, answer_paths, strict=False)
        ]
        latest.append(last is not None and answer_paths[-1][-1] == last)
        order_flags.append(answer_paths[-1] == [*paths, last])
        entries.append(
            {"path": states[0].place, "label": states[0].label, "in_order": order_flags[-1]}
        )
    return Score(
        value={"earlier": fmean(earlier), "latest": fmean(latest), "in_order": fmean(order_flags)},
        explanation=f"{len(changed)} values changed; {sum(earlier)} of {len(earlier)} earlier "
        f"states are kept, {sum(latest)} of {len(latest)} latest ones are right.",
        metadata={"changed": entries},
    )
