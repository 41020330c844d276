"""`arag-inspect prepare advisor`: talks with a financial adviser."""

from typing import Any

import click

from ._options import MODELS
from .prepare import build_options, prepare_options, print_summary


@click.command("advisor")
@click.option(
    "--model", type=MODELS, metavar="M", help="Model that writes the talks. [default: a generator]"
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N of 34 households.")
@click.option("--seed", type=int, default=54321, show_default=True)
@click.option(
    "--asides",
    type=click.IntRange(min=0),
    metavar="N",
    help="Generator: most digressions a talk; few make short talks, for small windows.",
)
@click.option("--log-dir", default="logs/talks", show_default=True, help="Of the model's run.")
@prepare_options
def prepare_advisor(
    model: str | None,
    limit: int | None,
    seed: int,
    asides: int | None,
    log_dir: str,
    **options: Any,
) -> None:
    """Talks of invented clients with a financial adviser, with every value known."""
    from ..datasets import registry
    from ..datasets.advisor.generator import generate_talks
    from ..datasets.advisor.personas import choose_personas

    personas = choose_personas(limit)
    if model is None:
        talks = list(generate_talks(personas, seed, asides=asides))
    else:
        from ..workflows.write_conversations import write_talks

        written = write_talks(personas, model, seed, log_dir=log_dir)
        talks = written.talks
        click.echo(f"Log of the model: {written.location}")
        for persona, reason in written.failed.items():
            click.echo(f"No talk of {persona}: {reason}")
    split = f"{model or 'generator'}-seed{seed}"
    prepared = registry.prepare_advisor(talks, split, options=build_options(**options))
    print_summary(prepared, "inspect eval arag_inspect/advisor_facts --model MODEL")
