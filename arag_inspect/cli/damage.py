"""`arag-inspect prepare damage` and `run --damage`: how much damage costs each system."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from .._util.errors import echo
from ..types.damage import Damage, DamageSettings
from ._command import FOLDER, command
from ._outcomes import check_complete, print_summary

if TYPE_CHECKING:
    from inspect_ai.util import DisplayType

    from ..run.experiment import Experiment

Fraction = Annotated[float, click.FloatRange(0, 1)]


@command()
def damage(
    corpus: str,
    *,
    kind: Damage,
    seed: int = 7,
    share: Fraction = 0.1,
    out: Annotated[Path | None, FOLDER, "-o --out"] = None,
) -> None:
    """Make a damaged copy of CORPUS, whose questions keep their ids.

    Args:
        corpus: Prepared corpus.
        kind: Kind of damage.
        seed: Random seed for the damage.
        share: Share of the words that typos and ocr change.
        out: Folder to make. [default: CORPUS-KIND next to the corpus]
    """
    from ..run.damage.damage import damage_corpus

    print_summary(damage_corpus(corpus, kind, seed=seed, share=share, out=out))


def damaging(
    *,
    damage: Damage | None = None,
    damage_seed: int = 7,
    damage_share: Fraction = 0.1,
) -> DamageSettings | None:
    """Return the settings of the damage; None without `--damage`.

    Args:
        damage: Run on a damaged copy of the corpus too, and compare.
        damage_seed: Random seed for the damage.
        damage_share: Share of the words that typos and ocr change.
    """
    return None if damage is None else DamageSettings(damage, damage_seed, damage_share)


def run_twice(
    experiment: "Experiment",
    damaging: DamageSettings,
    log_dir: str,
    display: "DisplayType | None",
    max_dollars: float | None,
    expected: Mapping[str, float] | None,
) -> None:
    """Run on a corpus and on a damaged copy of it, and print the differences.

    Args:
        experiment: Experiment to run.
        damaging: The damage.
        log_dir: Folder for both runs.
        display: Display of Inspect.
        max_dollars: Stop a run before it costs more.
        expected: Estimated maximum cost of a call, by model.

    Raises:
        InputError: A run is not complete.
    """
    from ..run.damage.robustness import DAMAGED, INTACT, robustness_table, run_damaged

    results = run_damaged(
        experiment, damaging, log_dir, display=display, max_dollars=max_dollars, expected=expected
    )
    for result in results:
        if result.earlier_runs is not None:
            echo(result.earlier_runs)
        check_complete(result)
    table = robustness_table(log_dir)
    echo(f"\n{table.text}\n{table.as_text()}\n")
    if damaging.kind == "false-premise":  # other questions, which are not compared
        echo(f"Next: arag-inspect report {log_dir}/{DAMAGED}")
    else:
        echo(f"Next: arag-inspect compare {log_dir}/{INTACT} {log_dir}/{DAMAGED}")
