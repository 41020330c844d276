"""Compare two sets of logs, before and after a change.

The report shows what changed, and which samples got worse or better.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from inspect_ai.log import EvalLog

from .._util.errors import InputError
from .._util.log_files import is_within
from .build import Report, make_report
from .comparison.before_after import no_common_system, pair_runs, shared_samples
from .criterion import Criterion
from .findings.change_notices import pair_notices
from .frames import Frames, Notice
from .load.logs import frames as read_frames
from .study import studies

Runs = Frames | str | Path | EvalLog | Iterable[str | Path | EvalLog]
"""Frames, or the logs from which to read them."""


def compare(
    base: Runs, new: Runs, *, primary: Sequence[str] = (), criteria: Sequence[Criterion] = ()
) -> Report:
    """Report what changed from earlier runs to new ones, as `arag-inspect compare` does.

    Args:
        base: Runs before a change: paths of logs or folders, logs, or frames.
        new: Runs after it.
        primary: Measures that decide, in place of each task's own.
        criteria: Success criteria, e.g. those of `read_criteria`.

    Raises:
        InputError: See `compare_frames`, and `frames` for unreadable logs.
    """
    return compare_frames(_read(base), _read(new), primary=primary, criteria=criteria)


def compare_frames(
    base: Frames, new: Frames, *, primary: Sequence[str] = (), criteria: Sequence[Criterion] = ()
) -> Report:
    """Report what changed between two sets of runs, system by system.

    Args:
        base: Runs before a change.
        new: Runs after it.
        primary: Measures that decide, in place of each task's own.
        criteria: Success criteria, e.g. those of `read_criteria`.

    Raises:
        InputError: The two have no system or no sample in common, or a primary measure is unknown.
    """
    frames = pair_runs(base, new, loose=True)
    compared = studies(frames)
    if not compared:
        raise no_common_system(base, new)
    disjoint = [study for study in compared if not shared_samples(study)]
    if len(disjoint) == len(compared):
        first, second = (
            answers["id"].iloc[0] for _, answers in compared[0].by_system(compared[0].answers)
        )
        raise InputError(
            f"the new logs and the earlier ones have no sample in common (e.g. {first} and "
            f"{second}), neither by id nor by question; compare runs on the same samples; for logs "
            "of replay whose questions are worded differently, name the column with the question's "
            "id: arag-inspect replay FILE --columns id=COLUMN"
        )
    disjoint_notices = [
        Notice("error", f"{study.name} is left out: its runs share no sample") for study in disjoint
    ]
    notices = (*disjoint_notices, *pair_notices(base, new, compared))
    names = [study.name for study in compared if study not in disjoint]
    selected = frames.apply(lambda frame: frame[frame["benchmark"].isin(names)])
    selected = selected._replace(notices=notices)
    return make_report(selected, primary, criteria, is_change=True)


def compare_runs(
    frames: Frames, base: str, *, primary: Sequence[str] = (), criteria: Sequence[Criterion] = ()
) -> Report:
    """Make a report of any number of runs, each with its differences to the first.

    Args:
        frames: All runs.
        base: Log or folder of the run to which the others are compared.
        primary: See `compare_frames`.
        criteria: See `compare_frames`.

    Raises:
        InputError: No run is from `base`, or a primary measure is unknown.
    """
    first = [run.system for run in frames.runs.itertuples() if is_within(run.location, base)]
    if not first:
        raise InputError(f"no run of {base} can be compared")
    return make_report(frames, primary, criteria, baseline=first[0])


def _read(runs: Runs) -> Frames:
    if isinstance(runs, Frames):
        return runs
    run_list = [runs] if isinstance(runs, str | Path | EvalLog) else runs
    return read_frames([run.location if isinstance(run, EvalLog) else run for run in run_list])
