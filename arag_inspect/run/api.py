"""Functions for Python users, who give the parts of an experiment as arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ModelCost
from inspect_ai.util import DisplayType

from .experiment import SEED, Experiment
from .planning.cost_estimate import CostLine, estimate_experiment
from .planning.plan import Plan, plan_experiment
from .run_experiment import QUIET, RunResult, run_experiment


def run_systems(
    task: str,
    systems: Sequence[str],
    models: Sequence[str],
    *,
    log_dir: str,
    graders: Sequence[str] = (),
    limit: int | None = None,
    sample_seed: int = SEED,
    epochs: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    eval_options: Mapping[str, Any] | None = None,
    display: DisplayType | None = QUIET,
    max_dollars: float | None = None,
    expected: Mapping[str, float] | None = None,
) -> RunResult:
    """Run every system with every model, as a set that can be resumed; see `run_experiment`.

    The arguments not listed here are the fields of `Experiment`.

    Args:
        log_dir: Folder used only by this set.
        display: Inspect's display, or None for its default.
        max_dollars: Stop before the cost exceeds this.
        expected: Estimated maximum cost of a call in dollars, by model.
    """
    experiment = Experiment(
        task,
        systems,
        models,
        graders=graders,
        limit=limit,
        sample_seed=sample_seed,
        epochs=epochs,
        parameters=parameters or {},
        eval_options=eval_options or {},
    )
    return run_experiment(
        experiment, log_dir, display=display, max_dollars=max_dollars, expected=expected
    )


def estimate_cost(
    task: str,
    systems: Sequence[str],
    models: Sequence[str],
    graders: Sequence[str] = (),
    *,
    limit: int | None = None,
    sample_seed: int = SEED,
    samples: int | None = None,
    epochs: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    batch: bool = False,
    earlier: Sequence[str] = (),
    prices: str | Mapping[str, ModelCost] | None = None,
) -> list[CostLine]:
    """Estimate the cost of a run without calling a paid model; see `estimate_experiment`.

    The arguments not listed here are the fields of `Experiment`.

    Args:
        samples: Number of samples to count, if it differs from the prepared number.
        batch: Whether calls are made in batch mode.
        earlier: Logs or folders of logs with the same systems.
        prices: Value of Inspect's `--model-cost-config`, which overrides the package's prices.
    """
    experiment = Experiment(
        task,
        systems,
        models,
        graders=graders,
        limit=limit,
        sample_seed=sample_seed,
        epochs=epochs,
        parameters=parameters or {},
        eval_options={"batch": batch, "model_cost_config": prices},
    )
    return estimate_experiment(experiment, earlier, samples=samples)


def plan(
    task: str,
    systems: Sequence[str],
    effect: float,
    *,
    parameters: Mapping[str, Any] | None = None,
    earlier: Sequence[str] = (),
    limit: int | None = None,
    sample_seed: int = SEED,
) -> Plan:
    """Estimate how many samples are needed to show a difference; see `plan_experiment`.

    The arguments not listed here are the fields of `Experiment`.

    Args:
        effect: Difference in standard deviations of the paired differences (Cohen's d).
        earlier: Logs or folders of logs from which the variation of differences is taken.
    """
    experiment = Experiment(
        task, systems, (), limit=limit, sample_seed=sample_seed, parameters=parameters or {}
    )
    return plan_experiment(experiment, effect, earlier)
