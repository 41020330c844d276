"""`arag-inspect rejudge`: judge the answers of a log again."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from .._util.errors import InputError, echo
from ._command import (
    FILE,
    Graders,
    ScorerOptions,
    command,
    parse_scorer_options,
    split_names,
)

if TYPE_CHECKING:
    from ..run.rejudge.order_effect import OrderEffect

_MOST_CHANGES = 3
"""Maximum number of measures whose change is printed."""


@command()
def rejudge(
    log: str,
    *,
    out: Annotated[Path | None, FILE, "-o --out"] = None,
    only: Annotated[tuple[str, ...], "--scorer", "NAME"] = (),
    grader: Graders = None,
    corpus: Annotated[str | None, "C"] = None,
    reverse_order: bool = False,
    prices: Annotated[str | None, "FILE", "--model-cost-config"] = None,
    options: ScorerOptions = (),
) -> None:
    """Judge a log again, to see whether its verdicts change.

    The judge recorded in LOG is not called; choose judges with --grader.

    `arag-inspect report` then reads the new log instead of the old one. It names no winner unless
    the difference is larger than the change from judging again.

    Args:
        log: The log.
        out: Log to write. [default: NAME-rejudged.eval next to it]
        only: Only this scorer.
        grader: Models to judge with; required.
        corpus: Prepared corpus of the samples, if scorers read it.
        reverse_order: Reverse the list of facts that fact_match compares with, and report which
            verdicts change.
        prices: Prices of the judges, as for Inspect.
        options: Option of a scorer, for scorers that read a file or a model.
    """
    from ..run.rejudge.rejudge import rejudge as judge_again

    scorer_options = parse_scorer_options(options)
    result = judge_again(
        log,
        out,
        only,
        graders=split_names(grader),
        corpus=corpus,
        given=scorer_options,
        reverse_order=reverse_order,
        prices=prices,
    )
    if result.unopened is not None:
        echo(
            f"corpus {result.unopened} of the log was not opened; give one with --corpus", err=True
        )
    if result.other_measures and not reverse_order:
        names = ", ".join(result.other_measures)
        echo(
            f"{names}: the judge, prompt or version has changed, so the report treats this as a "
            "different measure",
            err=True,
        )
    if result.foreign:
        names = ", ".join(result.foreign)
        echo(f"{names}: not from arag-inspect, so not judged again", err=True)
    click.echo(f"Judged again: {result.log}")
    for lost in result.unread:
        counts = f"{lost.failed} of {lost.total} samples"
        echo(f"{lost.judge} gave no readable verdict on {counts} ({lost.scorer}): {lost.reason}")
    _print_order_effects(result.order_effects)
    if not reverse_order:
        _print_changes(result.log)
    silent_judges = dict.fromkeys(lost.judge for lost in result.unread if lost.failed == lost.total)
    if silent_judges:
        raise InputError(
            f"{' and '.join(silent_judges)} gave no readable verdict; the new log is kept"
        )


def _print_changes(log: Path) -> None:
    """Print by how much the primary measures changed, and how many of their values did not."""
    from ..report import frames, studies
    from ..report.cells import show
    from ..report.comparison.retests import primary_retests

    for study in studies(frames(log)):
        for retest in primary_retests(study)[:_MOST_CHANGES]:
            change = f"{retest.measure.label}: change {show(retest.change)}"
            echo(f"  {change}, the same value on {show(retest.same)}")
    echo("  A judge may repeat its errors: only marks of people show whether it is right.")


def _print_order_effects(effects: Sequence["OrderEffect"]) -> None:
    from ..report.cells import show

    for effect in effects:
        echo(f"{effect.scorer}, judged by {effect.judge}: {effect.verdicts} verdicts")
        echo(f"  changed  {len(effect.changed)}, share {show(effect.share)}")
        for verdict in effect.changed:
            change_text = "a match, then none" if verdict.before else "no match, then one"
            fact = f"{verdict.side} fact {verdict.fact}"
            echo(f"  {verdict.sample} (epoch {verdict.epoch}), {fact}: {change_text}")
