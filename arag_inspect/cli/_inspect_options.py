"""Options of `inspect eval-set` after `--`, as arguments of Inspect's `eval_set`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from .._util.errors import InputError
from .._util.secrets import check_fields
from ._command import parse_assignments, parse_value

_ASSIGNMENTS = {"-M": "model_args", "--model-role": "model_roles", "--metadata": "metadata"}
"""Options that take NAME=VALUE, and the arguments they fill."""

_LISTS = ("tags", "sample_id", "stop_seqs", "fallback_models")
"""Arguments that take several values, separated by commas."""

_OPTION = re.compile("--?[a-zA-Z]")

_OWN = ("tasks", "model", "solver", "task_args", "log_dir")
"""Arguments that this command's options set."""


def parse_inspect_options(words: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `eval_set` for options of `inspect eval-set`.

    `--max-samples 8` is `max_samples=8`, `--batch` is `batch=True`, `--no-log-images` is
    `log_images=False`, `-M timeout=60` is `model_args={"timeout": 60}`.

    Args:
        words: The command line after `--`.

    Raises:
        InputError: An option is unknown, belongs before `--`, has a value of another type, or
            would write a credential to the log (Inspect only omits `api_key`).
    """
    types = _argument_types()
    arguments: dict[str, Any] = {}
    for option, text in _pairs(words):
        name = option.removeprefix("--").replace("-", "_")
        negated = name.removeprefix("no_")
        if option in _ASSIGNMENTS:
            values = parse_assignments(option, [text or ""])
            check_fields({k: v for k, v in values.items() if k != "api_key"}, option)
            arguments.setdefault(_ASSIGNMENTS[option], {}).update(values)
        elif name in types and option.startswith("--"):
            arguments[name] = _value(option, name, text, types[name])
        elif negated in types and text is None:
            arguments[negated] = False
        else:
            raise InputError(f"{option} after -- is not an option of inspect eval-set")
    return arguments


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yield each option with its value; None for a flag."""
    index = 0
    while index < len(words):
        option, sign, value = words[index].partition("=")
        index += 1
        if not option.startswith("-"):
            raise InputError(
                f"{words[index - 1]!r} is unexpected after --; options of Inspect begin with -"
            )
        if sign and option.startswith("--"):
            yield option, value
        elif index < len(words) and not _OPTION.match(words[index]):
            yield option, words[index]
            index += 1
        else:
            yield option, None


def _argument_types() -> Mapping[str, Any]:
    """Return the types of the arguments of `eval_set` and `GenerateConfig`, by name."""
    from inspect_ai import eval_set
    from inspect_ai.model import GenerateConfig

    types = {name: field.annotation for name, field in GenerateConfig.model_fields.items()}
    types |= {name: item.annotation for name, item in signature(eval_set).parameters.items()}
    return types


def _value(option: str, name: str, text: str | None, type_: Any) -> Any:
    if name in _OWN:
        raise InputError(f"{option} is set by this command; leave it out after --")
    value: Any = True
    if text is not None:
        value = text.split(",") if name in _LISTS else parse_value(text)
    if name == "batch" and isinstance(value, str) and Path(value).is_file():
        value = parse_value(Path(value).read_text(encoding="utf-8"))
    try:
        return TypeAdapter(type_).validate_python(value)
    except ValidationError as error:
        raise InputError(f"{option}: {error.errors()[0]['msg']}, got {text}") from None
    except (PydanticSchemaGenerationError, PydanticUserError):
        return value  # a type that Inspect itself checks
