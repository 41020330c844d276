"""Human marks of answers, read from a file and added to the scores."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Annotated, Any

import fsspec
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..._util.errors import InputError, printable
from ...measure import MeasureSpec
from ..comparison.human import HUMAN, corrections
from ..frames import KEYS, Frames, Notice
from ..rows import AnswerRow
from ..study import studies
from .review_sheet import ENDINGS, read_review_sheet

_Value = Annotated[float, Field(strict=True, allow_inf_nan=False)]


_Key = tuple[str | None, str, int | None]
"""Run or system, sample and epoch of a mark; None means the only system, or any epoch."""


class _HumanMark(BaseModel):
    """A record of Inspect's `precomputed_scores`, with the system that it marks."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str
    value: _Value | dict[str, _Value]
    epoch: Annotated[int, Field(strict=True)] | None = None
    system: str | None = None
    drawn: str | None = None
    """How a review sheet drew the answer; None outside of one."""

    run: str | None = None
    """`eval_id` of the answer's log; None outside of a review sheet."""

    @property
    def values(self) -> dict[str, float]:
        """Values by measure."""
        if isinstance(self.value, float):
            return {HUMAN: self.value}
        return {f"{HUMAN}.{key}": value for key, value in self.value.items()}


_MARKS = TypeAdapter(Annotated[list[_HumanMark], Field(min_length=1)])


def add_human_marks(frames: Frames, path: str) -> Frames:
    """Add human marks as measure `human` or `human.KEY`.

    The file has the format of Inspect's `precomputed_scores`: JSON or JSON
    Lines, each record with `id` and `value` (a number, or numbers by key) and,
    if needed, `epoch`. If several systems answered, each record also
    names its `system` (a field that Inspect ignores). Or it is a filled review
    sheet (`write_review_sheet`), in CSV or Excel.

    Args:
        frames: Frames of the logs.
        path: Local file or any address that fsspec can open.

    Raises:
        InputError: The file is unreadable, or none of its marks has a sample.
    """
    marks = _read(path, {*frames.answers["eval_id"]})
    used_keys: set[_Key] = set()
    rows: list[dict[str, Any]] = []
    for answer, key in _marked_answers(frames, marks):
        used_keys.add(key)
        rows += _score_rows(answer, marks[key])
    if not used_keys:
        raise InputError(
            f"none of the {len(marks)} marks in {path} belongs to a sample of the logs; each needs "
            "the sample's id, and the name of its system if there are several"
        )
    marked = _with_scales(frames.with_scores(rows))
    texts = list(_idle_marks(marked, path))
    unmatched = [marks[key] for key in marks.keys() - used_keys]
    if unmatched:
        names = sorted({f"{mark.system or ''} {mark.id}" for mark in unmatched})
        count = f"{len(unmatched)} of {len(marks)} marks in {path}"
        texts.append(f"{count} match no sample, e.g. {printable(', '.join(names[:3]))}")
    notices = [Notice("warning", text) for text in texts]
    return marked._replace(notices=(*frames.notices, *notices))


def _marked_answers(frames: Frames, marks: Mapping[_Key, _HumanMark]) -> Iterator[tuple[Any, _Key]]:
    """Yield each answer that has a mark, with the mark's key."""
    solvers = frames.runs.set_index(["benchmark", "system"])["solver"]
    runs = frames.runs["benchmark"].value_counts()
    for answer in frames.answers.itertuples(index=False):
        systems = [answer.eval_id, answer.system, solvers[answer.benchmark, answer.system]]
        if runs[answer.benchmark] == 1:
            systems.append(None)
        owners_and_epochs = product(systems, (answer.epoch, None))
        keys = [(owner, answer.id, epoch) for owner, epoch in owners_and_epochs]
        key = next((key for key in keys if key in marks), None)
        if key is not None:
            yield answer, key


def _score_rows(answer: AnswerRow, mark: _HumanMark) -> Iterator[dict[str, Any]]:
    """Yield a row of `Frames.scores` for each value of a mark."""
    keys = {name: getattr(answer, name) for name in KEYS}
    text = f"drawn: {mark.drawn}" if mark.drawn else mark.drawn
    shared = {"scorer": HUMAN, "status": "scored", "text": text, "details": {"drawn": mark.drawn}}
    for name, value in mark.values.items():
        yield keys | shared | {"measure": name, "value": value}


def _with_scales(marked: Frames) -> Frames:
    """Declare marks that correct a judged measure on the scale of that measure."""
    scales: dict[str, dict[str, MeasureSpec]] = {}
    for study in studies(marked):
        spec = study.catalogue.spec
        scales[study.name] = {
            human: replace(spec(human), low=spec(judge).low, high=spec(judge).high)
            for judge, human in corrections(study).items()
        }
    runs = zip(marked.runs["declared"], marked.runs["benchmark"], strict=True)
    specs_by_run = [{**specs, **scales[benchmark]} for specs, benchmark in runs]
    return marked._replace(runs=marked.runs.assign(declared=specs_by_run))


def _idle_marks(marked: Frames, path: str) -> Iterator[str]:
    """Yield a warning for each study with marks that correct no mean."""
    for study in studies(marked):
        corrected = corrections(study).values()
        specs = [spec for spec in study.catalogue.specs if spec.scorer == HUMAN]
        idle = [spec.key for spec in specs if spec.key not in corrected]
        if idle:
            names = ", ".join(map(printable, idle))
            yield (
                f"marks {names} in {path} correct no mean: no judged measure has this name, or "
                "the marks are outside its scale"
            )


def _read(path: str, runs: set[str]) -> dict[_Key, _HumanMark]:
    """Return marks by run id, if it is among `runs`, or by system name."""
    try:
        records = _MARKS.validate_python(_records(path))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "list"
        raise InputError(f"human marks {path}, {field}: {first['msg']}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"human marks {path} cannot be read: {error}") from None
    owners = (mark.run if mark.run in runs else mark.system for mark in records)
    marks = {
        (owner, mark.id, mark.epoch): mark for owner, mark in zip(owners, records, strict=True)
    }
    if len(marks) < len(records):
        raise InputError(f"human marks {path}: an answer is marked twice")
    return marks


def _records(path: str) -> Any:
    if path.lower().endswith(ENDINGS):
        return read_review_sheet(path)
    with fsspec.open(path, "r", encoding="utf-8-sig") as file:
        text = file.read()
    if path.lower().endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return json.loads(text)
