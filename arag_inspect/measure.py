"""Measure specifications (label, range, direction, role) and grading scales."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

from inspect_ai.util import registry_info
from pydantic import TypeAdapter, ValidationError

from ._util.errors import InputError, check_choice


class Scale(NamedTuple):
    """Grading scale: lowest and highest grade, both integers."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    def of_five(self, grade: float) -> float:
        """Rescale a grade to the range 1 to 5."""
        return 1 + 4 * (grade - self.low) / (self.high - self.low)


DEFAULT_SCALE = Scale(1, 5)

GRADES: Mapping[str, Any] = {
    "low": DEFAULT_SCALE.low,
    "high": DEFAULT_SCALE.high,
    "graded": True,
}
"""`MeasureSpec` fields for a grade from 1 to 5: `MeasureSpec(..., **GRADES)`."""

_GOOD = 0.75
"""Fraction of the scale at and above which a grade is good."""

_LARGEST = 1_000_000


def parse_scale(scale: object) -> Scale:
    """Read a scale given as text (`1,5`) or as two numbers.

    Raises:
        InputError: The scale is not two ascending, non-negative integers.
    """
    if isinstance(scale, Sequence) and not isinstance(scale, str):
        scale = ",".join(map(str, scale))
    match = re.fullmatch(r"\s*([\[(]?)\s*(\d+)\s*,\s*(\d+)\s*([\])]?)\s*", str(scale))
    if match is None or match[1] + match[4] not in ("", "[]", "()"):
        raise InputError(f"scale must be two whole numbers such as 1,5, got {scale!r}")
    result = Scale(int(match[2]), int(match[3]))
    if result.low >= result.high:
        raise InputError(f"scale must rise from a lowest score of 0 or more, got {scale!r}")
    return result


def scale_of(metadata: Mapping[str, Any] | None) -> Scale | None:
    """Return the scale in a score's metadata; None if it has none."""
    ends = (metadata or {}).get("scale")
    if not isinstance(ends, list | tuple) or [type(end) for end in ends] != [int, int]:
        return None
    return Scale(*ends) if -_LARGEST <= ends[0] < ends[1] <= _LARGEST else None


MeasureFamily = Literal[
    "judgement", "facts", "retrieval", "overlap", "errors", "human", "other", "cost"
]
"""Family of a measure, in report order."""

Output = Literal["answer", "summary", "section"]
"""Kind of output: an answer, a summary, or a summary whose gold evidence is whole sections."""

Role = Literal["primary", "secondary", "diagnostic"]
"""`primary`: the measure a task asks for; `secondary`: another view of it; `diagnostic`: explains a
score.
"""

Aspect = Literal[
    "recall",
    "precision",
    "evidence read",
    "search recall",
    "reference facts read",
    "facts read",
    "sufficiency",
    "facts stated",
    "facts matched",
    "coverage",
    "items stated",
    "correctness",
    "wrong answers",
    "refusal",
    "right refusal",
    "faithfulness",
    "statements supported",
    "figures",
    "sentences",
    "criteria",
    "overlap",
    "sections",
    "errors",
    "loops",
    "words",
    "cost",
    "latency",
]
"""Subject of a measure, by which analyses look it up."""

InsertedFlaw = Literal[
    "number_changed",
    "direction_flipped",
    "stale_figure",
    "entities_swapped",
    "sentence_dropped",
    "foreign_sentence",
]
"""An error that `validate` inserts into a good text."""

FALSE_STATEMENTS: tuple[InsertedFlaw, ...] = (
    "number_changed",
    "direction_flipped",
    "stale_figure",
    "entities_swapped",
)
"""Errors that make a statement of a good text false."""


class MeasureKey(NamedTuple):
    """Key of a measure, written `scorer`, or `scorer.value_key` for a value with several keys."""

    scorer: str
    value_key: str = ""
    """Key in the score's value; empty if the value is one number."""

    @classmethod
    def parse(cls, text: str) -> "MeasureKey":
        """Read a key from its form in logs and reports."""
        scorer, _, value_key = text.partition(".")
        return cls(scorer, value_key)

    def __str__(self) -> str:
        return f"{self.scorer}.{self.value_key}" if self.value_key else self.scorer


