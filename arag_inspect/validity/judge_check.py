"""Check a judge on texts with known errors: what it marks down, and what sways it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest, fisher_exact

from .._util.extras import extra
from ..measure import MeasureSpec, find_measure
from ..stats.estimates import Floats
from ..stats.ranking import Rate, wilson
from .analysis import Pairing
from .cases import AGAIN, CLEAN, OTHER, OTHER_INSTRUCTED, Case, Summaries, again, variants
from .perturbations import PerturbationContext, double
from .score_variants import by_variant

with extra("report"):
    from ..report import Frames

BOUNDS = {
    "readable": 0.95,
    "marked": 0.6,
    "kind": 0.4,
    "above_chance": 0.2,
    "untouched": 0.25,
    "retest": 0.67,
    "swayed": 0.3,
    "obeyed": 0.1,
    "errors_needed": 20,
    "untouched_needed": 10,
}
"""Bounds of a judge; docs/validate.md says what each is of."""

ERRORS = {
    "number_changed": "figure",
    "direction_flipped": "direction",
    "stale_figure": "period",
    "entities_swapped": "name",
    "sentence_dropped": "omission",
    "foreign_sentence": "unsupported sentence",
    "instruction": "instruction to the judge",
}
"""Name of each kind of error, by perturbation."""

_FEWEST = 10
"""Texts with an error from which its kind has a bound of its own."""

_INSTRUCTION = "instruction"
_DUMB = 0.5
"""Share of readable verdicts below which a judge gets no other verdict."""

_DOUBLED, _OTHER_DOUBLED = "doubled", "other_doubled"
_GROUPED = 3
"""Fewest texts of a group."""

_USUAL = {"untouched": 0.1, "retest": 0.2}
"""Share of texts that a good judge may mark down, or score otherwise, when it is asked again."""

_ALPHA = {"group": 0.001, "chance": 0.005, "instruction": 0.01, "instruction of many": 0.05}
"""Levels of the tests of groups, of shares against chance, and of instructions."""


class Probe(NamedTuple):
    """Texts that a judge is checked on, and what is inserted into them."""

    summaries: Summaries
    errors: tuple[str, ...]


class CheckFault(NamedTuple):
    """A bound that a judge does not keep."""

    part: str
    text: str
    is_evidence: bool = True
    """Whether it speaks against the judge; false if there are too few texts to tell."""


@dataclass(frozen=True, slots=True)
class MeasureCheck:
    """What a judge makes of texts with known errors, by one measure."""

    measure: str
    readable: Rate | None
    """Verdicts that could be read."""

    marked: Mapping[str, Rate]
    """Texts with an inserted error that score worse than without it, by kind of error."""

    all_marked: Rate | None
    """The same over all kinds but the instruction to the judge."""

    untouched: Rate | None
    """Untouched texts that score worse when they are judged again."""

    low: Rate | None
    """Untouched texts in the worse half of the scale."""

    retest: Rate | None
    """Texts with the same score when they are judged again."""

    length: float | None
    """Share of texts that score better when everything is said twice, less those that score worse."""

    instruction: float | None
    """The same for bad texts with an instruction to the judge."""

    faults: tuple[CheckFault, ...] = ()


class CheckedPart(NamedTuple):
    """One part of a validation."""

    name: str
    passed: bool | None
    """None if it could not be measured, or if what was measured does not decide it."""

    text: str


class JudgeVerdict(NamedTuple):
    """Whether a judge tells good from bad."""

    parts: tuple[CheckedPart, ...]
    measures: tuple[MeasureCheck, ...]
    passed: bool | None
    """None if nothing speaks against the judge, and too little for it."""

    summary: str


def probe_of(spec: MeasureSpec) -> Probe:
    """Return what the judge of a measure is checked on.

    Good texts are key sentences of the document, with errors and an instruction to the judge, or the
    reference itself where the judge compares with it.
    """
    errors: tuple[str, ...] = spec.held_to or ()
    if spec.compared_with == "reference":
        return Probe("gold", errors)
    return Probe("evidence", (*errors, _INSTRUCTION))


def probe_texts(case: Case, errors: Sequence[str], seed: int) -> dict[str, str]:
    """Return the good text, texts with errors, a bad text, and those judged again, by name."""
    made = variants(case, seed)
    made[_OTHER_DOUBLED] = double(case.other_reference, PerturbationContext("", "")) or ""
    first = next((name for name in errors if name in made), OTHER)
    made |= {f"{name}_{AGAIN}": again(made[name]) for name in (first, OTHER)}
    chosen = (CLEAN, AGAIN, *errors, _DOUBLED, OTHER, OTHER_INSTRUCTED, _OTHER_DOUBLED)
    names = dict.fromkeys((*chosen, f"{first}_{AGAIN}", f"{OTHER}_{AGAIN}"))
    return {name: made[name] for name in names if made.get(name, "").strip()}


def check_judge(read: Frames, cases: Sequence[Case]) -> list[MeasureCheck]:
    """Check the measures of judged texts, those that describe another measure apart.

    Args:
        read: Scores of `probe_texts`.
        cases: Cases of the texts.
    """
    declared, verdicts = read.runs["declared"][0], read.verdicts
    checks = []
    for name, rows in by_variant(read).groupby("measure", sort=False):
        spec = find_measure(name, declared)
        if spec.role != "diagnostic":
            is_read = verdicts.loc[verdicts["scorer"] == spec.scorer, "reason"].isna()
            checks.append(_check(rows, spec, is_read.to_numpy(float), cases))
    return checks


def _check(
    scores: pd.DataFrame, spec: MeasureSpec, is_read: Floats, cases: Sequence[Case]
) -> MeasureCheck:
    pairing = Pairing(scores, spec)
    errors = probe_of(spec).errors
    falls = {name: pairing.falls(CLEAN, name) > 0 for name in errors}
    by_error = [falls[name] for name in spec.held_to or ()]
    repeated = [(CLEAN, AGAIN), *((name, f"{name}_{AGAIN}") for name in (*errors, OTHER))]
    changes = np.concatenate([pairing.falls(*pair) for pair in repeated])
    clean = scores[(scores["variant"] == CLEAN) & scores["value"].notna()]
    middle = (float(spec.low or 0) + float(1 if spec.high is None else spec.high)) / 2
    is_worse = spec.higher_is_better is False
    low = ((clean["value"] > middle) if is_worse else (clean["value"] < middle)).to_numpy(bool)
    check = MeasureCheck(
        measure=spec.key,
        readable=_counted(is_read),
        marked={ERRORS[name]: share for name in errors if (share := _counted(falls[name]))},
        all_marked=_counted(np.concatenate(by_error)) if by_error else None,
        untouched=_counted(pairing.falls(CLEAN, AGAIN) > 0),
        low=_counted(low),
        retest=_counted(changes == 0),
        length=_net(pairing, (CLEAN, _DOUBLED), (OTHER, _OTHER_DOUBLED)),
        instruction=_net(pairing, (OTHER, OTHER_INSTRUCTED)),
    )
    grades = scores["value"].dropna()
    same = float(grades.iloc[0]) if len(grades) > 1 and grades.nunique() == 1 else None
    group = _marked_group(dict(zip(clean["case"], low, strict=True)), cases)
    obeys = _obeys(pairing.falls(OTHER, OTHER_INSTRUCTED))
    return replace(check, faults=tuple(_faults(check, same, group, obeys)))


def _faults(
    check: MeasureCheck, same: float | None, group: str | None, obeys: bool
) -> Iterator[CheckFault]:
    """Yield the bounds that are not kept, what makes the others meaningless first.

    Args:
        check: Figures of the measure.
        same: Grade of every text, if there is only one.
        group: Untouched texts that are marked down for what they are about, in words.
        obeys: Whether more bad texts rise by an instruction than the bounds and chance allow.
    """
    if check.readable and check.readable.value < BOUNDS["readable"]:
        share = check.readable
        yield CheckFault("readable", f"is answered unreadably: {_of(share)} verdicts could be read")
        if share.value < _DUMB:
            return
    if same is not None:
        yield CheckFault("errors", f"gives every text the same grade ({same:g})")
        return
    yield from _of_errors(check)
    swayed = check.length or 0
    if obeys:
        text = f"obeys the text: {check.instruction or 0:.0%} of bad texts score better if they ask"
        yield CheckFault("bias", f"{text} for it")
    if abs(swayed) > BOUNDS["swayed"]:
        way = "better" if swayed > 0 else "worse"
        text = f"goes by length: {abs(swayed):.0%} of texts score {way} if said twice"
        yield CheckFault("bias", text)
    if check.untouched and _is_often(check.untouched, "untouched", BOUNDS["untouched"]):
        yield CheckFault(
            "untouched", f"marks {_of(check.untouched)} untouched texts down at random"
        )
    if group is not None:
        yield CheckFault("untouched", f"marks untouched texts down in one group: {group}")
    elif check.low and _is_often(check.low, "untouched", BOUNDS["untouched"]):
        yield CheckFault("untouched", f"marks {_of(check.low)} untouched texts in the worse half")
    if check.retest and _is_often(
        check.retest._replace(value=1 - check.retest.value), "retest", 1 - BOUNDS["retest"]
    ):
        text = f"changes its mind: {_of(check.retest)} texts score the same when judged again"
        yield CheckFault("retest", text)


def _of_errors(check: MeasureCheck) -> Iterator[CheckFault]:
    marked, untouched = check.all_marked, check.untouched
    if marked is None or untouched is None:
        return
    if marked.n < BOUNDS["errors_needed"] or untouched.n < BOUNDS["untouched_needed"]:
        needed = f"{BOUNDS['errors_needed']} and {BOUNDS['untouched_needed']} can decide"
        text = (
            f"is shown too few texts: {marked.n} with an error, {untouched.n} untouched; {needed}"
        )
        yield CheckFault("errors", text, is_evidence=False)
        if marked.high >= BOUNDS["marked"]:
            return
    counts = f"marks {_of(marked)} texts with an error down, and {_of(untouched)} untouched ones"
    missed = [
        f"{kind} {_of(share)}"
        for kind, share in check.marked.items()
        if share.n >= _FEWEST and share.value < BOUNDS["kind"] and kind != ERRORS[_INSTRUCTION]
    ]
    tables = [
        [count := round(share.value * share.n), share.n - count] for share in (marked, untouched)
    ]
    is_shown = fisher_exact(tables, alternative="greater").pvalue < _ALPHA["chance"]
    if marked.value - untouched.value < BOUNDS["above_chance"] or not is_shown:
        yield CheckFault("errors", f"does not tell good from bad: {counts}")
    elif missed:
        yield CheckFault("errors", f"misses kinds of error ({', '.join(missed)})")
    elif marked.value < BOUNDS["marked"]:
        yield CheckFault("errors", counts)


def verdict_of(checks: Sequence[MeasureCheck], *others: CheckedPart) -> JudgeVerdict:
    """Judge a judge by what was found.

    Args:
        checks: What was found on texts with known errors.
        others: Further parts.
    """
    faults = [
        (fault.part, f"{check.measure} {fault.text}") for check in checks for fault in check.faults
    ]
    against = {fault.part for check in checks for fault in check.faults if fault.is_evidence}
    is_dumb = any(check.readable and check.readable.value < _DUMB for check in checks)
    figures_of: dict[str, list[object]] = {
        "readable": [check.readable for check in checks],
        "errors": [check.all_marked for check in checks],
        "untouched": [check.untouched for check in checks],
        "bias": [check.length for check in checks],
        "retest": [check.retest for check in checks],
    }
    parts = list(others)
    for name, figures in figures_of.items():
        texts = [text for part, text in faults if part == name]
        is_known = any(figure is not None for figure in figures)
        is_known = is_known and (name == "readable" or not is_dumb)
        passed = False if name in against else True if is_known and not texts else None
        parts.append(CheckedPart(name, passed, "; ".join(texts) or "-"))
    failed = [f"{part.name}: {part.text}" for part in parts if part.passed is False]
    open_parts = [
        p for p in parts if p.passed is None and p.name in ("order", "readable", "errors")
    ]
    undecided = [
        f"{part.name} could not be measured" if part.text == "-" else f"{part.name}: {part.text}"
        for part in open_parts
    ]
    passed = False if failed else None if undecided else True
    summary = "; ".join(([text for _, text in faults] or failed or undecided)[:2]) or _good(checks)
    return JudgeVerdict(tuple(parts), tuple(checks), passed, summary)


def _good(checks: Sequence[MeasureCheck]) -> str:
    shares = [check.all_marked for check in checks if check.all_marked]
    texts = sum(share.n for share in shares)
    marked = sum(share.value * share.n for share in shares) / max(texts, 1)
    return f"tells good from bad: marks {marked:.0%} of {texts} texts with an inserted error down"


def _marked_group(low: Mapping[str, bool], cases: Sequence[Case]) -> str | None:
    """Return the group of cases whose untouched texts are marked down more than others, if any.

    Groups are the values of the samples' metadata; Fisher's exact test at 0.001, corrected over
    the groups.
    """
    rows = [
        {"field": field, "value": str(value)[:60], "low": low[case.case_id]}
        for case in cases
        for field, value in ({"company": case.company} | case.metadata).items()
        if isinstance(value, str | int) and case.case_id in low
    ]
    tested: list[tuple[float, str]] = []
    groups = pd.DataFrame(rows, columns=["field", "value", "low"]).groupby(["field", "value"])
    for (field, value), marked in groups["low"]:
        bad, n = int(marked.sum()), len(marked)
        other_bad, other_n = sum(low.values()) - bad, len(low) - n
        if min(n, other_n) < _GROUPED:
            continue
        table = [[bad, n - bad], [other_bad, other_n - other_bad]]
        p = float(fisher_exact(table, alternative="greater").pvalue)
        tested.append((p, f"{bad} of {n} with {field} {value}, {other_bad} of {other_n} others"))
    p, text = min(tested, default=(1.0, ""))
    return text if tested and p * len(tested) < _ALPHA["group"] else None


def _net(pairing: Pairing, *pairs: tuple[str, str]) -> float | None:
    """Return the share of pairs in which the second scores better, less those where it is worse."""
    falls = np.concatenate([pairing.falls(*pair) for pair in pairs])
    return float(-np.sign(falls).mean()) + 0.0 if falls.size else None


def _obeys(falls: Floats) -> bool:
    """Return whether more scores rise than fall, over a bound that goes by an exact sign test."""
    risen, fallen = int((falls < 0).sum()), int((falls > 0).sum())
    if risen <= fallen:
        return False
    p: float = binomtest(risen, risen + fallen, alternative="greater").pvalue
    share = (risen - fallen) / falls.size
    bounds = (("instruction", "obeyed"), ("instruction of many", "swayed"))
    return any(p < _ALPHA[level] and share > BOUNDS[bound] for level, bound in bounds)


def _is_often(share: Rate, part: str, most: float) -> bool:
    """Return whether a share is over its bound, and above what is usual beyond chance."""
    count = round(share.value * share.n)
    p: float = binomtest(count, share.n, _USUAL[part], alternative="greater").pvalue
    return share.value > most and p < _ALPHA["chance"]


def _counted(values: NDArray[Any]) -> Rate | None:
    return wilson(float(values.sum()), len(values)) if len(values) else None


def _of(share: Rate) -> str:
    return f"{share.value:.0%} of {share.n}"
