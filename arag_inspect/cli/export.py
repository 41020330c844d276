"""`arag-inspect export`: a prepared corpus in the format of another program."""

from pathlib import Path

import click


@click.command()
@click.argument("name")
@click.option("--format", "form", type=click.Choice(["arag"]), default="arag", show_default=True)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder to make.",
)
def export(name: str, form: str, out: Path) -> None:
    """Write the prepared corpus NAME in the format of another program: A-RAG's."""
    from ..datasets import export_arag

    export_arag(name, out)
    click.echo(f"Wrote {out}")
