"""Human marks: sheets to fill in, their agreement with measures, and corrected means."""

import json
import math
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import fsspec
import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from scipy.special import stdtrit

from ..._util.bounds import CELLS, check
from ..._util.encodable import cell_text, csv_text, safe_cell
from ..._util.errors import InputError, printable
from ..._util.extras import extra
from ...stats.agreement import alpha, both_known, kappa, spearman, tau
from ...stats.estimates import Bounds, Estimate, Floats, wilson_interval
from ..analysis import analysis
from ..frames import KEYS, Frames, Notice
from ..primary import primary_measures
from ..study import Study, studies
from ..table import Cell

ENDINGS = (".csv", ".xlsx")
_SHOWN = ["drawn", "system", "id", "epoch", "question", "answer", "evidence", "verdict"]
_LAST = ["note", "run"]
"""Remarks, and the run's id, by which a mark is recognised when its system is named otherwise."""

_LONGEST = 20_000
"""Most characters of a cell; Excel takes 32,767."""


def write_review_sheet(frames: Frames, path: Path, number: int = 30, seed: int = 42) -> int:
    """Write answers to a CSV or Excel file with an empty column for each judged primary measure.

    A third is drawn at random from all answers, a third are those on which judges differ most, and
    the rest those with the lowest verdicts.

    Args:
        frames: Frames of the logs.
        path: File ending in `.csv` or `.xlsx`.
        number: Answers to write.
        seed: Seed of the draw, also among equals.

    Returns:
        Answers written.

    Raises:
        InputError: The file has another ending, or no primary measure was judged.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path} must end in {' or '.join(ENDINGS)}")
    rising = {
        key: study.spec(key).higher_is_better is not False
        for study in studies(frames)
        for key in primary_measures(study)
        if study.spec(key).family == "judgement"
    }
    scores = frames.scores[frames.scores["measure"].isin(list(rising))].dropna(subset=["value"])
    if scores.empty:
        raise InputError("no primary measure has a verdict to be reviewed")
    drawn = _draw(scores, frames.verdicts, rising, number, seed)
    rows = []
    for answer in frames.answers.itertuples():
        if answer.answer not in drawn:
            continue
        of_answer = scores[scores["answer"] == answer.answer]
        verdict = (
            f"{row.measure} {row.value:g}: {row.text or ''}" for row in of_answer.itertuples()
        )
        evidence = answer.evidence or [passage.text for passage in answer.passages]
        texts = answer.input, answer.text, "\n\n".join(evidence), "\n".join(verdict)
        keys = drawn[answer.answer], answer.system, answer.id, answer.epoch
        printed = (printable(text, _LONGEST) for text in texts)
        rows.append([*keys, *printed, *[""] * (len(rising) + 1), answer.eval_id])
    _write(path, [[*_SHOWN, *rising, *_LAST], *rows])
    return len(rows)


def _draw(
    scores: pd.DataFrame, verdicts: pd.DataFrame, rising: dict[str, bool], number: int, seed: int
) -> dict[int, str]:
    """Return why an answer was drawn, by answer."""
    shuffled = scores[["answer"]].drop_duplicates().sample(frac=1, random_state=seed)["answer"]
    signed = scores["value"] * scores["measure"].map(rising).map({True: 1, False: -1})
    rank = signed.groupby(scores["measure"]).rank(pct=True).groupby(scores["answer"]).min()
    scorers = {measure.split(".")[0] for measure in rising}
    judged = verdicts[(verdicts["judge"] != "") & verdicts["scorer"].isin(scorers)]
    values = judged.groupby(["answer", "measure"])["value"]
    spread = (values.max() - values.min()).groupby("answer").max()
    third = max(1, number // 3)
    drawn = dict.fromkeys(shuffled[:third], "random")
    disputed = spread[spread > 0].reindex(shuffled).dropna().sort_values(ascending=False)
    left = [answer for answer in disputed.index if answer not in drawn]
    drawn |= dict.fromkeys(left[:third], "disputed")
    weak = rank.reindex(shuffled).sort_values(kind="stable").index
    left = [answer for answer in weak if answer not in drawn]
    return drawn | dict.fromkeys(left[: max(0, number - len(drawn))], "weak")


def _write(path: Path, rows: Sequence[Sequence[object]]) -> None:
    if path.suffix.lower() == ".csv":
        path.write_text(csv_text(rows), encoding="utf-8-sig", newline="")
        return
    with extra("office"):
        from openpyxl import Workbook
    book = Workbook()
    for row in rows:
        book.active.append([safe_cell(cell) for cell in row])
    book.save(path)


def _check_cells(path: str) -> None:
    """Raise if a workbook has more cells than are read, empty ones between others included.

    Raises:
        ValueError: It has.
    """
    with extra("office"):
        from openpyxl import load_workbook
    count = 0
    for row in load_workbook(path, read_only=True).worksheets[0].iter_rows(values_only=True):
        count += max(1, len(row))
        check(count, CELLS)


def read_review_sheet(path: str) -> list[dict[str, Any]]:
    """Read a filled sheet as records of `add_human_marks`; rows without a mark are left out.

    Raises:
        ValueError: It is no such sheet, it has too many cells, or a mark is no number.
        OSError: It cannot be read.
    """
    if path.lower().endswith(".xlsx"):
        _check_cells(path)
        frame = pd.read_excel(path, dtype=str, keep_default_na=False, engine="openpyxl")
    else:
        text = Path(path).read_text(encoding="utf-8-sig")
        semicolon = text.startswith("drawn;")  # as Excel saves in some countries
        options: dict[str, Any] = {"dtype": str, "keep_default_na": False}
        frame = pd.read_csv(StringIO(text), sep=";" if semicolon else ",", **options)
    if missing := [name for name in _SHOWN[:4] if name not in frame]:
        raise ValueError(f"it has no column {missing[0]}")
    measures = [name for name in frame if name not in (*_SHOWN, *_LAST)]
    records = []
    for row in frame.to_dict("records"):
        marks = {name: float(row[name]) for name in measures if row[name].strip()}
        texts = [name for name in ("drawn", "system", "id", "run") if name in frame]
        names = {name: cell_text(row[name]) for name in texts}
        if marks:
            records.append({**names, "epoch": int(row["epoch"]), "value": marks})
    return records


HUMAN = "human"

_Value = Annotated[float, Field(strict=True, allow_inf_nan=False)]


_DRAWN = "drawn: "
"""Before how a marked answer was drawn, in the text of its score."""

_Key = tuple[str | None, str, int | None]
"""Run or system, sample and epoch of a mark; None for a mark of the only system, or of any epoch."""


class _HumanMark(BaseModel):
    """A record of Inspect's `precomputed_scores`, and the system that it is about."""

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

    The file is one that Inspect's `precomputed_scores` reads: JSON or JSON
    Lines, each record with `id` and `value` (a number, or numbers by key) and,
    if needed, `epoch`. If several systems answered, each record also
    names its `system` (a field that Inspect ignores). Or it is a filled review
    sheet (`write_review_sheet`), in CSV or Excel.

    Args:
        frames: Frames of the logs.
        path: Local file or any address that fsspec can open.

    Raises:
        InputError: The file cannot be read, or none of its marks has a sample.
    """
    marks = _read(path, {*frames.answers["eval_id"]})
    used: set[_Key] = set()
    rows: list[dict[str, Any]] = []
    solvers = frames.runs.set_index(["benchmark", "system"])["solver"]
    runs = frames.runs["benchmark"].value_counts()
    for answer in frames.answers.itertuples(index=False):
        systems = [answer.eval_id, answer.system, solvers[answer.benchmark, answer.system]]
        systems += [None] if runs[answer.benchmark] == 1 else []
        keys = ((s, answer.id, epoch) for s in systems for epoch in (answer.epoch, None))
        if key := next((key for key in keys if key in marks), None):
            used.add(key)
            shared = {name: getattr(answer, name) for name in KEYS}
            how = marks[key].drawn
            shared |= {"scorer": HUMAN, "status": "scored", "text": how and f"{_DRAWN}{how}"}
            for name, value in marks[key].values.items():
                rows.append(shared | {"measure": name, "value": value})
    if not used:
        raise InputError(
            f"none of the {len(marks)} marks in {path} belongs to a sample of the logs; each needs "
            "the sample's id, and the name of its system if there are several"
        )
    marked, notices = frames.with_scores(rows), frames.notices
    for study in studies(marked):
        corrected = corrections(study).values()
        specs = [spec for spec in study.specs if spec.scorer == HUMAN]
        if idle := [spec.key for spec in specs if spec.key not in corrected]:
            text = (
                f"marks {', '.join(map(printable, idle))} in {path} correct no mean: they name no "
                "judged measure, or leave its scale"
            )
            notices += (Notice("warning", text),)
    if lost := [marks[key] for key in marks.keys() - used]:
        whose = ", ".join(sorted({f"{mark.system or ''} {mark.id}" for mark in lost})[:3])
        text = (
            f"{len(lost)} of {len(marks)} marks in {path} have no sample, e.g. {printable(whose)}"
        )
        notices += (Notice("warning", text),)
    return marked._replace(notices=notices)


@analysis(
    "method",
    "Agreement with people",
    columns="marks | measure | answers | rho | tau | kappa | alpha",
    after="self_consistency",
)
def human_agreement(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the agreement of every measure with human marks; None without marks.

    Over all human-marked answers: Spearman's rho, Kendall's tau-b and, for grades, Cohen's
    kappa (quadratic weights) and Krippendorff's alpha (ordinal), if the marks are on its
    scale.
    """
    for human in (spec for spec in study.specs if spec.family == "human"):
        for other in study.specs:
            if other.family in ("human", "cost") or not other.quality:
                continue
            marks, scores = both_known(*(study.pooled(spec.key) for spec in (human, other)))
            graded: tuple[Cell, Cell] = (None, None)
            low, high = other.low or 0.0, other.high or 0.0
            if other.graded and ((marks >= low) & (marks <= high)).all():
                graded = kappa(marks, scores), alpha(np.column_stack([marks, scores]))
            ordered = spearman(marks, scores), tau(marks, scores)
            yield human.label, other.label, len(marks), *ordered, *graded


