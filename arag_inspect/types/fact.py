"""A typed fact: what a summary of a document can get right or wrong."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Basis = Literal["gaap", "adjusted"]
Status = Literal["actual", "guidance"]
Direction = Literal["up", "down", "flat"]
Scale = Literal["one", "thousand", "million", "billion"]
Unit = Literal["usd", "usd_per_share", "percent", "basis_points", "count"]


class Fact(BaseModel):
    """One statement of a document, with the typed reading of its figure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fact_id: str
    """Unique within the document."""

    metric: str
    """What is measured, in lower case: `revenue`, `diluted eps`, `gross margin`, `free cash flow`."""

    value: float | None
    """The figure as written, before its scale (`4.2` in "$4.2 billion"); None where the fact has none."""

    value_high: float | None = None
    """Upper end, where the figure is a range; `value` is then the lower end."""

    scale: Scale = "one"
    """Power of a thousand that multiplies the figure."""

    unit: Unit | None = None
    """What is counted; None where there is no figure."""

    period: str
    """Period that the figure belongs to, e.g. `Q3_2021` or `FY_2022`."""

    basis: Basis | None = None
    """Accounting basis, where the document says so."""

    status: Status = "actual"
    """Reported result or outlook."""

    direction: Direction | None = None
    """Change that the sentence states."""

    sentence: str
    """The sentence of the document that states the fact, verbatim."""
