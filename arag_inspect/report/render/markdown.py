"""The report as Markdown; text of documents and models is escaped."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence

from ..analysis.examples import Example, reasoning
from ..build import BenchmarkReport, Report, Section
from ..load.records import Notice, SampleResult
from ..tables.table import Cell, Table, show

_SPECIAL = re.compile(r"([\\`*_\[\]|~#$])")
_BULLET = re.compile(r"^[-+=]")
_NUMBER = re.compile(r"^(\d+)([.)])")


def to_markdown(
    report: Report, pictures: Mapping[str, Mapping[str, Sequence[str]]] | None = None
) -> str:
    """Write a report.

    Args:
        report: Report to write.
        pictures: Paths relative to the file, by name of the benchmark and id of the section.

    Returns:
        Markdown with pipe tables, as GitHub, pandoc and others read it.
    """
    blocks = ["# Summarization report"]
    blocks += [f"**Not judged:** {escape(text)}" for text in report.unjudged]
    for part in report.benchmarks:
        blocks += _first_page(part)
    blocks += ["# Appendix", *_notices(report.notices)]
    for part in report.benchmarks:
        blocks += _appendix(part, (pictures or {}).get(part.benchmark.name, {}))
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """Escape text for use within a line of Markdown."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))


def quote(text: str) -> str:
    """Return text as a block quotation, line by line, escaped."""
    lines = [_escape_line(line) for line in text.splitlines()] or [""]
    return "\n".join(f"> {line}\\" if line else ">" for line in lines).removesuffix("\\")


def _escape_line(line: str) -> str:
    """Escape a whole line, which could begin like a list or a rule."""
    escaped = _BULLET.sub(lambda sign: f"\\{sign[0]}", escape(line))
    return _NUMBER.sub(r"\1\\\2", escaped)


def table(found: Table) -> str:
    """Return a table with pipes; numbers are right-aligned."""
    figures = [
        any(not isinstance(row[index], str | None) for row in found.rows)
        for index in range(len(found.columns))
    ]
    rule = ["---:" if figure else "---" for figure in figures]
    rows = [
        [escape(name) for name in found.columns],
        rule,
        *([_cell(cell) for cell in row] for row in found.rows),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(cell: Cell) -> str:
    return escape(cell) if isinstance(cell, str) else show(cell)


def _notices(notices: Sequence[Notice]) -> Iterator[str]:
    names = {"error": "Left out", "warning": "Warning", "note": "Note"}
    if notices:
        yield "\n".join(f"- **{names[notice.level]}:** {escape(notice.text)}" for notice in notices)


def _first_page(report: BenchmarkReport) -> Iterator[str]:
    """Yield the findings, six figures per system, and the success criteria."""
    yield f"## {escape(report.benchmark.name)}"
    yield "\n".join(
        f"- **{escape(item.topic)}:** {escape(item.text)}"
        for item in report.findings
        if not item.unjudged
    )
    for section in report.sections:
        if section.first:
            yield from _tables(section)


def _appendix(report: BenchmarkReport, pictures: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield f"## {escape(report.benchmark.name)}: details"
    for section in report.sections:
        if not section.first:
            yield from _section(section, pictures)
    for example in report.examples:
        if example.sample_id is not None:
            yield from _example(example, example.sample_id)


def _section(section: Section, pictures: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield f"### {section.title}"
    for path in pictures.get(section.id, ()):
        yield f"![{section.title}]({path})"
    yield from _tables(section)


def _tables(section: Section) -> Iterator[str]:
    for section_table in section.tables:
        yield f"#### {section_table.title}"
        yield escape(section_table.text)
        yield table(section_table)


def _example(example: Example, sample_id: str) -> Iterator[str]:
    first = example.answers[0][1]
    yield f"#### {escape(example.title)}: {escape(sample_id)}"
    yield f"Chosen by rule: {escape(example.rule)}."
    yield f"Reference:\n\n{quote(first.target)}"
    for system, answer in example.answers:
        yield from _answer(system, answer, example)


def _answer(system: str, answer: SampleResult, example: Example) -> Iterator[str]:
    value = answer.value(example.measure.key)
    codes = f", codes {', '.join(answer.codes)}" if answer.codes else ""
    caption = f"{example.measure.label} {show(value)}{codes}"
    yield f"**{escape(system)}** ({escape(caption)}):\n\n{quote(answer.answer)}"
    if (judgement := reasoning(answer, example.measure)) is not None:
        yield f"{escape(judgement.grader)} on {escape(system)}:\n\n{quote(judgement.reasoning)}"
