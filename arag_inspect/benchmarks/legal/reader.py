"""Court opinions with summaries: pairs of files, and the parts of an opinion."""

import re
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect.benchmarks._shared.question_set import Question, QuestionSet
from arag_inspect.corpus import Document, Section, Source
from arag_inspect.corpus.documents.text import SUFFIXES, Skipped, read_texts

DEMO = Path(__file__).with_name("demo")
"""Six fictional opinions, their summaries, and known errors to insert into the summaries."""

ERRORS_FILE = "damages.jsonl"
"""Name of the file of known errors, beside the opinions and summaries."""

_NAME = re.compile(
    r"\s*(?P<number>\d+)[\s._-]+(?P<name>.*?\w.*?)[\s._-]*(?P<kind>full[\s_-]*case|summary)[\s._-]*",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[\W_]+")


class _CasePair(NamedTuple):
    title: str
    """Number and name of the case, as written in the opinion's file name."""

    opinion: Path
    summary: Path

    @property
    def name(self) -> str:
        """Name of the case, without its number."""
        return self.title.partition(" ")[2]

    @property
    def files(self) -> tuple[Path, Path]:
        """The opinion and its summary."""
        return (self.opinion, self.summary)


def read_legal(source: Path | None = None) -> QuestionSet:
    """Read a folder of pairs of opinion and summary.

    Names are `<n> <name> full case.pdf` (txt, md, html) and `<n> <name> summary.txt`. Files with
    the same number and name belong together; their case, spaces and punctuation are ignored. A file
    that is unreadable, whose name has another form, or that has no counterpart is skipped.

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
    files = chain.from_iterable(pair.files for pair in pairs)
    documents = read_texts({path.name: path for path in files})
    texts = documents.texts
    skipped += documents.skipped
    readable = []
    for pair in pairs:
        readable_names = [path.name for path in pair.files if path.name in texts]
        if len(readable_names) == len(pair.files):
            readable.append(pair)
        else:
            skipped += [Skipped(name, "its counterpart cannot be read") for name in readable_names]
    if not readable:
        first = f": {skipped[0]}" if skipped else ""
        raise InputError(
            f"{folder} has no pair of `<n> <name> full case.pdf` (or .txt) and "
            f"`<n> <name> summary.txt`{first}"
        )
    read_files = chain.from_iterable(pair.files for pair in readable)
    digests = {path.name: file_digest(path) for path in read_files}
    return QuestionSet(
        documents=[_document(pair, texts[pair.opinion.name]) for pair in readable],
        questions=[_question(pair, texts[pair.summary.name]) for pair in readable],
        source=Source(inputs=digests),
        split=source.absolute().name if source else "demo",
        counts={"cases": len(readable), "documents_skipped": len(skipped)},
        skipped=skipped,
    )


def _pairs(folder: Path) -> tuple[list[_CasePair], list[Skipped]]:
    """Return pairs of files by number and name, and the unpaired files."""
    if not folder.is_dir():
        raise InputError(f"folder {folder} does not exist; --source takes a folder of pairs")
    files: dict[tuple[int, str], dict[str, Path]] = {}
    titles: dict[tuple[int, str], str] = {}
    skipped: list[Skipped] = []
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.name.startswith(".") or path.name == ERRORS_FILE:
            continue
        match = _NAME.fullmatch(path.stem)
        if match is None or path.suffix.lower() not in SUFFIXES:
            skipped.append(Skipped(path.name, "is named neither `full case` nor `summary`"))
            continue
        kind = "summary" if match["kind"].lower() == "summary" else "full case"
        key = (int(match["number"]), _SIGN.sub("", match["name"].lower()))
        first = files.setdefault(key, {}).setdefault(kind, path)
        if first is not path:
            skipped.append(Skipped(path.name, f"is the same case as {first.name}"))
        elif kind == "full case":
            titles[key] = f"{key[0]} {' '.join(match['name'].replace('_', ' ').split())}"
    pairs = []
    for key, files_of_case in sorted(files.items()):
        opinion = files_of_case.get("full case")
        summary = files_of_case.get("summary")
        if opinion and summary:
            pairs.append(_CasePair(titles[key], opinion, summary))
        elif opinion:
            skipped.append(Skipped(opinion.name, "no summary with this number and name"))
        elif summary:
            skipped.append(Skipped(summary.name, "no full case with this number and name"))
    return pairs, skipped


def _document(pair: _CasePair, text: str) -> Document:
    label = pair.name.replace("[", "(").replace("]", ")").replace("|", "/")
    sections = []
    for part in split_opinion(text):
        header = f"CASE: {label} | SECTION: {part.title}" if part.title else f"CASE: {label}"
        sections.append(Section(title=part.title, text=part.text, prefix=f"[{header}]"))
    return Document(doc_id=pair.title, company=pair.name, period="", sections=tuple(sections))


def _question(pair: _CasePair, summary: str) -> Question:
    return Question(
        question_id=pair.title,
        text=f"Summarize the judgment in {pair.name}, with its concurrences and dissents.",
        answers=(summary.strip(),),
        doc_ids=(pair.title,),
        question_type="summary",
        company=pair.name,
        extra_metadata={"style": "legal"},
    )


_JUDGE = r"(?:MR\.? |MRS\.? |MS\.? )?(?:CHIEF )?JUSTICE (?P<judge>[A-Z][\w'’-]+)(?: [A-Z][\w'’-]+)?"
_SHORT = r"(?P<short>[A-Z][\w'’-]+), (?:C\. ?)?J\."
_WITH = r"(?:, (?:with whom|joined by) .{1,240}?)?"
_WHAT = r"(?P<what>(?:concurring|dissenting)[^.,]{0,120}(?:, and [^.,]{0,120})?)"
_DELIVERED = (
    rf"{_JUDGE},? (?:delivered|announced) the (?:opinion|judgment) of the court[^.]{{0,400}}"
)
_TITLES = {
    r"syllabus": "Syllabus",
    _DELIVERED: "Opinion of the Court",
    r"per curiam|opinion of the court": "Opinion of the Court",
    rf"(?:{_JUDGE}|{_SHORT}){_WITH},? {_WHAT}": "",
}
_HEADINGS = {re.compile(pattern, re.IGNORECASE): title for pattern, title in _TITLES.items()}
"""Start of a line that may begin a part, and its title; the title of a separate opinion follows
from its judge's verb (`dissenting`, `concurring`).
"""


class Part(NamedTuple):
    """A part of an opinion, from its heading to the next one."""

    title: str
    """`Caption`, `Syllabus`, `Opinion of the Court`, `Concurrence`, `Dissent`, or `Concurrence in
    part and dissent in part`; empty if an opinion has no headings.
    """

    judge: str
    """Author's surname in lower case; empty if the heading contains no judge."""

    text: str


class _Heading(NamedTuple):
    title: str
    judge: str


def split_opinion(text: str) -> list[Part]:
    """Split an opinion at its headings, each on a separate line.

    1. `Syllabus`, `Opinion of the Court` and `Per curiam` are headings if they are the whole line.
    2. So are `Justice X delivered (or announced) the opinion of the Court`, `Justice X, with whom
       Justice Y joins, dissenting`, `concurring`, `concurring in part and dissenting in part`, and
       `X, J., dissenting`. A heading with the judge in capitals may have the text after it on the
       same line, as in some PDFs.
    3. A heading of the same part by the same judge, such as a running head, does not begin a new
       part.
    4. The text before the first heading is the caption.

    Args:
        text: The whole opinion, one paragraph or heading per line.

    Returns:
        Its non-empty parts in order, which together are the whole text.
    """
    sections: list[tuple[_Heading, list[str]]] = [(_Heading("Caption", ""), [])]
    for line in text.splitlines():
        heading = _heading(line.strip())
        if heading is not None and not _continues_opinion(sections[-1][0], heading):
            sections.append((heading, []))
        sections[-1][1].append(line)
    parts = [Part(*heading, "\n".join(lines).strip()) for heading, lines in sections]
    if len(parts) == 1:
        parts = [parts[0]._replace(title="")]
    return [part for part in parts if part.text]


def _heading(line: str) -> _Heading | None:
    for pattern, title in _HEADINGS.items():
        match = pattern.match(line)
        if match is None:
            continue
        groups = match.groupdict()
        judge = groups.get("judge") or groups.get("short") or ""
        is_capitalised = bool(groups.get("judge")) and judge.isupper()
        if is_capitalised or not line[match.end() :].strip(" .*:0123456789"):
            return _Heading(title or _separate_opinion_title(groups["what"].lower()), judge.lower())
    return None


def _separate_opinion_title(opinion_words: str) -> str:
    if "concurring" in opinion_words and "dissenting" in opinion_words:
        return "Concurrence in part and dissent in part"
    return "Dissent" if "dissenting" in opinion_words else "Concurrence"


def _continues_opinion(current: _Heading, heading: _Heading) -> bool:
    """Return whether a heading only repeats its part's heading."""
    unnamed = not current.judge or not heading.judge
    return current.title == heading.title and (unnamed or current.judge == heading.judge)
