"""Files of model-written questions and references, a tenth of which an annotator marks."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from ..._util.encodable import cell_text, csv_text
from ..._util.errors import InputError
from ..._util.files import digest, replace_file
from ...benchmark.prepared_files import json_lines
from ...benchmark.rows import Filled, Text, read_models
from ...types.sample import SampleFact

SPOT_CHECK = "spot_check.csv"
REJECT = "reject"


class _Mark(BaseModel):
    """A row of the table."""

    id: Filled
    mark: Annotated[Literal["", "accept", "reject"], BeforeValidator(lambda m: m.strip().lower())]
    """Empty if not yet marked."""

    note: Annotated[Text, AfterValidator(cell_text)] = ""


class SpotCheck(NamedTuple):
    """A kind of `spot_check.csv`: one row per text to check."""

    columns: tuple[str, ...]
    """Columns shown, `id` first; `mark` and `note` follow."""

    texts: str
    """File beside it with all texts."""

    def read(self, folder: Path, known: Container[str]) -> dict[str, str]:
        """Read an annotator's marks: `accept`, `reject` or empty, by id.

        Args:
            folder: Folder of the texts.
            known: Ids that have a text.

        Raises:
            InputError: A row cannot be read, an id occurs twice, or a marked text is missing.
        """
        marks: dict[str, str] = {name: row.mark for name, row in _marks(folder).items()}
        for name, mark in marks.items():
            if mark and name not in known:
                raise InputError(
                    f"{folder / SPOT_CHECK}: id {name!r} is not in {self.texts}; "
                    "correct it or remove the row"
                )
        return marks

    def write(
        self,
        folder: Path,
        rows: Sequence[tuple[str, ...]],
        *,
        changed: Container[str] = (),
        seed: int = 7,
    ) -> None:
        """Write a tenth of the rows and all marked ones; keep marks of unchanged texts.

        Args:
            folder: Folder made by `make_folder`.
            rows: All texts, each with a cell for each of `columns`.
            changed: Ids whose text has changed since it was marked.
            seed: Seed of the selection.
        """
        ids = [row[0] for row in rows]
        marks = _marks(folder)
        sampled_ids = tenth(ids, seed)
        table: list[tuple[str, ...]] = [(*self.columns, "mark", "note")]
        for row in rows:
            mark = None if row[0] in changed else marks.get(row[0])
            if mark or row[0] in sampled_ids:
                table.append((*row, mark.mark if mark else "", mark.note if mark else ""))
        replace_file(folder / SPOT_CHECK, csv_text(table))


def _marks(folder: Path) -> dict[str, _Mark]:
    rows = read_models(folder / SPOT_CHECK, _Mark)
    return {cell_text(name): row for name, row in rows.items()}


def tenth(ids: Sequence[str], seed: int) -> set[str]:
    """Return a reproducible random tenth of some ids, at least one."""
    ranked = sorted(ids, key=lambda name: digest(f"{seed}:{name}", length=64))
    return set(ranked[: max(1, round(len(ids) / 10))])


def make_folder(folder: Path) -> None:
    """Create a folder if missing, and check that files can be written to it.

    Raises:
        InputError: It is not writable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written to ({error.strerror}); choose another folder"
        ) from error


QuestionType = Literal["single", "multi", "summary", "comparison", "unanswerable"]
Outcome = Literal[
    "kept", "unusable", "not_verbatim", "not_answered", "known", "answered", "duplicate"
]
"""`unusable`: the reply, or the verdict on an answer, is not in the requested form; `not_verbatim`:
a quotation occurs in no passage; `not_answered`: the evidence does not lead to the answer; `known`:
the answer is known without evidence; `answered`: the documents answer what should be unanswerable."""

CANDIDATES = "candidates.jsonl"
QUESTIONS = "questions.jsonl"
NOT_SAID = "The documents do not say."
"""Gold answer of an unanswerable question."""

_QUESTION_CHECK = SpotCheck(("id", "question", "answer", "evidence"), CANDIDATES)


class Candidate(BaseModel):
    """A question written by a model, and its outcome."""

    model_config = ConfigDict(extra="forbid")

    id: str
    question_type: QuestionType
    outcome: Outcome
    reason: str = ""
    """Why it was not kept."""

    question: str = ""
    answer: str = ""
    evidence: list[str] = []
    """Passages of the documents, verbatim."""

    doc_ids: list[str] = []
    chunk_ids: list[int] = []
    """Chunks shown to the model."""

    model: str
    settings: str
    """Digest of the settings: model, prompts, chunks and seed."""


