"""Identify and name the system of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspect_ai.log import EvalLog

from .records import Run

_SOLVER_PARAMETERS = (
    "system",
    "system_args",
    "max_loops",
    "max_token_budget",
    "top_k",
    "tools",
    "max_tokens",
)
"""Parameters of our tasks that are passed to the solver, if the log has them too."""

_MEASURING_PARAMETERS = ("scorers", "split", "corpus")
_GENERATION = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "reasoning_tokens")


def solver_of(log: EvalLog) -> str:
    """Return the name of the solver, without its package.

    If none was given, the last step of the task's solver.
    """
    steps = [step.solver for step in log.plan.steps]
    name = log.eval.solver or (steps[-1] if steps else "unknown")
    return name.split("/")[-1]


def parameters_of(log: EvalLog) -> dict[str, Any]:
    """Return the parameters of solver, task and generation that affect the answers."""
    parameters: dict[str, Any] = {}
    for step in log.plan.steps:
        parameters |= step.params
    ignored = (*_SOLVER_PARAMETERS, *_MEASURING_PARAMETERS)
    parameters |= {name: value for name, value in log.eval.task_args.items() if name not in ignored}
    generation = log.plan.config.merge(log.eval.model_generate_config)
    settings = generation.model_dump(exclude_none=True, include=set(_GENERATION))
    return parameters | {f"generate.{name}": value for name, value in settings.items()}


def name_runs(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Give each run of a benchmark a unique name.

    Its solver, with what distinguishes it from the others.

    Ordered as arag, naive_rag, stuffing, closed_book, then the others by name.
    """
    named = [replace(run, system=_name(run, runs)) for run in runs]
    counts: dict[str, int] = {}
    unique = []
    for run in sorted(named, key=_order):
        counts[run.system] = counts.get(run.system, 0) + 1
        number = f" #{counts[run.system]}" if counts[run.system] > 1 else ""
        unique.append(replace(run, system=run.system + number))
    return tuple(unique)


def _name(run: Run, runs: Sequence[Run]) -> str:
    name = _own_name(run)
    if len({other.model for other in runs}) > 1:
        name += f" · {run.model.split('/')[-1]}"
    similar = [
        other for other in runs if (_own_name(other), other.model) == (_own_name(run), run.model)
    ]
    differs = _what_differs(run.parameters, [other.parameters for other in similar])
    return f"{name} ({differs})" if differs else name


def _own_name(run: Run) -> str:
    """Return the name that the user gave to a live system, or else the solver."""
    name = run.parameters.get("name") if run.solver == "external" else None
    return " ".join(str(name).split()) if name else run.solver


def _what_differs(own: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    names = sorted({name for parameters in others for name in parameters})
    return ", ".join(
        f"{name.removeprefix('generate.')}={_short(own.get(name))}"
        for name in names
        if own.get(name) is not None
        and len({repr(parameters.get(name)) for parameters in others}) > 1
    )


def _short(value: object, most: int = 40) -> str:
    text = "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"


def _order(run: Run) -> tuple[int, str, str]:
    solvers = ("arag", "naive_rag", "stuffing", "closed_book")
    position = solvers.index(run.solver) if run.solver in solvers else len(solvers)
    return position, run.solver, run.system
