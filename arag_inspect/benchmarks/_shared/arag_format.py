"""Read and write the files of A-RAG (arXiv 2602.03442).

`chunks.json` is a list of `"<id>:<text>"` or `{id, text}`, `questions.json` a list of `{id or qid,
question, answer, ...}`, `gold_chunk_map.json` the chunks with the evidence of each question.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect._util.json_values import parse_json
from arag_inspect.benchmark.prepared_files import GOLD, SAMPLES
from arag_inspect.benchmark.rows import Filled, first_fault
from arag_inspect.corpus import Chunk, Corpus, Document, Section, Source
from arag_inspect.corpus.prepared.manifest import INDEX

from .question_file import read_question_file
from .question_set import QuestionSet

CHUNKS = "chunks.json"
QUESTIONS = "questions.json"

_NUMBER = re.compile("[0-9]{1,18}")
_PREFIX = re.compile(r"(\[[A-Z_]+: [^\[\]\n]*\]) (?=\S)")
"""Prefix of this package's chunks, see `Section.prefix`."""


def read_arag(chunks: Path, questions: Path, columns: str = "", split: str = "") -> QuestionSet:
    """Read a corpus and its questions in A-RAG's published format.

    Each chunk is kept unchanged as its own document. Chunk ids that count from zero are kept; other
    chunks are numbered in order.

    Args:
        chunks: `chunks.json`.
        questions: `questions.json`.
        columns: Columns of roles with unrecognised names.
        split: Only questions of this split; empty for all.

    Raises:
        InputError: A file is damaged, or an id occurs twice.
    """
    items, reading = read_question_file(questions, columns=columns, split=split)
    return QuestionSet(
        documents=[_document(name, text) for name, text in _read_chunks(chunks).items()],
        questions=items,
        source=Source(inputs={path.name: file_digest(path) for path in (chunks, questions)}),
        reading=reading,
    )


def export_arag(corpus: str, out: Path) -> None:
    """Write a prepared corpus as A-RAG's files, atomically.

    Args:
        corpus: Name or path of the corpus.
        out: Folder to create; if it exists, it must be empty.

    Raises:
        InputError: The corpus is not prepared, or the folder is not empty.
    """
    out = out.absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} exists and is not empty; give another -o")
    opened_corpus = Corpus.open(corpus)
    if opened_corpus.manifest.lance is not None:
        raise InputError(f"{corpus} is in Lance; export the corpus that it was made from")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as work:
        stage = Path(work) / out.name
        (stage / "index").mkdir(parents=True)
        chunks = [opened_corpus.chunk(index) for index in range(len(opened_corpus))]
        texts = [f"{chunk.prefix} {chunk.text}" if chunk.prefix else chunk.text for chunk in chunks]
        _write(stage / CHUNKS, [f"{index}:{text}" for index, text in enumerate(texts)])
        _write(stage / QUESTIONS, _questions(opened_corpus.path / SAMPLES))
        _write(stage / "index" / "sentence_map.json", _sentence_map(chunks))
        shutil.copyfile(opened_corpus.path / INDEX, stage / "index" / "sentences.faiss")
        shutil.copyfile(opened_corpus.path / GOLD, stage / GOLD)
        if out.exists():
            out.rmdir()
        stage.rename(out)


def _sentence_map(chunks: Sequence[Chunk]) -> list[int]:
    """Return the id of the chunk of each sentence."""
    chunk_ids: list[int] = []
    for chunk in chunks:
        chunk_ids += [chunk.chunk_id] * len(chunk.sentences)
    return chunk_ids


class _ChunkItem(BaseModel):
    """A chunk, written as an object or as `"<id>:<text>"`."""

    id: Filled
    text: Annotated[str, Field(pattern=r"\S")]

    @model_validator(mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        name, _, text = value.partition(":") if isinstance(value, str) else ("", "", "")
        return {"id": name, "text": text} if isinstance(value, str) else value


_CHUNKS = TypeAdapter(Annotated[list[_ChunkItem], Field(min_length=1)])


def _read_chunks(path: Path) -> dict[str, str]:
    """Return the texts of the chunks by id, in the order of ids if these are numbers."""
    try:
        items = _CHUNKS.validate_python(parse_json(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise InputError(f"{path.name}, {first_fault(error)}") from None
    except ValueError as error:
        raise InputError(f"{path} is not readable JSON ({error})") from error
    texts: dict[str, str] = {}
    for item in items:
        if item.id in texts:
            raise InputError(f"{path.name}: id {item.id!r} occurs twice")
        texts[item.id] = item.text
    if all(_NUMBER.fullmatch(name) for name in texts):
        texts = dict(sorted(texts.items(), key=lambda item: int(item[0])))
    return texts


def _document(name: str, text: str) -> Document:
    match = _PREFIX.match(text)
    prefix = match[1] if match else ""
    body = text[match.end() :] if match else text
    return Document(name, "", "", (Section(title="", text=body, prefix=prefix, whole=True),))


def _questions(samples: Path) -> list[dict[str, Any]]:
    if not samples.is_file():
        raise InputError(f"{samples} is missing: the corpus has no questions to export")
    lines = samples.read_text(encoding="utf-8").split("\n")
    return [_question(json.loads(line)) for line in lines if line]


def _question(sample: Mapping[str, Any]) -> dict[str, Any]:
    metadata = sample["metadata"]
    extra_fields = {name: metadata[name] for name in _KEPT if name in metadata}
    style = metadata.get("style", "qa")
    if style != "qa":
        extra_fields.setdefault("summarization_style", style)
    return {
        "id": sample["id"],
        "source": metadata.get("question_source") or metadata.get("source", ""),
        "question": sample["input"],
        "answer": sample["target"],
        "question_type": metadata.get("question_type") or "",
        "evidence": metadata.get("evidence", []),
        "evidence_relations": metadata.get("evidence_relations", ""),
        **extra_fields,
    }


_KEPT = ("program", "exe_ans", "summarization_style")


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