def read_candidates(folder: Path, settings: str) -> dict[str, Candidate]:
    """Read the candidates of a folder by id, in the order in which they were written.

    Raises:
        InputError: The file cannot be read, or was made with other settings.
    """
    candidates = read_models(folder / CANDIDATES, Candidate)
    if any(candidate.settings != settings for candidate in candidates.values()):
        raise InputError(
            f"{folder / CANDIDATES} was made with another model, corpus, seed or version of the "
            "prompts; give another -o"
        )
    return candidates


def read_rejected(folder: Path, candidates: Mapping[str, Candidate]) -> set[str]:
    """Read the ids of questions that an annotator rejected.

    Raises:
        InputError: The table of marks cannot be read; see `SpotCheck.read`.
    """
    marks = _QUESTION_CHECK.read(folder, candidates)
    return {name for name, mark in marks.items() if mark == REJECT}


def write_candidates(folder: Path, candidates: Sequence[Candidate], *, seed: int) -> None:
    """Write candidates, kept questions, and a tenth of these for an annotator to check.

    Args:
        folder: Folder made by `make_folder`.
        candidates: All candidates.
        seed: Seed of the selection.
    """
    questions = [item for item in candidates if item.outcome == "kept"]
    rejected = read_rejected(folder, {item.id: item for item in candidates})
    replace_file(folder / CANDIDATES, json_lines(item.model_dump() for item in candidates))
    rows = [
        (item.id, item.question, item.answer, " […] ".join(item.evidence)) for item in questions
    ]
    _QUESTION_CHECK.write(folder, rows, seed=seed)
    replace_file(
        folder / QUESTIONS,
        json_lines(_question(item) for item in questions if item.id not in rejected),
    )


def _question(candidate: Candidate) -> dict[str, object]:
    """Return a row for `arag-inspect prepare custom --questions`."""
    names = ("id", "question", "answer", "evidence", "doc_ids", "question_type")
    return candidate.model_dump(include=set(names))


REFERENCES = "references.jsonl"
_REFERENCE_CHECK = SpotCheck(("id", "question", "reference"), REFERENCES)


class Reference(BaseModel):
    """A reference with its origin."""

    model_config = ConfigDict(extra="forbid")

    id: str
    """Id of the sample."""

    question: str
    reference: str
    model: str
    date: str
    """Date of writing, ISO 8601."""

    prompt_sha256: str
    chunk_ids: list[int]
    """Chunks given to the model."""

    chunks_sha256: str
    """Digest of the corpus's chunks, to which the ids refer."""

    facts: list[SampleFact] = []
    """Its sentences, with the chunks that hold them."""


def references_folder(corpus: Path, task: str) -> Path:
    """Return the default folder of a task's references.

    It is beside the corpus, so that preparing the corpus again does not lose them.
    """
    return corpus.with_name(f"{corpus.name}-references") / task


def read_references(folder: Path) -> dict[str, Reference]:
    """Read the references of a folder by sample; empty if there is no file.

    Raises:
        InputError: A line cannot be read, or an id occurs twice.
    """
    return read_models(folder / REFERENCES, Reference)


def read_marks(folder: Path, known: Container[str]) -> dict[str, str]:
    """Read an annotator's marks, by sample; see `SpotCheck.read`."""
    return _REFERENCE_CHECK.read(folder, known)


def write_references(folder: Path, references: Sequence[Reference]) -> None:
    """Write references, and a tenth of them for an annotator to check.

    Marks of unchanged references are kept.

    Args:
        folder: Folder made by `make_folder`.
        references: All references, including those of samples no longer in the corpus.
    """
    previous_references = read_references(folder)
    replace_file(folder / REFERENCES, json_lines(item.model_dump() for item in references))
    changed = {
        reference.id
        for reference in references
        if reference.id not in previous_references
        or previous_references[reference.id].reference != reference.reference
    }
    _REFERENCE_CHECK.write(
        folder,
        [(reference.id, reference.question, reference.reference) for reference in references],
        changed=changed,
    )
