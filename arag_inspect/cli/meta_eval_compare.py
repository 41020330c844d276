"""`arag-inspect meta-eval compare`."""

from functools import partial
from pathlib import Path

import click

from ._results import FORMAT, OUTPUT, check_output, show


@click.command("meta-eval compare")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@FORMAT
@OUTPUT
def compare(runs: tuple[Path, ...], form: str, output: Path | None) -> None:
    """Tell which judge agrees most with people, and at what price.

    RUN is a file that `arag-inspect meta-eval human SET -o RUN.json` wrote: one
    for each model, prompt, number of criteria or temperature to choose from.
    """
    check_output(output)
    from ..meta_evaluation.human.compare import as_dict, compare_runs
    from ..meta_evaluation.human.render import comparison_markdown, print_comparison

    rows = compare_runs(runs)
    show(
        as_dict(rows), partial(comparison_markdown, rows), partial(print_comparison, rows),
        form=form, output=output,
    )  # fmt: skip
