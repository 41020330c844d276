"""The report as Markdown; text of documents and models is escaped."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from ..build import FIRST, Report, ReportSection, StudyReport
from ..cells import show_score
from ..comparison.examples import Example
from ..findings.provenance import about, banner
from ..study import Study
from ..table import escape

_LIST = re.compile(r"^(\d*)([-+=.)])")


def to_markdown(report: Report, folders: Sequence[str] = ()) -> str:
    """Write a report.

    Args:
        report: Report to write.
        folders: Folder of each benchmark's pictures, relative to the file; none omits pictures.

    Returns:
        Markdown with pipe tables, as GitHub, pandoc and others read it.
    """
    blocks = ["# Summarization report"]
    blocks += [f"**Not judged:** {escape(text)}" for text in report.unjudged]
    for part, folder in zip_longest(report.studies, folders):
        blocks += _first_page(part, folder)
    notices = (f"- **{notice.level.title()}:** {escape(notice.text)}" for notice in report.notices)
    blocks += ["# Appendix", "\n".join(notices)]
    for part, folder in zip_longest(report.studies, folders):
        blocks += _appendix(part, folder)
    return "\n\n".join(filter(None, blocks)) + "\n"


def quote(text: str) -> str:
    """Return text as a block quotation, escaping each line so that none begins a list or a rule."""
    lines = [_LIST.sub(r"\1\\\2", escape(line)) for line in text.splitlines()] or [""]
    return "\n".join(f"> {line}\\" if line else ">" for line in lines).removesuffix("\\")


def _first_page(report: StudyReport, folder: str | None) -> Iterator[str]:
    """Yield headline, provenance, findings, charts, the leaderboard and the success criteria."""
    yield f"## {escape(report.study.name)}"
    notice = banner(report.study)
    if notice:
        yield f"**Notice:** {escape(notice)}"
    yield f"**{escape(report.headline)}**"
    yield escape(" · ".join(about(report.study)))
    if report.key_finding:
        yield f"**Key finding:** {escape(report.key_finding)}"
    if report.lost_facts:
        yield f"**Facts lost:** {escape(report.lost_facts)}"
    yield "\n".join(
        f"- **{escape(item.topic)}:** {escape(item.text)}"
        for item in report.findings
        if item.kind != "not judged"
    )
    for section in report.sections:
        if section.id in FIRST:
            yield from _pictures(section, folder)
            yield from _tables(section)
    if report.failure is not None:
        yield f"**{report.failure.topic}:** {escape(str(report.failure))}"


def _appendix(report: StudyReport, folder: str | None) -> Iterator[str]:
    yield f"## {escape(report.study.name)}: details"
    for section in report.sections:
        if section.id not in FIRST:
            yield f"### {section.title}"
            yield from _pictures(section, folder)
            yield from _tables(section)
    for example in report.examples:
        if example.sample_id is not None:
            yield from _example(report.study, example)


def _pictures(section: ReportSection, folder: str | None) -> Iterator[str]:
    if not folder:
        return
    for chart in section.charts:
        yield f"![{section.title}]({folder}/charts/{chart.name}.svg)"
        yield escape(chart.note)


def _tables(section: ReportSection) -> Iterator[str]:
    for table in section.tables:
        yield f"#### {table.title}"
        yield escape(table.text)
        yield table.without_empty_columns().as_markdown()


def _example(study: Study, example: Example) -> Iterator[str]:
    """Yield the first answer of each system to a sample, with its value and a judge's reasoning."""
    answers = study.answers[study.answers["id"] == example.sample_id]
    yield f"#### {escape(example.title)}: {escape(str(example.sample_id))}"
    yield f"Chosen by rule: {escape(example.rule)}."
    yield f"Reference:\n\n{quote(answers['target'].iloc[0])}"
    for answer in answers.drop_duplicates("system").itertuples(index=False):
        value = study.value(answer.answer, example.measure.key)
        codes = f", codes {', '.join(answer.codes)}" if answer.codes else ""
        caption = f"{example.measure.label} {show_score(value)}{codes}"
        system = escape(answer.system)
        yield f"**{system}** ({escape(caption)}):\n\n{quote(answer.text)}"
        verdicts = study.first_verdicts
        reasoned = verdicts[(verdicts["answer"] == answer.answer) & verdicts["text"].astype(bool)]
        first: Any = reasoned.assign(other=reasoned["scorer"] != example.measure.scorer)
        for verdict in first.sort_values("other", kind="stable").head(1).itertuples(index=False):
            yield f"{escape(verdict.judge)} on {system}:\n\n{quote(verdict.text)}"
