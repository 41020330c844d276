"""Check in continuous integration that a new run is as good as an earlier run."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ..._util.wording import format_count
from ...measure import find_key
from ...report import Frames, Study, studies
from ...report.comparison.basis import few_samples
from ...report.comparison.before_after import no_common_system, pair_runs, shared_samples
from ...report.comparison.changes import recorded_differences
from ...report.comparison.unjudged import unjudged_measures
from ...report.findings.change_notices import pair_notices
from ...report.findings.notices import study_notices
from ...report.findings.qualifications import worse_elsewhere
from ...report.study import Choices
from .checks import Check, check_change, check_means, fails, table_of_checks
from .rules import Rule, RuleVerdict, WhenUndecided

_REPR_WIDTH = 100


class Gate(NamedTuple):
    """All checks of two sets of logs. In a notebook, it shows its verdict and its checks."""

    checks: tuple[Check, ...]
    unjudged: tuple[str, ...]
    """Primary measures that could not be judged."""

    left_out: tuple[str, ...]
    """Logs that are missing or unreadable; they make the gate undecided."""

    few: tuple[str, ...]
    """Number of samples behind the verdicts, if they are few."""

    notes: tuple[str, ...]
    """Further observations, which do not affect the result."""

    worse: tuple[str, ...]
    """Measures without a rule that got worse beyond their interval."""

    @property
    def verdict(self) -> RuleVerdict:
        """`broken` if a rule is broken, `kept` if all are kept and no log is left out."""
        verdicts = {check.verdict for check in self.checks}
        if "broken" in verdicts:
            return "broken"
        return "undecided" if self.left_out or "undecided" in verdicts else "kept"

    @property
    def passed(self) -> bool:
        """Whether every rule is kept, as for `arag-inspect gate` to exit with 0."""
        return self.verdict == "kept"

    def __repr__(self) -> str:
        """Return the verdict, and the table of the checks."""
        return f"Gate: {self.verdict}\n{table_of_checks(self.checks).as_text(_REPR_WIDTH)}"


def gate(
    new: Frames,
    base: Frames | None,
    rules: Sequence[Rule],
    *,
    allow_missing: int = 0,
) -> Gate:
    """Apply every rule to every system of the new logs or, with a base, of both.

    A rule is kept if the whole 95 % interval of new - base, or of the mean, is on its side of the
    bound, and broken if all of it is beyond; otherwise it is undecided. The permutation test and
    the correction of the report do not count. A rule is also broken if the new run lacks samples
    that it was asked for, and undecided if other samples have a value in only one run, a run is not
    finished, both are the same run, or the corpus, questions, references or measurement differ.

    Args:
        new: Runs to check.
        base: Runs to compare them with; None to check the means themselves.
        rules: Allowed change of each measure, or allowed mean.
        allow_missing: Number of samples without a value to tolerate per system and rule.

    Raises:
        InputError: A measure is unknown, or the runs share no system.
    """
    compared = (
        studies(new) if base is None else studies(pair_runs(base, new), Choices(is_change=True))
    )
    if not compared:
        raise no_common_system(new if base is None else base, new)
    rules = [_find_measure_key(rule, compared) for rule in rules]
    checks: list[Check] = []
    for study in compared:
        for rule in rules:
            if rule.measure not in study.catalogue.keys:
                continue
            if base is None:
                checks += check_means(study, rule, allow_missing)
            else:
                checks.append(check_change(study, rule, allow_missing))
    checks.sort(key=lambda check: not check.barred)
    notices = (
        [*new.notices, *study_notices(compared)]
        if base is None
        else pair_notices(base, new, compared)
    )
    notes = [f"{notice.level}: {notice.text}" for notice in notices if notice.level != "error"]
    worse: list[str] = []
    if base is not None:
        notes += chain.from_iterable(map(_notes_on_changes, compared))
        worse += _falls_without_rule(compared, rules)
    return Gate(
        tuple(checks),
        unjudged=tuple(map(str, chain.from_iterable(map(unjudged_measures, compared)))),
        left_out=tuple(notice.text for notice in notices if notice.level == "error"),
        few=tuple(dict.fromkeys(chain.from_iterable(map(_few_samples, compared)))),
        notes=tuple(notes),
        worse=tuple(worse),
    )


def exit_code(gate: Gate, undecided: WhenUndecided) -> int:
    """Return 0 if every rule is kept, 1 if a rule is broken, 2 if the gate is undecided."""
    if gate.verdict == "broken":
        return 1
    return 2 if gate.left_out or any(fails(check, undecided) for check in gate.checks) else 0


def _find_measure_key(rule: Rule, compared: Sequence[Study]) -> Rule:
    """Return a rule with the full key of its measure.

    Raises:
        InputError: The measure is unknown.
    """
    keys = sorted({*chain.from_iterable(study.catalogue.keys for study in compared)})
    return rule._replace(measure=find_key(rule.measure, keys))


def _notes_on_changes(change: Study) -> Iterator[str]:
    """Yield the differences between two runs that do not put their comparison in doubt."""
    for difference in recorded_differences(change):
        if not difference.is_of_inputs:
            yield f"note: {change.systems[0]}: {difference}"


def _few_samples(study: Study) -> Iterator[str]:
    """Yield the number of samples behind the verdicts if it is small or below the earlier run's."""
    few = few_samples(study)
    if few:
        yield few
    if study.choices.is_change:
        system, earlier = study.systems
        answers = study.answers
        earlier_count = answers.loc[answers["system"] == earlier, "id"].nunique()
        shared_count = len(shared_samples(study))
        if shared_count < earlier_count:
            samples = f"{shared_count} of {format_count(earlier_count, 'sample')}"
            yield f"{system}: only {samples} of the earlier run are in the new one"


def _falls_without_rule(changes: Sequence[Study], rules: Sequence[Rule]) -> Iterator[str]:
    """Yield the measures of each system that got worse and have no rule."""
    ruled = [rule.measure for rule in rules]
    for change in changes:
        text = worse_elsewhere(change, ruled)
        if text:
            yield f"{change.systems[0]}: {text}"
