"""`arag-inspect demo`: the three systems on a synthetic corpus."""

from typing import Annotated

import click

from ._command import AT_LEAST_1, command, forward


@command()
def demo(
    *,
    documents: Annotated[int, click.IntRange(min=4)] = 12,
    limit: Annotated[int, AT_LEAST_1] = 12,
    log_dir: str = "logs/demo",
) -> None:
    """Compare three systems offline, on a small synthetic corpus.

    Args:
        documents: Size of the corpus.
        limit: Samples, each of another company.
        log_dir: Folder of the logs.
    """
    from ..workflows.demo import run_demo

    forward(run_demo)
