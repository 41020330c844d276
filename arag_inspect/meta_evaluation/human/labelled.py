"""Human-labelled answers, read from a local copy of their set."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from ..._util.errors import InputError
from ..._util.hashing import digest
from ...datasets._io.records import SourceRow, read_rows
from .sets import HumanSet, fill, items, label_number, read_label

Split = Literal["development", "test", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """An answer with its human label."""

    id: str
    answer: str
    label: float
    label_text: str = ""
    """The label as the annotator gave it."""

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


class Copy(NamedTuple):
    """Contents of a local copy of a set."""

    answers: list[LabelledAnswer]
    digests: dict[str, str]
    """SHA-256 by file."""

    missing: list[str]
    """Recorded files of the set that the folder lacks."""


def read_copy(data: HumanSet, source: Path) -> Copy:
    """Read every file of a set that a local copy has.

    Args:
        data: The set.
        source: Folder with its files, or one of them.

    Raises:
        InputError: No file exists, a label is unknown, an id occurs twice, or an
            answer is empty.
    """
    paths = [source] if source.is_file() else _find(source, data.files)
    if not paths:
        raise InputError(f"{source} has no file of {data.name}; expected {', '.join(data.files)}")
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    completed = _completion(data, source)
    answers = [
        answer
        for path in paths
        for row in read_rows(path)
        for answer in _parse(completed(row, path.stem), path.stem, data)
    ]
    merged = _merged(answers, source, data.several_annotators)
    return Copy(merged, digests, [name for name in data.digests if name not in digests])


def _find(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """Return the files, in the folder of their repository or laid flat, sorted by name."""
    names = [*patterns, *(Path(pattern).name for pattern in patterns)]
    return sorted(set(chain.from_iterable(folder.glob(name) for name in names)))


def _completion(data: HumanSet, folder: Path) -> Callable[[SourceRow, str], SourceRow]:
    """Return a function that adds the values of the other files to a labelled row."""
    if not data.sources or data.columns is None:
        return lambda row, file: row
    key = data.columns.key
    paths = _find(folder, data.sources)
    if not paths:
        raise InputError(f"{folder} lacks the sources of {data.name}: {', '.join(data.sources)}")
    values_by_key = {
        fill(key, row, path.stem): row.values for path in paths for row in read_rows(path)
    }

    def completed(row: SourceRow, file: str) -> SourceRow:
        name = fill(key, row, file)
        if name not in values_by_key:
            names = ", ".join(path.name for path in paths)
            raise row.error(f"{name!r} has no row in {names}; the copy of {data.name} is partial")
        return SourceRow(row.place, {**values_by_key[name], **row.values})

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


def _parse(row: SourceRow, file: str, data: HumanSet) -> Iterator[LabelledAnswer]:
    read = _READERS[data.reader] if data.reader else _read_columns
    try:
        for answer in read(row, file, data):
            if not (data.may_be_empty or answer.answer.strip()):
                raise row.error("the answer is empty")
            if not answer.reference.strip():
                raise row.error("the source or reference is empty")
            yield answer
    except (KeyError, TypeError, AttributeError) as error:
        raise row.error(f"not a row of this set ({type(error).__name__}: {error})") from None


def _read_columns(row: SourceRow, file: str, data: HumanSet) -> Iterator[LabelledAnswer]:
    columns = data.columns
    assert columns is not None
    for item in items(row, columns):
        label_text, label = read_label(item, file, columns)
        unit = fill(columns.id, item, file)
        source = fill(columns.source, item, file)
        reference = fill(columns.reference, item, file) or source
        is_pair = not isinstance(columns.answer, str)
        templates = columns.answer if is_pair else (columns.answer,)
        for number, template in enumerate(templates, start=1):
            yield LabelledAnswer(
                id=f"{unit}/{number}" if is_pair else unit,
                unit=unit,
                sign=-1 if is_pair and number == 1 else 1,
                answer=fill(str(template), item, file),
                label=label,
                label_text=label_text,
                group=fill(columns.group, item, file) or digest(source or reference),
                subset=fill(columns.subset, item, file) or data.name,
                source=source,
                reference=reference,
                question=fill(columns.question, item, file),
            )


def _qags(row: SourceRow, file: str, data: HumanSet) -> Iterator[LabelledAnswer]:
    sentences = row.values["summary_sentences"]
    votes = [
        [label_number(row, {"no": 0.0, "yes": 1.0}, vote["response"]) for vote in s["responses"]]
        for s in sentences
    ]
    name = f"{file}/{row.place.rpartition(' ')[2]}"
    yield LabelledAnswer(
        id=name,
        unit=name,
        answer=" ".join(sentence["sentence"] for sentence in sentences),
        label=fmean(float(fmean(sentence_votes) > 0.5) for sentence_votes in votes),
        group=name,
        subset=file.removeprefix("mturk_"),
        source=row.text("article"),
        reference=row.text("article"),
    )


_COVERAGE = {"not_covered": 0.0, "partially_covered": 0.5, "fully_covered": 1.0}


def _summhay(row: SourceRow, file: str, data: HumanSet) -> Iterator[LabelledAnswer]:
    subtopic = row.text("subtopic_id")
    summary = row.values["summary"]
    if not isinstance(summary, list):
        raise row.error("'summary' must be a list of lines")
    insights = {
        insight["insight_id"]: insight["insight"] for insight in row.values["reference_insights"]
    }
    for annotation in row.values["annotation"]:
        if annotation["insight_id"] not in insights:
            raise row.error(f"insight {annotation['insight_id']!r} is labelled and not listed")
        name = f"{subtopic}/{row.text('summkey')}/{annotation['insight_id']}"
        yield LabelledAnswer(
            id=name,
            unit=name,
            answer="\n".join(summary),
            label=label_number(row, _COVERAGE, annotation["coverage"]),
            group=subtopic,
            subset="summhay",
            reference=insights[annotation["insight_id"]],
            question=row.text("subtopic"),
        )


_READERS: Mapping[str, Callable[[SourceRow, str, HumanSet], Iterator[LabelledAnswer]]] = {
    "qags": _qags,
    "summhay": _summhay,
}
