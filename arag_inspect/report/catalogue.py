"""The measures of comparable runs: their specs, and which of them measures an aspect."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from .._util.extras import extra
from ..measure import (
    Aspect,
    MeasureKey,
    MeasureSpec,
    Role,
    Scale,
    by_family,
    by_role,
    declared_measure,
    default_spec,
    find_measure,
)
from .frames import InferredMeasure

with extra("report"):
    import pandas as pd

_LONGEST_NAME = 60
"""Maximum characters of the name of an error code."""


class MeasureCatalogue:
    """Measures that any of the runs has, as their scorers declare them."""

    def __init__(self, runs: pd.DataFrame, scores: pd.DataFrame) -> None:
        self._runs = runs
        self._scores = scores

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Distinct keys of the measures, in the order of the runs."""
        keys: dict[str, None] = {}
        for measures in self._runs["measures"]:
            keys.update(dict.fromkeys(measures))
        return tuple(keys)

    @cached_property
    def declared(self) -> dict[str, MeasureSpec]:
        """Measures by key, as the scorers of any run declare them, except the contested ones."""
        specs: dict[str, MeasureSpec] = {}
        for declared_by_run in self._runs["declared"]:
            specs |= declared_by_run
        for key, inferred in self._inferred.items():
            specs[key] = _merge_inferred(inferred)
        for key, labels in self._labels_by_argument.items():
            specs[key] = replace(specs[key], label=" / ".join(labels))
        return specs | {key: default_spec(key) for key in self.contested}

    @cached_property
    def _labels_by_argument(self) -> dict[str, dict[str, None]]:
        """Distinct labels of the measures that an argument names, in the runs that have them."""
        labels: dict[str, dict[str, None]] = defaultdict(dict)
        for measures, specs in zip(self._runs["measures"], self._runs["declared"], strict=True):
            for key in measures:
                spec = specs.get(key)
                if spec is not None and spec.named_by:
                    labels[key][spec.label] = None
        return labels

    @cached_property
    def contested(self) -> tuple[str, ...]:
        """Measures whose direction, range or role differs between the logs that declare them."""
        contested = []
        for key, specs in self._specs_by_key.items():
            definitions = {spec.definition for spec in specs}
            directions = {spec.higher_is_better for spec in specs}
            is_opposed = True in directions and False in directions
            if len(definitions) > 1 and (is_opposed or key not in self._inferred):
                contested.append(key)
        return tuple(contested)

    @cached_property
    def assumed(self) -> frozenset[str]:
        """Measures whose direction is assumed from their values: no log or user states it."""
        specs = (_merge_inferred(inferred) for inferred in self._inferred.values())
        return frozenset(spec.key for spec in specs if spec.is_assumed)

    @cached_property
    def _specs_by_key(self) -> dict[str, list[MeasureSpec]]:
        """Specs of each measure in the runs that have any value of it."""
        specs: dict[str, list[MeasureSpec]] = defaultdict(list)
        runs = zip(self._runs["measures"], self._runs["declared"], strict=True)
        for measures, specs_of_run in runs:
            for key in measures:
                if declared_measure(key, specs_of_run):
                    specs[key].append(find_measure(key, specs_of_run))
        return specs

    @cached_property
    def _inferred(self) -> dict[str, list[InferredMeasure]]:
        """Specs of each measure that no run declares."""
        inferred: dict[str, list[InferredMeasure]] = {}
        for key, specs in self._specs_by_key.items():
            from_values = [spec for spec in specs if isinstance(spec, InferredMeasure)]
            if len(from_values) == len(specs):
                inferred[key] = from_values
        return inferred

    @cached_property
    def specs(self) -> tuple[MeasureSpec, ...]:
        """Specs of all measures, by family."""
        return by_family(self.spec(key) for key in self.keys)

    @cached_property
    def main(self) -> tuple[MeasureSpec, ...]:
        """Measures on which findings are based: the primary ones, then the secondary ones."""
        return by_role(spec for spec in self.specs if spec.role != "diagnostic")

    def spec(self, key: str) -> MeasureSpec:
        """Return the spec of a measure, with the scale of its grades and the name of its code."""
        scorer, code = MeasureKey.parse(key)
        spec = find_measure(key, self.declared, self._scales.get(scorer, ()))
        name = self._code_names.get(code) if spec.family == "errors" else None
        if not name:
            return spec
        return replace(spec, label=f"{name[:1].upper()}{name[1:]} ({code})")

    def error_label(self, code: str) -> str:
        """Return the label of an error code."""
        return self.spec(str(MeasureKey(self.taxonomy, code))).label

    def key_of(self, aspect: Aspect) -> str:
        """Return the key of the measure of an aspect; the aspect itself if no measure has it."""
        return next(iter(self.keys_of(aspect)), aspect)

    def keys_of(self, aspect: str) -> tuple[str, ...]:
        """Return the measures of an aspect, with substitutes after the measures they replace.

        Measures that the runs have come before others that are declared.
        """
        return self._keys_by_aspect.get(aspect, ())

    @cached_property
    def taxonomy(self) -> str:
        """The scorer that gives error codes; empty if none is known."""
        specs = (*self._unscaled, *self.declared.values())
        return next((spec.scorer for spec in specs if spec.family == "errors"), "")

    @cached_property
    def _unscaled(self) -> tuple[MeasureSpec, ...]:
        """Specs of the measures without what only scores tell: scales and names of codes."""
        return tuple(find_measure(key, self.declared) for key in self.keys)

    @cached_property
    def _keys_by_aspect(self) -> dict[str, tuple[str, ...]]:
        keys: dict[str, dict[str, None]] = defaultdict(dict)
        for spec in sorted(self._unscaled, key=lambda spec: len(spec.stands_in_for)):
            keys[spec.aspect][spec.key] = None
        for spec in self.declared.values():
            keys[spec.aspect].setdefault(spec.key, None)
        return {aspect: tuple(names) for aspect, names in keys.items() if aspect}

    @cached_property
    def _scales(self) -> dict[str, tuple[Scale, ...]]:
        """Scales of each scorer's grades, lowest first, where the logs contain them."""
        scaled = self._scores.dropna(subset=["scale"]).groupby("scorer")["scale"]
        return {str(name): tuple(sorted(set(values))) for name, values in scaled}

    @cached_property
    def _code_names(self) -> dict[str, str]:
        """Names of the error codes, where the logs give them."""
        coded = self._scores[self._scores["scorer"] == self.taxonomy].drop_duplicates("answer")
        names: dict[str, str] = {}
        for details in coded["details"].dropna():
            named_codes = details.get("names")
            if isinstance(named_codes, Mapping):
                names |= {
                    str(code): str(name)[:_LONGEST_NAME] for code, name in named_codes.items()
                }
        return names


def _merge_inferred(specs: Sequence[InferredMeasure]) -> InferredMeasure:
    """Return one spec for what runs show of a measure that none of them declares.

    It has a range if all runs have the same one. A run with only 0 and 1 does not show that other
    values are impossible, nor that higher is better if another run has other values.
    """
    first, *others = specs
    if all(spec.definition == first.definition for spec in others):
        return replace(first, is_assumed=all(spec.is_assumed for spec in specs))
    directions = {spec.higher_is_better for spec in specs if not spec.is_assumed}
    better = directions.pop() if len(directions) == 1 else None
    role: Role = "diagnostic" if better is None else "secondary"
    return replace(first, low=None, high=None, higher_is_better=better, role=role, is_assumed=False)
