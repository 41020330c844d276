"""Identify and name the system of a run."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog, EvalSpec

from ..._util.names import short_name
from ...types.system import EXTERNAL, SYSTEMS
from ..frames import NO_MODEL
from ..labels import label_of
from ..rows import RunRow

_PASSED_ON = re.compile(
    "system|system_args|max_loops|max_token_budget|top_k|tools|max_tokens"
    "|scorers|scorer_args|nli_model|bertscore_model|split|corpus"
)
"""Arguments of this package's tasks that they pass on to solvers, or that only affect scores."""

TASK = "task"
"""Prefix of a task's argument that has the name of a solver's parameter."""

_NOT_DISTINGUISHING = re.compile(
    r"(.*[_.])?(dir|path|file|port|seed|limit|timeout|retries|connections)|run\.epochs"
)
"""Parameters that do not distinguish systems."""

_DEFAULT_RETRIEVER = "dense"
"""The default of this package's solvers; any other is part of a system's name."""

_SELF_EXPLANATORY = "retriever"
"""The parameter whose value is named alone: `Naive RAG (hybrid)`."""

_LONGEST_VALUE = 40
"""Maximum characters of a parameter's value in a name."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

_WITHOUT_EFFECT = {
    "max_retries",
    "max_connections",
    "adaptive_connections",
    "attempt_timeout",
    "batch",
    "cache",
    "stream_idle_timeout",
    "cache_prompt",
    "extra_headers",
    "logprobs",
    "top_logprobs",
}
"""Generation settings that do not affect answers, or may contain a key."""

_PACE = (
    "max_samples",
    "max_tasks",
    "max_subprocesses",
    "max_sandboxes",
    "max_connections",
    "adaptive_connections",
    "batch",
    "cache",
    "cache_prompt",
    "max_retries",
    "attempt_timeout",
    "retry_on_error",
)
"""Settings of a run and its generation that change times or cost, but no answer."""

_SECRET = re.compile(r"(?i).*(key|token|secret|password|auth|credential|header)")
"""Model arguments that a page must not show."""


def is_ours(log: EvalLog) -> bool:
    """Return whether a solver of this package, which keeps a trace, answered."""
    return any(step.solver.startswith("arag_inspect/") for step in log.plan.steps)


def solver_of(log: EvalLog) -> str:
    """Return the name of the solver, without its package.

    Without one, it is the last step of the task's solver, or the model if that step only generates.
    """
    steps = [short_name(step.solver) for step in log.plan.steps]
    if log.eval.solver:
        return short_name(log.eval.solver)
    only_generates = not steps or steps[-1].split("(")[0] == "generate"
    return short_name(log.eval.model) if only_generates else steps[-1]


def parameters_of(log: EvalLog) -> dict[str, Any]:
    """Return the settings that may affect answers: parameters, roles, limits and model settings.

    Steps of a solver, and a parameter of several steps, are lists. An argument of the task or a
    limit with the name of a parameter, but not its value, is named `task.NAME` or `run.NAME`; so is
    every such argument if another solver replaces the task's, which would get its value from it.
    """
    generation = log.plan.config.merge(log.eval.model_generate_config)
    settings = generation.model_dump(exclude_none=True, exclude=_WITHOUT_EFFECT)
    parameters = _solver_parameters(log)
    return {
        **parameters,
        **_prefix_shared(TASK, _task_arguments(log), parameters, always=bool(log.eval.solver)),
        **dict(_roles(log)),
        **dict(_model_arguments(log)),
        **_prefix_shared("run", _limits(log), parameters),
        **{f"generate.{name}": value for name, value in settings.items()},
    }


def _prefix_shared(
    prefix: str,
    settings: Mapping[str, Any],
    parameters: Mapping[str, Any],
    always: bool = False,
) -> dict[str, Any]:
    """Return settings under names that no parameter with another value has."""
    named_parameters: dict[str, Any] = {}
    for name, value in settings.items():
        parameter = parameters.get(name)
        values = [parameter, *(parameter if isinstance(parameter, list) else [])]
        if name not in parameters:
            named_parameters[name] = value
        elif always or value not in values:
            named_parameters[f"{prefix}.{name}"] = value
    return named_parameters


def pace_of(log: EvalLog) -> dict[str, Any]:
    """Return the settings that change how long a run takes or what it costs, but no answer."""
    generation = log.plan.config.merge(log.eval.model_generate_config)
    settings = generation.model_dump(exclude_none=True)
    settings |= log.eval.config.model_dump(exclude_none=True)
    return {name: settings[name] for name in _PACE if name in settings}


def distinguishing(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that distinguish systems."""
    return {k: v for k, v in parameters.items() if not _NOT_DISTINGUISHING.fullmatch(k)}


