"""Identify and name the system of a run."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.log import EvalLog

from ..frames import Row
from ..labels import SYSTEMS

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

_MEASURING_PARAMETERS = (
    *("scorers", "scorer_args", "nli_model", "bertscore_model"),
    *("split", "corpus"),
)
_OF_THE_MACHINE = re.compile(r"(.*_)?(dir|path|file|port|seed|limit|timeout|retries|connections)")
"""Parameters that make no other system."""

_GENERATION = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "reasoning_tokens")


def solver_of(log: EvalLog) -> str:
    """Return the name of the solver, without its package.

    If none was given, the last step of the task's solver; the model, if that only generates.
    """
    steps = [step.solver.split("/")[-1] for step in log.plan.steps]
    if log.eval.solver:
        return log.eval.solver.split("/")[-1]
    only_generates = not steps or steps[-1].split("(")[0] == "generate"
    return log.eval.model.split("/")[-1] if only_generates else steps[-1]


def parameters_of(log: EvalLog) -> dict[str, Any]:
    """Return the parameters of solver, task and generation that affect the answers."""
    parameters: dict[str, Any] = {}
    for step in log.plan.steps:
        parameters |= step.params
    ignored = (*_SOLVER_PARAMETERS, *_MEASURING_PARAMETERS)
    parameters |= {name: value for name, value in log.eval.task_args.items() if name not in ignored}
    parameters = {
        name: value for name, value in parameters.items() if not _OF_THE_MACHINE.fullmatch(name)
    }
    generation = log.plan.config.merge(log.eval.model_generate_config)
    settings = generation.model_dump(exclude_none=True, include=set(_GENERATION))
    return parameters | {f"generate.{name}": value for name, value in settings.items()}


def name_runs(runs: Sequence[Row]) -> list[Row]:
    """Give each run of a benchmark a unique name, in place.

    Its solver, with what distinguishes it from the others.

    Returns:
        The runs in the order of `SYSTEMS`, then the others by name.
    """
    for run, name in zip(runs, names_of(runs), strict=True):
        run["system"] = name
    alike = Counter(run["system"] for run in runs)
    for run in runs:
        if alike[run["system"]] > 1:
            run["system"] += f" ({run['created'][:16].replace('T', ' ')})"
    counts: Counter[str] = Counter()
    ordered = sorted(runs, key=_order)
    for run in ordered:
        counts[run["system"]] += 1
        number = counts[run["system"]]
        run["system"] += f" #{number}" if number > 1 else ""
    return ordered


def names_of(runs: Sequence[Row]) -> list[str]:
    """Name each run by its solver, with what distinguishes it from the others."""
    return [_name(run, runs) for run in runs]


def _name(run: Row, runs: Sequence[Row]) -> str:
    name, model = _own_name(run), run["model"].split("/")[-1]
    if run["label"]:
        return name
    if len({other["model"] for other in runs}) > 1 and name != model:
        name += f" · {model}"
    own = _own_name(run), run["model"]
    similar = [other["parameters"] for other in runs if (_own_name(other), other["model"]) == own]
    differs = _what_differs(run["parameters"], similar)
    return f"{name} ({differs})" if differs else name


def _own_name(run: Row) -> str:
    """Return the name that the user gave to a log or a live system, or else that of the solver."""
    name = run["parameters"].get("name") if run["solver"] == "external" else None
    name = run["label"] or name
    solver = str(run["solver"])
    return " ".join(str(name).split()) if name else SYSTEMS.get(solver, solver)


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


def _order(run: Row) -> tuple[int, str, str]:
    solvers, solver = list(SYSTEMS), run["solver"]
    position = solvers.index(solver) if solver in solvers else len(solvers)
    return position, solver, run["system"]
