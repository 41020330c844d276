"""Choose the scorers of a task by name or set, and pass them their parameters."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import click
from inspect_ai import Task
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from .._util.errors import InputError, check_choice
from .._util.names import short_name, strip_package
from ..judge.panel import find_graders
from ..measure import Output, measures_of
from ..measures import shared_scorers
from ..measures.scorer import membership_of
from .foreign_metrics import counterparts

Values = Mapping[str, Any]
"""Parameters of a task, by name."""

Factory = Callable[..., Scorer]
"""Makes a scorer from its parameters."""

Sets = Mapping[str, Sequence[str]]
"""Names of scorers by the name of their set."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A task parameter whose value is passed to a scorer."""

    name: str


IF_JUDGED = Parameter("judged")
"""Replaced by whether a scorer that requires a grader is also chosen."""


@dataclass(frozen=True, slots=True)
class BoundScorer:
    """A scorer with the arguments that a benchmark gives it."""

    make: Factory
    arguments: Values

    @property
    def name(self) -> str:
        """Name of the scorer, without its package."""
        return short_name(registry_info(self.make).name)

    def find_parameter(self, name: str) -> str | None:
        """Return the parameter in a name after words of the scorer's name, as in `nli_model`."""
        for parameter in signature(self.make).parameters:
            words = name.removesuffix(f"_{parameter}")
            if words != name and f"{self.name}_".startswith(f"{words}_"):
                return parameter
        return None

    def scorer(self, values: Values, given: Values) -> Scorer:
        """Make the scorer.

        Args:
            values: Parameters of the task.
            given: Arguments that the user gave to this scorer; these take precedence.
        """
        arguments = dict(self.arguments)
        for key, value in arguments.items():
            if isinstance(value, Parameter):
                arguments[key] = values[value.name]
        return self.make(**{**arguments, **given})


def using(make: Factory, **arguments: Any) -> BoundScorer:
    """Bind arguments to a scorer; a `Parameter` is replaced by the value passed to the task."""
    return BoundScorer(make, arguments)


def bind(scorer: BoundScorer | Factory) -> BoundScorer:
    """Return a scorer of a benchmark with its arguments; a plain scorer has none."""
    return scorer if isinstance(scorer, BoundScorer) else BoundScorer(scorer, {})


def scorer_sets(
    scorers: Sequence[BoundScorer | Factory],
    output: Output | None,
    *always_included: Factory,
    has_gold: bool = True,
) -> Sets:
    """Return the sets that scorers declare for a kind of output: `default`, `no_grader` and `all`.

    `no_grader` is `default` without the scorers that require a grader.

    Args:
        scorers: Scorers of a benchmark.
        output: What its samples ask for; if None, `default` includes every scorer.
        always_included: Scorers that `default` always includes.
        has_gold: Whether any sample has a gold answer.
    """
    members: dict[str, list[str]] = {"no_grader": [], "default": [], "all": []}
    for scorer in map(bind, scorers):
        membership = membership_of(scorer.make)
        if output in membership.needs_gold and not has_gold:
            continue
        is_default = (
            output is None
            or scorer.make in always_included
            or membership.sets.get(output) == "default"
        )
        if is_default:
            members["default"].append(scorer.name)
            if not is_judged(scorer.make):
                members["no_grader"].append(scorer.name)
        if is_default or output in membership.sets:
            members["all"].append(scorer.name)
    return members


