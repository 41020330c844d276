"""`arag-inspect order-effect`: effect of the order of facts on `fact_match`."""

import click

from .._util.errors import echo
from ._options import GRADER, SCORER_OPTIONS, parse_scorer_options, split_names


@click.command("order-effect")
@click.argument("log")
@GRADER
@SCORER_OPTIONS
def order_effect(log: str, grader: str | None, options: tuple[str, ...]) -> None:
    """Ask the judges of LOG's fact_match again, with the other list in another order.

    Shows how often a verdict changes, and on which facts. It costs as much as
    fact_match did. LOG is data: its judge is named, not used; say which with
    --grader. `arag-inspect rejudge` shows the changes without another order.
    """
    from ..workflows.order_effect import order_effect as measure

    for effect in measure(log, graders=split_names(grader), given=parse_scorer_options(options)):
        share, changed = effect.share, effect.changed
        echo(f"{effect.scorer}, judged by {effect.judge}: {len(effect.verdicts)} verdicts")
        ends = (share.low, share.high)
        interval = [f"{100 * end:.1f}" for end in ends if end is not None]
        more = f", 95 % interval {' to '.join(interval)}" if interval else ""
        echo(f"  changed  {len(changed)} ({100 * share.mean:.1f} %{more})")
        for verdict in changed:
            turned = "a match, then none" if verdict.before else "no match, then one"
            fact = f"{verdict.side} fact {verdict.fact}"
            echo(f"  {verdict.sample} (epoch {verdict.epoch}), {fact}: {turned}")
