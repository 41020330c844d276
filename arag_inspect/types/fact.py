"""Typed facts that a summary can state, omit or get wrong."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Basis = Literal["gaap", "adjusted"]
Status = Literal["actual", "guidance"]
Direction = Literal["up", "down", "flat"]
Scale = Literal["one", "thousand", "million", "billion"]
Unit = Literal["usd", "usd_per_share", "percent", "basis_points", "count"]


class Fact(BaseModel):
    """One statement of a document, with its figure parsed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fact_id: str
    """Unique within the document."""

    metric: str
    """Lower-case metric: `revenue`, `diluted eps`, `gross margin`, `free cash flow`."""

    value: float | None
    """The figure as written, before its scale (`4.2` in "$4.2 billion"); None if the fact has none.
    """

    value_high: float | None = None
    """Upper end if the figure is a range; `value` is then the lower end."""

    scale: Scale = "one"
    """Power of a thousand that multiplies the figure."""

    unit: Unit | None = None
    """Unit of the figure; None if there is no figure."""

    period: str
    """Period of the figure, e.g. `Q3_2021` or `FY_2022`."""

    basis: Basis | None = None
    """Accounting basis, if the document states it."""

    status: Status = "actual"
    """Reported result or outlook."""

    direction: Direction | None = None
    """Stated direction of change."""

    sentence: str
    """The sentence of the document that states the fact, verbatim."""
