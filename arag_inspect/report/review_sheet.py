"""A sheet of answers for a person's second look: written for a spreadsheet, and read back filled in."""

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from .._util.csv_cells import cell_text, csv_text, safe_cell
from .._util.errors import InputError, printable
from .._util.extras import extra
from .benchmark import benchmarks
from .frames import Frames
from .primary import primary_measures

ENDINGS = (".csv", ".xlsx")
_SHOWN = ["drawn", "system", "id", "epoch", "question", "answer", "evidence", "verdict"]
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
        key: benchmark.spec(key).higher_is_better is not False
        for benchmark in benchmarks(frames)
        for key in primary_measures(benchmark)
        if benchmark.spec(key).family == "judgement"
    }
    scores = frames.scores[frames.scores["measure"].isin(list(rising))].dropna(subset=["value"])
    if scores.empty:
        raise InputError("no primary measure has a verdict to be reviewed")
    drawn = _draw(scores, frames.verdicts, rising, number, seed)
    rows = []
    for answer in frames.answers.itertuples():
        if answer.answer not in drawn:
            continue
        own = scores[scores["answer"] == answer.answer]
        verdict = (f"{row.measure} {row.value:g}: {row.text or ''}" for row in own.itertuples())
        evidence = answer.evidence or [passage.text for passage in answer.passages]
        texts = answer.input, answer.text, "\n\n".join(evidence), "\n".join(verdict)
        keys = drawn[answer.answer], answer.system, answer.id, answer.epoch
        rows.append([*keys, *(printable(text, _LONGEST) for text in texts)])
    _write(path, [[*_SHOWN, *rising, "note"], *([*row, *[""] * (len(rising) + 1)] for row in rows)])
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


def read_review_sheet(path: str) -> list[dict[str, Any]]:
    """Read a filled sheet as records of `add_human_marks`; rows without a mark are left out.

    Raises:
        ValueError: It is no such sheet, or a mark is no number.
        OSError: It cannot be read.
    """
    if path.lower().endswith(".xlsx"):
        with extra("office"):
            frame = pd.read_excel(path, dtype=str, keep_default_na=False, engine="openpyxl")
    else:
        text = Path(path).read_text(encoding="utf-8-sig")
        semicolon = text.startswith("drawn;")  # as Excel saves in some countries
        options: dict[str, Any] = {"dtype": str, "keep_default_na": False}
        frame = pd.read_csv(StringIO(text), sep=";" if semicolon else ",", **options)
    if missing := [name for name in _SHOWN[:4] if name not in frame]:
        raise ValueError(f"it has no column {missing[0]}")
    measures = [name for name in frame if name not in (*_SHOWN, "note")]
    records = []
    for row in frame.to_dict("records"):
        marks = {name: float(row[name]) for name in measures if row[name].strip()}
        names = {name: cell_text(row[name]) for name in ("drawn", "system", "id")}
        if marks:
            records.append({**names, "epoch": int(row["epoch"]), "value": marks})
    return records
