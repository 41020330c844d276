"""Review sheets: answers that people mark, written and read as CSV or Excel."""

from collections.abc import Container, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from ..._util.bounds import CELLS, check
from ..._util.encodable import cell_text, csv_text, safe_cell
from ..._util.errors import InputError, printable
from ..._util.extras import extra
from ...measure import MeasureSpec
from ...types.sample import UNANSWERABLE
from ..cells import show_score
from ..comparison.primary import primary_measures
from ..frames import Frames
from ..rows import AnswerRow
from ..study import studies

ENDINGS = (".csv", ".xlsx")
_KEYS = ("system", "id", "epoch")
_TEXTS = ("question", "gold answer", "evidence", "evidence from", "answer")
_NOT_IN_DOCUMENTS = "not in the documents"
"""Gold answer of an unanswerable question."""

_INAPPLICABLE = "n/a"
"""Mark that does not apply to a question, such as correctness of an unanswerable question."""

_OTHER_QUESTIONS = ("answerable", UNANSWERABLE)
"""Reasons for a missing value of a measure that does not apply to a question."""

_NOTE = "note"
_VERDICT = "verdict"
"""The judges' verdicts, only in Excel: a formula shows them once every mark of a row is filled."""

_HIDDEN = ("drawn", "run")
"""Hidden columns: how the answer was drawn, and the run's id.

The id identifies the run of a mark even if its system is renamed.
"""

_NO_MARKS = {*_KEYS, *_TEXTS, _NOTE, _VERDICT, *_HIDDEN}

_LONGEST_CELL = 20_000
"""Maximum characters of a cell; Excel allows 32,767."""

_WIDE = 60
"""Width of columns of texts, in characters."""

_NARROW = 14
"""Width of other columns."""

_MOST_GRADES = 10
"""Longest scale whose grades are offered as a list."""

_WORDS = {"yes": 1.0, "no": 0.0}

_MOST_RANDOM = 10
"""Random answers of each system."""

_MOST_DISPUTED = 10
_MOST_CHOSEN = 20
"""Disputed and weak answers."""

_SEED = 42


