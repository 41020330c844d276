"""`arag-inspect prepare`: one command per data set, made from its declaration; facts, questions and
references.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click
from pydantic import TypeAdapter, ValidationError

from .._util.addresses import hide
from .._util.errors import InputError, check_parameters, echo
from ._command import call_with, parameters
from ._options import parse_assignments
from .facts import facts
from .questions import questions
from .references import references

if TYPE_CHECKING:
    from ..datasets import DatasetSpec, Prepared


class _DataSets(click.Group):
    """One command for each data set that can be prepared, beside those that are added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from ..datasets import dataset_names, get_dataset

        names = [name for name in dataset_names() if get_dataset(name).read is not None]
        return [*names, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from ..datasets import dataset_names, get_dataset

        if cmd_name in self.commands or cmd_name not in dataset_names():
            return self.commands.get(cmd_name)
        spec = get_dataset(cmd_name)
        return _command(spec) if spec.read is not None else None


@click.group(cls=_DataSets)
def prepare() -> None:
    """Make a corpus that tasks and tools can search.

    From a data set's source files or your own; also facts, questions and references for it.
    """


for added in (facts, questions, references):
    prepare.add_command(added)


def _command(spec: "DatasetSpec") -> click.Command:
    """Make the command of a data set; its options become arguments of its reader."""
    assert spec.read is not None
    shared = list(parameters(_settings))

    def run(**values: Any) -> None:
        from ..datasets import prepare_dataset

        options = call_with(
            _settings, {str(option.name): values.pop(str(option.name)) for option in shared}
        )
        _print_summary(prepare_dataset(spec.name, options=options, **values))

    own = parameters(spec.read, only_options=True)
    return click.Command(spec.name, callback=run, params=[*own, *shared], help=spec.summary)


_BUILD = ("dtype", "embed_prefix", "engine", "address")
"""Settings that few need, by their names in `arag_inspect.Options`."""


def _settings(
    *,
    chunk_tokens: Annotated[int, click.IntRange(min=32)] = 1000,
    embedding_model: Annotated[str, "M"] = "sentence-transformers/all-MiniLM-L6-v2",
    out: Annotated[str | None, "FOLDER"] = None,
    store: Literal["local", "lance"] = "local",
    build: Annotated[tuple[str, ...], "KEY=VALUE"] = (),
) -> Any:
    """Return the settings that data sets share, as `datasets.Options`.

    Args:
        chunk_tokens: Longest chunk, in tokens of the embedding model.
        embedding_model: Sentence-transformers name or local folder.
        out: Folder to make, or address with --store lance (s3://...). [default: $ARAG_DATASETS or
            ./datasets, by name]
        store: Files read into memory, or Lance datasets for more than 50,000 chunks.
        build: dtype=float32|bfloat16, embed_prefix=false (sentences are embedded without company
            and period), engine=ray, address=auto|ray://HOST:PORT.

    Raises:
        InputError: `--build` has an unknown key or value.
    """
    from ..datasets import Options

    values = parse_assignments("--build", build)
    check_parameters("--build", _BUILD, values)
    values |= {"command": shlex.join(map(hide, ["arag-inspect", *sys.argv[1:]]))}
    values |= {"chunk_tokens": chunk_tokens, "embedding_model": embedding_model}
    values |= {"store": store, "out": Path(out) if out and "://" not in out else out}
    try:
        return TypeAdapter(Options).validate_python(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise InputError(f"--build {fault['loc'][0]}: {fault['msg']}") from None


def _print_summary(prepared: "Prepared") -> None:
    """Print the counts of a prepared corpus, its gaps, and the next command."""
    for name, count in prepared.manifest.counts.items():
        echo(f"{name.replace('_', ' '):30} {count:>9,}")
    embedding = prepared.manifest.embedding
    echo(f"embedding {embedding.model} ({embedding.dtype}), {prepared.seconds:.1f} s")
    documents = _read_json(prepared.folder / "documents.json")
    whole = [name for name, report in documents.items() if report.get("sections") == []]
    _print_some("No sections found, each taken as one:", whole)
    lacking = [
        f"{name}: {' or '.join(own['lacks'])}"
        for name, own in documents.items()
        if own.get("lacks")
    ]
    _print_some("Sections that are not there:", lacking)
    unaligned = [
        f"{sample}: {alignment['sentence']}"
        for sample, alignments in _read_json(prepared.folder / "alignment.json").items()
        for alignment in alignments
        if alignment["match"] == "none"
    ]
    _print_some("Evidence found in no chunk (all of it in alignment.json):", unaligned)
    _print_some("Skipped:", [f"{file.name}: {file.reason}" for file in prepared.skipped])
    click.echo(f"Prepared {prepared.place}")
    click.echo(f"Next: inspect eval arag_inspect/{prepared.evaluation} --model MODEL")


def _print_some(heading: str, texts: Sequence[str], most: int = 20) -> None:
    """Print the first of some texts, each as one line."""
    if texts:
        click.echo(heading)
    for text in texts[:most]:
        echo(f"  {' '.join(text.split())}", longest=160)
    if len(texts) > most:
        click.echo(f"  and {len(texts) - most} more")


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return value
