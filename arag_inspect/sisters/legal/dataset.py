"""A folder of court opinions with their human summaries."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Document, Section, Source
from arag_inspect.corpus.embeddings import file_digest
from arag_inspect.datasets._parsing.text import SUFFIXES, Skipped, read_texts
from arag_inspect.datasets.question_set import Question, QuestionSet
from arag_inspect.datasets.spec import DatasetSpec

from .opinion_parts import split_opinion
from .perturbations import ERRORS_FILE

DEMO = Path(__file__).with_name("demo")
"""Six fictional opinions, their summaries, and known errors to insert into those."""

_NAME = re.compile(
    r"\s*(?P<number>\d+)[\s._-]+(?P<name>.*?\w.*?)[\s._-]*(?P<kind>full[\s_-]*case|summary)[\s._-]*",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[\W_]+")


class _Key(NamedTuple):
    """Key shared by an opinion and its summary."""

    number: int
    name: str
    """Lower case, without spaces and punctuation."""


class _File(NamedTuple):
    key: _Key
    kind: str
    """`case` or `summary`."""

    title: str
    """Number and name as written."""

    path: Path


class _Pair(NamedTuple):
    case: _File
    summary: _File

    @property
    def name(self) -> str:
        """Name of the case, without its number."""
        return self.case.title.partition(" ")[2]


def load_pairs(source: Path | None = None) -> QuestionSet:
    """Read a folder of pairs of opinion and summary.

    Names are `<n> <name> full case.pdf` (txt, md, html) and `<n> <name> summary.txt`. Files with the same number and name belong together; their case,
    spaces and punctuation are ignored. A file that cannot be read, has another form of
    name or no counterpart is skipped.

    Args:
        source: Folder of `<n> <name> full case.pdf` (or txt) and `<n> <name> summary.txt`. Default:
            six fictional cases.

    Returns:
        One request for a summary for each case.

    Raises:
        InputError: The folder is missing, or has no readable pair.
    """
    folder = source or DEMO
    pairs, skipped = _pairs(folder)
    texts, unread = read_texts({file.path.name: file.path for pair in pairs for file in pair})
    readable = [pair for pair in pairs if all(file.path.name in texts for file in pair)]
    skipped = [*skipped, *unread]
    skipped += [
        Skipped(file.path.name, "its counterpart cannot be read")
        for pair in pairs
        if pair not in readable
        for file in pair
        if file.path.name in texts
    ]
    if not readable:
        first = f": {skipped[0]}" if skipped else ""
        raise InputError(
            f"{folder} has no pair of `<n> <name> full case.pdf` (or .txt) and "
            f"`<n> <name> summary.txt`{first}"
        )
    digests = {file.path.name: file_digest(file.path) for pair in readable for file in pair}
    return QuestionSet(
        documents=[_document(pair, texts[pair.case.path.name]) for pair in readable],
        questions=[_question(pair, texts[pair.summary.path.name]) for pair in readable],
        source=Source(inputs=digests),
        split=source.absolute().name if source else "demo",
        counts={"cases": len(readable), "documents_skipped": len(skipped)},
        total=len(readable),
        skipped=skipped,
    )


def _pairs(folder: Path) -> tuple[list[_Pair], list[Skipped]]:
    """Return pairs of files by number and name, and the unpaired files."""
    if not folder.is_dir():
        raise InputError(f"folder {folder} does not exist; --source takes a folder of pairs")
    files: dict[str, dict[_Key, _File]] = {"case": {}, "summary": {}}
    skipped: list[Skipped] = []
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.name.startswith(".") or path.name == ERRORS_FILE:
            continue
        file = _read_name(path)
        if file is None:
            skipped.append(Skipped(path.name, "is named neither `full case` nor `summary`"))
        elif file.key in files[file.kind]:
            first = files[file.kind][file.key].path.name
            skipped.append(Skipped(path.name, f"is the same case as {first}"))
        else:
            files[file.kind][file.key] = file
    pairs = [
        _Pair(file, files["summary"][key])
        for key, file in sorted(files["case"].items())
        if key in files["summary"]
    ]
    return pairs, skipped + _alone(files)


def _read_name(path: Path) -> _File | None:
    match = _NAME.fullmatch(path.stem)
    if match is None or path.suffix.lower() not in SUFFIXES:
        return None
    number = int(match["number"])
    name = " ".join(match["name"].replace("_", " ").split())
    kind = "summary" if match["kind"].lower() == "summary" else "case"
    return _File(_Key(number, _SIGN.sub("", name.lower())), kind, f"{number} {name}", path)


def _alone(files: Mapping[str, Mapping[_Key, _File]]) -> list[Skipped]:
    """Return the files without a counterpart."""
    missing = {"case": "no summary", "summary": "no full case"}
    other = {"case": "summary", "summary": "case"}
    return [
        Skipped(file.path.name, f"{missing[kind]} with this number and name")
        for kind, group in files.items()
        for key, file in group.items()
        if key not in files[other[kind]]
    ]


def _document(pair: _Pair, text: str) -> Document:
    label = pair.name.replace("[", "(").replace("]", ")").replace("|", "/")
    sections = tuple(
        Section(
            title=part.title,
            text=part.text,
            prefix=f"[CASE: {label} | SECTION: {part.title}]" if part.title else f"[CASE: {label}]",
        )
        for part in split_opinion(text)
    )
    return Document(doc_id=pair.case.title, company=pair.name, period="", sections=sections)


def _question(pair: _Pair, summary: str) -> Question:
    return Question(
        question_id=pair.case.title,
        text=f"Summarize the judgment in {pair.name}, with its concurrences and dissents.",
        answers=(summary.strip(),),
        doc_ids=(pair.case.title,),
        question_type="summary",
        company=pair.name,
        more={"style": "legal"},
    )


DATASET = DatasetSpec(
    name="legal",
    title="Court opinions",
    summary="Court opinions with human summaries: your own, or six fictional ones.",
    read=load_pairs,
    evaluate="legal_cases",
    corpus="legal",
    licence="MIT (the six that ship)",
    citation="written for this package",
)
