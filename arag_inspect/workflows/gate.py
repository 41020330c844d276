"""Check in continuous integration that a new run is as good as an earlier one."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple
from xml.etree import ElementTree

import yaml

from .._util.errors import InputError, check_choice
from .._util.yaml_text import parse_yaml
from ..report import Benchmark, Frames, benchmarks
from ..report.compare import SAMPLE_FIELDS, changes, pair_notices, pair_runs
from ..report.primary import could_not_be_judged, unjudged, why_unjudged
from ..report.table import Signed, Table, escape, show
from ..report.validity import distinct_parts
from ..stats.estimates import Paired

if TYPE_CHECKING:
    import pandas as pd

_RULE = re.compile(r"\s*([\w.*-]+)\s*(>=|<=)\s*([-+]?\d*\.?\d+)\s*")

_LACKING = "that the new run was asked for and lacks"
_SAME = ("corpus", *SAMPLE_FIELDS)
"""What two runs must have in common."""

_MOST = 3
"""Most reasons for missing values that a line names."""

Verdict = Literal["kept", "broken", "undecided"]


class Rule(NamedTuple):
    """Allowed change of a mean from the earlier run to the new one."""

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
    paired: Paired | None
    """None if the two runs have no sample in common."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """What stands against a verdict by the samples: they are not the same, or some are missing."""

    barred: bool
    """Whether it is undecided for these reasons, and not for the number of samples."""


class Gate(NamedTuple):
    """All checks of two sets of logs."""

    checks: tuple[Check, ...]
    unjudged: tuple[str, ...]
    """Primary measures that could not be judged."""

    left_out: tuple[str, ...]
    """Logs that could not be read or are not there; they make the gate undecided."""

    notes: tuple[str, ...]
    """What else was noticed; it decides nothing."""


def read_rules(rules: Sequence[str], file: Path | None = None) -> list[Rule]:
    """Read rules like `geval_faithfulness >= -0.2`, from arguments and a YAML list.

    Raises:
        InputError: There is no rule, a rule is malformed, or the file is not a list.
    """
    texts = list(rules)
    if file is not None:
        try:
            entries = parse_yaml(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise InputError(
                f"rules {file} cannot be read: {' '.join(str(error).split())}"
            ) from None
        if not isinstance(entries, list):
            raise InputError(f"rules {file} must be a list of rules like 'geval_coverage >= -0.2'")
        texts += [str(entry) for entry in entries]
    if not texts:
        raise InputError("give at least one --rule, e.g. --rule 'geval_coverage >= -0.2'")
    return [_rule(text) for text in texts]


def _rule(text: str) -> Rule:
    match = _RULE.fullmatch(text)
    if match is None:
        raise InputError(f"rule {text!r} is not MEASURE >= NUMBER or MEASURE <= NUMBER")
    return Rule(match[1], 1 if match[2] == ">=" else -1, float(match[3]))


def check_rules(
    new: Frames, base: Frames, rules: Sequence[Rule], *, allow_missing: int = 0
) -> Gate:
    """Apply every rule to every system that both have.

    A rule is kept if the whole 95 % interval of new - base is on its side of the bound, and
    broken if all of it is beyond; otherwise it is undecided. It is also broken if the new run
    was asked for samples that it lacks, and undecided if other samples have a value in one run
    only, a run is not finished, or corpus, questions, references or the way of measuring differ.

    Args:
        new: Runs to check.
        base: Runs to compare them with.
        rules: Allowed change of each measure.
        allow_missing: Samples without a value that do not count, by system and rule.

    Raises:
        InputError: A measure is unknown, or no system is in both.
    """
    pairs = benchmarks(pair_runs(new, base))
    if not pairs:
        raise InputError(
            "no system of the new logs is in the earlier ones, on the same task and data"
        )
    measures = {name for pair in pairs for name in pair.measures}
    for rule in rules:
        check_choice("measure", rule.measure, sorted(measures))
    notices = pair_notices(new, base, pairs)
    checks = [check for pair in pairs for check in _checks(pair, rules, allow_missing)]
    return Gate(
        tuple(sorted(checks, key=lambda check: not check.barred)),
        tuple(str(lack) for pair in pairs for lack in unjudged(pair)),
        tuple(notice.text for notice in notices if notice.level == "error"),
        tuple(f"{notice.level}: {notice.text}" for notice in notices if notice.level != "error")
        + tuple(
            f"note: {pair.systems[0]}: {what}: {before} → {after}"
            for pair in pairs
            for what, before, after in changes(pair)
            if what not in _SAME
        ),
    )


def _checks(pair: Benchmark, rules: Sequence[Rule], allow_missing: int) -> Iterator[Check]:
    new, old = pair.systems
    differences = list(_differences(pair))
    for rule in rules:
        if rule.measure not in pair.measures:
            continue
        own = pair.pair(new, old, rule.measure)
        paired = pair.compare(new, old, rule.measure)
        verdict = _verdict(rule, paired)
        losses = _losses(pair, rule.measure)
        losses.update({"measured differently": own.left_out} if own.left_out else {})
        reasons = [*differences, *_unlike(pair, rule.measure, own.nowhere_alike)]
        barred = bool(reasons)
        if barred:
            verdict = "undecided"
        if losses:
            total, allowed = losses.total(), losses.total() <= allow_missing
            reasons.append(
                f"{rule.measure} is missing for {total} samples{' (allowed)' if allowed else ''}: "
                + "; ".join(f"{count} {why}" for why, count in losses.most_common(_MOST))
            )
            if not allowed and losses[_LACKING]:
                verdict = "broken"
            elif not allowed and verdict != "broken":
                verdict, barred = "undecided", True
        name = pair.name.removesuffix(f": {new}")
        yield Check(name, new, rule, paired, verdict, tuple(reasons), barred)


def _verdict(rule: Rule, paired: Paired | None) -> Verdict:
    if paired is None or paired.low is None or paired.high is None:
        return "undecided"
    ends = sorted((rule.sign * paired.low, rule.sign * paired.high))
    if ends[0] >= rule.sign * rule.bound:
        return "kept"
    return "broken" if ends[1] < rule.sign * rule.bound else "undecided"


def _differences(pair: Benchmark) -> Iterator[str]:
    """Yield why two runs cannot be compared on any measure."""
    for run, name in zip(pair.rows, ("new", "earlier"), strict=True):
        if run.status != "success":
            yield f"the {name} run is not finished ({run.status})"
        if run.impossible:
            yield f"the {name} run {run.impossible}"
    for what, before, after in changes(pair):
        if what in _SAME:
            yield f"{what}: {before} → {after}"


def _unlike(pair: Benchmark, measure: str, nowhere_alike: bool) -> Iterator[str]:
    """Yield why the two runs cannot be compared on a measure."""
    new, old = pair.rows
    ways = [pair.signatures(measure.split(".")[0], run.system) for run in (old, new)]
    if nowhere_alike:
        distinct = ways[0] | ways[1]
        parts = (" and ".join(sorted(distinct_parts(way, distinct) for way in own)) for own in ways)
        yield f"measured differently: {' → '.join(part or 'unknown' for part in parts)}"
    elif not any(ways) and new.graders != old.graders:
        yield f"judges: {' and '.join(old.graders)} → {' and '.join(new.graders)}"


def _losses(pair: Benchmark, measure: str) -> Counter[str]:
    """Count the samples, each epoch apart, that have a value in one of two runs only, by reason.

    A part of the data set that a run was not asked for is no loss.
    """
    new, old = pair.rows
    own = pair.scores[pair.scores["measure"] == measure]
    scored = {system: set(rows["id"]) for system, rows in pair.by_system(own[own["value"].notna()])}
    losses: Counter[str] = Counter()
    for run, other in ((new, old), (old, new)):
        name = "" if run is new else " in the earlier run"
        present = pair.answers.loc[pair.answers["system"] == run.system, ["id", "epoch"]]
        answered = set(present.itertuples(index=False, name=None))
        rows = own[own["system"] == run.system]
        lacking = rows[rows["value"].isna()].set_index(["id", "epoch"])
        for key, epoch in run.asked | answered | run.invalidated:
            if (key, epoch) in run.invalidated:
                losses["invalidated" + name] += key in scored[other.system]
            elif (key, epoch) not in answered:
                losses[_LACKING if run is new else f"not there{name}"] += 1
            elif key in scored[other.system] and (key, epoch) in lacking.index:
                losses[_why(pair, lacking.loc[[(key, epoch)]]) + name] += 1
        if run is new and not run.limited:
            planned = {key for key, _ in run.asked | answered | run.invalidated}
            losses["not in the new run"] += len(scored[old.system] - planned)
    return +losses


def _why(pair: Benchmark, scores: "pd.DataFrame") -> str:
    score = scores.iloc[0]
    if could_not_be_judged(scores).any():
        return f"not judged ({why_unjudged(pair, scores)})"
    status = "without a score" if score["status"] == "missing" else str(score["status"])
    return f"{status} ({score['reason']})" if score["reason"] else status


def to_markdown(gate: Gate) -> str:
    """Write the checks as a table for a summary page, after what stands against them."""
    lines = [f"- **not judged:** {escape(text)}" for text in gate.unjudged]
    lines += [f"- **undecided:** {escape(text)}" for text in gate.left_out]
    lines += [
        f"- **{check.verdict}:** {escape(f'{check.rule} of {check.system}: {reason}')}"
        for check in gate.checks
        for reason in check.reasons
    ]
    gate_table = Table(
        "gate",
        "Gate",
        "",
        ("benchmark", "system", "rule", "n", "new - earlier", "verdict"),
        tuple(
            (check.benchmark, check.system, str(check.rule), *_figures(check), check.verdict)
            for check in gate.checks
        ),
    )
    return "\n".join([*lines, *[""] * bool(lines), "## Gate", "", gate_table.as_markdown(), ""])


def to_junit(gate: Gate, undecided: Literal["fail", "pass"]) -> str:
    """Write the checks as JUnit XML; primary measures that were not judged are skipped tests."""
    failures = [_fails(check, undecided) for check in gate.checks]
    suite = ElementTree.Element(
        "testsuite",
        name="arag-inspect gate",
        tests=str(len(gate.checks) + len(gate.unjudged) + len(gate.left_out)),
        failures=str(sum(failures) + len(gate.left_out)),
        skipped=str(len(gate.unjudged)),
    )
    for outcome, texts in (("skipped", gate.unjudged), ("failure", gate.left_out)):
        for text in texts:
            case = ElementTree.SubElement(suite, "testcase", classname="logs", name=text)
            ElementTree.SubElement(case, outcome, message=text)
    for check, fails in zip(gate.checks, failures, strict=True):
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{check.benchmark}: {check.system}", name=str(check.rule)
        )
        n, difference = _figures(check)
        verdict = "; ".join([f"{check.verdict}: {show(difference)} on {n} samples", *check.reasons])
        if fails:
            ElementTree.SubElement(case, "failure", message=verdict)
        else:
            ElementTree.SubElement(case, "system-out").text = verdict
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def exit_code(gate: Gate, undecided: Literal["fail", "pass"]) -> int:
    """Return 0 if every rule is kept, 1 if one is broken, 2 if the gate is undecided."""
    if any(check.verdict == "broken" for check in gate.checks):
        return 1
    return 2 if gate.left_out or any(_fails(check, undecided) for check in gate.checks) else 0


def _fails(check: Check, undecided: Literal["fail", "pass"]) -> bool:
    open_ = check.verdict == "undecided" and (check.barred or undecided == "fail")
    return check.verdict == "broken" or open_


def _figures(check: Check) -> tuple[int, Signed | None]:
    if check.paired is None:
        return 0, None
    return check.paired.n, Signed(check.paired.difference, check.paired.low, check.paired.high)