def task_of(log: RunRow) -> tuple[str, str]:
    """Return task and version of a log."""
    return short_name(log.task), log.version


def system_of(log: RunRow) -> tuple[object, ...]:
    """Return the properties that runs of one system share."""
    task_and_dataset = (*task_of(log), log.dataset)
    if log.label:
        return (*task_and_dataset, log.label)
    parameters = sorted((k, repr(v)) for k, v in distinguishing(log.parameters).items())
    return (*task_and_dataset, log.solver, log.model, tuple(parameters))


def name_runs(runs: Sequence[RunRow]) -> list[RunRow]:
    """Give each run of a benchmark a unique name.

    The name is the solver with what distinguishes it from the others, else the time or a number.

    Returns:
        The runs in the order of `SYSTEMS`, then the others by name.
    """
    names = [_name(run, runs) for run in runs]
    counts = Counter(map(str, names))
    named_runs = []
    for run, name in zip(runs, names, strict=True):
        is_unique = counts[str(name)] == 1
        time = "" if is_unique else f" ({run.created[:16].replace('T', ' ')})"
        variant = f"{name.without_model}{time}"
        named_runs.append(
            run._replace(system=f"{name}{time}", variant=variant, named_model=name.model)
        )
    solvers = list(SYSTEMS)

    def position(run: RunRow) -> tuple[int, str, list[str | float], str]:
        """Return the sort key of a run: solvers of the package first, in their order.

        Numbers in a name count as numbers: `top_k=3` precedes `top_k=12`.
        """
        solver = run.solver
        number = solvers.index(solver) if solver in solvers else len(solvers)
        return number, solver, _words_and_numbers(run.system), run.system

    numbered = []
    numbers: Counter[str] = Counter()
    for run in sorted(named_runs, key=position):
        numbers[run.system] += 1
        number = numbers[run.system]
        suffix = f" #{number}" if number > 1 else ""
        numbered.append(
            run._replace(system=f"{run.system}{suffix}", variant=f"{run.variant}{suffix}")
        )
    return numbered


def names_of(runs: Sequence[RunRow]) -> list[str]:
    """Name each run by its solver, with what distinguishes it from the others."""
    return [str(_name(run, runs)) for run in runs]


def _solver_parameters(log: EvalLog) -> dict[str, Any]:
    steps = log.plan.steps
    parameters: dict[str, Any] = {}
    for name in dict.fromkeys(chain.from_iterable(step.params for step in steps)):
        values = [step.params[name] for step in steps if name in step.params]
        parameters[name] = values[0] if len(values) == 1 else values
    if len(steps) > 1:
        parameters["solvers"] = [short_name(step.solver) for step in steps]
    return parameters


def _task_arguments(log: EvalLog) -> dict[str, Any]:
    arguments = log.eval.task_args
    if not is_ours(log):
        return arguments
    return {name: value for name, value in arguments.items() if not _PASSED_ON.fullmatch(name)}


def models_by_role(spec: EvalSpec) -> dict[str, tuple[str, ...]]:
    """Return the models that are bound to each role."""
    models = {}
    for role, bound in (spec.model_roles or {}).items():
        configs = bound if isinstance(bound, list) else [bound]
        models[role] = tuple(config.model for config in configs)
    return models


def _roles(log: EvalLog) -> Iterator[tuple[str, str]]:
    """Yield the models of each role except the grader, which answers nothing."""
    for role, models in models_by_role(log.eval).items():
        if role != "grader":
            yield f"role.{role}", "+".join(models)


