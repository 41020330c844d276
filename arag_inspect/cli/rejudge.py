"""`arag-inspect rejudge`: judge the answers of a log again."""

from pathlib import Path

import click


@click.command()
@click.argument("log")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Log to write. [default: NAME-rejudged.eval beside it]",
)
@click.option("--scorer", "only", multiple=True, metavar="NAME", help="Only this scorer.")
def rejudge(log: str, out: Path | None, only: tuple[str, ...]) -> None:
    """Judge the answers of LOG again with the same judges, to measure their self-agreement.

    `arag-inspect report` reads the new log in place of the old one, and does
    not report differences that judging again could make.
    """
    from ..workflows.rejudge import rejudge as judge_again

    result = judge_again(log, out, only)
    click.echo(f"Judged again: {result.log}")
    if result.changed:
        click.echo(
            f"{', '.join(result.changed)}: version, prompt, criteria or judge differ from the old "
            "log, so this counts as another measure, not as a repetition",
            err=True,
        )
