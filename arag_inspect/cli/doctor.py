"""`arag-inspect doctor`: what is installed and what is missing."""

import click


@click.command()
def doctor() -> None:
    """Say what is installed, which keys are set (by name), and what to do about the rest."""
    from ..workflows.doctor import examine

    for check in examine():
        click.echo(f"{check.state:8} {check.name:22} {check.detail}")
