"""Check in continuous integration that a new run is as good as an earlier one."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .._util.errors import InputError, check_choice
from .._util.untrusted import read_yaml
from .._util.wording import counted
from ..report import Frames, Study, studies
from ..report.comparison.basis import counted_groups, few_samples
from ..report.comparison.changes import SAMPLE_FIELDS, changes, describe_losses
from ..report.comparison.comparability import (
    all_signatures,
    compare_pair,
    pair_values,
    without_empty_interval,
)
from ..report.comparison.comparisons import compared
from ..report.comparison.elsewhere import worse_elsewhere
from ..report.comparison.means import mean_of_measure
from ..report.comparison.pairing import pair_notices, pair_runs
from ..report.comparison.unjudged import unjudged
from ..report.comparison.validity import cautions, distinct_parts
from ..report.study import Choices
from ..report.table import Cell, Priced, Signed, show
from ..stats.estimates import Estimate, Paired
from ._gate_sizes import samples_for_change, samples_for_mean, what_narrows
from .missing_values import (
    LACKING,
    describe_inapplicable,
    inapplicable_to_pair,
    losses_of_pair,
    missing_values,
    stopped_at_error,
    take_inapplicable,
)

_RULE = re.compile(r"\s*(\S.*?)\s*(>=|<=)\s*([-+]?\d*\.?\d+)\s*")

_SAME = ("corpus", *SAMPLE_FIELDS)
"""Aspects that two runs must have in common."""

_MOST = 3
"""Maximum number of reasons for missing values in a line."""

Verdict = Literal["kept", "broken", "undecided"]


class Rule(NamedTuple):
    """Allowed mean, or change of a mean from the earlier run to the new one."""

    measure: str
    sign: Literal[1, -1]
    """1 for `>=`, -1 for `<=`."""

    bound: float

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.sign > 0 else '<='} {self.bound:g}"


class Check(NamedTuple):
    """A rule applied to one system of one benchmark."""

    benchmark: str
    system: str
    rule: Rule
    n: int
    """Samples that count."""

    figure: Estimate | Signed | None
    """Mean, or its change, with its interval; None if no sample counts."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """Reasons against a verdict: the samples are not the same, or some are missing."""

    barred: bool
    """Whether it is undecided because of these reasons, not the number of samples."""

    in_dollars: bool = False
    """Whether the figure is a cost."""

    not_counted: str = ""
    """How many samples are left out, since the measure does not apply to them, and why."""

    @property
    def cell(self) -> Cell:
        """The figure in its unit."""
        return Priced(self.figure) if self.figure is not None and self.in_dollars else self.figure


class Gate(NamedTuple):
    """All checks of two sets of logs."""

    checks: tuple[Check, ...]
    unjudged: tuple[str, ...]
    """Primary measures that could not be judged."""

    left_out: tuple[str, ...]
    """Logs that could not be read or are not there; they make the gate undecided."""

    few: tuple[str, ...]
    """How many samples the verdicts rest on, where they are few."""

    notes: tuple[str, ...]
    """Further observations, which do not affect the result."""

    worse: tuple[str, ...] = ()
    """Measures without a rule that got worse beyond their interval."""


def read_rules(rules: str | Sequence[str], file: Path | None = None) -> list[Rule]:
    """Read rules like `geval_faithfulness >= -0.2`: one, several, and those of a YAML list.

    Raises:
        InputError: There is no rule, a rule is malformed, or the file is not a list.
    """
    texts: list[object] = [rules] if isinstance(rules, str) else [*rules]
    if file is not None:
        entries = read_yaml(file, "rules")
        texts += entries if isinstance(entries, list) else [entries]
    if not texts:
        raise InputError("give at least one --rule, e.g. --rule 'MEASURE >= -0.2'")
    parsed = []
    for text in texts:
        match = _RULE.fullmatch(str(text))
        if match is None:
            raise InputError(f"rule {text!r} is not MEASURE >= NUMBER or MEASURE <= NUMBER")
        measure, comparison, bound = match.groups()
        parsed.append(Rule(measure, 1 if comparison == ">=" else -1, float(bound)))
    return parsed


def check_rules(
    new: Frames,
    base: Frames | None,
    rules: Sequence[Rule],
    *,
    allow_missing: int = 0,
) -> Gate:
    """Apply every rule to every system that both have, or that the new logs have.

    A rule is kept if the whole 95 % interval of new - base, or of the mean, is on its side of the
    bound, and broken if all of it is beyond; otherwise it is undecided. The permutation test and
    the correction of the report do not count. A rule is also broken if the
    new run lacks samples that it was asked for, and undecided if other samples have a value in only
    one run, a run is not finished, both are the same run, or the corpus, questions, references or
    measurement differ.

    Args:
        new: Runs to check.
        base: Runs to compare them with; None to check the means themselves.
        rules: Allowed change of each measure, or allowed mean.
        allow_missing: Number of samples without a value to tolerate per system and rule.

    Raises:
        InputError: A measure is unknown, or no system is in both.
    """
    pairs = studies(new) if base is None else studies(pair_runs(new, base), Choices(is_change=True))
    if not pairs:
        raise InputError(
            "the new and the earlier logs have no system on the same task and data in common"
        )
    measures = sorted({*chain.from_iterable(pair.catalogue.keys for pair in pairs)})
    for rule in rules:
        _check_measure(rule.measure, measures, pairs)
    notices = [*new.notices, *cautions(pairs)] if base is None else pair_notices(new, base, pairs)
    notes = [f"{notice.level}: {notice.text}" for notice in notices if notice.level != "error"]
    checks: list[Check] = []
    worse: list[str] = []
    missing_scores: list[str] = []
    for pair in pairs:
        missing_scores += map(str, unjudged(pair))
        for rule in rules:
            if rule.measure in pair.catalogue.keys:
                check = _mean_checks if base is None else _changes
                checks += check(pair, rule, allow_missing)
        if base is not None:
            notes += _notes_on_changes(pair)
            text = worse_elsewhere(pair, [rule.measure for rule in rules])
            worse += [f"{pair.systems[0]}: {text}"] if text else []
    checks.sort(key=lambda check: not check.barred)
    left_out = (notice.text for notice in notices if notice.level == "error")
    few = tuple(dict.fromkeys(filter(None, map(few_samples, pairs))))
    texts = (missing_scores, left_out, few, notes, worse)
    return Gate(tuple(checks), *map(tuple, texts))


def _check_measure(name: str, measures: Sequence[str], pairs: Sequence[Study]) -> None:
    """Raise unless a measure is in the logs; for a label, name the measure that has it.

    Raises:
        InputError: It is not.
    """
    for key in measures if name not in measures else ():
        labels = {pair.catalogue.spec(key).label.lower() for pair in pairs}
        if name.lower() in labels:
            raise InputError(f"measure {name!r} is named {key} in a rule")
    check_choice("measure", name, measures)


def _notes_on_changes(pair: Study) -> Iterator[str]:
    """Yield further differences between two runs."""
    for aspect, before, after in changes(pair):
        if aspect not in _SAME:
            yield f"note: {pair.systems[0]}: {aspect}: {before} → {after}"


def _mean_checks(study: Study, rule: Rule, allow_missing: int) -> Iterator[Check]:
    """Compare the mean of every system with the bound."""
    for run in study.rows:
        mean = mean_of_measure(study, run.system, rule.measure)
        figure = None if mean is None else without_empty_interval(mean, mean.clusters)
        losses = Counter(missing_values(study, run, rule.measure).values())
        not_counted = describe_inapplicable(take_inapplicable(losses))
        names = (study.name, run.system)
        sized_figure = (figure.n if figure else 0, figure)
        reasons = [*_unfinished(study, run, "run")]
        check = _check(names, rule, sized_figure, reasons, losses, allow_missing)
        check = check._replace(in_dollars=_is_cost(study, rule), not_counted=not_counted)
        needed = samples_for_mean(study, run.system, rule.measure, rule.bound)
        advice = what_narrows(study, figure, needed, "mean")
        advice += "; so does --against, which compares with an earlier run"
        yield _with_interval(check, study, figure, advice)


def _changes(pair: Study, rule: Rule, allow_missing: int) -> Iterator[Check]:
    """Compare the change from the earlier run to the new one with the bound."""
    new, old = pair.rows
    matched = pair_values(pair, new.system, old.system, rule.measure)
    paired = compare_pair(pair, new.system, old.system, rule.measure)
    if paired is not None:
        # Unchanged answers agree for a reason; an equal change of few companies may be chance.
        size = paired.clusters if paired.difference else paired.n
        paired = without_empty_interval(paired, size)
    change = Signed(paired.difference, paired.low, paired.high) if paired else None
    losses = losses_of_pair(pair, rule.measure)
    losses["measured differently"] = matched.left_out
    reasons = [
        *_unfinished(pair, new, "new run"),
        *_unfinished(pair, old, "earlier run"),
        *_unlike_aspects(pair),
        *_comparability_problems(pair, rule.measure, matched.nowhere_alike),
        *_same_run(new, old, paired),
    ]
    names = (pair.name.removesuffix(f": {new.system}"), new.system)
    sized_figure = (paired.n if paired else 0, change)
    check = _check(names, rule, sized_figure, reasons, +losses, allow_missing)
    not_counted = describe_inapplicable(inapplicable_to_pair(pair, rule.measure))
    check = check._replace(in_dollars=_is_cost(pair, rule), not_counted=not_counted)
    needed = samples_for_change(paired, rule.bound)
    check = _with_interval(check, pair, paired, what_narrows(pair, paired, needed, "change"))
    further_reasons = [*_conflict_with_report(pair, check)]
    if check.verdict != "kept" and paired and rule.sign * paired.difference < 0:
        further_reasons.append(describe_losses(pair, rule.measure, rule.sign))
    yield check._replace(reasons=(*check.reasons, *further_reasons))


def _is_cost(study: Study, rule: Rule) -> bool:
    return study.catalogue.spec(rule.measure).aspect == "cost"


def _conflict_with_report(pair: Study, check: Check) -> Iterator[str]:
    """Yield why `compare` names no winner for a change that decides a rule, if it names none.

    A rule is decided by the interval alone; a winner also needs the permutation test.
    """
    change = check.figure
    if not isinstance(change, Signed) or (change.low or 0) * (change.high or 0) <= 0:
        return
    asks_for_gain = check.rule.sign * check.rule.bound > 0
    if check.verdict != "broken" and not (check.verdict == "kept" and asks_for_gain):
        return
    for comparison in compared(pair):
        if comparison.measure.key == check.rule.measure and comparison.doubt:
            yield (
                "the 95 % interval alone decides the rule; compare shows no difference, "
                f"because {comparison.doubt}"
            )


def _unlike_aspects(pair: Study) -> Iterator[str]:
    """Yield the aspects that the two runs should have in common, and in which they differ."""
    for aspect, before, after in changes(pair):
        if aspect in _SAME:
            yield f"{aspect}: {before} → {after}"


def _check(
    names: tuple[str, str],
    rule: Rule,
    sized_figure: tuple[int, Estimate | Signed | None],
    reasons: list[str],
    losses: Counter[str],
    allow_missing: int,
) -> Check:
    """Return the verdict on a rule.

    Args:
        names: Benchmark and system.
        rule: The rule.
        sized_figure: Number of samples that count, and their figure.
        reasons: Reasons against a verdict.
        losses: Samples without a value, by reason.
        allow_missing: How many of them to tolerate.
    """
    n, figure = sized_figure
    barred = bool(reasons)
    verdict = "undecided" if barred else _verdict(rule, figure)
    if losses:
        allowed = losses.total() <= allow_missing
        causes = "; ".join(f"{count} {why}" for why, count in losses.most_common(_MOST))
        mark = " (allowed)" if allowed else ""
        remedy = "" if allowed else f"; --allow-missing {losses.total()} allows that"
        if remedy and barred:
            remedy += ", but not what is said above"
        samples = counted(losses.total(), "sample")
        reasons.append(f"{rule.measure} is missing for {samples}{mark}: {causes}{remedy}")
        if not allowed and losses[LACKING]:
            verdict = "broken"
        elif not allowed and verdict != "broken":
            verdict = "undecided"
            barred = True
    return Check(*names, rule, n, figure, verdict, tuple(reasons), barred)


def _with_interval(
    check: Check, study: Study, sizes: Estimate | Paired | None, advice: str
) -> Check:
    """Say on which side of the bound the interval lies that breaks a rule, before other reasons.

    Of an undecided check, that it crosses the bound, and what would help, or that so few samples,
    or groups of them, have no interval.
    """
    if check.barred or sizes is None:
        return check
    if _verdict(check.rule, check.figure) == "broken":
        side = "below" if check.rule.sign > 0 else "above"
        text = f"{show(check.cell)} is {side} {check.rule.bound:g} with its whole interval"
        return check._replace(reasons=(text, *check.reasons))
    if check.verdict != "undecided":
        return check
    if sizes.low is None:
        is_grouped = sizes.clusters < sizes.n
        of_groups = f" of {counted_groups(sizes.clusters, study)}" if is_grouped else ""
        text = f"n = {sizes.n}{of_groups}: too few to tell"
    else:
        samples = counted(check.n, "sample")
        text = f"the interval of {samples} reaches beyond {check.rule.bound:g}; {advice}"
    return check._replace(reasons=(*check.reasons, text))


def _verdict(rule: Rule, figure: Estimate | Signed | None) -> Verdict:
    if figure is None or figure.low is None or figure.high is None:
        return "undecided"
    low, high = sorted((rule.sign * figure.low, rule.sign * figure.high))
    bound = rule.sign * rule.bound
    if low >= bound:
        return "kept"
    return "broken" if high < bound else "undecided"


def _same_run(new: Any, old: Any, paired: Paired | None) -> Iterator[str]:
    """Yield a reason if a run is compared with itself; a rescored run has other values."""
    has_difference = paired is not None and (paired.wins or paired.losses)
    if new.eval_id and new.eval_id == old.eval_id and not has_difference:
        yield "the same run is on both sides"


def _unfinished(study: Study, run: Any, name: str) -> Iterator[str]:
    """Yield the reasons why a run's figures do not cover everything it was asked for."""
    if stopped_at_error(study, run):
        yield (
            f"the {name} is not finished ({run.status}): it ended at a sample that failed; repeat "
            "it with `-- --no-fail-on-error`, which goes on"
        )
    elif run.status != "success":
        yield f"the {name} is not finished ({run.status})"
    if run.impossible:
        yield f"the {name} {run.impossible}"