def _model_arguments(log: EvalLog) -> Iterator[tuple[str, object]]:
    for name, value in log.eval.model_args.items():
        if not _SECRET.match(name) and isinstance(value, str | int | float):
            yield f"model.{name}", value


def _limits(log: EvalLog) -> dict[str, Any]:
    config = log.eval.config
    settings = {**config.model_dump(exclude_none=True), "run.epochs": config.epochs or 1}
    return {k: v for k, v in settings.items() if k.endswith(("_limit", ".epochs"))}


def _words_and_numbers(name: str) -> list[str | float]:
    """Split a name into words and numbers, by turns."""
    words_and_digits = _NUMBER.split(name)  # digits are at the odd places
    return [float(part) if index % 2 else part for index, part in enumerate(words_and_digits)]


class _SystemName(NamedTuple):
    """The name of a system in its parts."""

    base: str
    model: str = ""
    differences: str = ""

    def __str__(self) -> str:
        model = f" · {self.model}" if self.model else ""
        return f"{self.base}{model}{self._parameters}"

    @property
    def without_model(self) -> str:
        return f"{self.base}{self._parameters}"

    @property
    def _parameters(self) -> str:
        return f" ({self.differences})" if self.differences else ""


def _name(run: RunRow, runs: Sequence[RunRow]) -> _SystemName:
    name = _base_name(run)
    model = short_name(run.model)
    if run.label:
        return _SystemName(name)
    models = {other.model for other in runs} - {NO_MODEL}
    if [short_name(other) for other in models].count(model) > 1:  # of several providers
        name = run.model if name == model else name
        model = run.model
    if len(models) < 2 or model in (name, "none"):
        model = ""
    similar = [
        distinguishing(other.parameters)
        for other in runs
        if _base_name(other) == _base_name(run) and len({run.model, other.model} - {NO_MODEL}) < 2
    ]
    if run.solver in SYSTEMS:
        similar.append(distinguishing(run.parameters) | {"retriever": _DEFAULT_RETRIEVER})
    return _SystemName(name, model, _describe_differences(run.parameters, similar))


def _base_name(run: RunRow) -> str:
    """Return the name that the user gave to a log or a live system, or the solver's name."""
    name = run.parameters.get("name") if run.solver == EXTERNAL.name else None
    solver = str(run.solver)
    return " ".join(str(run.label or name or label_of(solver)).split())


def _describe_differences(
    parameters: Mapping[str, Any], others: Sequence[Mapping[str, Any]]
) -> str:
    """Describe the parameters of a run whose values are not the same in all the others.

    Long values, such as the text of a prompt, are left out if the short ones tell all runs apart.
    """
    names = sorted(set(chain.from_iterable(others)))
    differing = [name for name in names if _has_several_values(name, others)]
    short = [name for name in differing if not _has_long_value(name, others)]
    if _count_distinct(short, others) == _count_distinct(differing, others):
        differing = short
    set_names = [name for name in differing if parameters.get(name) is not None]
    return ", ".join(_describe_setting(name, parameters[name]) for name in set_names)


def _has_long_value(name: str, parameters: Sequence[Mapping[str, Any]]) -> bool:
    return any(len(_in_line(values.get(name))) > _LONGEST_VALUE for values in parameters)


def _count_distinct(names: Sequence[str], parameters: Sequence[Mapping[str, Any]]) -> int:
    """Return how many runs some of their parameters distinguish."""
    return len({repr([values.get(name) for name in names]) for values in parameters})


def _describe_setting(name: str, value: object) -> str:
    setting = _shorten(value)
    is_word = name == _SELF_EXPLANATORY and isinstance(value, str)
    return setting if is_word else f"{name.removeprefix('generate.')}={setting}"


def _has_several_values(name: str, parameters: Sequence[Mapping[str, Any]]) -> bool:
    return len({repr(values.get(name)) for values in parameters}) > 1


def _shorten(value: object) -> str:
    text = _in_line(value)
    half = _LONGEST_VALUE // 2
    return text if len(text) <= _LONGEST_VALUE else f"{text[:half]}…{text[-half:]}"


def _in_line(value: object) -> str:
    text = "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return " ".join(text.split())
