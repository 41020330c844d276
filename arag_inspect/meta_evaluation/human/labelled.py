"""Answers that people have labelled, and the datasheet of a set of them."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from ..._util.errors import InputError
from ...datasets._io.records import Row, read_rows

LabelKind = Literal["binary", "graded", "pairs"]
"""`binary`: 1 is good and 0 is bad; `graded`: more is better; `pairs`: which of two answers is better."""

Split = Literal["development", "test", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """An answer with what people said of it."""

    id: str
    answer: str
    label: float
    group: str
    """Document or question; answers of a group are resampled together."""

    subset: str
    """Domain; figures are computed within one and averaged over all."""

    source: str = ""
    """Text that the answer was written from; empty where the set has none."""

    reference: str = ""
    """Text that reference-based scorers compare with; the source where the set has no other."""

    question: str = ""
    unit: str = ""
    """Id of what the label is about: the answer, or the pair that it belongs to."""

    sign: int = 1
    """1, or -1 for the first answer of a pair."""

    @property
    def split(self) -> Split:
        """Half of the groups, by digest, for choosing thresholds; the other for reporting."""
        first = hashlib.sha256(self.group.encode()).digest()[0]
        return "development" if first % 2 == 0 else "test"


class Published(NamedTuple):
    """A figure that a publication reports."""

    measure: str
    statistic: str
    value: float
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanSet:
    """Datasheet of a set and the function that reads its rows."""

    name: str
    title: str
    origin: str
    """Repository and folder of the published files."""

    commit: str | None = None
    """Commit of the copy whose digests are recorded; None where it is not known."""

    licence: str
    kind: LabelKind
    rule: str
    """How a label becomes a number."""

    size: int
    """Labels in the published files: answers, insights or pairs."""

    files: Mapping[str, str | None]
    """SHA-256 by file name; None where no digest was recorded."""

    parse: Callable[[Row, str], Iterator[LabelledAnswer]]
    """Labelled answers of a row of a file, by the name of the file without its suffix."""

    several_annotators: bool = False
    """Whether an answer has a row for each annotator; their labels are averaged."""

    may_be_empty: bool = False
    """Whether an empty answer was labelled too."""

    published: tuple[Published, ...] = ()
    note: str = ""


class Copy(NamedTuple):
    """What a local folder holds of a set."""

    answers: list[LabelledAnswer]
    digests: dict[str, str]
    """SHA-256 by file."""

    missing: list[str]
    """Files of the set that the folder lacks."""


def read_copy(data: HumanSet, folder: Path, *, any_copy: bool = False) -> Copy:
    """Read a local copy of a set.

    Args:
        data: The set.
        folder: Folder with its files.
        any_copy: Accept a file whose digest is not the recorded one.

    Raises:
        InputError: No file is there, a digest is another, a label is unknown, an id occurs twice, or an answer is empty.
    """
    present = [name for name in data.files if (folder / name).is_file()]
    if not present:
        expected = ", ".join(data.files)
        raise InputError(f"{folder} has no file of {data.name}; expected {expected}")
    digests = {name: _digest(folder / name) for name in present}
    for name, found in digests.items():
        recorded = data.files[name]
        if recorded and found != recorded and not any_copy:
            raise InputError(
                f"{folder / name} is not the file that was recorded (SHA-256 {found[:12]}, not "
                f"{recorded[:12]}): changed or partial; --any-copy takes it all the same"
            )
    answers = [
        answer
        for name in present
        for row in read_rows(folder / name)
        for answer in _checked(row, data.parse(row, Path(name).stem), data.may_be_empty)
    ]
    by_id: dict[str, list[LabelledAnswer]] = {}
    for answer in answers:
        by_id.setdefault(answer.id, []).append(answer)
    for name, same in by_id.items():
        texts = {(answer.answer, answer.reference) for answer in same}
        if len(same) > 1 and (not data.several_annotators or len(texts) > 1):
            raise InputError(f"{folder}: id {name!r} occurs twice")
    merged = [
        replace(same[0], label=fmean(answer.label for answer in same)) for same in by_id.values()
    ]
    return Copy(merged, digests, [name for name in data.files if name not in present])


def _checked(
    row: Row, answers: Iterator[LabelledAnswer], may_be_empty: bool
) -> Iterator[LabelledAnswer]:
    try:
        for answer in answers:
            if not (may_be_empty or answer.answer.strip()):
                raise row.wrong("the summary is empty")
            yield answer
    except (KeyError, TypeError, AttributeError) as error:
        raise row.wrong(f"not a row of this set ({type(error).__name__}: {error})") from None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
