"""Check in continuous integration that a new run is as good as an earlier one."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple
from xml.etree import ElementTree

import yaml

from .._util.errors import InputError, check_choice
from .._util.yaml_values import parse_yaml
from ..report import Benchmark, Results
from ..report.analysis.matrix import ScoreMatrix
from ..report.before_after import pair_runs
from ..report.render.markdown import table
from ..report.tables.table import Signed, Table, show
from ..stats.estimates import Paired

_RULE = re.compile(r"\s*([\w.*-]+)\s*(>=|<=)\s*([-+]?\d*\.?\d+)\s*")

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


def check_rules(new: Results, base: Results, rules: Sequence[Rule]) -> list[Check]:
    """Apply every rule to every system that both have.

    A rule is kept if the whole 95 % interval of new - base is on its side of the
    bound, and broken if all of it is beyond; otherwise it is undecided.

    Args:
        new: Runs to check.
        base: Runs to compare them with.
        rules: Allowed change of each measure.

    Raises:
        InputError: A measure is unknown, or no system is in both.
    """
    pairs = pair_runs(new, base)
    if not pairs:
        raise InputError(
            "no system of the new logs is in the earlier ones, on the same task and data"
        )
    measures = {name for pair in pairs for run in pair.runs for name in run.measures}
    for rule in rules:
        check_choice("measure", rule.measure, sorted(measures))
    return [_check(pair, rule) for pair in pairs for rule in rules if rule.measure in pair.measures]


def _check(pair: Benchmark, rule: Rule) -> Check:
    values = ScoreMatrix(pair)
    new, earlier = pair.systems
    paired = values.compare(new, earlier, rule.measure)
    verdict: Verdict = "undecided"
    if paired is not None and paired.low is not None and paired.high is not None:
        ends = sorted((rule.sign * paired.low, rule.sign * paired.high))
        if ends[0] >= rule.sign * rule.bound:
            verdict = "kept"
        elif ends[1] < rule.sign * rule.bound:
            verdict = "broken"
    return Check(replace(pair, part="").name, pair.systems[0], rule, paired, verdict)


def to_markdown(checks: Sequence[Check]) -> str:
    """Write the checks as a table for a summary page."""
    gate_table = Table(
        "gate",
        "Gate",
        "",
        ("benchmark", "system", "rule", "n", "new - earlier", "verdict"),
        tuple(
            (check.benchmark, check.system, str(check.rule), *_figures(check), check.verdict)
            for check in checks
        ),
    )
    return f"## Gate\n\n{table(gate_table)}\n"


def to_junit(checks: Sequence[Check], undecided: Literal["fail", "pass"]) -> str:
    """Write the checks as JUnit XML."""
    failures = [_fails(check, undecided) for check in checks]
    suite = ElementTree.Element(
        "testsuite", name="arag-inspect gate", tests=str(len(checks)), failures=str(sum(failures))
    )
    for check, fails in zip(checks, failures, strict=True):
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{check.benchmark}: {check.system}", name=str(check.rule)
        )
        n, difference = _figures(check)
        message = f"{check.verdict}: {show(difference)} on {n} samples"
        if fails:
            ElementTree.SubElement(case, "failure", message=message)
        else:
            ElementTree.SubElement(case, "system-out").text = message
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def exit_code(checks: Sequence[Check], undecided: Literal["fail", "pass"]) -> int:
    """Return 0 if every rule is kept, 1 if one is broken, 2 if one is undecided."""
    if any(check.verdict == "broken" for check in checks):
        return 1
    return 2 if any(_fails(check, undecided) for check in checks) else 0


def _fails(check: Check, undecided: Literal["fail", "pass"]) -> bool:
    return check.verdict == "broken" or (check.verdict == "undecided" and undecided == "fail")


def _figures(check: Check) -> tuple[int, Signed | None]:
    if check.paired is None:
        return 0, None
    return check.paired.n, Signed(check.paired.difference, check.paired.low, check.paired.high)
