"""A rule of a gate applied to one system: the figure, the verdict and the reasons for it."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from .._util.wording import format_count
from ..measure import scorer_of
from ..report import Study
from ..report.comparison.basis import counted_groups
from ..report.comparison.changes import SAMPLE_FIELDS, changes, name_lost_samples
from ..report.comparison.comparability import (
    all_signatures,
    compare_pair,
    distinct_parts,
    pair_values,
    without_empty_interval,
)
from ..report.comparison.comparisons import all_comparisons
from ..report.comparison.means import mean_of_measure
from ..report.labels import MOST_NAMED
from ..report.rows import RunRow
from ..report.table import Cell, Priced, Signed, show
from ..stats.estimates import Estimate, Paired
from ._gate_sizes import samples_for_change, samples_for_mean, what_narrows
from .gate_rules import Rule, RuleVerdict
from .missing_values import (
    LACKING,
    describe_inapplicable,
    inapplicable_to_pair,
    losses_of_pair,
    missing_values,
    stopped_at_error,
    take_inapplicable,
)

SAME = ("corpus", *SAMPLE_FIELDS)
"""Aspects that two runs must have in common."""


class Check(NamedTuple):
    """A rule applied to one system of one benchmark."""

    benchmark: str
    system: str
    rule: Rule
    n: int
    """Samples that count."""

    figure: Estimate | Signed | None
    """Mean, or its change, with its interval; None if no sample counts."""

    verdict: RuleVerdict
    reasons: tuple[str, ...]
    """Reasons for the verdict, or against one: the samples differ, or some are missing."""

    barred: bool
    """Whether it is undecided because of these reasons, not the number of samples."""

    in_dollars: bool
    """Whether the figure is a cost."""

    not_counted: str
    """How many samples are left out, since the measure does not apply to them, and why."""

    @property
    def cell(self) -> Cell:
        """The figure in its unit."""
        return Priced(self.figure) if self.figure is not None and self.in_dollars else self.figure


def check_means(study: Study, rule: Rule, allow_missing: int) -> Iterator[Check]:
    """Compare the mean of every system with the bound of a rule."""
    for run in study.rows:
        mean = mean_of_measure(study, run.system, rule.measure)
        figure = None if mean is None else without_empty_interval(mean, mean.clusters)
        losses = Counter(missing_values(study, run, rule.measure).values())
        inapplicable = take_inapplicable(losses)
        obstacles = tuple(_find_unfinished(study, run, "run"))
        check = Check(
            study.name,
            run.system,
            rule,
            n=figure.n if figure else 0,
            figure=figure,
            verdict="undecided" if obstacles else rule.verdict(figure),
            reasons=obstacles,
            barred=bool(obstacles),
            in_dollars=_is_cost(study, rule),
            not_counted=describe_inapplicable(inapplicable),
        )
        needed = samples_for_mean(study, run.system, rule.measure, rule.bound)
        advice = what_narrows(study, figure, needed, "mean")
        advice += "; so does --against, which compares with an earlier run"
        yield _explain(_consider_losses(check, losses, allow_missing), study, figure, advice)


def check_change(pair: Study, rule: Rule, allow_missing: int) -> Check:
    """Compare the change from the earlier run to the new one with the bound of a rule."""
    new, old = pair.rows
    matched = pair_values(pair, new.system, old.system, rule.measure)
    paired = compare_pair(pair, new.system, old.system, rule.measure)
    if paired is not None:
        # Unchanged answers agree for a reason; an equal change of few companies may be chance.
        size = paired.clusters if paired.difference else paired.n
        paired = without_empty_interval(paired, size)
    change = Signed.of(paired) if paired else None
    obstacles = (
        *_find_unfinished(pair, new, "new run"),
        *_find_unfinished(pair, old, "earlier run"),
        *_unlike_aspects(pair),
        *_comparability_problems(pair, rule.measure, matched.nowhere_alike),
        *_same_run(new, old, paired),
    )
    check = Check(
        pair.name.removesuffix(f": {new.system}"),
        new.system,
        rule,
        n=paired.n if paired else 0,
        figure=change,
        verdict="undecided" if obstacles else rule.verdict(change),
        reasons=obstacles,
        barred=bool(obstacles),
        in_dollars=_is_cost(pair, rule),
        not_counted=describe_inapplicable(inapplicable_to_pair(pair, rule.measure)),
    )
    losses = losses_of_pair(pair, rule.measure)
    losses["measured differently"] = matched.left_out
    check = _consider_losses(check, +losses, allow_missing)
    needed = samples_for_change(paired, rule.bound)
    check = _explain(check, pair, paired, what_narrows(pair, paired, needed, "change"))
    further_reasons = [*_conflict_with_report(pair, check)]
    if check.verdict != "kept" and paired and rule.sign * paired.difference < 0:
        further_reasons.append(name_lost_samples(pair, rule.measure, rule.sign))
    return check._replace(reasons=(*check.reasons, *further_reasons))


def _is_cost(study: Study, rule: Rule) -> bool:
    return study.catalogue.spec(rule.measure).aspect == "cost"


def _find_unfinished(study: Study, run: RunRow, name: str) -> Iterator[str]:
    """Yield why the figures of a run do not cover everything that it was asked for."""
    if stopped_at_error(study, run):
        yield (
            f"the {name} is not finished ({run.status}): it ended at a sample that failed; repeat "
            "it with `-- --no-fail-on-error`, which goes on"
        )
    elif run.status != "success":
        yield f"the {name} is not finished ({run.status})"
    if run.impossible:
        yield f"the {name} {run.impossible}"


def _unlike_aspects(pair: Study) -> Iterator[str]:
    """Yield the aspects that two runs must have in common, but in which these differ."""
    for aspect, before, after in changes(pair):
        if aspect in SAME:
            yield f"{aspect}: {before} → {after}"


def _comparability_problems(pair: Study, measure: str, nowhere_alike: bool) -> Iterator[str]:
    """Yield why the two runs cannot be compared on a measure."""
    new, old = pair.rows
    scorer = scorer_of(measure)
    signatures_by_run = [all_signatures(pair, scorer, run.system) for run in (old, new)]
    if nowhere_alike:
        distinct = signatures_by_run[0] | signatures_by_run[1]
        parts = [distinct_parts(signatures, distinct) for signatures in signatures_by_run]
        yield f"measured differently: {' → '.join(part or 'unknown' for part in parts)}"
    elif not any(signatures_by_run) and new.graders != old.graders:
        yield f"judges: {' and '.join(old.graders)} → {' and '.join(new.graders)}"


def _same_run(new: RunRow, old: RunRow, paired: Paired | None) -> Iterator[str]:
    """Yield a reason if a run is compared with itself; a rescored run has other values."""
    has_difference = paired is not None and (paired.wins or paired.losses)
    if new.eval_id and new.eval_id == old.eval_id and not has_difference:
        yield "the same run is on both sides"


def _consider_losses(check: Check, losses: Counter[str], allow_missing: int) -> Check:
    """Add the samples without a value, which decide against a rule unless they are tolerated."""
    if not losses:
        return check
    count = losses.total()
    is_allowed = count <= allow_missing
    mark = " (allowed)" if is_allowed else ""
    remedy = "" if is_allowed else f"; --allow-missing {count} allows that"
    causes = "; ".join(f"{number} {why}" for why, number in losses.most_common(MOST_NAMED))
    missing = f"{check.rule.measure} is missing for {format_count(count, 'sample')}"
    check = check._replace(reasons=(*check.reasons, f"{missing}{mark}: {causes}{remedy}"))
    if is_allowed or check.verdict == "broken":
        return check
    if losses[LACKING]:
        return check._replace(verdict="broken")
    return check._replace(verdict="undecided", barred=True)


def _explain(check: Check, study: Study, sizes: Estimate | Paired | None, advice: str) -> Check:
    """Add to a check without obstacles why its interval breaks the rule or leaves it undecided."""
    if check.barred or sizes is None:
        return check
    bound = f"{check.rule.bound:g}"
    if check.rule.verdict(check.figure) == "broken":
        side = "below" if check.rule.sign > 0 else "above"
        figure = check.figure
        is_same = isinstance(figure, Signed) and figure.low == figure.high
        extent = "on every sample" if is_same else "with its whole interval"
        text = f"{show(check.cell)} is {side} {bound} {extent}"
        return check._replace(reasons=(text, *check.reasons))
    if check.verdict != "undecided":
        return check
    if sizes.low is None:
        is_grouped = sizes.clusters < sizes.n
        of_groups = f" of {counted_groups(sizes.clusters, study)}" if is_grouped else ""
        text = f"n = {sizes.n}{of_groups}: too few to tell"
    else:
        text = f"the interval of {format_count(check.n, 'sample')} reaches beyond {bound}; {advice}"
    return check._replace(reasons=(*check.reasons, text))


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
    for comparison in all_comparisons(pair):
        if comparison.measure.key == check.rule.measure and comparison.doubt:
            yield (
                "the 95 % interval alone decides the rule; compare shows no difference, "
                f"because {comparison.doubt}"
            )
