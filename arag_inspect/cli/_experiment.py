"""Experiments: a command's options in a YAML file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from .._util.errors import InputError, check_choice
from .._util.files import file_digest
from .._util.yaml_text import read_yaml
from ._command import parse_assignments

_INSPECT = "inspect"
"""Key of the options after `--`, a list of words."""

DIGEST = "experiment_sha256"
"""Key of a log's metadata, and of a context's `meta`."""


class ExperimentCommand(click.Command):
    """A command whose first argument may be a YAML file with its argument and its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Use a file's options as defaults, so that typed options take precedence."""
        if args and args[0].endswith((".yaml", ".yml")):
            task, words = self._read_experiment(ctx, Path(args[0]))
            separator_index = args.index("--") if "--" in args else len(args)
            args = [task, *args[1:separator_index], "--", *words, *args[separator_index + 1 :]]
        return super().parse_args(ctx, args)

    def _read_experiment(self, ctx: click.Context, path: Path) -> tuple[str, list[str]]:
        """Return the task of a file and the words after `--`."""
        values = read_yaml(path, "experiment")
        if not isinstance(values, dict) or not isinstance(values.get("task"), str):
            raise InputError(f"experiment {path} is not a mapping with a `task`")
        task = values.pop("task")
        words = values.pop(_INSPECT, [])
        if not isinstance(words, list):
            raise InputError(f"experiment {path}: {_INSPECT} must be a list of words")
        options = self._options()
        for key in values:
            check_choice(f"experiment {path}: key", key, ["task", *options, _INSPECT])
        ctx.default_map = {
            str(options[key].name): _default(options[key], value) for key, value in values.items()
        }
        ctx.meta[DIGEST] = file_digest(path)[:12]
        return task, list(map(str, words))

    def _options(self) -> dict[str, click.Option]:
        """Return the options by their keys in a file."""
        options = [param for param in self.params if isinstance(param, click.Option)]
        return {_key(option): option for option in options if option.name != "write"}

    def write(self, ctx: click.Context, path: Path) -> None:
        """Write the argument and options that were typed or read from a file to a file."""
        source = click.core.ParameterSource
        chosen_values = {
            name: value
            for name, value in ctx.params.items()
            if ctx.get_parameter_source(name) in (source.COMMANDLINE, source.DEFAULT_MAP)
        }
        content: dict[str, Any] = {"task": chosen_values["task"]}
        for key, option in self._options().items():
            value = chosen_values.get(str(option.name))
            if value is not None:
                is_mapping = option.multiple and "=" in str(option.metavar)
                plain = list(value) if isinstance(value, tuple) else value
                content[key] = parse_assignments(key, value) if is_mapping else plain
        words = chosen_values.get("inspect_options")
        if words:
            content[_INSPECT] = list(words)
        path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), "utf-8")


def _key(option: click.Option) -> str:
    long_option = next((name for name in option.opts if name.startswith("--")), str(option.name))
    return long_option.lstrip("-").replace("-", "_")


def _default(option: click.Option, value: object) -> object:
    """Convert a value of a file to a default that Click accepts: words, as if typed."""
    if value is None or option.is_flag:
        return value
    values = value if isinstance(value, list) else [value]
    if isinstance(value, Mapping):
        values = [
            f"{key}={yaml.safe_dump(item, default_flow_style=True, width=10**9)}"
            for key, item in value.items()
        ]
    words = list(map(str, values))
    return words if option.multiple else ",".join(words)


def write_experiment(path: Path) -> None:
    """Save the running command to a file."""
    context = click.get_current_context()
    assert isinstance(context.command, ExperimentCommand)
    context.command.write(context, path)
    click.echo(f"Wrote {path}; run: arag-inspect run {path}")
