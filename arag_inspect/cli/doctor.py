"""`arag-inspect doctor`: what is installed and what is missing."""

import click

from .._util.errors import echo


@click.command()
def doctor() -> None:
    """Report what is installed, which keys are set (by name), and how to fix the rest."""
    from ..workflows.doctor import examine

    for check in examine():
        echo(f"{check.state:8} {check.name:22} {check.detail}")
