"""Options and parsers shared by several commands."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import click
import yaml

from .._util.errors import InputError, one_line
from .._util.yaml_text import parse_yaml


class Models(click.ParamType[str]):
    """Comma-separated model names; a model without its key is rejected at once."""

    name = "MODEL"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Try each name."""
        from inspect_ai.model import get_model

        for model in value.split(","):
            try:
                get_model(model.strip())
            except Exception as error:
                self.fail(f"{model!r} cannot be used: {one_line(error)}", param, ctx)
        return value


MODELS = Models()

GRADER = click.option(
    "--grader",
    type=MODELS,
    metavar="G[,G2]",
    help="Models to judge with. [default: offline/extractive, if it judged LOG]",
)

SCORER_OPTIONS = click.option(
    "-S",
    "options",
    multiple=True,
    metavar="SCORER.NAME=VALUE",
    help="Option of a scorer that names a file or a model.",
)


def parse_scorer_options(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """Return the values of -S SCORER.NAME=VALUE, by scorer.

    Raises:
        InputError: A text has another form.
    """
    options: dict[str, dict[str, object]] = {}
    for text in texts:
        name, _, value = text.partition("=")
        scorer, _, option = name.rpartition(".")
        if not (scorer and option and value):
            raise InputError(f"-S {text} is not SCORER.NAME=VALUE, e.g. bertscore.model=PATH")
        options.setdefault(scorer, {}).update(parse_assignments("-S", [f"{option}={value}"]))
    return options


_STUDY = (
    click.argument("task"),
    click.option(
        "--systems",
        default="arag,naive_rag,stuffing",
        show_default=True,
        help="Systems to compare, separated by commas.",
    ),
    click.option("--grader", type=MODELS, metavar="G[,G2]", help="Models to judge with."),
    click.option(
        "--limit",
        type=click.IntRange(min=1),
        metavar="N",
        help="Only N samples, drawn so that they are spread over the companies.",
    ),
    click.option(
        "--sample-seed",
        type=int,
        default=42,
        show_default=True,
        metavar="S",
        help="Seed with which --limit draws.",
    ),
    click.option(
        "--earlier",
        multiple=True,
        metavar="LOGS",
        help="Logs of the same systems, for the estimate; without them it is from a dry pass.",
    ),
    click.option(
        "-T", "parameters", multiple=True, metavar="NAME=VALUE", help="More parameters of the task."
    ),
)


def study_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the task, and the options of `run` and `plan`."""
    return reduce(lambda function, option: option(function), reversed(_STUDY), command)


def split_names(text: str | None) -> list[str]:
    """Return the names in a text, separated by commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def parse_assignments(option: str, texts: Sequence[str]) -> dict[str, object]:
    """Return the values of an option `NAME=VALUE` that may be given several times.

    Args:
        option: Name of the option, for errors.
        texts: Assignments; values are read as YAML if they can be.
    """
    values: dict[str, object] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip().isidentifier():
            raise InputError(f"{option} {text!r} is not NAME=VALUE")
        values[name.strip()] = parse_value(value)
    return values


def parse_value(text: str) -> object:
    """Read a value as YAML, or as text if it is not YAML."""
    try:
        value: object = parse_yaml(text)
    except yaml.YAMLError:
        return text
    return value
