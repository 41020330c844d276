"""Datasheets of sets of human labels."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from ..._util.errors import InputError, first_error, one_line
from ..._util.yaml_text import parse_yaml

LabelKind = Literal["binary", "graded", "pairs"]
"""`binary`: 1 is good and 0 is bad; `graded`: more is better; `pairs`: which of two answers is
better.
"""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Columns(_Model):
    """Templates of the fields of a labelled answer; `sets.yaml` explains their placeholders."""

    id: str
    answer: str | tuple[str, str]
    """Two of them for a pair, of which the label prefers the first if negative."""

    label: str
    labels: Mapping[str, float] = {}
    """Number by label, in any case; none: the label is a number from 0 to 1."""

    source: str = ""
    reference: str = ""
    question: str = ""
    group: str = ""
    """Document; by default answers with the same source or reference are of one document."""

    subset: str = ""
    """Domain; by default the name of the set."""

    each: str = ""
    """List in the row, each item of which is a row of its own."""

    only: Mapping[str, str] = {}
    """Rows with another value in one of these columns are left out."""


class Published(_Model):
    """Published statistics."""

    where: str
    statistic: str
    values: Mapping[str, float]
    """By measure."""


class HumanSet(_Model):
    """A set of human labels."""

    name: str
    title: str
    origin: str
    """Repository and folder of the published files."""

    licence: str
    kind: LabelKind
    rule: str
    """Conversion of a label to a number."""

    size: int | None = None
    """Labels in the published files: answers, insights or pairs; None if unknown."""

    files: Sequence[str]
    """Patterns of the files that hold labels."""

    digests: Mapping[str, str] = {}
    """SHA-256 of the known files."""

    sources: Sequence[str] = ()
    """Patterns of files with values that the labelled rows lack."""

    key: str = ""
    """Template of the value that a labelled row and its row of `sources` share."""

    columns: Columns | None = None
    reader: Literal["qags", "summhay"] | None = None
    """Function for rows that columns cannot describe."""

    note: str = ""
    published: Published | None = None

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        if (self.columns is None) == (self.reader is None):
            raise ValueError("give columns")
        if bool(self.sources) != bool(self.key):
            raise ValueError("give sources and key, or neither")
        return self


SETS: Mapping[str, HumanSet] = {
    name: HumanSet(name=name, **sheet)
    for name, sheet in parse_yaml(
        files(__package__).joinpath("sets.yaml").read_text(encoding="utf-8")
    ).items()
}


def find_set(name: str) -> HumanSet:
    """Return the set of that name, or the one that a YAML file describes.

    Raises:
        InputError: The name is unknown, or the file is no datasheet.
    """
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        if name not in SETS:
            raise InputError(
                f"set {name!r} is unknown; choose from {', '.join(SETS)}, or name a YAML file"
            )
        return SETS[name]
    try:
        sheet = parse_yaml(path.read_text(encoding="utf-8"))
        return HumanSet.model_validate({"name": path.stem, **sheet})
    except ValidationError as error:
        raise InputError(f"{name}: {first_error(error)}") from None
    except (OSError, UnicodeDecodeError, TypeError, yaml.YAMLError) as error:
        raise InputError(f"{name} cannot be read as a datasheet ({one_line(error)})") from None
