"""Printed summaries of prepared corpora and completed runs."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._util.errors import echo, echo_some, resume_error
from .._util.wording import format_count

if TYPE_CHECKING:
    from ..benchmarks import Prepared
    from ..run.run_experiment import RunResult


_FEW_CHUNKS = 25
"""Largest corpus, in chunks, of which the default of five results covers a large part."""


def print_summary(prepared: "Prepared") -> None:
    """Print the counts of a prepared corpus, its gaps, and the next command."""
    from ..benchmark.prepared_files import PAGES

    for line in prepared.reading[:1]:
        echo(line)
    for note in prepared.reading[1:]:
        echo(f"  {note}")
    for name, count in prepared.manifest.counts.items():
        echo(f"{name.replace('_', ' '):30} {count:>9,}")
    embedding = prepared.manifest.embedding
    echo(f"embedding {embedding.model} ({embedding.dtype}), {prepared.seconds:.1f} s")
    _print_gaps(prepared)
    if prepared.manifest.counts.get(PAGES):
        echo(
            "The report's table of evidence says which located pages were read; recall needs the "
            "texts in a column evidence"
        )
    chunks = prepared.manifest.counts["chunks"]
    if chunks <= _FEW_CHUNKS:
        echo(
            f"The corpus has only {format_count(chunks, 'chunk')}, so a search that returns five "
            "covers much of it and retrieval makes little difference; add documents, or make "
            "chunks smaller with --chunk-tokens"
        )
    click.echo(f"Prepared {prepared.place}")
    _print_next_commands(prepared)


def check_complete(result: "RunResult") -> None:
    """Print the faults of a run.

    Raises:
        InputError: It was stopped, or is not complete.
    """
    spending = result.spending
    if spending.stopped:
        limit = f"--max-dollars {spending.max_dollars:g}"
        raise resume_error(f"stopped at ${spending.paid:,.2f} of {limit}", with_more=True)
    stop_reason = result.stopped or (None if result.logs else "interrupted")
    if stop_reason is not None:
        raise resume_error(stop_reason)
    for line in result.faults:
        click.echo(line, err=True)
    if not result.complete:
        failed = sum(log.status != "success" for log in result.logs)
        raise resume_error(f"{failed} of {len(result.logs)} runs failed or were interrupted")


def _print_gaps(prepared: "Prepared") -> None:
    """Print skipped files, and evidence, pages and sections that were not found."""
    from ..benchmark.prepared_files import GAPS

    documents = _read_json(prepared.folder / "documents.json")
    partly_read = [
        f"{name}: {', '.join(report['left_out'])}"
        for name, report in documents.items()
        if report.get("left_out")
    ]
    echo_some("Skipped while reading:", partly_read)
    unsectioned = [name for name, report in documents.items() if report.get("sections") == []]
    echo_some("No sections found (each document counts as one section):", unsectioned)
    missing_sections = [
        f"{name}: {' or '.join(report['lacks'])}"
        for name, report in documents.items()
        if report.get("lacks")
    ]
    echo_some("Missing sections:", missing_sections)
    unaligned = []
    for sample, alignments in _read_json(prepared.folder / "alignment.json").items():
        for alignment in alignments:
            if alignment["match"] == "none":
                unaligned.append(f"{sample}: {alignment['sentence']}")
    title = "Evidence found in no chunk (try one sentence a line; all in alignment.json):"
    echo_some(title, unaligned)
    for heading, texts in _read_json(prepared.folder / GAPS).items():
        echo_some(f"{heading}:", texts)
    echo_some("Skipped:", [f"{file.name}: {file.reason}" for file in prepared.skipped])


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return value


def _print_next_commands(prepared: "Prepared") -> None:
    from ..benchmarks import evaluation_command

    dataset = prepared.manifest.dataset
    command = evaluation_command(prepared.evaluation)
    if command is None:
        echo(f"No task evaluates data set {dataset}; name one in its Dataset(evaluate=...)")
        return
    click.echo(f"Next: {command} --model MODEL")
    run_command = command.replace("inspect eval", "arag-inspect run").replace("arag_inspect/", "")
    click.echo(f"  or, with several systems: {run_command} --model MODEL")
    click.echo(f"  or, one question: arag-inspect ask {shlex.quote(prepared.folder.name)} QUESTION")
