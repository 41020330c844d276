"""Score answers in files from other tools, with one log per system."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from inspect_ai import Task

from .. import tasks
from .._util.errors import InputError
from .._util.files import slug
from .._util.wording import join_names
from ..benchmark.scorers import judged_scorers
from ..benchmarks._shared.other_tools.records import Records
from ..benchmarks._shared.other_tools.results import has_any_column, read_results, systems_of
from ..judge.panel import default_grader
from ..models.run_task import run_task

_NO_MODEL = "none"
"""Model of a replay; it is never called."""


class SystemAnswers(NamedTuple):
    """The answers of a system in a file."""

    file: Path
    answered_by: str
    """System or session in the file; empty if it is the only one."""

    label: str
    """Name of the system in reports."""

    samples: int
    unanswerable: int
    """Questions that the documents do not answer."""

    empty: int
    """Empty answers of calls that did not fail."""

    failed: int
    """Calls that failed."""

    chosen_columns: str
    """The user's columns by role that are in the file; empty for none."""

    columns: str
    """Role of each column; empty except for the first system of the file."""

    notes: Sequence[str]
    """Parts of the file that were ignored."""


def list_answers(files: Sequence[Path], columns: str, split: str) -> list[SystemAnswers]:
    """List the systems whose answers are in result files.

    Args:
        files: Files of results or traces.
        columns: Columns by role, if their names are not recognised; empty for none. If only other
            files have these columns, a file is read by its known names.
        split: Only questions of this split; empty for all.

    Raises:
        InputError: A file is unreadable, or two systems have the same name.
    """
    repeated = [name for name, count in Counter(map(str, files)).items() if count > 1]
    if repeated:
        raise InputError(f"{repeated[0]} is given twice")
    answers: list[SystemAnswers] = []
    for file, chosen_columns in _columns_by_file(files, columns):
        try:
            answers += _answers_in(file, chosen_columns, split)
        except InputError as error:
            if not columns or len(files) == 1:
                raise
            advice = "--columns maps all files alike; if theirs differ, give one command for each"
            raise InputError(f"{error.message}; {advice} file, then arag-inspect compare") from None
    for name_longer in (_qualify_by_file, _qualify_by_folder):
        counts = Counter(item.label for item in answers)
        answers = [
            item._replace(label=name_longer(item)) if counts[item.label] > 1 else item
            for item in answers
        ]
    for label, count in Counter(item.label for item in answers).items():
        if count > 1:
            raise InputError(f"{count} systems are named {label}; rename their files")
    return answers


def replay_answers(
    answers: SystemAnswers,
    *,
    split: str,
    corpus: str | None,
    scorers: str,
    graders: Sequence[str],
    log_dir: str,
) -> str:
    """Score the answers of a system, and return the location of the log.

    Args:
        answers: A system from `list_answers`.
        split: Only questions of this split; empty for all.
        corpus: Prepared corpus in which passages are located by their text.
        scorers: Names of scorers and sets.
        graders: Models to judge with.
        log_dir: Folder of the logs; each system has a folder in it.

    Raises:
        InputError: A scorer or the corpus is unknown, a scorer lacks its judge, or the run failed.
    """
    task = tasks.replayed(
        file=str(answers.file),
        columns=answers.chosen_columns,
        split=split,
        answered_by=answers.answered_by,
        label=answers.label,
        corpus=corpus,
        scorers=scorers,
    )
    if not graders:
        _check_default_grader(task)
    log = run_task(
        task,
        _NO_MODEL,
        f"the replay of {answers.file.name}",
        model_roles={"grader": list(graders)} if graders else None,
        log_dir=f"{log_dir}/{slug(answers.label)}",
        display="none",
    )
    return log.location


def _check_default_grader(task: Task) -> None:
    """Raise if a scorer of a task asks the default grader, and this lacks its key."""
    judged = judged_scorers([task])
    try:
        if judged:
            default_grader(_NO_MODEL)
    except InputError as error:
        need = "needs" if len(judged) == 1 else "need"
        raise InputError(
            f"{join_names(judged)} {need} a judge: add --grader MODEL, or name other --scorers"
        ) from error


def _columns_by_file(files: Sequence[Path], columns: str) -> list[tuple[Path, str]]:
    """Return each file with its columns of the user's; none if only other files have them."""
    mapped_files = files
    if columns and len(files) > 1:
        mapped_files = [file for file in files if has_any_column(file, columns)] or files
    return [(file, columns if file in mapped_files else "") for file in files]


def _answers_in(file: Path, columns: str, split: str) -> Iterator[SystemAnswers]:
    records = read_results(file, columns, split)
    columns_read = records.describe_columns()
    systems = systems_of(records)
    notes = [f"whole file: {note}" if systems else note for note in records.notes]
    for system in systems or [""]:
        items = [item for item in records.items if not system or item.source == system]
        yield SystemAnswers(
            file,
            answered_by=system,
            label=system or _only_system(records, file) or file.stem.strip("."),
            samples=len(items),
            unanswerable=sum(item.is_unanswerable for item in items),
            empty=sum(not (item.answer or item.has_failed) for item in items),
            failed=sum(item.has_failed for item in items),
            chosen_columns=columns,
            columns=columns_read,
            notes=[*records.notes_on(system), *notes],
        )
        notes = []
        columns_read = ""


def _only_system(records: Records, file: Path) -> str:
    """Return the only system in a file whose name tells nothing, `.latest_test_run.json`."""
    return records.items[0].system if file.name.startswith(".") else ""


def _qualify_by_file(item: SystemAnswers) -> str:
    stem = item.file.stem.strip(".")
    return f"{stem} {item.answered_by}" if item.answered_by else stem


def _qualify_by_folder(item: SystemAnswers) -> str:
    folders = (folder.name for folder in item.file.absolute().parents)
    visible = (name for name in folders if not name.startswith("."))  # of v1/.deepeval
    return f"{next(visible, '')} {_qualify_by_file(item)}".strip()
