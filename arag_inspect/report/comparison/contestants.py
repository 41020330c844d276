"""Choose the systems that compete and the pairs to compare."""

from collections import Counter
from itertools import combinations
from typing import NamedTuple

from ...types.system import system_named
from ..study import Study, cached_per_study


class PairFamily(NamedTuple):
    """The pairs of systems to compare."""

    pairs: tuple[tuple[str, str], ...]
    rule: str
    """Description of the pairs, e.g. `every two systems`."""

    partial: bool
    """Whether other pairs are not compared."""


@cached_per_study
def contestants(study: Study) -> tuple[str, ...]:
    """Return the competing systems, without bounds such as closed book and oracle.

    If there are only bounds, all systems are returned.
    """
    competing = tuple(run.system for run in study.rows if not system_named(run.solver).bound)
    return competing or study.systems


@cached_per_study
def family_of(study: Study) -> PairFamily:
    """Return the contestants of the same model in pairs, and each one with the baseline.

    Bounds are paired only with a baseline that is a bound itself.
    A system that answers without a model of Inspect (`none`) is paired with all. If a model has
    only one system, e.g. when one system is run with several models, all systems are paired.
    """
    baseline = study.choices.baseline
    model_free_systems = {run.system for run in study.rows if run.model.startswith("none")}
    models = study.runs["model"]
    competing = contestants(study)
    all_pairs = tuple(combinations(competing, 2))
    systems_by_model = Counter(
        models[system] for system in competing if system not in model_free_systems
    )
    is_one_per_model = 1 in systems_by_model.values()

    def is_compared(a: str, b: str) -> bool:
        if baseline in (a, b):
            return baseline not in competing or {a, b} <= set(competing)
        is_one_model = models[a] == models[b] or bool(model_free_systems & {a, b})
        return {a, b} <= set(competing) and (is_one_per_model or is_one_model)

    pairs = [pair for pair in combinations(study.systems, 2) if is_compared(*pair)]
    ordered_pairs = tuple((b, a) if a == baseline else (a, b) for a, b in pairs)
    if set(all_pairs) <= set(pairs):
        return PairFamily(ordered_pairs, "every two systems", False)
    rule = "every two systems with the same model"
    rule += f", and each system with {baseline}" if baseline in study.systems else ""
    return PairFamily(ordered_pairs, rule, True)


def fixed_baseline(study: Study) -> str | None:
    """Return the chosen baseline, or the earlier run of two; None without one."""
    baseline = study.systems[-1] if study.choices.is_change else study.choices.baseline
    return baseline if baseline in study.systems else None
