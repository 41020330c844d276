"""Types and parsers of options shared by several commands."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import yaml

from .._util.errors import InputError, one_line
from .._util.yaml_text import parse_yaml

AT_LEAST_1 = click.IntRange(min=1)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


UNASKED = "arag_inspect.unasked"
"""Key of a context's `meta`: no model is asked, so that none needs a key."""


class Estimating(click.Command):
    """A command that asks no model with `--estimate`, and then needs no key."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note the option before any model is looked up."""
        ctx.meta[UNASKED] = "--estimate" in args
        return super().parse_args(ctx, args)


class Models(click.ParamType[str]):
    """Comma-separated model names; a model without its key is rejected at once."""

    name = "MODEL"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Try each name, unless nothing is asked: of `plan`, and after `--estimate` or `--write`."""
        if ctx is not None and (ctx.info_name == "plan" or ctx.meta.get(UNASKED)):
            return value
        from inspect_ai.model import get_model

        for model in value.split(","):
            try:
                get_model(model.strip())
            except Exception as error:
                self.fail(f"{model!r} cannot be used: {one_line(error)}", param, ctx)
        return value


MODELS = Models()

Count = Annotated[int | None, AT_LEAST_1, "N"]
Graders = Annotated[str | None, MODELS, "G[,G2]"]
Assignments = Annotated[tuple[str, ...], "NAME=VALUE"]
ScorerOptions = Annotated[tuple[str, ...], "-S", "SCORER.NAME=VALUE"]


def study(
    *,
    systems: str = "arag,naive_rag,stuffing",
    grader: Graders = None,
    limit: Count = None,
    sample_seed: Annotated[int, "S"] = 42,
    earlier: Annotated[tuple[str, ...], "LOGS"] = (),
    parameters: Annotated[Assignments, "-T"] = (),
) -> dict[str, Any]:
    """Return what `run` and `plan` have in common, as arguments of workflows.

    Args:
        systems: Systems to compare, separated by commas.
        grader: Models to judge with.
        limit: Only N samples, drawn so that they are spread over the companies.
        sample_seed: Seed with which --limit draws.
        earlier: Logs of the same systems, for the estimate; without them it is from a dry pass.
        parameters: More parameters of the task.
    """
    return {
        "systems": split_names(systems),
        "graders": split_names(grader),
        "limit": limit,
        "sample_seed": sample_seed,
        "earlier": earlier,
        "parameters": parse_assignments("-T", parameters),
    }


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
