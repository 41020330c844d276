"""`arag-inspect replay`: score answers that another tool exported."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from .._util.errors import echo
from .._util.wording import format_count
from ._command import Graders, command, split_names
from .report import ReportOptions, write_and_print

if TYPE_CHECKING:
    from ..run.replay_results import SystemAnswers


@command()
def replay(
    files: Annotated[tuple[str, ...], "FILE..."],
    *,
    columns: Annotated[str, "ROLE=COLUMN,..."] = "",
    split: str = "",
    corpus: Annotated[str | None, "NAME"] = None,
    scorers: str | None = None,
    grader: Graders = None,
    log_dir: str = "logs/replay",
    report: Annotated[str | None, "FOLDER"] = None,
) -> None:
    """Score existing answers, without running anything.

    FILE contains results or traces of ragas, deepeval, promptfoo, Langfuse, Phoenix, OpenTelemetry
    or your own project. Each system in it gets a log, which `report`, `compare` and `gate` read.
    Scores that the tool gave are kept under its name.

    Args:
        files: Files of results.
        columns: Columns with other names, e.g. question=Frage,answer=Antwort; also reference,
            passages, evidence, id, documents, page, question_type, group and others;
            score.NAME keeps a column of numbers as the measure given.NAME.
        split: Only questions with this value in the column split.
        corpus: Prepared corpus in which passages are located by their text.
        scorers: Scorers and sets of scorers. [default: default with --grader, else no_grader]
        grader: Models to judge with.
        log_dir: Folder of the logs; each system has a folder in it.
        report: Also write a report of these logs.
    """
    from ..run.replay_results import list_answers, replay_answers

    if not files:
        raise click.UsageError("name at least one file of results")
    locations = []
    graders = split_names(grader)
    selected_scorers = scorers or ("default" if graders else "no_grader")
    for answers in list_answers([Path(file) for file in files], columns, split):
        location = replay_answers(
            answers,
            split=split,
            corpus=corpus,
            scorers=selected_scorers,
            graders=graders,
            log_dir=log_dir,
        )
        locations.append(location)
        echo(_describe_extent(answers))
        for note in filter(None, (answers.columns, *answers.notes)):
            echo(f"  {note}")
        echo(f"  {location}")
    if report is None:
        click.echo(f"Next: arag-inspect report {shlex.quote(log_dir)}")
        return
    from ..report import frames, make_report

    write_and_print(make_report(frames(locations), []), ReportOptions(report, None, (), None))


def _describe_extent(answers: "SystemAnswers") -> str:
    """Describe the numbers of a system's questions, empty answers and failed calls."""
    text = f"{answers.label}: {format_count(answers.samples, 'question')}"
    if answers.unanswerable:
        text += f" ({answers.unanswerable:,} unanswerable)"
    if answers.empty:
        text += f", {format_count(answers.empty, 'empty answer')}"
    if answers.failed:
        text += f", {format_count(answers.failed, 'failed call')}"
    return text
