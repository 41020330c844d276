"""A figure: one numeric statement of a text."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from ..text.sentences import Span
from ..types.fact import Basis, Direction
from .periods import ANY_PERIOD, Period

Unit = Literal[
    "currency",
    "per_share",
    "percent",
    "points",
    "basis_points",
    "count",
    "multiple",
    "year",
    "date",
]
Base = Literal["year", "quarter"]
Status = Literal["actual", "guidance", "estimate"]
"""`estimate` is what analysts expected."""

Bound = Literal["low", "high"]
Moved = Literal["from", "to"]

POWERS = {"one": 0, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
POWERS |= {"lakh": 5, "crore": 7}
POWERS |= {f"10^{power}": power for power in (4, 8, 10, 11, 13, 16)}
"""Power of ten by scale; of those without an English word by their exponent."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure with its attributes, as its sentence states them."""

    text: str
    """As written."""

    span: Span
    sentence: Span
    """Position of the sentence that contains the figure."""

    value: float
    """As written, before the scale and without the sign."""

    decimals: int
    """Decimals as written; of a range those of the more precise end."""

    unit: Unit
    value_high: float | None = None
    """Upper end of a range, in the scale of the lower end."""

    scale: str = "one"
    """A key of `POWERS`, or the word as written if its power is unknown."""

    currency: str | None = None
    """Lower-case code, e.g. `usd`; an unknown code or sign as written."""

    negative: bool = False
    hedged: bool = False
    """Given as approximate: "about", "nearly", "just over"."""

    bound: Bound | None = None
    """Whether it is only a lower ("over") or an upper end ("nearly", "at most")."""

    denied: bool = False
    """Whether the sentence negates it: "was not $5 million", "did not rise 5%"."""

    direction: Direction | None = None
    change: bool = False
    """Whether it is the size of a change ("up 5%"), not a level ("to $1.2 billion")."""

    level: bool | None = None
    """Whether words right before it make it a level ("costs were"), or a change ("fell by")."""

    moved: Moved | None = None
    """Which end it is of a move: "from 3.1% to 2.2%"."""

    derived: bool = False
    """Whether it is computed from figures of its sentence, not written there."""

    against: Base | None = None
    """Base of a change: the same period of last year, or the quarter before."""

    period: Period = ANY_PERIOD
    basis: Basis | None = None
    status: Status | None = None
    metric: str | None = None
    named: bool = False
    """Whether the metric stands beside the figure."""

    qualifiers: frozenset[str] = frozenset()
    """Words that narrow the metric, e.g. the name of a segment."""

    words: frozenset[str] = frozenset()
    """Content words of the sentence."""

    metrics: frozenset[str] = frozenset()
    """Metrics that the sentence names."""

    compares: bool = False
    """Whether the sentence compares periods, so that it may be unclear which a figure is of."""

    @property
    def dimension(self) -> str:
        """Dimension of the amount; figures of one dimension can be compared."""
        if self.scale not in POWERS:
            return f"{self.currency or self.unit} {self.scale}"
        if self.unit in ("currency", "per_share"):
            return self.currency or "money"
        return "points" if self.unit == "basis_points" else self.unit

    @property
    def amount(self) -> float:
        """Lower end in the base unit of its dimension: dollars, percentage points, pieces."""
        return self._signed(self.value)

    @property
    def amount_high(self) -> float | None:
        """Upper end in the same unit."""
        return None if self.value_high is None else self._signed(self.value_high)

    @property
    def step(self) -> float:
        """Smallest difference that its notation can show."""
        return self._factor * 10.0**-self.decimals

    def as_dict(self) -> dict[str, Any]:
        """Return all fields but those of the whole sentence as JSON values."""
        fields = asdict(self)
        for name in ("words", "metrics", "compares", "named"):
            del fields[name]
        return fields | {"qualifiers": sorted(self.qualifiers)}

    @property
    def _factor(self) -> float:
        return 0.01 if self.unit == "basis_points" else 10.0 ** POWERS.get(self.scale, 0)

    def _signed(self, value: float) -> float:
        return (-value if self.negative else value) * self._factor