def make_scorers(
    names: str | Sequence[str],
    scorers: Sequence[BoundScorer | Factory],
    sets: Sets,
    values: Values,
    *,
    scorer_args: Mapping[str, Values] | None = None,
) -> list[Scorer]:
    """Make scorers by name, each once, in the order in which the benchmark lists them.

    Other shared scorers can be named too; they come last.

    Args:
        names: Comma-separated scorers and scorer sets.
        scorers: Scorers of the benchmark.
        sets: Names of scorers by the name of their set.
        values: The task's own parameters.
        scorer_args: Parameters that the user gave to scorers, by scorer.

    Raises:
        InputError: A name is unknown or missing, `scorer_args` is malformed, or a command of
            Inspect requests a scorer whose default grader lacks its key.
    """
    available_scorers = {scorer.name: scorer for scorer in map(bind, scorers)}
    known_names = tuple(available_scorers)
    for name, make in shared_scorers().items():
        available_scorers.setdefault(name, bind(make))
    selected_names = _select_names(names, known_names, sets, available_scorers)
    selected_scorers = {
        name: scorer for name, scorer in available_scorers.items() if name in selected_names
    }
    judged = [name for name, scorer in selected_scorers.items() if is_judged(scorer.make)]
    if judged and _scored_by_inspect():
        find_graders(judged)
    arguments = _check_nested(scorer_args or {})
    for name in arguments:
        check_choice("scorer of this run in scorer_args", name, sorted(selected_names))
    values = {**values, IF_JUDGED.name: bool(judged)}
    return [
        scorer.scorer(values, arguments.get(name, {})) for name, scorer in selected_scorers.items()
    ]


def _check_nested(by_scorer: Mapping[str, Values]) -> Mapping[str, Values]:
    """Return the parameters of scorers, by scorer.

    Raises:
        InputError: They are malformed.
    """
    is_nested = isinstance(by_scorer, Mapping) and all(
        isinstance(arguments, Mapping) for arguments in by_scorer.values()
    )
    if not is_nested:
        raise InputError(
            "scorer_args must be parameters by scorer, e.g. {rouge: {stemmer: false}}, "
            f"got {by_scorer!r}"
        )
    return by_scorer


def judged_scorers(tasks: Iterable[Task]) -> list[str]:
    """Return the names of the scorers of some tasks that require a grader, each once."""
    names: dict[str, None] = {}
    for task in tasks:
        judged = filter(is_judged, task.scorer or [])
        names |= {short_name(registry_info(scorer).name): None for scorer in judged}
    return list(names)


def is_judged(scorer: object) -> bool:
    """Return whether a scorer requires a grader."""
    return any(spec.judged for spec in measures_of(scorer))


def _scored_by_inspect() -> bool:
    """Return whether an Inspect command that will score the task is creating it."""
    context = click.get_current_context(silent=True)
    return context is not None and context.params.get("no_score", True) is not True


def _select_names(
    names: str | Sequence[str], known: Sequence[str], sets: Sets, available: Collection[str]
) -> set[str]:
    """Resolve names and sets to names of scorers; see `make_scorers`.

    Args:
        names: Names that the user requested.
        known: Scorers to suggest in errors.
        sets: Scorers by the name of their set.
        available: Scorers that can be named, including scorers that are not suggested.
    """
    if not isinstance(names, str | list | tuple):
        raise InputError(f"scorers must be names, separated by commas, got {names!r}")
    parts = names.split(",") if isinstance(names, str) else [str(name) for name in names]
    requested_names = [strip_package(name.strip()) for name in parts if name.strip()]
    if not requested_names:
        raise InputError(f"no scorer is given; choose from {', '.join([*sets, *known])}")
    for name in requested_names:
        replacements = [] if name in known else counterparts(name, known)
        if replacements:
            raise InputError(f"scorer {name!r} is unknown; use {' or '.join(replacements)}")
        _check_available(name, [*sets, *available])
    members: set[str] = set()
    for name in requested_names:
        members.update(sets.get(name, (name,)))
    return members


def _check_available(name: str, choices: Sequence[str]) -> None:
    """Raise unless a name is of a scorer or set.

    Raises:
        InputError: It is unknown; the message says how to add a scorer in a file to a log.
    """
    try:
        check_choice("scorer", name, choices)
    except InputError as error:
        in_file = "add a scorer in a file with inspect score LOG --scorer FILE --action append"
        raise InputError(f"{error.message}; {in_file}") from None
