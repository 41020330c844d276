"""Rules of a gate: the allowed mean of a measure, or the allowed change of its mean."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ..._util.errors import InputError
from ..._util.yaml_text import read_yaml
from ...report.cells import Signed
from ...stats.estimates import Estimate

_RULE = re.compile(
    r"\s*(\S.*?)\s*(>=|<=)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*", re.IGNORECASE
)

RuleVerdict = Literal["kept", "broken", "undecided"]

WhenUndecided = Literal["fail", "pass", "mean"]
"""How to decide a rule with too few samples; `mean` decides by the mean alone."""

_ROUNDING = 1e-9
"""Largest distance from a bound that floating-point arithmetic causes."""


class Rule(NamedTuple):
    """Allowed mean, or change of a mean from the earlier run to the new one."""

    measure: str
    sign: Literal[1, -1]
    """1 for `>=`, -1 for `<=`."""

    bound: float

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.sign > 0 else '<='} {self.bound:g}"

    def allows(self, value: float) -> bool:
        """Return whether a mean or change is on the allowed side of the bound."""
        return self.sign * value >= self.sign * self.bound - _ROUNDING

    def verdict(self, figure: Estimate | Signed | None) -> RuleVerdict:
        """Return on which side of the bound the whole interval of a figure lies, if on one side."""
        if figure is None or figure.low is None or figure.high is None:
            return "undecided"
        low, high = sorted((self.sign * figure.low, self.sign * figure.high))
        lowest_allowed = self.sign * self.bound - _ROUNDING
        if low >= lowest_allowed:
            return "kept"
        return "broken" if high < lowest_allowed else "undecided"


def read_rules(rules: str | Sequence[str] = (), file: Path | str | None = None) -> list[Rule]:
    """Read rules such as `geval_faithfulness >= -0.2`, from texts and from a YAML list.

    Args:
        rules: Text of a rule, or several.
        file: A YAML file with a list of rules.

    Raises:
        InputError: There is no rule, a rule is malformed, or the file is not a list.
    """
    texts: list[object] = [rules] if isinstance(rules, str) else [*rules]
    if file is not None:
        entries = read_yaml(Path(file), "rules")
        texts += entries if isinstance(entries, list) else [entries]
    if not texts:
        raise InputError("give at least one --rule, e.g. --rule 'MEASURE >= -0.2'")
    return [_parse(str(text)) for text in texts]


def _parse(text: str) -> Rule:
    match = _RULE.fullmatch(text)
    if match is None:
        raise InputError(f"rule {text!r} is not MEASURE >= NUMBER or MEASURE <= NUMBER")
    measure, comparison, bound = match.groups()
    return Rule(measure, 1 if comparison == ">=" else -1, float(bound))