def write_review_sheet(frames: Frames, path: Path) -> int:
    """Write answers to a CSV or Excel file with an empty column for each judged primary measure.

    Another column is for the refusals of unanswerable questions, if they were judged. Ten answers
    of each system are drawn at random, up to ten are those on which judges disagree most, and up to
    twenty, with these, those with the lowest verdicts. Verdicts are not shown before the marks.

    Args:
        frames: Frames of the logs.
        path: File ending in `.csv` or `.xlsx`.

    Returns:
        Number of answers written.

    Raises:
        InputError: The file has another ending, or no primary measure was judged.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path} must end in {' or '.join(ENDINGS)}")
    judged = _judged_measures(frames)
    of_judges = frames.scores[frames.scores["measure"].isin(list(judged))]
    scores = of_judges.dropna(subset=["value"])
    if scores.empty:
        raise InputError(
            "no primary measure has a judge's verdict to review; score the answers "
            "with a judged scorer first (inspect score LOG --scorer NAME)"
        )
    judged = {key: spec for key, spec in judged.items() if key in {*scores["measure"]}}
    other = of_judges[of_judges["reason"].isin(_OTHER_QUESTIONS)]
    inapplicable = {*zip(other["answer"], other["measure"], strict=True)}
    unanswerable = {*other.loc[other["reason"] == UNANSWERABLE, "answer"]}
    drawn = _draw(scores, frames.verdicts, judged)
    answers = frames.answers[frames.answers["answer"].isin(drawn)]
    heads = [*_KEYS, *_TEXTS, *judged, _NOTE, *_HIDDEN]
    rows = []
    for answer in answers.itertuples():
        texts = (printable(text, _LONGEST_CELL) for text in _texts(answer, unanswerable))
        keys = answer.system, answer.id, answer.epoch
        marks = [_INAPPLICABLE if (answer.answer, key) in inapplicable else "" for key in judged]
        note = ""
        rows.append([*keys, *texts, *marks, note, drawn[answer.answer], answer.eval_id])
    if path.suffix.lower() == ".csv":
        text = csv_text([heads, *rows])
        path.write_text(text, encoding="utf-8-sig", newline="")
    else:
        verdicts = [_verdicts(scores[scores["answer"] == answer]) for answer in answers["answer"]]
        _write_workbook(path, heads, rows, judged, verdicts)
    return len(rows)


def _judged_measures(frames: Frames) -> dict[str, MeasureSpec]:
    """Return the primary measures that a judge gives, and its measure of refusals, by key."""
    judged: dict[str, MeasureSpec] = {}
    for study in studies(frames):
        keys = *primary_measures(study), *study.catalogue.keys_of("right refusal")
        specs = map(study.catalogue.spec, keys)
        judged |= {spec.key: spec for spec in specs if spec.family == "judgement"}
    return judged


def read_review_sheet(path: str) -> list[dict[str, Any]]:
    """Read a filled sheet as records of `add_human_marks`; rows without a mark are left out.

    Raises:
        ValueError: It is not a review sheet, has too many cells, or a mark is not a number.
        OSError: The file is unreadable.
    """
    if path.lower().endswith(".xlsx"):
        _check_cells(path)
        frame = pd.read_excel(path, dtype=str, keep_default_na=False, engine="openpyxl")
    else:
        text = Path(path).read_text(encoding="utf-8-sig")
        semicolon = "system;" in text.partition("\n")[0]  # as Excel saves in some countries
        options: dict[str, Any] = {"dtype": str, "keep_default_na": False}
        frame = pd.read_csv(StringIO(text), sep=";" if semicolon else ",", **options)
    missing = [name for name in ("drawn", *_KEYS) if name not in frame]
    if missing:
        raise ValueError(f"column {missing[0]} is missing")
    measures = [name for name in frame if name not in _NO_MARKS]
    records = []
    for line, row in enumerate(frame.to_dict("records"), start=2):
        marks = dict(_marks(row, measures, line))
        texts = [name for name in ("drawn", "system", "id", "run") if name in frame]
        names = {name: cell_text(row[name]) for name in texts}
        if marks:
            epoch = _number(row["epoch"], line, "epoch")
            records.append({**names, "epoch": int(epoch), "value": marks})
    return records


def _texts(answer: AnswerRow, unanswerable: Container[int]) -> tuple[str, str, str, str, str]:
    """Return the cells of an answer in the text columns."""
    evidence = [*answer.evidence]
    origin = "gold" if evidence else ""
    if not evidence and answer.passages:
        evidence = [passage.text for passage in answer.passages]
        origin = "what the system read"
    target = _NOT_IN_DOCUMENTS if answer.answer in unanswerable else answer.target
    return answer.input, target, "\n\n".join(evidence), origin, answer.text


def _draw(
    scores: pd.DataFrame, verdicts: pd.DataFrame, measures: Mapping[str, MeasureSpec]
) -> dict[int, str]:
    """Return why an answer was drawn, by answer."""
    answers = scores[["answer", "system"]].drop_duplicates("answer")
    in_random_order = answers.sample(frac=1, random_state=_SEED)
    shuffled = in_random_order["answer"]
    signs = {key: spec.sign for key, spec in measures.items()}
    signed = scores["value"] * scores["measure"].map(signs)
    rank = signed.groupby(scores["measure"]).rank(pct=True).groupby(scores["answer"]).min()
    scorers = {spec.scorer for spec in measures.values()}
    judged = verdicts[(verdicts["judge"] != "") & verdicts["scorer"].isin(scorers)]
    values = judged.groupby(["answer", "measure"])["value"]
    spread = (values.max() - values.min()).groupby("answer").max()
    disputed = spread[spread > 0].reindex(shuffled).dropna().sort_values(ascending=False)
    weak = rank.reindex(shuffled).sort_values(kind="stable")
    random = in_random_order.groupby("system").head(_MOST_RANDOM)["answer"]
    drawn = dict.fromkeys(random, "random")
    new_disputed = [answer for answer in disputed.index if answer not in drawn]
    drawn |= dict.fromkeys(new_disputed[:_MOST_DISPUTED], "disputed")
    new_weak = [answer for answer in weak.index if answer not in drawn]
    most_weak = _MOST_CHOSEN - len(new_disputed[:_MOST_DISPUTED])
    return drawn | dict.fromkeys(new_weak[:most_weak], "weak")


def _verdicts(of_answer: pd.DataFrame) -> str:
    lines = (
        f"{row.measure} {show_score(row.value)}: {row.text or ''}" for row in of_answer.itertuples()
    )
    return printable("\n".join(lines), _LONGEST_CELL)


def _write_workbook(
    path: Path,
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    measures: Mapping[str, MeasureSpec],
    verdicts: Sequence[str],
) -> None:
    """Write the sheet to fill in, and a hidden sheet whose verdicts its last column reveals."""
    with extra("office"):
        from openpyxl import Workbook
        from openpyxl.styles import Alignment
        from openpyxl.utils import get_column_letter
        from openpyxl.worksheet.datavalidation import DataValidation
    book = Workbook()
    sheet = book.active
    hidden = book.create_sheet("Verdicts")
    hidden.sheet_state = "hidden"
    letters = {name: get_column_letter(column) for column, name in enumerate(heads, start=1)}
    marks = [letters[key] for key in measures]
    sheet.append([*heads, _VERDICT])
    for line, (row, verdict) in enumerate(zip(rows, verdicts, strict=True), start=2):
        hidden.cell(line, 1, safe_cell(verdict))
        filled = f"COUNTA({marks[0]}{line}:{marks[-1]}{line})={len(marks)}"
        formula = f'=IF({filled},Verdicts!A{line},"shown when marked")'
        sheet.append([*map(safe_cell, row), formula])
    for name, letter in {**letters, _VERDICT: get_column_letter(len(heads) + 1)}.items():
        column = sheet.column_dimensions[letter]
        column.width = _WIDE if name in (*_TEXTS, _VERDICT) else _NARROW
        column.hidden = name in _HIDDEN
    for cells in sheet.iter_rows():
        for cell in cells:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = f"{letters[_TEXTS[0]]}2"
    for key, spec in measures.items():
        choices = _choices(spec)
        if choices:
            offered = DataValidation(
                "list", formula1=f'"{",".join(choices)}"', showErrorMessage=False
            )
            sheet.add_data_validation(offered)
            offered.add(f"{letters[key]}2:{letters[key]}{len(rows) + 1}")
    book.save(path)


def _choices(measure: MeasureSpec) -> list[str]:
    """Return the marks to choose from for a measure; none on a long or unbounded scale."""
    low = measure.low
    high = measure.high
    if low is None or high is None or high - low > _MOST_GRADES:
        return []
    if (low, high) == (0, 1):
        return ["0", "1", *_WORDS]
    return [str(grade) for grade in range(int(low), int(high) + 1)]


def _check_cells(path: str) -> None:
    """Raise if a workbook has too many cells, including empty ones between others.

    Raises:
        ValueError: The workbook has too many cells.
    """
    with extra("office"):
        from openpyxl import load_workbook
    count = 0
    for row in load_workbook(path, read_only=True).worksheets[0].iter_rows(values_only=True):
        count += max(1, len(row))
        check(count, CELLS)


def _marks(
    row: Mapping[str, str], measures: Sequence[str], line: int
) -> Iterator[tuple[str, float]]:
    for name in measures:
        text = row[name].strip()
        if text and text != _INAPPLICABLE:
            word = _WORDS.get(text.lower())
            yield name, _number(text, line, name) if word is None else word


def _number(text: str, row: int, column: str) -> float:
    try:
        return float(text)
    except ValueError:
        mark = printable(text, 40)
        raise ValueError(
            f"row {row}, column {column}: {mark!r} is not a number, yes or no"
        ) from None
