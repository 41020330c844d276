"""Notices of what puts the comparison of two sets of runs in doubt."""

from collections.abc import Sequence

from ..comparison.before_after import shared_samples
from ..frames import Frames, Notice
from ..study import Study
from .notices import study_notices


def pair_notices(base: Frames, new: Frames, changes: Sequence[Study]) -> list[Notice]:
    """Return the notices on two sets of logs, and on the changes between them."""
    paired: set[str] = set()
    for change in changes:
        paired.update(run.location for run in change.rows)
    notices: list[Notice] = []
    for side, frames in {"new": new, "earlier": base}.items():
        notices += [
            Notice("note", f"{run.system} of {run.benchmark} is in the {side} logs only")
            for run in frames.runs.itertuples()
            if run.location not in paired
        ]
        notices += [notice._replace(text=f"{side}: {notice.text}") for notice in frames.notices]
    notices += filter(None, map(_same_run_notice, changes))
    return [*notices, *study_notices([change for change in changes if shared_samples(change)])]


def _same_run_notice(change: Study) -> Notice | None:
    """Return a notice if both runs have the same answers."""
    new, earlier = change.rows
    if not new.eval_id or new.eval_id != earlier.eval_id:
        return None
    return Notice("warning", f"the new and the earlier answers of {new.system} are of the same run")
