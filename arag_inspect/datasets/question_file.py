"""A user's file of questions."""

from collections.abc import Sequence
from pathlib import Path

from ._io.records import Row, distinct, read_rows
from .question_set import Question

_KEPT = ("exe_ans", "program", "evidence_relations", "summarization_style")
"""Further fields of a question that go into its sample."""


def read_questions(path: Path, documents: Sequence[str] | None = None) -> list[Question]:
    """Read a file of questions.

    Args:
        path: JSON, JSON Lines, CSV or Parquet.
        documents: Documents that a question may name; None ignores the documents it names.

    Raises:
        InputError: A column is missing, an id occurs twice, or a document is unknown.
    """
    names = None if documents is None else _Names(documents)
    return [_question(row, names) for row in distinct(read_rows(path), "id", "qid")]


class _Names:
    """Documents by the names that a user may give them."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.documents = documents
        self._by_alias: dict[str, set[str]] = {}
        for name in documents:
            for alias in (name, str(Path(name).with_suffix("")), Path(name).name, Path(name).stem):
                self._by_alias.setdefault(alias.lower(), set()).add(name)

    def find(self, name: str, row: Row) -> str:
        """Return the document of a name: its path or an unambiguous part, in any case."""
        if name in self.documents:
            return name
        matches = sorted(self._by_alias.get(name.replace("\\", "/").lower(), ()))
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise row.error(f"document {name!r} may be {' or '.join(matches)}; give the whole path")
        first = ", ".join(self.documents[:5]) + (", ..." if len(self.documents) > 5 else "")
        raise row.error(f"document {name!r} is unknown; there are {first}")


def _question(row: Row, names: _Names | None) -> Question:
    value = row.values.get("answer")
    single = () if isinstance(value, list) else (row.optional_text("answer"),)
    mentioned = row.texts("doc_ids", "doc_id", separator=";") if names else ()
    more = {name: row.values[name] for name in _KEPT if row.values.get(name) not in (None, "")}
    row.check_finite("exe_ans")
    source = row.values.get("source")
    return Question(
        question_id=row.text("id", "qid"),
        text=row.text("question"),
        answers=tuple(text for text in single if text) or row.texts("answer"),
        doc_ids=tuple(dict.fromkeys(names.find(name, row) for name in mentioned)) if names else (),
        evidence=row.texts("evidence"),
        question_type=str(row.values.get("question_type") or "") or None,
        more={**more, **({"question_source": source} if source else {})},
    )
