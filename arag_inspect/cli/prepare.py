"""`arag-inspect prepare`: one command per data set, made from its declaration."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click
from pydantic import TypeAdapter, ValidationError

from .._util.addresses import hide
from .._util.errors import InputError, check_parameters
from ._command import call_with, parameters, parse_assignments
from ._outcomes import print_summary
from .annotate import facts, questions, references
from .damage import damage

if TYPE_CHECKING:
    from ..benchmarks import Dataset


class _DataSets(click.Group):
    """One command per data set that can be prepared, in addition to the commands of the group."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from .._util.discovery import shipped_benchmarks
        from ..benchmarks import benchmark_names, get_dataset

        shipped = {name for name in shipped_benchmarks() if get_dataset(name).read is None}
        return [*(name for name in benchmark_names() if name not in shipped), *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from ..benchmarks import benchmark_names, get_dataset

        if cmd_name in self.commands or cmd_name not in benchmark_names():
            return self.commands.get(cmd_name)
        try:
            spec = get_dataset(cmd_name)
        except InputError as error:
            return _broken_command(cmd_name, error)
        return _command(spec) if spec.read is not None else None


@click.group(cls=_DataSets)
def prepare() -> None:
    """Make a corpus that tasks and tools can search.

    The corpus is made from a data set's source files or your own documents. Other subcommands make
    facts, questions and references for a corpus, or a damaged copy.
    """


for subcommand in (facts, questions, references, damage):
    prepare.add_command(subcommand)


def _broken_command(name: str, error: InputError) -> click.Command:
    """Create a command that reports why the package of a data set cannot be imported."""

    def run() -> None:
        raise error

    return click.Command(name, callback=run, help="Cannot be imported: see arag-inspect doctor.")


def _command(spec: "Dataset") -> click.Command:
    """Create the command of a data set; its options become arguments of the reader."""
    assert spec.read is not None
    shared_parameters = list(parameters(_settings))

    def run(**values: Any) -> None:
        from ..benchmarks import prepare_dataset

        shared = [str(option.name) for option in shared_parameters]
        settings = {name: values.pop(name) for name in shared}
        options = call_with(_settings, settings)
        print_summary(prepare_dataset(spec.name, options=options, **values))

    params = [*parameters(spec.read, only_options=True), *shared_parameters]
    return click.Command(spec.name, callback=run, params=params, help=spec.summary)


_BUILD = ("dtype", "embed_prefix", "engine", "address")
"""Rarely needed settings, by their names in `arag_inspect.Options`."""


def _settings(
    *,
    chunk_tokens: Annotated[int, click.IntRange(min=32)] = 1000,
    embedding_model: Annotated[str, "M"] = "sentence-transformers/all-MiniLM-L6-v2",
    out: Annotated[str | None, "FOLDER"] = None,
    store: Literal["local", "lance"] = "local",
    build: Annotated[tuple[str, ...], "KEY=VALUE"] = (),
    force: bool = False,
) -> Any:
    """Return the settings that data sets share, as `arag_inspect.Options`.

    Args:
        chunk_tokens: Longest chunk, in tokens of the embedding model.
        embedding_model: Sentence-transformers name or local folder.
        out: Folder to make, or address with --store lance (s3://...). [default: $ARAG_DATASETS or
            ./datasets, by name]
        store: Files read into memory, or Lance datasets for more than 50,000 chunks.
        build: dtype=float32|bfloat16, embed_prefix=false (sentences are embedded without company
            and period), engine=ray, address=auto|ray://HOST:PORT.
        force: Replace a corpus that has other settings, or more documents or samples.

    Raises:
        InputError: `--build` has an unknown key or value.
    """
    from ..benchmarks import Options

    values = parse_assignments("--build", build)
    check_parameters("--build", _BUILD, values)
    values |= {
        "command": shlex.join(map(hide, ["arag-inspect", *sys.argv[1:]])),
        "chunk_tokens": chunk_tokens,
        "embedding_model": embedding_model,
        "force": force,
        "store": store,
        "out": Path(out) if out and "://" not in out else out,
    }
    try:
        return TypeAdapter(Options).validate_python(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise InputError(f"--build {fault['loc'][0]}: {fault['msg']}") from None
