"""Read and write the files of A-RAG (arXiv 2602.03442).

`chunks.json` is a list of `"<id>:<text>"` or `{id, text}`, `questions.json` a list
of `{id or qid, question, answer, ...}`, `gold_chunk_map.json` the chunks that hold
the evidence of each question.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._util.errors import InputError
from .._util.json_text import parse_json
from ..corpus import Corpus, Document, Section, Source
from ..corpus.embeddings import file_digest
from ..corpus.manifest import INDEX
from .prepared_files import GOLD, SAMPLES
from .question_set import QuestionSet, read_questions

CHUNKS, QUESTIONS = "chunks.json", "questions.json"

_NUMBER = re.compile("[0-9]{1,18}")
_PREFIX = re.compile(r"(\[[A-Z_]+: [^\[\]\n]*\]) (?=\S)")
"""Prefix of this package's chunks, see `Section.prefix`."""


def load_arag(chunks: Path, questions: Path, gold: Path | None = None) -> QuestionSet:
    """Read a corpus and its questions in A-RAG's published format.

    Each chunk is kept unchanged as its own document. Chunks whose ids
    count from zero keep them as chunk ids; others are numbered in their order.

    Args:
        chunks: `chunks.json`.
        questions: `questions.json`.
        gold: `gold_chunk_map.json`; without it the `evidence` of the questions is located in the
            chunks.

    Raises:
        InputError: A file is damaged, an id occurs twice, or a gold chunk is unknown.
    """
    texts = _read_chunks(chunks)
    indices = {name: index for index, name in enumerate(texts)}
    items = read_questions(questions)
    if gold is not None:
        gold_chunks = _read_gold(gold, indices)
        items = [replace(item, gold=gold_chunks.get(item.question_id, ())) for item in items]
    files = (chunks, questions, *((gold,) if gold else ()))
    return QuestionSet(
        documents=[_document(name, text) for name, text in texts.items()],
        questions=items,
        source=Source(inputs={path.name: file_digest(path) for path in files}),
    )


def export_arag(corpus: str, out: Path) -> None:
    """Write a prepared corpus as A-RAG's files, atomically.

    Args:
        corpus: Name or path of the corpus.
        out: Folder to make; it must not exist or be empty.

    Raises:
        InputError: The corpus is not prepared, or the folder is not empty.
    """
    out = out.absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} exists and is not empty; give another -o")
    opened = Corpus.open(corpus)
    if opened.manifest.lance is not None:
        raise InputError(f"{corpus} is in Lance; export the corpus that it was made from")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as work:
        stage = Path(work) / out.name
        (stage / "index").mkdir(parents=True)
        chunks = [opened.chunk(index) for index in range(len(opened))]
        texts = [f"{chunk.prefix} {chunk.text}" if chunk.prefix else chunk.text for chunk in chunks]
        _write(stage / CHUNKS, [f"{index}:{text}" for index, text in enumerate(texts)])
        _write(stage / QUESTIONS, _questions(opened.path / SAMPLES))
        _write(
            stage / "index" / "sentence_map.json",
            [chunk.chunk_id for chunk in chunks for _ in chunk.sentences],
        )
        shutil.copyfile(opened.path / INDEX, stage / "index" / "sentences.faiss")
        shutil.copyfile(opened.path / GOLD, stage / GOLD)
        if out.exists():
            out.rmdir()
        stage.rename(out)


def _read_chunks(path: Path) -> dict[str, str]:
    """Return the texts of the chunks by id, in the order of ids if these are numbers."""
    texts: dict[str, str] = {}
    for number, item in enumerate(_load(path, list), start=1):
        name, text = _chunk(item, f"{path.name}, item {number}")
        if name in texts:
            raise InputError(f"{path.name}, item {number}: id {name!r} occurs twice")
        texts[name] = text
    if not texts:
        raise InputError(f"{path.name} holds no chunks")
    if all(_NUMBER.fullmatch(name) for name in texts):
        texts = dict(sorted(texts.items(), key=lambda item: int(item[0])))
    return texts


def _chunk(item: object, location: str) -> tuple[str, str]:
    name: object = None
    text: object = None
    if isinstance(item, str):
        name, _, text = item.partition(":")
    elif isinstance(item, Mapping):
        name, text = item.get("id"), item.get("text")
    if isinstance(name, bool) or not isinstance(name, str | int) or not isinstance(text, str):
        raise InputError(f'{location}: expected "<id>:<text>" or an object with id and text')
    if not text.strip() or not str(name).strip():
        raise InputError(f"{location}: the {'text' if str(name).strip() else 'id'} is empty")
    return str(name).strip(), text


def _document(name: str, text: str) -> Document:
    match = _PREFIX.match(text)
    prefix = match[1] if match else ""
    body = text[match.end() :] if match else text
    return Document(name, "", "", (Section(title="", text=body, prefix=prefix, whole=True),))


def _read_gold(path: Path, indices: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    gold: dict[str, tuple[int, ...]] = {}
    for question, names in _load(path, dict).items():
        if not isinstance(names, list):
            raise InputError(f"{path.name}, question {question!r}: expected a list of chunk ids")
        unknown = [name for name in names if str(name) not in indices]
        if unknown:
            raise InputError(f"{path.name}, question {question!r}: chunk {unknown[0]!r} is unknown")
        gold[question] = tuple(indices[str(name)] for name in names)
    return gold


def _questions(samples: Path) -> list[dict[str, Any]]:
    if not samples.is_file():
        raise InputError(f"{samples} is missing: the corpus holds no questions to export")
    text = samples.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.split("\n") if line]
    return [_question(line, line["metadata"]) for line in lines]


def _question(sample: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    more = {name: metadata[name] for name in _KEPT if name in metadata}
    style = metadata.get("style", "qa")
    if style != "qa":
        more.setdefault("summarization_style", style)
    return {
        "id": sample["id"],
        "source": metadata.get("question_source") or metadata.get("source", ""),
        "question": sample["input"],
        "answer": sample["target"],
        "question_type": metadata.get("question_type") or "",
        "evidence": metadata.get("evidence", []),
        "evidence_relations": metadata.get("evidence_relations", ""),
        **more,
    }


_KEPT = ("program", "exe_ans", "summarization_style")


def _load(path: Path, kind: type) -> Any:
    try:
        value = parse_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path} is not readable JSON ({error})") from error
    if not isinstance(value, kind):
        expected = "a list of chunks" if kind is list else "an object of lists of chunk ids"
        raise InputError(f"{path.name}: expected {expected}")
    return value


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
