"""Tests of reading and writing files in A-RAG's format, including the round trip."""

import json
from pathlib import Path
from typing import Any

import faiss
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, Prepared, prepare_dataset
from arag_inspect.benchmarks._shared.arag_format import export_arag, read_arag
from arag_inspect.corpus import Corpus

LONG = "  Pumps sell well. " + " ".join(f"Region {n} took {n} of them." for n in range(60)) + "\n"
CHUNKS = [
    "0:[COMPANY: ZRG | TYPE: EARNINGS_CALL | PERIOD: Q1_2014] Revenue was $4 billion: a record.",
    f"1:{LONG}",
    "2:##lus the little: born 10:30.",
]
QUESTIONS = [
    {"id": "m1", "source": "musique", "question": "What was revenue?", "answer": "$4 billion",
     "question_type": "table", "evidence": "Revenue was $4 billion: a record.", "exe_ans": 4.0},
    {"qid": "m2", "question": "When was he born?", "answer": 10},
]  # fmt: skip


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else "x"


def write(folder: Path, chunks: Any = CHUNKS, questions: Any = QUESTIONS) -> tuple[Path, Path]:
    folder.mkdir(exist_ok=True)
    paths = folder / "chunks.json", folder / "questions.json"
    for path, value in zip(paths, (chunks, questions), strict=True):
        path.write_text(json.dumps(value))
    return paths


def prepare(folder: Path, out: Path, **options: Any) -> Prepared:
    return prepare_dataset(
        "custom",
        chunks=folder / "chunks.json",
        questions=folder / "questions.json",
        options=Options(out=out, chunk_tokens=64),
        **options,
    )


def test_arag_corpus_round_trips_through_export(tmp_path: Path) -> None:
    write(tmp_path / "given")
    prepared = prepare(tmp_path / "given", tmp_path / "c")
    corpus = Corpus.open(prepared.folder)
    assert len(corpus) == 3  # kept unchanged, including the long one
    assert (corpus.chunk(0).prefix, corpus.chunk(1).text) == (
        "[COMPANY: ZRG | TYPE: EARNINGS_CALL | PERIOD: Q1_2014]",
        LONG,
    )
    export_arag(str(prepared.folder), tmp_path / "out")
    files = {path.name: path for path in (tmp_path / "out").rglob("*") if path.is_file()}
    names = "chunks.json gold_chunk_map.json questions.json sentence_map.json sentences.faiss"
    assert " ".join(sorted(files)) == names
    assert json.loads(files["chunks.json"].read_text()) == CHUNKS
    first, second = json.loads(files["questions.json"].read_text())
    assert {key: first[key] for key in QUESTIONS[0] if key != "evidence"} == {
        key: value for key, value in QUESTIONS[0].items() if key != "evidence"
    }
    assert first["evidence"] == [QUESTIONS[0]["evidence"]]
    assert (second["id"], second["question"], second["answer"]) == ("m2", "When was he born?", "10")
    assert json.loads(files["gold_chunk_map.json"].read_text()) == {"m1": [0], "m2": []}
    sentences = json.loads(files["sentence_map.json"].read_text())
    assert sentences == sorted(sentences) and set(sentences) == {0, 1, 2}
    assert faiss.read_index(str(files["sentences.faiss"])).ntotal == len(sentences)

    reimported = prepare(tmp_path / "out", tmp_path / "d")
    export_arag(str(reimported.folder), tmp_path / "twice")
    for name in ("chunks.json", "questions.json", "gold_chunk_map.json", "index/sentence_map.json"):
        assert (tmp_path / "twice" / name).read_text() == (tmp_path / "out" / name).read_text()


def test_arag_chunks_keep_file_order_unless_ids_are_numeric(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "b", "text": "Second."}, {"id": "a", "text": "First."}])
    question_set = read_arag(tmp_path / "chunks.json", tmp_path / "questions.json")
    assert [document.doc_id for document in question_set.documents] == ["b", "a"]
    question_set = read_arag(*write(tmp_path, ["10:Ten.", "9:Nine."]))
    assert [document.doc_id for document in question_set.documents] == ["9", "10"]


@pytest.mark.parametrize(
    ("chunks", "questions", "message"),
    [
        (["0:a", "0:b"], QUESTIONS, "chunks.json: id '0' occurs twice"),
        (["0:a", {"id": 1}], QUESTIONS, "chunks.json, 1.text: Field required"),
        (["0:a", "1: "], QUESTIONS, "chunks.json, 1.text: String should match"),
        (["0:a", "bare"], QUESTIONS, "chunks.json, 1.text: String should match"),
        ([], QUESTIONS, "chunks.json, file: List should have at least 1 item"),
        ({"0": "a"}, QUESTIONS, "chunks.json, file: Input should be a valid list"),
        (CHUNKS, [{"id": "m", "answer": "a"}],
         "questions.json has no column that is known to hold the question"),
        (CHUNKS, [{"id": "", "question": "", "answer": "a"}, {"question": "q"}],
         "row 1: 'question' is empty"),
        (["0:half \ud800"], QUESTIONS, r"text contains a lone surrogate (\ud800)"),
        (nested(150), QUESTIONS, "lists and objects are nested more than 100 deep"),
    ],
)  # fmt: skip
def test_load_arag_rejects_faulty_files(
    tmp_path: Path, chunks: Any, questions: Any, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read_arag(*write(tmp_path, chunks, questions))
    assert message in str(raised.value)


def test_export_arag_rejects_nonempty_folder_and_missing_corpus(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(InputError, match="exists and is not empty; give another -o"):
        export_arag("any", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"chunks.json", "questions.json"}
    with pytest.raises(InputError, match="no prepared corpus"):
        export_arag(str(tmp_path / "none"), tmp_path / "x")
    assert not (tmp_path / "x").exists()
