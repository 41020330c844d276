"""Success criteria."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from .._util.files import packaged_yaml


class Criterion(BaseModel):
    """A figure and its required minimum."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    statistic: Literal[
        "difference",
        "unchanged",
        "share_of_way",
        "share_coded",
        "share_readable",
        "share_retrieval",
        "share_effort",
        "share_finished",
    ]
    measure: str = ""
    """Key of a measure, or what it measures (`recall`); empty for each primary measure."""

    system: str = ""
    over: str = ""
    """Solver to evaluate, or the two solvers to subtract."""

    style: str = ""
    """Kind of answer to which it applies; empty for all."""

    except_styles: tuple[str, ...] = ()
    """Kinds of answer to which it does not apply."""

    at_least: float


def read_criteria() -> tuple[Criterion, ...]:
    """Return the package's criteria."""
    return tuple(Criterion(**row) for row in packaged_yaml(__package__, "criteria.yaml"))
