"""Recreate the scorers of a log from its options, but never from files or models in it."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

from inspect_ai.log import EvalLog
from inspect_ai.scorer import Scorer

from arag_inspect.measures._geval.criteria import is_built_in

from ... import scorers
from ..._util.errors import InputError, check_parameters, one_line
from ..._util.names import short_name
from ...prompts import OPTION_FOLDERS, built_in

OptionsByScorer = Mapping[str, Mapping[str, object]]
"""Scorer options from the command line, by scorer."""

_TEXTS = ("dimension", "definition", "context", "against", "method", "gold", "predicted", "weights")
"""Options of scorers whose text is never a file, model or address."""


def is_of_package(name: str) -> bool:
    """Return whether a scorer of a log is from this package."""
    return short_name(name) in scorers.__all__


def recreate_scorer(log: EvalLog, name: str, overrides: Mapping[str, object]) -> Scorer:
    """Recreate a scorer of a log with its options, except for files and models.

    Args:
        log: The log.
        name: Name of the scorer in it.
        overrides: Options from the command line, which override the logged ones.

    Raises:
        InputError: The scorer is not from this package, an option is unknown, or an option of the
            log is a file or a model and the command line does not give it.
    """
    scorer_name = short_name(name)
    if not is_of_package(name):
        raise InputError(f"scorer {name!r} of {log.location} is not from arag-inspect")
    factory: Any = getattr(scorers, scorer_name)
    logged = next((entry.options for entry in log.eval.scorers or [] if entry.name == name), None)
    options = {**(logged or {}), **overrides}
    parameters = signature(factory).parameters
    check_parameters(f"scorer {scorer_name}", list(parameters), options)
    for option, value in options.items():
        is_omittable = _is_plain(option, value) or value == parameters[option].default
        if option not in overrides and not is_omittable:
            raise InputError(
                f"{scorer_name} of {log.location} has {option}={value!r}; files and models "
                f"mentioned in a log are not opened: use -S {scorer_name}.{option}=VALUE"
            )
    try:
        scorer: Scorer = factory(**options)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} of {log.location}: {one_line(error)}") from None
    return scorer


def _is_plain(option: str, value: object) -> bool:
    """Return whether an option is not a file, model or address."""
    if isinstance(value, str):
        if option == "criteria":
            return value == "generated" or is_built_in(value)
        names = built_in(OPTION_FOLDERS[option]) if option in OPTION_FOLDERS else []
        return option in _TEXTS or value in names
    if isinstance(value, list | tuple):
        return all(_is_plain(option, item) for item in value)
    if isinstance(value, dict):
        return all(_is_plain(option, item) for item in value.values())
    return value is None or isinstance(value, int | float)