@dataclass(frozen=True)
class MeasureSpec:
    """One measure of a scorer; by default a share for which higher is better."""

    key: str
    """A `MeasureKey` as text, in which `*` matches any text."""

    label: str
    """Name in a report. `*` is replaced by the text that the `*` of the key matches."""

    short_label: str = ""
    """Column heading in the log browser; by default the label."""

    description: str = ""
    """One line; for a scorer with one measure, by default the first line of its docstring."""

    noun: str = ""
    """Noun to use in a sentence, if the label is not a noun."""

    verb: str = ""
    """Predicate of the better of two systems, by default `is better in NOUN`."""

    family: MeasureFamily = "other"
    role: Role = "diagnostic"
    decides: tuple[Output, ...] | None = None
    """Outputs for which it decides, whatever its role; by default all for the role `primary`."""

    stands_in_for: tuple[str, ...] = ()
    """Keys of measures that it replaces if all of them are missing."""

    order: int = 0
    """Sort position among the deciding measures of its family, lowest first."""

    aspect: str = ""
    """What it measures: an `Aspect`, or a name that another package's analyses look up."""

    judged: bool = False
    """Whether it requires a judge."""

    must_detect: tuple[InsertedFlaw, ...] | None = (*FALSE_STATEMENTS, "foreign_sentence")
    """Inserted errors that its judge must mark down.

    If empty, `validate` checks only for judge bias; if None, it skips the measure.
    """

    compared_with: Literal["source", "reference"] = "source"
    """Material that its judge compares a text with."""

    low: float | None = 0.0
    high: float | None = 1.0
    """Highest possible value; None if unbounded."""

    higher_is_better: bool | None = True
    """None if neither direction is better."""

    tie: float = 1e-9
    """Smallest difference between two values that counts; smaller ones are rounding errors."""

    graded: bool = False
    """Whether values are grades or means of grades."""

    in_metadata: bool = False
    """Whether its values are in the score metadata rather than in the score's value.

    They are in `shares` by value key; the score's value is a single number.
    """

    signature: tuple[str, ...] = ()
    """Parameters and libraries in its signature that affect the value."""

    named_by: str = ""
    """Parameter of the scorer whose value follows the label, e.g. the dimension of a grade."""

    exported: str = ""
    """Field of a report's `predictions.eval.jsonl`; empty if it is not in this file."""

    @property
    def scorer(self) -> str:
        """Name of the scorer."""
        return MeasureKey.parse(self.key).scorer

    @property
    def value_key(self) -> str:
        """Key in the score's value; the scorer's name if the value is one number."""
        return MeasureKey.parse(self.key).value_key or self.scorer

    @property
    def sign(self) -> int:
        """-1 if a lower value is better, else 1."""
        return -1 if self.higher_is_better is False else 1

    @property
    def range_width(self) -> float | None:
        """Largest difference of two values; None if unbounded."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def is_quality(self) -> bool:
        """Whether a better value means a better answer."""
        return self.higher_is_better is not None and self.family != "cost"

    def decides_on(self, output: Output) -> bool:
        """Return whether it decides which system is better on a kind of output."""
        return self.role == "primary" if self.decides is None else output in self.decides

    @property
    def good_grade(self) -> float | None:
        """Lowest good grade, three quarters up the scale: 4 on a scale from 1 to 5.

        None if the values are not grades, or higher is not better.
        """
        if not self.graded or not self.higher_is_better or self.low is None or self.high is None:
            return None
        return self.low + _GOOD * (self.high - self.low)

    @property
    def definition(self) -> tuple[object, ...]:
        """Properties that decide which system is better: direction, range and role."""
        return self.higher_is_better, self.low, self.high, self.graded, self.role, self.is_quality


def measures(*specs: MeasureSpec, scorer: str = "", **shared: Any) -> tuple[MeasureSpec, ...]:
    """Declare the measures of a scorer.

    Args:
        specs: One per key.
        scorer: The scorer, if `key` is only the key of its value.
        shared: Fields common to all of them.
    """
    if scorer:
        specs = tuple(replace(spec, key=str(MeasureKey(scorer, spec.key))) for spec in specs)
    return tuple(
        replace(spec, short_label=spec.short_label or spec.label, **shared) for spec in specs
    )


def measures_of(scorer: object) -> tuple[MeasureSpec, ...]:
    """Return the measures that a scorer, or its factory, declares."""
    return read_measures(registry_info(scorer).metadata.get("measures"))


def read_measures(declared: object) -> tuple[MeasureSpec, ...]:
    """Read declared measures from a log or registry; empty if they are malformed."""
    try:
        return _SPECS.validate_python(declared or ())
    except ValidationError:
        return ()


def find_measure(
    key: str, specs: Mapping[str, MeasureSpec], scales: Sequence[Scale] = ()
) -> MeasureSpec:
    """Return the spec of a measure.

    An undeclared measure has its key as label, and no direction.

    Args:
        key: Key of the measure, as in a log.
        specs: Declared measures by key.
        scales: Scales of its grades; 1 to 5 by default.
    """
    spec = declared_measure(key, specs) or default_spec(key)
    if not spec.graded:
        return spec
    scales = scales or (DEFAULT_SCALE,)
    return replace(
        spec,
        label=f"{spec.label} ({' and '.join(map(str, scales))})",
        low=min(scale.low for scale in scales),
        high=max(scale.high for scale in scales),
    )


def declared_measure(key: str, specs: Mapping[str, MeasureSpec]) -> MeasureSpec | None:
    """Return the declared spec whose key or pattern matches a measure, if any."""
    return specs.get(key) or _match_pattern(key, specs.values())


def find_key(name: str, keys: Sequence[str], kind: str = "measure") -> str:
    """Return the key of a measure by its name: the key, or its part after the scorer's name.

    Args:
        name: Name that a user gave.
        keys: Keys of the measures.
        kind: Kind of measure, for the error message.

    Raises:
        InputError: No measure has the name, or several have.
    """
    keys_by_name = [key for key in keys if MeasureKey.parse(key).value_key == name]
    if name in keys or not keys_by_name:
        check_choice(kind, name, keys)
        return name
    if len(keys_by_name) > 1:
        raise InputError(f"{kind} {name!r} is one of several: {', '.join(keys_by_name)}")
    return keys_by_name[0]


def default_spec(key: str) -> MeasureSpec:
    """Return a default spec for a measure that was not declared."""
    return MeasureSpec(key, key, low=None, high=None, higher_is_better=None)


def by_family(specs: Iterable[MeasureSpec]) -> tuple[MeasureSpec, ...]:
    """Sort measures by family, preserving order within each."""
    return tuple(sorted(specs, key=lambda spec: _FAMILIES.index(spec.family)))


def by_order(specs: Iterable[MeasureSpec]) -> tuple[MeasureSpec, ...]:
    """Sort measures by family, then by declared order."""
    return by_family(sorted(specs, key=lambda spec: spec.order))


def by_role(specs: Iterable[MeasureSpec]) -> tuple[MeasureSpec, ...]:
    """Sort measures by role, primary first, preserving order within each."""
    return tuple(sorted(specs, key=lambda spec: _ROLES.index(spec.role)))


_FAMILIES: tuple[MeasureFamily, ...] = get_args(MeasureFamily)
_ROLES: tuple[Role, ...] = get_args(Role)
_SPECS = TypeAdapter(tuple[MeasureSpec, ...])

_HUMAN = measures(
    MeasureSpec("human", "Human"),
    MeasureSpec("human.*", "Human *"),
    MeasureSpec("precomputed_scores*", "Human *"),
    family="human",
    low=None,
    high=None,
)


def _match_pattern(key: str, specs: Iterable[MeasureSpec]) -> MeasureSpec | None:
    for spec in (*_HUMAN, *specs):
        if spec.key == key:
            return spec
        if "*" not in spec.key:
            continue
        pattern = re.escape(spec.key).replace(r"\*", "(.*)")
        match = re.fullmatch(pattern, key)
        if match:
            text = match[1].strip("._")
            return replace(
                spec,
                key=key,
                label=spec.label.replace("*", text.replace("_", " ")).strip(),
                short_label=spec.short_label.replace("*", text),
            )
    return None
