"""A figure in a text, with what its sentence says about it."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from ..text.sentences import Span
from ..types.sample import Basis, Direction
from .figure_wording import UNWORDED, Wording
from .periods import ANY_PERIOD, Period

Unit = Literal[
    "currency", "per_share", "percent", "points", "basis_points", "count",
    "multiple", "rank", "year", "date",
]  # fmt: skip
Base = str
"""Base of a change: `year` (the same period of last year), `quarter` (the one before) or a year."""
Status = Literal["actual", "guidance", "estimate", "hypothetical", "authorized"]
"""`estimate` is what analysts expected, `authorized` what may be done ("up to")."""

Bound = Literal["low", "high"]
Moved = Literal["from", "to"]
Expectation = Literal["beat", "miss"]

POWERS = {"one": 0, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
POWERS |= {"lakh": 5, "crore": 7}
POWERS |= {f"10^{power}": power for power in (4, 8, 10, 11, 13, 16)}
"""Power of ten by scale; scales without an English word have their exponent as name."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The other side of a figure's comparison."""

    base_period: Period | None = None
    """Period from which a change is measured, if the sentence states it."""

    later: Period | None = None
    """Period of the figures compared with this earlier figure, if the sentence states it."""

    year: int | None = None
    """Year of the sentences before, if its sentence states no year."""

    other_end: float | None = None
    """Amount of the level that it is compared with, or that is compared with it."""

    expectation: Expectation | None = None
    """How it compares with what its sentence says analysts expected."""


UNCOMPARED = Counterpart()


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
    """Decimals as written; for a range, of the more precise end."""

    unit: Unit
    value_high: float | None = None
    """Upper end of a range, in the scale of the lower end."""

    middle: float | None = None
    """Middle around which a range was written: 410 of "410, plus or minus 5"."""

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
    """Its end of a move: "from 3.1% to 2.2%"."""

    against: Base | None = None
    """Base of a change: the same period of last year, or the quarter before."""

    period: Period = ANY_PERIOD
    basis: Basis | None = None
    status: Status | None = None
    metric: str | None = None
    per: str | None = None
    """Unit of a price or rate: "ounce" of "$5 per ounce"."""

    measure: str | None = None
    """Dimension of a count with a unit: power of 5.4 GW; None for pieces."""

    size: float = 1.0
    """Size of that unit in the smallest of its dimension."""

    qualifiers: frozenset[str] = frozenset()
    """Words that narrow the metric, e.g. the name of a segment."""

    counterpart: Counterpart = UNCOMPARED
    wording: Wording = UNWORDED

    @property
    def dimension(self) -> str:
        """Dimension of the amount; figures of one dimension can be compared."""
        if self.scale not in POWERS:
            return f"{self.currency or self.unit} {self.scale}"
        if self.unit in ("currency", "per_share"):
            return self.currency or "money"
        if self.unit == "count":
            return self.measure or "count"
        return "points" if self.unit == "basis_points" else self.unit

    @property
    def amount(self) -> float:
        """Lower end in the base unit of its dimension: dollars, percentage points, pieces."""
        return self._apply_sign(self.value)

    @property
    def amount_high(self) -> float | None:
        """Upper end in the same unit."""
        return None if self.value_high is None else self._apply_sign(self.value_high)

    @property
    def step(self) -> float:
        """Smallest difference that its notation can show."""
        return self._factor * 10.0**-self.decimals

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that a reader is shown as JSON values."""
        fields = asdict(replace(self, counterpart=UNCOMPARED, wording=UNWORDED))
        del fields["counterpart"], fields["wording"]
        return fields | {"qualifiers": sorted(self.qualifiers)}

    @property
    def _factor(self) -> float:
        if self.unit == "basis_points":
            return 0.01
        return self.size * 10.0 ** POWERS.get(self.scale, 0)

    def _apply_sign(self, value: float) -> float:
        return (-value if self.negative else value) * self._factor
