"""A rule of a gate applied to one system: the figure, the verdict and the reasons for it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._util.wording import format_count, join_or_count
from ...measure import MeasureKey
from ...report import Study
from ...report.cells import Cell, Priced, Signed, show, show_score
from ...report.comparison.basis import counted_groups
from ...report.comparison.changes import name_of_sample, recorded_differences
from ...report.comparison.comparability import (
    all_signatures,
    compare_pair,
    distinct_parts,
    pair_values,
    without_empty_interval,
)
from ...report.comparison.comparisons import all_comparisons
from ...report.comparison.means import mean_of_measure, values_for_mean
from ...report.findings.qualifications import name_lost_samples
from ...report.labels import MOST_NAMED
from ...report.rows import RunRow
from ...report.table import Table
from ...stats.estimates import Estimate, Floats, Paired
from .missing_values import (
    NOT_RUN,
    MissingValue,
    describe_inapplicable,
    inapplicable_to_pair,
    losses_of_pair,
    missing_values,
    samples_of_new_run_alone,
    stopped_at_error,
)
from .rules import Rule, RuleVerdict, WhenUndecided
from .sizes import samples_for_change, samples_for_mean, what_narrows


@dataclass(frozen=True)
class Check:
    """A rule applied to one system of one benchmark."""

    benchmark: str
    system: str
    rule: Rule
    estimate: Estimate | Paired | None
    """Mean, or its change, with its interval; None if no sample counts."""

    obstacles: tuple[str, ...]
    """Why no figure decides the rule, e.g. because a run is not finished."""

    losses: Counter[MissingValue]
    """Samples without a value that they should have, by reason."""

    allow_missing: int
    """Number of missing values that are tolerated."""

    values: Floats
    """Value of each sample, or its change; NaN where it does not count."""

    in_dollars: bool
    """Whether the figure is a cost."""

    not_counted: str
    """Number of samples that the measure does not apply to, and why."""

    reasons: tuple[str, ...] = ()
    """Reasons for the verdict, or why there is none: the samples differ, or some are missing."""

    @property
    def n(self) -> int:
        """Samples that count."""
        return self.estimate.n if self.estimate else 0

    @property
    def figure(self) -> Estimate | Signed | None:
        """Mean, or its change with a sign."""
        return Signed.of(self.estimate) if isinstance(self.estimate, Paired) else self.estimate

    @property
    def cell(self) -> Cell:
        """The figure in its unit."""
        return Priced(self.figure) if self.figure is not None and self.in_dollars else self.figure

    @property
    def lacks_values(self) -> bool:
        """Whether more samples lack a value than tolerated."""
        return self.losses.total() > self.allow_missing

    @property
    def answers_differ_in_kind(self) -> bool:
        """Whether one run states something to score where the other states nothing."""
        is_change = isinstance(self.estimate, Paired)
        return is_change and any(value.states_nothing for value in self.losses)

    @property
    def verdict(self) -> RuleVerdict:
        """The verdict of the figure, unless obstacles or missing values decide."""
        figure_verdict = "undecided" if self.obstacles else self.rule.verdict(self.figure)
        if figure_verdict == "broken" or not self.lacks_values:
            return figure_verdict
        return "broken" if self.losses[MissingValue(NOT_RUN)] else "undecided"

    @property
    def barred(self) -> bool:
        """Whether it is undecided because of obstacles or losses, not the number of samples."""
        is_lost = bool(self.losses) and self.estimate is None
        return (
            bool(self.obstacles) or is_lost or (self.lacks_values and self.verdict == "undecided")
        )

    @property
    def mean_keeps_rule(self) -> bool:
        """Whether the mean, or its change, is allowed, regardless of its interval."""
        if self.estimate is None:
            return False
        mean = self.estimate.estimate if isinstance(self.estimate, Paired) else self.estimate
        return self.rule.allows(mean.mean)

    @property
    def keeps_on_every_sample(self) -> bool:
        """Whether the value of every sample, or its change, keeps the rule."""
        return bool(self.n) and all(map(self.rule.allows, self.values[~np.isnan(self.values)]))

    @property
    def breaks_on_every_sample(self) -> bool:
        """Whether the value of every sample, or its change, breaks the rule."""
        if self.estimate is None or self.mean_keeps_rule:
            return False
        known_values = self.values[~np.isnan(self.values)]
        return not any(map(self.rule.allows, known_values))


def check_means(study: Study, rule: Rule, allow_missing: int) -> Iterator[Check]:
    """Compare the mean of every system with the bound of a rule."""
    for run in study.rows:
        mean = mean_of_measure(study, run.system, rule.measure)
        if mean is not None:
            mean = without_empty_interval(mean, mean.clusters)
        missing = missing_values(study, run, rule.measure).values()
        check = Check(
            study.name,
            run.system,
            rule,
            mean,
            obstacles=tuple(_find_unfinished(study, run, "run")),
            losses=Counter(value for value in missing if not value.is_inapplicable),
            allow_missing=allow_missing,
            values=values_for_mean(study, run.system, rule.measure),
            in_dollars=_is_cost(study, rule),
            not_counted=describe_inapplicable(missing),
        )
        needed = samples_for_mean(study, run.system, rule.measure, rule.bound)
        advice = what_narrows(study, mean, needed, "mean")
        advice += "; so would a comparison with an earlier run (--against)"
        yield replace(check, reasons=tuple(_reasons(check, study, advice)))


def check_change(change: Study, rule: Rule, allow_missing: int) -> Check:
    """Compare the change from the earlier run to the new one with the bound of a rule."""
    new, old = change.rows
    matched = pair_values(change, new.system, old.system, rule.measure)
    paired = compare_pair(change, new.system, old.system, rule.measure)
    if paired is not None:
        # Unchanged answers agree for a reason; an equal change of few companies may be chance.
        size = paired.clusters if paired.difference else paired.n
        paired = without_empty_interval(paired, size)
    losses = losses_of_pair(change, rule)
    losses[MissingValue("measured differently")] = matched.left_out
    check = Check(
        change.name.removesuffix(f": {new.system}"),
        new.system,
        rule,
        paired,
        obstacles=(
            *_find_unfinished(change, new, "new run"),
            *_find_unfinished(change, old, "earlier run"),
            *_unlike_inputs(change),
            *_comparability_problems(change, rule.measure, matched.nowhere_alike),
            *_same_run(new, old, paired),
        ),
        losses=+losses,
        allow_missing=allow_missing,
        values=matched.a - matched.b,
        in_dollars=_is_cost(change, rule),
        not_counted=describe_inapplicable(inapplicable_to_pair(change, rule.measure)),
    )
    needed = samples_for_change(paired, rule.bound)
    reasons = _reasons(check, change, what_narrows(change, paired, needed, "change"))
    reasons += _conflict_with_report(change, check)
    reasons += _describe_new_run_alone(change, rule.measure)
    if check.verdict != "kept" and paired and rule.sign * paired.difference < 0:
        reasons.append(name_lost_samples(change, rule.measure, rule.sign))
    return replace(check, reasons=tuple(reasons))


def fails(check: Check, undecided: WhenUndecided) -> bool:
    """Return whether a check fails the gate."""
    if check.verdict != "undecided":
        return check.verdict == "broken"
    if check.barred or undecided == "fail":
        return True
    return check.breaks_on_every_sample if undecided == "pass" else not check.mean_keeps_rule


def table_of_checks(checks: Sequence[Check], undecided: WhenUndecided | None = None) -> Table:
    """Return a table with a row for each check.

    Args:
        checks: The checks.
        undecided: How undecided rules count, to say which of them fail the gate.
    """
    changes = any(isinstance(check.figure, Signed) for check in checks)
    figure = "new - earlier" if changes else "mean"
    return Table(
        "gate",
        "Gate",
        "",
        ("benchmark", "system", "rule", "n", figure, "verdict"),
        tuple(_row(check, undecided) for check in checks),
    )


def _row(check: Check, undecided: WhenUndecided | None) -> tuple[Cell, ...]:
    verdict: str = check.verdict
    if verdict == "undecided" and undecided is not None:
        verdict += " (fails)" if fails(check, undecided) else " (passes)"
    return check.benchmark, check.system, str(check.rule), check.n, check.cell, verdict


def _is_cost(study: Study, rule: Rule) -> bool:
    return study.catalogue.spec(rule.measure).aspect == "cost"


def _find_unfinished(study: Study, run: RunRow, name: str) -> Iterator[str]:
    """Yield why the figures of a run do not cover everything that it was asked for."""
    if stopped_at_error(study, run):
        yield (
            f"the {name} is not finished ({run.status}): a failed sample ended it; rerun with "
            "`-- --no-fail-on-error` to continue past failures"
        )
    elif run.status != "success":
        yield f"the {name} is not finished ({run.status})"
    if run.impossible:
        yield f"the {name} {run.impossible}"


def _unlike_inputs(change: Study) -> Iterator[str]:
    """Yield the inputs in which two runs differ, so that they cannot be compared."""
    for difference in recorded_differences(change):
        if difference.is_of_inputs:
            yield str(difference)


def _comparability_problems(change: Study, measure: str, nowhere_alike: bool) -> Iterator[str]:
    """Yield why the two runs cannot be compared on a measure."""
    new, old = change.rows
    scorer = MeasureKey.parse(measure).scorer
    signatures_by_run = [all_signatures(change, scorer, run.system) for run in (old, new)]
    if nowhere_alike:
        distinct = signatures_by_run[0] | signatures_by_run[1]
        parts = [distinct_parts(signatures, distinct) for signatures in signatures_by_run]
        yield f"measured differently: {' → '.join(part or 'unknown' for part in parts)}"
    elif not any(signatures_by_run) and new.graders != old.graders:
        names = [" and ".join(run.graders) or "none" for run in (old, new)]
        yield f"judges: {' → '.join(names)}"


def _same_run(new: RunRow, old: RunRow, paired: Paired | None) -> Iterator[str]:
    """Yield a reason if a run is compared with itself; a rescored run has other values."""
    has_difference = paired is not None and (paired.wins or paired.losses)
    if new.eval_id and new.eval_id == old.eval_id and not has_difference:
        yield "the same run is on both sides; make another run with a new --log-dir"


def _reasons(check: Check, study: Study, advice: str) -> list[str]:
    """Return the reasons for a verdict, or why there is none.

    Args:
        check: The check.
        study: Study with the run.
        advice: Advice for narrowing an interval that leaves the rule undecided.
    """
    reasons = [*check.obstacles, *_describe_losses(check)]
    if check.barred or check.estimate is None:
        return reasons
    if check.rule.verdict(check.figure) == "broken":
        return [_describe_breach(check), *reasons]
    if check.verdict == "undecided":
        reasons.append(_describe_doubt(check, check.estimate, study, advice))
    return reasons


def _describe_losses(check: Check) -> Iterator[str]:
    """Yield how many samples lack a value and why, if some do."""
    count = check.losses.total()
    if count:
        causes = [f"{number} {reason}" for reason, number in check.losses.most_common(MOST_NAMED)]
        missing = f"{check.rule.measure} is missing for {format_count(count, 'sample')}"
        if check.estimate is None:
            yield f"{missing}: {'; '.join(causes)}; no sample remains"
        elif check.lacks_values and check.answers_differ_in_kind:
            yield f"{missing}: {'; '.join(causes)}; one run states nothing there, e.g. declines"
        elif check.lacks_values:
            yield f"{missing}: {'; '.join(causes)}; --allow-missing {count} allows that"
        else:
            yield f"{missing} (allowed): {'; '.join(causes)}"


def _describe_new_run_alone(change: Study, measure: str) -> Iterator[str]:
    """Yield how the new run scores on samples without an earlier value, which do not count."""
    sample_ids = samples_of_new_run_alone(change, measure)
    if sample_ids:
        new = change.rows[0].system
        mean = change.known_values(new, measure)[sample_ids].mean()
        labels = [name_of_sample(change, sample) for sample in sample_ids]
        names = join_or_count(labels, "sample", most=5)
        yield f"not counted, as only the new run has a value: {names} (mean {show_score(mean)})"


def _describe_breach(check: Check) -> str:
    """Say on which side of the bound the whole interval is."""
    side = "below" if check.rule.sign > 0 else "above"
    is_same = isinstance(check.figure, Signed) and check.figure.low == check.figure.high
    if is_same:
        return f"{show(check.cell)} is {side} {check.rule.bound:g} on every sample"
    return f"the whole interval of {show(check.cell)} is {side} {check.rule.bound:g}"


def _describe_doubt(check: Check, estimate: Estimate | Paired, study: Study, advice: str) -> str:
    remark = ""
    if check.breaks_on_every_sample:
        remark = ", but every one breaks the rule, which `--undecided pass` does not accept"
    if estimate.low is not None:
        samples = format_count(estimate.n, "sample")
        doubt = f"the interval of {samples} reaches beyond {check.rule.bound:g}"
        return f"{doubt}{remark}; {advice}"
    is_grouped = estimate.clusters < estimate.n
    groups_suffix = f" of {counted_groups(estimate.clusters, study)}" if is_grouped else ""
    if check.keeps_on_every_sample:
        remark = ", although every one keeps the rule; `--undecided mean` accepts that"
    return f"n = {estimate.n}{groups_suffix}: too few to tell{remark}"


def _conflict_with_report(change: Study, check: Check) -> Iterator[str]:
    """Yield why `compare` reports no winner although a change decides a rule.

    A rule is decided by the interval alone; a winner also needs the permutation test.
    """
    difference = check.figure
    if not isinstance(difference, Signed) or (difference.low or 0) * (difference.high or 0) <= 0:
        return
    asks_for_gain = check.rule.sign * check.rule.bound > 0
    if check.verdict != "broken" and not (check.verdict == "kept" and asks_for_gain):
        return
    for comparison in all_comparisons(change):
        if comparison.measure.key == check.rule.measure and comparison.doubt:
            yield (
                "the 95 % interval alone decides the rule; compare shows no difference, "
                f"because {comparison.doubt}"
            )
