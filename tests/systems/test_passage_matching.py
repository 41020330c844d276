"""Tests of locating passages that a live system returns as text in a corpus's chunks."""

import threading
from pathlib import Path

import anyio
import pytest

from arag_inspect.corpus import Chunk, Corpus, Document, Provenance, Section
from arag_inspect.corpus.prepared.builder import build_corpus
from arag_inspect.corpus.stores.local import LocalStore
from arag_inspect.systems.live.passages_in_corpus import Matched, match_passages
from arag_inspect.systems.live.reply import read_reply

HEADING = "The segments developed as the following table shows."
FIGURES = {
    "harbor": "Hand tools sold for $185.2 million.",
    "lumen": "Cheese sold for $9.6 million in Northport.",
    "orrin": "Freight brought $540.0 million, mostly by road.",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Three single-chunk letters that begin with the same sentence."""
    documents = [
        Document(name, "", "", (Section("", f"{HEADING} {figure}", ""),))
        for name, figure in FIGURES.items()
    ]
    build_corpus(documents, tmp_path / "letters", Provenance("letters"))
    return Corpus.open(tmp_path / "letters")


def match(corpus: Corpus, *passages: object) -> Matched:
    reply = read_reply({"text": "It rose.", "passages": list(passages)})
    assert reply.passages is not None
    return anyio.run(match_passages, reply.passages, corpus)


def test_event_loop_does_not_wait_for_store(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_readers: dict[object, threading.Thread] = {}
    read_chunk = LocalStore.chunk

    def read_and_note(store: LocalStore, chunk_id: int) -> Chunk:
        first_readers.setdefault(chunk_id, threading.current_thread())
        return read_chunk(store, chunk_id)

    def list_and_note(store: LocalStore) -> list[str]:
        first_readers["doc_ids"] = threading.current_thread()
        return list(FIGURES)

    monkeypatch.setattr(LocalStore, "chunk", read_and_note)
    monkeypatch.setattr(LocalStore, "doc_ids", property(list_and_note))
    unknown = {"text": "Not in a letter.", "doc_id": "harbor"}
    matched = match(corpus, {"chunk_id": 1}, {"chunk_id": 2, "text": FIGURES["orrin"]}, unknown)
    assert matched.by_id == 2 and matched.unmatched == 1
    returned = [(passage.chunk_ids, passage.given_id) for passage in matched.returned]
    assert returned == [([1], 1), ([2], 2), ([-1], None)]
    assert first_readers.keys() >= {1, 2, "doc_ids"}
    assert threading.main_thread() not in first_readers.values()


@pytest.mark.parametrize("name", FIGURES)
def test_repeated_sentence_is_matched_to_document_of_other_sentences(
    corpus: Corpus, name: str
) -> None:
    (passage,) = match(corpus, f"{HEADING} {FIGURES[name]}").passages
    assert (passage.doc_id, passage.text) == (name, f"{HEADING} {FIGURES[name]}")


@pytest.mark.parametrize("name", FIGURES)
def test_repeated_passage_is_matched_to_document_read_before(corpus: Corpus, name: str) -> None:
    (passage,) = match(corpus, FIGURES[name], HEADING).passages
    assert (passage.doc_id, passage.text) == (name, f"{FIGURES[name]}\n{HEADING}")


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("in_metadata", [False, True])
def test_repeated_passage_is_matched_to_named_document(
    corpus: Corpus, name: str, in_metadata: bool
) -> None:
    about = {"doc_id": name}
    returned_passage = {"text": HEADING, **({"metadata": about} if in_metadata else about)}
    (passage,) = match(corpus, returned_passage).passages
    assert passage.doc_id == name


@pytest.mark.parametrize("doc_id", ["harbor", "no document of the corpus"])
def test_passage_is_matched_elsewhere_when_named_document_lacks_text(
    corpus: Corpus, doc_id: str
) -> None:
    (passage,) = match(corpus, {"text": FIGURES["orrin"], "doc_id": doc_id}).passages
    assert passage.doc_id == "orrin"


def test_passage_across_two_documents_is_split_between_chunks(corpus: Corpus) -> None:
    passages = match(corpus, f"{FIGURES['orrin']} {FIGURES['lumen']}").passages
    texts = {passage.doc_id: passage.text for passage in passages}
    assert texts == {name: FIGURES[name] for name in ("orrin", "lumen")}


def test_table_in_passage_keeps_its_lines(tmp_path: Path) -> None:
    table = "| EUR million | 2025 | 2024 |\n|---|---|---|\n| Orders | 512 | 240 |"
    document = Document("orders", "", "", (Section("", f"{HEADING}\n\n{table}\n", ""),))
    build_corpus([document], tmp_path / "letters", Provenance("letters"))
    (passage,) = match(Corpus.open(tmp_path / "letters"), table).passages
    assert passage.text == table


_TABLES = (
    "£ million | Q2 | Q1\nRevenue | 152.9 | 148.3\nCost of sales | (96.0) | (92.3)\n",
    "Gross profit | 56.9 | 56.0\nResearch | (9.3) | (8.2)\nAdjusted profit | 18.4 | 18.9\n",
)
"""A table in two sections, so in two chunks."""


@pytest.mark.parametrize("border", ["\n", " ", "  \n ", " | | ", " |\n| "])
def test_table_across_chunks_is_matched_however_its_lines_are_joined(
    tmp_path: Path, border: str
) -> None:
    sections = tuple(Section(str(number), table, "") for number, table in enumerate(_TABLES))
    build_corpus([Document("q2", "", "", sections)], tmp_path / "tables", Provenance("tables"))
    rows = "".join(_TABLES).split("\n")[1:-1]
    matched = match(Corpus.open(tmp_path / "tables"), border.join(rows))
    assert [passage.chunk_id for passage in matched.passages] == [0, 1]
    assert "(92.3)" in matched.passages[0].text and "(8.2)" in matched.passages[1].text
    assert "56.9" not in matched.passages[0].text


@pytest.mark.parametrize("name", FIGURES)
def test_passage_over_two_chunks_stays_in_document_holding_most_text(
    tmp_path: Path, name: str
) -> None:
    """A chunk of another letter holds more of the passage than either chunk of its own."""
    ending = "Inventories are higher than we like. We have a plan."
    letters = [
        Document(other, "", "", (Section("a", figure, ""), Section("b", ending, "")))
        for other, figure in FIGURES.items()
    ]
    outlook = Document("outlook", "", "", (Section("", f"{HEADING} {ending}", ""),))
    build_corpus([outlook, *letters], tmp_path / "letters", Provenance("letters"))
    corpus = Corpus.open(tmp_path / "letters")
    passages = match(corpus, f"{FIGURES[name]} {ending}").passages
    assert [(passage.doc_id, passage.text) for passage in passages] == [
        (name, FIGURES[name]),
        (name, ending),
    ]


@pytest.mark.parametrize(
    ("last", "sections"),
    [
        ("The margin was 9.4%.", ["a", "b"]),
        ("The margin was 9.4 % .", ["a", "b"]),
        ("The margin was 9.1%.", ["a"]),  # not what the next chunk states
    ],
)
def test_chunk_of_which_passage_has_one_sentence_counts_after_chunk_read(
    tmp_path: Path, last: str, sections: list[str]
) -> None:
    before = " ".join(f"Branch {number} sold {number} boats." for number in range(2, 40))
    after = "The margin was 9.4%. " + " ".join(f"Yard {n} has {n} cranes." for n in range(2, 40))
    document = Document("boats", "", "", (Section("a", before, ""), Section("b", after, "")))
    build_corpus([document], tmp_path / "boats", Provenance("boats"))
    end = " ".join(before.split()[-60:])
    matched = match(Corpus.open(tmp_path / "boats"), f"{end} {last} Yard 2")
    assert [passage.chunk_id for passage in matched.passages] == list(range(len(sections)))
    assert matched.passages[-1].text.startswith(last) == (len(sections) == 2)