def corrections(study: Study) -> dict[str, str]:
    """Return the human measure that corrects a judged one, by the key of the latter.

    It has the same key or label; plain marks are for the primary measure of the only scorer that
    judges, or for its grade. Marks outside of the measure's scale correct nothing.
    """
    judged = [spec for spec in study.specs if spec.family == "judgement"]
    values = [spec for spec in judged if not spec.in_metadata]
    main = [spec for spec in values if spec.key in primary_measures(study)] or values
    human_by_judge: dict[str, str] = {}
    for human in (spec for spec in study.specs if spec.family == "human"):
        name = human.key.partition(".")[2]
        corrected = [spec for spec in judged if name == spec.key] or [
            spec for spec in judged if name in (spec.value_key, spec.label.split(" (1-")[0].lower())
        ]
        if human.label == "Human" and len({spec.scorer for spec in judged}) == 1:
            corrected = main
        if len(corrected) == 1:
            marks = study.scores.loc[study.scores["measure"] == human.key, "value"]
            low, high = np.array(
                [corrected[0].low, corrected[0].high], float
            )  # NaN without a bound
            if not ((marks < low) | (marks > high)).any():
                human_by_judge.setdefault(corrected[0].key, human.key)
    return human_by_judge


@analysis(
    "method",
    "Means corrected by people",
    columns="marks | judge | system | answers marked | mean of the judge | corrected mean",
    after="human_agreement",
)
def corrected_means(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the mean human mark of all answers; None without marks of a judged measure.

    The mean human mark of all answers, estimated from human marks of some and the judge's
    verdicts on all (prediction-powered inference), with Student's 95 % interval within the
    judge's scale (Wilson's where all marks are the same end of it); marks that were not
    drawn at random bound the mean. Marks correct only the measure that they are for, on its
    scale.
    """
    for judge, human in corrections(study).items():
        labels = study.spec(human).label, study.spec(judge).label
        for system in study.systems:
            mean = corrected_by(study, human, judge, system)
            if mean is not None:
                judged = float(np.nanmean(study.of(system, judge)))
                yield *labels, system, mean.n, judged, mean


def corrected_by(study: Study, human: str, judge: str, system: str) -> Estimate | None:
    """Return the mean mark of all answers of a system, within what the known marks leave possible.

    Marks of answers that a review sheet did not draw at random bound the mean, not its interval.
    """
    scores, spec = study.scores, study.spec(judge)
    marked = scores[(scores["scorer"] == HUMAN) & (scores["system"] == system)]
    out = marked.loc[marked["text"].isin([f"{_DRAWN}{how}" for how in ("weak", "disputed")]), "id"]
    marks, verdicts = study.of(system, human), study.of(system, judge)
    drawn = np.where(np.isin(study.sample_ids, list(out)), np.nan, marks)
    estimate = corrected_mean(drawn, verdicts, (spec.low, spec.high))
    if estimate is None or spec.low is None or spec.high is None:
        return estimate
    marks = marks[~np.isnan(verdicts)]
    least, most = (np.where(np.isnan(marks), end, marks).mean() for end in (spec.low, spec.high))
    mean = float(min(max(estimate.mean, least), most))
    if estimate.low is None or estimate.high is None:
        return estimate._replace(mean=mean)
    low, high = min(estimate.low, mean), max(estimate.high, mean)
    return estimate._replace(mean=mean, low=low, high=high)


def corrected_mean(marks: Floats, verdicts: Floats, bounds: Bounds) -> Estimate | None:
    """Estimate a mean by prediction-powered inference.

    PPI++ (Angelopoulos, Duchi and Zrnic, 2023).

    The judge's mean over unmarked answers, times lambda, plus the mean
    of mark - lambda * verdict over marked ones; lambda, from 0 to 1,
    minimises the variance of the estimate, so that an uninformative judge
    does not bias it.

    Args:
        marks: Human marks, shape (answers,); NaN if missing.
        verdicts: Of the judge, shape (answers,); an answer without one is ignored.
        bounds: Lowest and highest possible mark.

    Returns:
        The mean with Student's 95 % interval within the bounds, `n` being the answers marked; None
        with fewer than two, or where marks leave the bounds, as they are then of another scale.
        Where all marks are an end of the scale, the interval is Wilson's; where they are another
        value, there is none.
    """
    judged = ~np.isnan(verdicts)
    marked = judged & ~np.isnan(marks)
    y, f, rest = marks[marked], verdicts[marked], verdicts[judged & ~marked]
    n, unmarked = len(y), len(rest)
    low, high = bounds
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    if n < 2 or y.min() < least or y.max() > most:
        return None
    weight = _weight(y, f, rest) if unmarked > 1 else 0.0
    differences = y - weight * f
    mean, variance = float(differences.mean()), float(differences.var(ddof=1) / n)
    if weight:
        mean += float(weight * rest.mean())
        variance += float(weight**2 * rest.var(ddof=1) / unmarked)
    mean, quantile = min(max(mean, least), most), float(stdtrit(n - 1, 0.975))
    if not variance and mean in bounds and None not in bounds:
        start, end = wilson_interval((mean - least) / (most - least), quantile**2 / n)
        span = most - least
        return Estimate(mean, least + start * span, least + end * span, n, n)
    if not variance:
        return Estimate(mean, None, None, n, n)
    half = quantile * math.sqrt(variance)
    return Estimate(mean, max(mean - half, least), min(mean + half, most), n, n)


def _weight(y: Floats, f: Floats, rest: Floats) -> float:
    spread = float(np.concatenate([f, rest]).var(ddof=1))
    if not spread:
        return 0.0
    common = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, common / ((1 + len(y) / len(rest)) * spread)))


def _read(path: str, runs: set[str]) -> dict[_Key, _HumanMark]:
    """Return marks by the run's id, if it is one of those given, or else by the system's name."""
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
