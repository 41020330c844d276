"""`arag-inspect prepare advisor`: talks with a financial adviser."""

from typing import Any

import click

from ._cli_models import MODELS
from ._cli_prepare import options_of, preparing, tell


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
@preparing
def prepare_advisor(
    model: str | None,
    limit: int | None,
    seed: int,
    asides: int | None,
    log_dir: str,
    **options: Any,
) -> None:
    """Talks of invented clients with a financial adviser, with every value known."""
    from .datasets import prepare
    from .datasets.advisor.generator import generate_talks
    from .datasets.advisor.personas import choose_personas

    personas = choose_personas(limit)
    if model is None:
        talks = list(generate_talks(personas, seed, asides=asides))
    else:
        from .tasks._talk_writing import write_talks

        written = write_talks(personas, model, seed, log_dir=log_dir)
        talks = written.talks
        click.echo(f"Log of the model: {written.location}")
        for persona, reason in written.failed.items():
            click.echo(f"No talk of {persona}: {reason}")
    split = f"{model or 'generator'}-seed{seed}"
    prepared = prepare.prepare_advisor(talks, split, options=options_of(**options))
    tell(prepared, "inspect eval arag_inspect/advisor_facts --model MODEL")
