"""`arag-inspect demo`: the three systems on a synthetic corpus."""

import click


@click.command()
@click.option("--documents", type=click.IntRange(min=4), default=36, show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=12, show_default=True)
@click.option("--log-dir", default="logs/demo", show_default=True)
def demo(documents: int, limit: int, log_dir: str) -> None:
    """Compare the three systems on a small synthetic corpus, offline and without a key."""
    from ..workflows.demo import run_demo

    run_demo(documents=documents, limit=limit, log_dir=log_dir)
