"""Success criteria as a user writes them."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .._util.errors import InputError
from .._util.untrusted import read_yaml


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


_CRITERIA = TypeAdapter(tuple[Criterion, ...])


def read_criteria(path: Path | None = None) -> tuple[Criterion, ...]:
    """Read a list of criteria; without a path, the built-in one.

    Raises:
        InputError: It cannot be read, or is not a list of criteria.
    """
    file = path or Path(__file__).with_name("criteria.yaml")
    try:
        return _CRITERIA.validate_python(read_yaml(file, "criteria"))
    except ValidationError as error:
        problem = error.errors()[0]
        location = ".".join(map(str, problem["loc"]))
        raise InputError(f"criteria {path}, {location or 'list'}: {problem['msg']}") from None
