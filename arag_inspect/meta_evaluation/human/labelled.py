"""Human-labelled answers, and the datasheet of a set of them."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from ..._util.errors import InputError
from ...datasets._io.records import Row, read_rows

LabelKind = Literal["binary", "graded", "pairs"]
"""`binary`: 1 is good and 0 is bad; `graded`: more is better; `pairs`: which of two answers is
better.
"""

Split = Literal["development", "test", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """An answer with its human label."""

    id: str
    answer: str
    label: float
    group: str
    """Document or question; answers of a group are resampled together."""

    subset: str
    """Domain; statistics are computed within each and averaged over all."""

    source: str = ""
    """Text from which the answer was written; empty if the set has none."""

    reference: str = ""
    """Text for reference-based scorers; the source if the set has no other."""

    question: str = ""
    unit: str = ""
    """Id of the labelled item: the answer, or the pair to which it belongs."""

    sign: int = 1
    """1, or -1 for the first answer of a pair."""

    votes: tuple[float, ...] = ()
    """Labels of the single annotators, if there are several; `label` is their mean."""

    @property
    def split(self) -> Split:
        """Half of the group, by digest: for choosing thresholds or for reporting."""
        first_byte = hashlib.sha256(self.group.encode()).digest()[0]
        return "development" if first_byte % 2 == 0 else "test"


class Published(NamedTuple):
    """A published statistic."""

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
    """Commit of the copy whose digests are recorded; None if unknown."""

    licence: str
    kind: LabelKind
    rule: str
    """Conversion of a label to a number."""

    size: int | None
    """Labels in the published files: answers, insights or pairs; None if unknown."""

    files: Mapping[str, str | None]
    """SHA-256 by file name; None if no digest was recorded."""

    parse: Callable[[Row, str], Iterator[LabelledAnswer]]
    """Returns the labelled answers of a row of a file, given the file's name without suffix."""

    sources: tuple[str, ...] = ()
    """Files whose rows complete the labelled ones, e.g. with the source; one must exist."""

    join: Callable[[Row], str] | None = None
    """Key by which a labelled row finds its row in `sources`."""

    several_annotators: bool = False
    """Whether an answer has a row for each annotator; their labels are averaged."""

    may_be_empty: bool = False
    """Whether empty answers were labelled too."""

    published: tuple[Published, ...] = ()
    note: str = ""


class Copy(NamedTuple):
    """Contents of a local copy of a set."""

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
        InputError: No file exists, a digest differs, a label is unknown, an id occurs twice, or an
            answer is empty.
    """
    present = {name: path for name in data.files if (path := _find(folder, name))}
    if not present:
        expected = ", ".join(data.files)
        raise InputError(f"{folder} has no file of {data.name}; expected {expected}")
    digests = {name: _digest(path) for name, path in present.items()}
    for name, digest in digests.items():
        recorded = data.files[name]
        if recorded and digest != recorded and not any_copy:
            raise InputError(
                f"{present[name]} is not the file that was recorded (SHA-256 {digest[:12]}, not "
                f"{recorded[:12]}): changed or partial; --any-copy takes it all the same"
            )
    completed = _completion(data, folder)
    answers = [
        answer
        for path in present.values()
        for row in read_rows(path)
        for answer in _parse(completed(row), path.stem, data)
    ]
    merged = _merged(answers, folder, data.several_annotators)
    return Copy(merged, digests, [name for name in data.files if name not in present])


def _find(folder: Path, name: str) -> Path | None:
    """Return the file, in the folder of its repository or laid flat."""
    paths = (folder / name, folder / Path(name).name)
    return next((path for path in paths if path.is_file()), None)


def _completion(data: HumanSet, folder: Path) -> Callable[[Row], Row]:
    """Return a function that adds the values of the other files to a labelled row."""
    join = data.join
    if join is None:
        return lambda row: row
    paths = [path for name in data.sources if (path := _find(folder, name))]
    if not paths:
        raise InputError(f"{folder} lacks the sources of {data.name}: {', '.join(data.sources)}")
    values_by_key = {join(row): row.values for path in paths for row in read_rows(path)}

    def completed(row: Row) -> Row:
        if (key := join(row)) not in values_by_key:
            names = ", ".join(path.name for path in paths)
            raise row.wrong(f"{key!r} has no row in {names}; the copy of {data.name} is partial")
        return Row(row.place, {**values_by_key[key], **row.values})

    return completed


def _merged(
    answers: Sequence[LabelledAnswer], folder: Path, several_annotators: bool
) -> list[LabelledAnswer]:
    """Average the labels of several annotators of an answer; keep them as its votes."""
    by_id: dict[str, list[LabelledAnswer]] = {}
    for answer in answers:
        by_id.setdefault(answer.id, []).append(answer)
    for name, same in by_id.items():
        texts = {(answer.answer, answer.reference) for answer in same}
        if len(same) > 1 and (not several_annotators or len(texts) > 1):
            raise InputError(f"{folder}: id {name!r} occurs twice")
    labels = {name: tuple(answer.label for answer in same) for name, same in by_id.items()}
    return [
        same[0] if len(same) == 1 else replace(same[0], label=fmean(votes), votes=votes)
        for same, votes in zip(by_id.values(), labels.values(), strict=True)
    ]


def _parse(row: Row, file: str, data: HumanSet) -> Iterator[LabelledAnswer]:
    try:
        for answer in data.parse(row, file):
            if not (data.may_be_empty or answer.answer.strip()):
                raise row.wrong("the summary is empty")
            yield answer
    except (KeyError, TypeError, AttributeError) as error:
        raise row.wrong(f"not a row of this set ({type(error).__name__}: {error})") from None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
