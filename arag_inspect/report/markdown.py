"""The report as Markdown; text of documents and models is escaped."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .build import BenchmarkReport, Report, ReportSection
from .examples import Example, reasoning
from .frames import Notice
from .judge_card import unproven_judges
from .table import escape, show
from .tables.length import key_finding

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


def quote(text: str) -> str:
    """Return text as a block quotation, line by line, escaped."""
    lines = [_escape_line(line) for line in text.splitlines()] or [""]
    return "\n".join(f"> {line}\\" if line else ">" for line in lines).removesuffix("\\")


def _escape_line(line: str) -> str:
    """Escape a whole line, which could begin like a list or a rule."""
    escaped = _BULLET.sub(lambda sign: f"\\{sign[0]}", escape(line))
    return _NUMBER.sub(r"\1\\\2", escaped)


def _notices(notices: Sequence[Notice]) -> Iterator[str]:
    names = {"error": "Left out", "warning": "Warning", "note": "Note"}
    if notices:
        yield "\n".join(f"- **{names[notice.level]}:** {escape(notice.text)}" for notice in notices)


def _first_page(report: BenchmarkReport) -> Iterator[str]:
    """Yield the findings, six figures per system, and the success criteria."""
    yield f"## {escape(report.benchmark.name)}"
    yield from (f"**Judge:** {escape(line)}." for line in unproven_judges(report.benchmark))
    if key := key_finding(report.benchmark):
        yield f"**Key finding:** {escape(key)}"
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
            yield f"### {section.title}"
            for path in pictures.get(section.id, ()):
                yield f"![{section.title}]({path})"
            yield from _tables(section)
    for example in report.examples:
        if example.sample_id is not None:
            yield f"#### {escape(example.title)}: {escape(example.sample_id)}"
            yield f"Chosen by rule: {escape(example.rule)}."
            yield f"Reference:\n\n{quote(example.answers[0]['target'])}"
            for answer in example.answers:
                yield from _answer(report, answer, example)


def _tables(section: ReportSection) -> Iterator[str]:
    for table in section.tables:
        yield f"#### {table.title}"
        yield escape(table.text)
        yield table.as_markdown()


def _answer(report: BenchmarkReport, answer: dict[str, Any], example: Example) -> Iterator[str]:
    value = report.benchmark.by_answer[example.measure.key].get(answer["answer"])
    codes = f", codes {', '.join(answer['codes'])}" if answer["codes"] else ""
    caption = f"{example.measure.label} {show(None if value != value else value)}{codes}"
    system = escape(answer["system"])
    yield f"**{system}** ({escape(caption)}):\n\n{quote(answer['text'])}"
    if (verdict := reasoning(report.benchmark, answer["answer"], example.measure)) is not None:
        yield f"{escape(verdict.judge)} on {system}:\n\n{quote(verdict.text)}"
