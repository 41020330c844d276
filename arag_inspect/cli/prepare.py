"""`arag-inspect prepare`: one command per data set, made from its declaration; facts, questions and
references.
"""

import json
import re
import shlex
import sys
from collections.abc import Sequence
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table

from .._util.addresses import hide
from .._util.errors import InputError, check_parameters, echo
from ._options import parse_assignments
from .facts import facts
from .questions import questions
from .references import references

if TYPE_CHECKING:
    from ..datasets import DatasetSpec, Options, Prepared


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
    """Turn a data set's source files into a corpus that tasks and tools can search.

    Also make facts, questions and references for a prepared corpus.
    """


for added in (facts, questions, references):
    prepare.add_command(added)


def _command(spec: "DatasetSpec") -> click.Command:
    """Make the command of a data set; its options become arguments of its reader."""

    def run(**arguments: Any) -> None:
        from ..datasets import prepare_dataset

        shared = {option.name: arguments.pop(str(option.name)) for option in _shared_options()}
        print_summary(prepare_dataset(spec.name, options=_settings(**shared), **arguments))

    return click.Command(
        spec.name,
        callback=run,
        params=[*_reader_options(spec), *_shared_options()],
        help=spec.summary,
    )


def _settings(build: Sequence[str], **shared: Any) -> "Options":
    """Return the settings of all options that data sets share.

    Raises:
        InputError: `--build` has an unknown key or value.
    """
    from ..datasets import Options

    values = parse_assignments("--build", build)
    check_parameters("--build", _BUILD, values)
    command = shlex.join(map(hide, ["arag-inspect", *sys.argv[1:]]))
    try:
        return TypeAdapter(Options).validate_python({**shared, **values, "command": command})
    except ValidationError as error:
        fault = error.errors()[0]
        raise InputError(f"--build {fault['loc'][0]}: {fault['msg']}") from None


_BUILD = ("dtype", "embed_prefix", "engine", "address")
"""Settings that few need, by their names in `arag_inspect.Options`."""


def _reader_options(spec: "DatasetSpec") -> list[click.Option]:
    """Make an option of each parameter of the reader, from its type, default and docstring."""
    assert spec.read is not None
    hints = get_type_hints(spec.read, include_extras=True)
    helps = dict(_DESCRIBED.findall(getdoc(spec.read) or ""))
    options = []
    for name, parameter in signature(spec.read).parameters.items():
        required = parameter.default is Parameter.empty  # with any default Click asks for nothing
        default = {} if required else {"default": parameter.default}
        options.append(
            click.Option(
                [spec.spellings.get(name, f"--{name.replace('_', '-')}"), name],
                type=_option_type(hints[name]),
                required=required,
                show_default=parameter.default is not None,
                help=" ".join(helps.get(name, "").split()),
                **default,
            )
        )
    return options


_DESCRIBED = re.compile(r"(?m)^    (\w+): (.+(?:\n {8}.+)*)")
"""A parameter in the section `Args` of a docstring, with its text."""


def _option_type(hint: Any) -> click.ParamType[Any]:
    """Return the type of an option; of alternatives the first counts."""
    if get_origin(hint) in (Union, UnionType):
        return _option_type(get_args(hint)[0])
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    if get_origin(hint) is Annotated:  # PositiveInt, NonNegativeInt
        bound = hint.__metadata__[0]
        return click.IntRange(min=getattr(bound, "ge", 1))
    return click.Path(path_type=Path) if hint is Path else click.types.convert_type(hint)


class _Place(click.ParamType[Path | str]):
    """A folder, or an address that is left as it is."""

    name = "FOLDER"

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        """Check a folder."""
        if "://" in str(value):
            return str(value)
        folder: Path = click.Path(path_type=Path, file_okay=False).convert(value, param, ctx)
        return folder


def _shared_options() -> list[click.Option]:
    from ..corpus import DEFAULT_MODEL

    return [
        click.Option(
            ["--chunk-tokens"],
            type=click.IntRange(min=32),
            default=1000,
            show_default=True,
            help="Longest chunk, in tokens of the embedding model.",
        ),
        click.Option(
            ["--embedding-model"],
            default=DEFAULT_MODEL,
            show_default=True,
            metavar="M",
            help="Sentence-transformers name or local folder.",
        ),
        click.Option(
            ["--out"],
            type=_Place(),
            help="Folder to make, or address with --store lance (s3://...). "
            "[default: $ARAG_DATASETS or ./datasets, by name]",
        ),
        click.Option(
            ["--store"],
            type=click.Choice(["local", "lance"]),
            default="local",
            show_default=True,
            help="Files read into memory, or Lance datasets for more than 50,000 chunks.",
        ),
        click.Option(
            ["--build"],
            multiple=True,
            metavar="KEY=VALUE",
            help="dtype=float32|bfloat16, embed_prefix=false (sentences are embedded without "
            "company and period), engine=ray, address=auto|ray://HOST:PORT.",
        ),
    ]


def print_summary(prepared: "Prepared") -> None:
    """Print the counts of a prepared corpus, its gaps, and the next command."""
    table = Table(show_header=False, box=None)
    for name, count in prepared.manifest.counts.items():
        style = "yellow" if count and name in _TO_CHECK else None
        table.add_row(name.replace("_", " "), f"{count:,}", style=style)
    embedding = prepared.manifest.embedding
    table.add_row("embedding", f"{embedding.model} ({embedding.dtype})")
    table.add_row("time", f"{prepared.seconds:.1f} s")
    Console().print(table)
    documents = _read_json(prepared.folder / "documents.json")
    bare = [name for name, report in documents.items() if report.get("sections") == []]
    if bare:
        echo(f"No sections found, each taken as one: {', '.join(bare)}")
    for name, report in documents.items():
        if report.get("lacks"):
            echo(f"{name} has no section {' or '.join(report['lacks'])}")
    unaligned = [
        f"{sample}: {alignment['sentence']}"
        for sample, alignments in _read_json(prepared.folder / "alignment.json").items()
        for alignment in alignments
        if alignment["match"] == "none"
    ]
    _print_some("Evidence found in no chunk (all of it in alignment.json):", unaligned)
    skipped = [f"{file.name}: {file.reason}" for file in prepared.skipped]
    _print_some("Skipped:", skipped)
    click.echo(f"Prepared {prepared.place}")
    click.echo(f"Next: inspect eval arag_inspect/{prepared.evaluation} --model MODEL")


def _print_some(heading: str, texts: Sequence[str], most: int = 20, longest: int = 160) -> None:
    """Print the first of some texts, each as one line without control characters."""
    if texts:
        click.echo(heading)
    for text in texts[:most]:
        line = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())
        click.echo(f"  {line if len(line) <= longest else f'{line[: longest - 3]}...'}")
    if len(texts) > most:
        click.echo(f"  and {len(texts) - most} more")


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return value


_TO_CHECK = {
    "unaligned",
    "samples_without_key_sentences",
    "samples_without_answer",
    "documents_missing",
    "documents_skipped",
    "documents_without_sections",
    "questions_left_out",
}
"""Counts that a user should check."""
