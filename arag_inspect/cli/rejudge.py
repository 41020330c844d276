"""`arag-inspect rejudge`: judge the answers of a log again."""

from pathlib import Path

import click

from .._util.errors import echo
from ._options import GRADER, SCORER_OPTIONS, parse_scorer_options, split_names


@click.command()
@click.argument("log")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Log to write. [default: NAME-rejudged.eval beside it]",
)
@click.option("--scorer", "only", multiple=True, metavar="NAME", help="Only this scorer.")
@GRADER
@click.option("--corpus", metavar="C", help="Prepared corpus of the samples, if scorers read it.")
@click.option(
    "--reverse-order",
    is_flag=True,
    help="Judge fact_match with the other list of facts in the opposite order, and say which verdicts change.",
)
@SCORER_OPTIONS
def rejudge(
    log: str,
    out: Path | None,
    only: tuple[str, ...],
    grader: str | None,
    corpus: str | None,
    reverse_order: bool,
    options: tuple[str, ...],
) -> None:
    """Judge the answers of LOG again with the same settings, to measure self-agreement.

    LOG is data: its judge is named, not used; say which judges with --grader.

    `arag-inspect report` reads the new log in place of the old one, and does
    not report differences that judging again could make.
    """
    from ..workflows.rejudge import rejudge as judge_again

    result = judge_again(
        log,
        out,
        only,
        graders=split_names(grader),
        corpus=corpus,
        given=parse_scorer_options(options),
        reverse_order=reverse_order,
    )
    if result.unopened is not None:
        echo(f"corpus {result.unopened} of the log was not opened; --corpus names one", err=True)
    click.echo(f"Judged again: {result.log}")
    for effect in result.order_effects:
        share, changed = effect.share, effect.changed
        echo(f"{effect.scorer}, judged by {effect.judge}: {len(effect.verdicts)} verdicts")
        interval = [f"{100 * end:.1f}" for end in (share.low, share.high) if end is not None]
        more = f", 95 % interval {' to '.join(interval)}" if interval else ""
        echo(f"  changed  {len(changed)} ({100 * share.mean:.1f} %{more})")
        for verdict in changed:
            turned = "a match, then none" if verdict.before else "no match, then one"
            fact = f"{verdict.side} fact {verdict.fact}"
            echo(f"  {verdict.sample} (epoch {verdict.epoch}), {fact}: {turned}")
    if result.changed and not reverse_order:
        click.echo(
            f"{', '.join(result.changed)}: version, prompt, criteria or judge differ from the old "
            "log, so this counts as another measure, not as a repetition",
            err=True,
        )
