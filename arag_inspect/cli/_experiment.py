"""An experiment in one file: the options of `arag-inspect run`, as YAML."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from .._util.errors import InputError, check_choice, one_line
from .._util.hashing import digest
from .._util.yaml_text import parse_yaml
from ._options import UNASKED, parse_assignments

_INSPECT = "inspect"
"""Key of the options behind `--`, a list of words."""

_DIGEST = "experiment_sha256"
"""Key of a log's metadata."""


class Experiment(click.Command):
    """A command whose first argument may be a YAML file with all of its arguments and options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the words of the file before those that were typed, which win."""
        if args and args[0].endswith((".yaml", ".yml")):
            args = self._expanded(Path(args[0]), args[1:])
        ctx.meta[UNASKED] = {"--estimate", "--write"} & {word.split("=")[0] for word in args}
        return super().parse_args(ctx, args)

    def _expanded(self, path: Path, typed: list[str]) -> list[str]:
        try:
            text = path.read_text(encoding="utf-8")
            values = parse_yaml(text)
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise InputError(f"experiment {path} cannot be read: {one_line(error)}") from None
        if not isinstance(values, dict) or not isinstance(values.get("task"), str):
            raise InputError(f"experiment {path} is no mapping with a `task`")
        options = self._options()
        words = [values.pop("task")]
        further = values.pop(_INSPECT, [])
        if not isinstance(further, list):
            raise InputError(f"experiment {path}: {_INSPECT} must be a list of words")
        for key, value in values.items():
            check_choice(f"experiment {path}: key", key, ["task", *options, _INSPECT])
            words += _words(options[key], value)
        marked = ["--metadata", f"{_DIGEST}={digest(text)}"]
        cut = typed.index("--") if "--" in typed else len(typed)
        return [*words, *typed[:cut], "--", *map(str, further), *marked, *typed[cut + 1 :]]

    def _options(self) -> dict[str, click.Option]:
        """Return the options by their keys in a file."""
        options = [param for param in self.params if isinstance(param, click.Option)]
        return {_key(option): option for option in options if option.name != "write"}

    def write(self, ctx: click.Context, path: Path) -> None:
        """Write the arguments and options that were typed, or came from a file, to a file."""
        typed_values = {
            str(name): value
            for name, value in ctx.params.items()
            if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        }
        content: dict[str, Any] = {"task": typed_values["task"]}
        for key, option in self._options().items():
            if (value := typed_values.get(str(option.name))) is not None:
                is_mapping = option.multiple and "=" in str(option.metavar)
                content[key] = parse_assignments(key, value) if is_mapping else _plain(value)
        words = list(typed_values.get("inspect_options") or ())
        marks = [i for i, word in enumerate(words) if word.startswith(f"{_DIGEST}=")]
        for mark in reversed(marks):
            del words[mark - 1 : mark + 1]
        content |= {_INSPECT: words} if words else {}
        path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), "utf-8")


def _key(option: click.Option) -> str:
    long = next((name for name in option.opts if name.startswith("--")), str(option.name))
    return long.lstrip("-").replace("-", "_")


def _words(option: click.Option, value: object) -> Iterator[str]:
    """Yield the words of a command line that set an option."""
    name = option.opts[0]
    if isinstance(value, Mapping):
        for key, item in value.items():
            flow = yaml.safe_dump(item, default_flow_style=True, width=10**9, allow_unicode=True)
            yield from (name, f"{key}={flow.removesuffix('...' + chr(10)).strip()}")
    elif option.is_flag:
        yield from [name] if value else []
    elif option.multiple and isinstance(value, list):
        for item in value:
            yield from (name, str(item))
    else:
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        yield from (name, text)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