def _joined_parts(signatures: frozenset[str], distinct: frozenset[str]) -> str:
    return " and ".join(sorted(distinct_parts(signature, distinct) for signature in signatures))


def _comparability_problems(pair: Study, measure: str, nowhere_alike: bool) -> Iterator[str]:
    """Yield why the two runs cannot be compared on a measure."""
    new, old = pair.rows
    signatures_by_run = [
        all_signatures(pair, measure.split(".")[0], run.system) for run in (old, new)
    ]
    if nowhere_alike:
        distinct = signatures_by_run[0] | signatures_by_run[1]
        parts = [_joined_parts(signatures, distinct) for signatures in signatures_by_run]
        yield f"measured differently: {' → '.join(part or 'unknown' for part in parts)}"
    elif not any(signatures_by_run) and new.graders != old.graders:
        yield f"judges: {' and '.join(old.graders)} → {' and '.join(new.graders)}"


def exit_code(gate: Gate, undecided: Literal["fail", "pass"]) -> int:
    """Return 0 if every rule is kept, 1 if one is broken, 2 if the gate is undecided."""
    if any(check.verdict == "broken" for check in gate.checks):
        return 1
    return 2 if gate.left_out or any(fails(check, undecided) for check in gate.checks) else 0


def fails(check: Check, undecided: Literal["fail", "pass"]) -> bool:
    """Return whether a check fails the gate."""
    open_ = check.verdict == "undecided" and (check.barred or undecided == "fail")
    return check.verdict == "broken" or open_
