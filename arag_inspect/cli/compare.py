"""`arag-inspect compare`: what a change did, from logs before and after it."""

from typing import Annotated, Any

from ._command import command
from ._options import split_names
from ._report_options import Writing, reading, write_and_print, writing


@command()
def compare(
    base: str,
    new: tuple[str, ...],
    *,
    to: Annotated[Writing, writing],
    logs: Annotated[Any, reading],
) -> None:
    """Say what a change did, from logs before and after it.

    BASE are the logs from before, NEW those from after it; each is a log or a folder, local or
    remote. The report begins with what changed (model, prompts, corpus, judges, versions), then
    shows which measures and samples got worse or better, system by system, and all that
    `arag-inspect report` shows. With several NEW, every run is a row, with its difference to BASE.
    """
    from .._util.progress import bar
    from ..report import compare_frames, compare_runs, frames

    chosen = split_names(to.primary), to.criteria
    if len(new) > 1:
        every = logs._replace(every=True)
        runs = frames([base, *new], reading=every, progress=bar("Reading logs"))
        write_and_print(compare_runs(runs, base, *chosen), to)
        return
    after = frames(new, reading=logs, progress=bar("Reading new logs"))
    before = frames([base], reading=logs, progress=bar("Reading earlier logs"))
    write_and_print(compare_frames(after, before, *chosen), to)
