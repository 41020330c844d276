"""Identify and name the system of a run."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from inspect_ai.log import EvalLog

from ..frames import NO_MODEL, Row
from ..labels import SYSTEMS

_OF_OTHERS = re.compile(
    "system|system_args|max_loops|max_token_budget|top_k|tools|max_tokens"
    "|scorers|scorer_args|nli_model|bertscore_model|split|corpus"
)
"""Arguments of this package's tasks that solvers repeat if they use them, or that only measure."""

_OF_THE_MACHINE = re.compile(
    r"(.*[_.])?(dir|path|file|port|seed|limit|timeout|retries|connections)|run\.epochs"
)
"""Parameters that do not distinguish systems."""

_USUAL_RETRIEVER = "dense"
"""The default of this package's solvers; any other is part of a system's name."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

_OF_THE_CALL = {
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

_OF_THE_PACE = (
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
"""Settings of a run and its generation that change times or cost, and no answer."""

_SECRET = re.compile(r"(?i).*(key|token|secret|password|auth|credential|header)")
"""Model arguments that a page must not show."""


def is_ours(log: EvalLog) -> bool:
    """Return whether a solver of this package, which keeps a trace, answered."""
    return any(step.solver.startswith("arag_inspect/") for step in log.plan.steps)


def solver_of(log: EvalLog) -> str:
    """Return the name of the solver, without its package.

    Without one, it is the last step of the task's solver, or the model if that step only generates.
    """
    steps = [step.solver.split("/")[-1] for step in log.plan.steps]
    if log.eval.solver:
        return log.eval.solver.split("/")[-1]
    only_generates = not steps or steps[-1].split("(")[0] == "generate"
    return log.eval.model.split("/")[-1] if only_generates else steps[-1]


def parameters_of(log: EvalLog) -> dict[str, Any]:
    """Return the settings that may affect answers: parameters, roles, limits and model settings.

    Steps of a solver, and a parameter of several steps, are lists.
    """
    spec = log.eval
    steps = log.plan.steps
    parameters: dict[str, Any] = {}
    for name in dict.fromkeys(chain.from_iterable(step.params for step in steps)):
        values = [step.params[name] for step in steps if name in step.params]
        parameters[name] = values[0] if len(values) == 1 else values
    if len(steps) > 1:
        parameters["solvers"] = [step.solver.split("/")[-1] for step in steps]
    ours = is_ours(log)
    parameters |= {
        k: v for k, v in spec.task_args.items() if not (ours and _OF_OTHERS.fullmatch(k))
    }
    for role, bound in (spec.model_roles or {}).items():
        models = bound if isinstance(bound, list) else [bound]
        parameters[f"role.{role}"] = "+".join(model.model for model in models)
    parameters.pop("role.grader", None)
    arguments = {k: v for k, v in spec.model_args.items() if not _SECRET.match(k)}
    parameters |= {
        f"model.{k}": v for k, v in arguments.items() if isinstance(v, str | int | float)
    }
    config = {**spec.config.model_dump(exclude_none=True), "run.epochs": spec.config.epochs or 1}
    parameters |= {k: v for k, v in config.items() if k.endswith(("_limit", ".epochs"))}
    generation = log.plan.config.merge(spec.model_generate_config)
    settings = generation.model_dump(exclude_none=True, exclude=_OF_THE_CALL)
    return parameters | {f"generate.{name}": value for name, value in settings.items()}


def pace_of(log: EvalLog) -> dict[str, Any]:
    """Return the settings that change how long a run takes or what it costs, and no answer."""
    generation = log.plan.config.merge(log.eval.model_generate_config)
    settings = generation.model_dump(exclude_none=True)
    settings |= log.eval.config.model_dump(exclude_none=True)
    return {name: settings[name] for name in _OF_THE_PACE if name in settings}


def distinguishing(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that distinguish systems."""
    return {k: v for k, v in parameters.items() if not _OF_THE_MACHINE.fullmatch(k)}


def name_runs(runs: Sequence[Row]) -> list[Row]:
    """Give each run of a benchmark a unique name, in place.

    The name is the solver with what distinguishes it from the others, else the time or a number.

    Returns:
        The runs in the order of `SYSTEMS`, then the others by name.
    """
    names = names_of(runs)
    for run, name in zip(runs, names, strict=True):
        time = f" ({run['created'][:16].replace('T', ' ')})" if names.count(name) > 1 else ""
        run["system"] = name + time
    solvers = list(SYSTEMS)

    def position(run: Mapping[str, Any]) -> tuple[int, str, list[str | float], str]:
        """Return the sort key of a run: solvers of the package first, in their order.

        Numbers in a name count as numbers: `top_k=3` precedes `top_k=12`.
        """
        solver = run["solver"]
        number = solvers.index(solver) if solver in solvers else len(solvers)
        return number, solver, _words_and_numbers(run["system"]), run["system"]

    ordered = sorted(runs, key=position)
    counts: Counter[str] = Counter()
    for run in ordered:
        counts[run["system"]] += 1
        number = counts[run["system"]]
        run["system"] += f" #{number}" if number > 1 else ""
    return ordered


def _words_and_numbers(name: str) -> list[str | float]:
    """Split a name into words and numbers, by turns."""
    words_and_digits = _NUMBER.split(name)  # digits are at the odd places
    return [float(part) if index % 2 else part for index, part in enumerate(words_and_digits)]


def names_of(runs: Sequence[Row]) -> list[str]:
    """Name each run by its solver, with what distinguishes it from the others."""
    return [_name(run, runs) for run in runs]


def _name(run: Row, runs: Sequence[Row]) -> str:
    name = _own_name(run)
    model = run["model"].split("/")[-1]
    if run["label"]:
        return name
    models = {other["model"] for other in runs} - {NO_MODEL}
    if [other.split("/")[-1] for other in models].count(model) > 1:  # of several providers
        name = run["model"] if name == model else name
        model = run["model"]
    if len(models) > 1 and model not in (name, "none"):
        name += f" · {model}"
    similar = [
        distinguishing(other["parameters"])
        for other in runs
        if _own_name(other) == _own_name(run)
        and len({run["model"], other["model"]} - {NO_MODEL}) < 2
    ]
    if run["solver"] in SYSTEMS:
        similar.append(distinguishing(run["parameters"]) | {"retriever": _USUAL_RETRIEVER})
    difference_text = _what_differs(run["parameters"], similar)
    return f"{name} ({difference_text})" if difference_text else name


def _own_name(run: Row) -> str:
    """Return the name that the user gave to a log or a live system, or else that of the solver."""
    name = run["parameters"].get("name") if run["solver"] == "external" else None
    solver = str(run["solver"])
    return " ".join(str(run["label"] or name or SYSTEMS.get(solver, solver)).split())


def _what_differs(own_parameters: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    """Describe the parameters of a run whose values are not the same in all the others."""
    names = sorted(set(chain.from_iterable(others)))
    stated = [name for name in names if own_parameters.get(name) is not None]
    differing = [name for name in stated if _has_several_values(name, others)]
    return ", ".join(
        f"{name.removeprefix('generate.')}={_short(own_parameters[name])}" for name in differing
    )


def _has_several_values(name: str, parameters: Sequence[Mapping[str, Any]]) -> bool:
    return len({repr(values.get(name)) for values in parameters}) > 1


def _short(value: object, most: int = 40) -> str:
    text = "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"
