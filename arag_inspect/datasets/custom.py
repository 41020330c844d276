"""A user's own documents and questions."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from .._util.errors import InputError
from ..corpus import Document, Section, Source, bar
from ..corpus.embeddings import file_digest
from ._io.records import Row, distinct, read_rows
from ._parsing.text import SUFFIXES, read_text
from .question_set import Question, QuestionSet


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left out, and why."""

    name: str
    why: str


def load_custom(documents: Path, questions: Path) -> tuple[QuestionSet, list[Skipped]]:
    """Read a folder of documents and a file of questions about them.

    A document that cannot be read is skipped; a question is left out only where
    all of its documents are.

    Args:
        documents: Folder of txt, md, html and pdf files, in folders or not. A document's id is its path in the folder.
        questions: JSON, JSON Lines, CSV or Parquet with `id`, `question`, `answer`, and perhaps `evidence` (texts), `doc_ids` (paths, with or without the end of the name) and `question_type`.

    Returns:
        The set, and the files that were left out.

    Raises:
        InputError: No document can be read, or a question is not as it should be; nothing is skipped of a question file.
    """
    paths, skipped = _list_files(documents, questions)
    asked = read_questions(questions, _Names(list(paths)))
    texts: dict[str, str] = {}
    for name, text in read_all(paths):
        if isinstance(text, str):
            texts[name] = text
        else:
            skipped.append(Skipped(name, text.message.removeprefix(f"{paths[name]}: ")))
    if not texts:
        raise InputError(
            f"none of the {len(paths)} documents in {documents} can be read: {_first(skipped)}"
        )
    kept = [_restrict(one, texts) for one in asked]
    left = [one for one in kept if one is not None]
    if not left:
        raise InputError(
            f"all documents that {questions} asks about were skipped: {_first(skipped)}"
        )
    inputs = {name: file_digest(path) for name, path in paths.items() if name in texts}
    found = QuestionSet(
        documents=[_document(name, text) for name, text in texts.items()],
        questions=left,
        source=Source(inputs={questions.name: file_digest(questions), **inputs}),
        counts={"documents_skipped": len(skipped), "questions_left_out": len(kept) - len(left)},
        total=len(texts),
    )
    return found, skipped


def read_questions(path: Path, names: "_Names | None" = None) -> list[Question]:
    """Read a file of questions.

    Args:
        path: JSON, JSON Lines, CSV or Parquet.
        names: Documents that a question may name; None ignores what it names.

    Raises:
        InputError: A column is missing, an id occurs twice, or a document is unknown.
    """
    rows = distinct(read_rows(path), "id", "qid")
    return [_question(row, names) for row in rows]


class _Names:
    """Documents, by what a user may call them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._known: dict[str, set[str]] = {}
        for name in names:
            for alias in (name, str(Path(name).with_suffix("")), Path(name).name, Path(name).stem):
                self._known.setdefault(alias.lower(), set()).add(name)

    def find(self, given: str, row: Row) -> str:
        """The document that is meant: its path in the folder, or less where that is clear; in any case."""
        if given in self.names:
            return given
        meant = sorted(self._known.get(given.replace("\\", "/").lower(), ()))
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise row.wrong(f"document {given!r} may be {' or '.join(meant)}; give the whole path")
        known = ", ".join(self.names[:5]) + (", ..." if len(self.names) > 5 else "")
        raise row.wrong(f"document {given!r} is unknown; there are {known}")


def _question(row: Row, names: _Names | None) -> Question:
    value = row.values.get("answer")
    single = () if isinstance(value, list) else (row.optional_text("answer"),)
    given = row.texts("doc_ids", "doc_id", separator=";") if names else ()
    more = {name: row.values[name] for name in _KEPT if row.values.get(name) not in (None, "")}
    row.check_finite("exe_ans")
    source = row.values.get("source")
    return Question(
        question_id=row.text("id", "qid"),
        text=row.text("question"),
        answers=tuple(text for text in single if text) or row.texts("answer"),
        doc_ids=tuple(dict.fromkeys(names.find(name, row) for name in given)) if names else (),
        evidence=row.texts("evidence"),
        question_type=str(row.values.get("question_type") or "") or None,
        more={**more, **({"question_source": source} if source else {})},
    )


_KEPT = ("exe_ans", "program", "evidence_relations", "summarization_style")
"""What else of a question goes into its sample."""


def _list_files(folder: Path, questions: Path) -> tuple[dict[str, Path], list[Skipped]]:
    """Readable files by their path in the folder, and the others; hidden ones are passed over."""
    if not folder.is_dir():
        raise InputError(f"folder {folder} does not exist; --documents takes a folder")
    every = {
        os.fsencode(path.relative_to(folder)).decode(errors="backslashreplace"): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }
    known = {name: path for name, path in every.items() if path.suffix.lower() in SUFFIXES}
    paths = {name: path for name, path in known.items() if _is_utf8(path)}
    if not paths:
        raise InputError(f"{folder} holds no {', '.join(end[1:] for end in SUFFIXES)} file")
    kinds = ", ".join(end[1:] for end in SUFFIXES)
    others = [
        Skipped(name, "has a name that is not UTF-8" if name in known else f"is none of {kinds}")
        for name, path in every.items()
        if name not in paths and not (questions.exists() and path.samefile(questions))
    ]
    return paths, others


def _is_utf8(path: Path) -> bool:
    try:
        os.fsencode(path).decode()
    except UnicodeDecodeError:
        return False
    return True


def read_all(paths: dict[str, Path]) -> Iterator[tuple[str, str | InputError]]:
    """Read documents in parallel; the text of each, or what is wrong with it, in order."""

    def read(path: Path) -> str | InputError:
        try:
            return read_text(path)
        except InputError as error:
            return error

    with (
        ThreadPoolExecutor(os.cpu_count()) as pool,
        bar("Reading documents")(len(paths)) as advance,
    ):
        for name, text in zip(paths, pool.map(read, paths.values()), strict=True):
            advance()
            yield name, text


def _restrict(question: Question, texts: dict[str, str]) -> Question | None:
    """The question about those of its documents that could be read; None where none could."""
    doc_ids = tuple(name for name in question.doc_ids if name in texts)
    return None if question.doc_ids and not doc_ids else replace(question, doc_ids=doc_ids)


def _document(name: str, text: str) -> Document:
    shown = " ".join(name.replace("[", "(").replace("]", ")").split())
    section = Section(title="", text=text, prefix=f"[DOCUMENT: {shown}]")
    return Document(doc_id=name, company="", period="", sections=(section,))


def _first(skipped: Sequence[Skipped]) -> str:
    return f"{skipped[0].name} {skipped[0].why}"
