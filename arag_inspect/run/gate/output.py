"""Checks of a gate as text, Markdown and JUnit XML."""

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

from ..._util.encodable import drawable
from ..._util.errors import printable
from ..._util.wording import format_count
from ...report.cells import show
from ...report.table import escape
from .checks import fails, table_of_checks
from .gate import Gate, exit_code
from .rules import WhenUndecided


def to_markdown(gate: Gate, undecided: WhenUndecided) -> str:
    """Format the checks as a Markdown table, between doubts about verdicts and the conclusion."""
    lines = [f"- **{kind}:** {escape(text)}" for kind, text in _reasons_against(gate)]
    if lines:
        lines.append("")
    table = table_of_checks(gate.checks, undecided).as_markdown()
    lines += [
        "## Gate",
        "",
        *table.split("\n"),
        "",
        f"**{escape(_conclusion(gate, undecided))}**",
        "",
    ]
    return drawable("\n".join(map(printable, lines)))


def to_text(gate: Gate, undecided: WhenUndecided, width: int) -> str:
    """Format the checks as plain text, between doubts about verdicts and the conclusion.

    Args:
        gate: The checks.
        undecided: How undecided rules count.
        width: Maximum characters in a line of the table.
    """
    lines = [f"{kind}: {text}" for kind, text in _reasons_against(gate)]
    lines.append(table_of_checks(gate.checks, undecided).as_text(width))
    lines.append(_conclusion(gate, undecided))
    return "\n".join(lines)


def _conclusion(gate: Gate, undecided: WhenUndecided) -> str:
    """Say whether the gate failed, and because of what, e.g. `Gate passed: 2 kept, 1 undecided`."""
    if not exit_code(gate, undecided):
        verdicts = Counter(check.verdict for check in gate.checks)
        return f"Gate passed: {', '.join(f'{n} {verdict}' for verdict, n in verdicts.items())}"
    failing = [check for check in gate.checks if fails(check, undecided)]
    causes = [f"{check.rule} of {check.system} is {check.verdict}" for check in failing]
    return f"Gate failed: {'; '.join((*causes, *gate.left_out))}"


def to_junit(gate: Gate, undecided: WhenUndecided) -> str:
    """Format the checks as JUnit XML; primary measures that were not judged are skipped tests."""
    failures = [fails(check, undecided) for check in gate.checks]
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
    for check, failed in zip(gate.checks, failures, strict=True):
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{check.benchmark}: {check.system}", name=str(check.rule)
        )
        figure = f"{check.verdict}: {show(check.cell)} on {format_count(check.n, 'sample')}"
        verdict = "; ".join(filter(None, [figure, *check.reasons, check.not_counted]))
        if failed:
            ElementTree.SubElement(case, "failure", message=verdict)
        else:
            ElementTree.SubElement(case, "system-out").text = verdict
    return drawable(ElementTree.tostring(suite, encoding="unicode", xml_declaration=True))


def _reasons_against(gate: Gate) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each doubt about the verdicts."""
    yield from (("not judged", text) for text in gate.unjudged)
    yield from (("undecided", text) for text in gate.left_out)
    yield from (("note", text) for text in gate.few)
    yield from (("worse elsewhere", text) for text in gate.worse)
    for check in gate.checks:
        for reason in check.reasons:
            yield check.verdict, f"{check.rule} of {check.system}: {reason}"
        if check.not_counted:
            yield "note", f"{check.rule} of {check.system}: {check.not_counted}"
