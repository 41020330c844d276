"""Tests of matching evidence from another PDF reader to chunks."""

from arag_inspect.corpus import Chunk
from arag_inspect.corpus.evidence import Evidence, align_evidence


def chunk(chunk_id: int, text: str, first: int, last: int | None = None) -> Chunk:
    last = first if last is None else last
    return Chunk(chunk_id, "D", "Acme", "2022", "", "", text, 1, (), first, last)


CHUNKS = [
    chunk(0, "Net sales grew in every region of the world and in all of the segments.", 0),
    chunk(
        1, "Balance Sheet\nCash and cash equivalents $ 2,853 $ 3,053\nInventories 2,120 1,915", 1
    ),
    chunk(2, "Total assets $ 36,500 $ 37,987\nLong-term debt 13,411 12,096", 1, 2),
    chunk(3, "Net sales grew in every region of the world and in all of the segments.", 2),
]


def test_evidence_matches_exactly_despite_line_breaks_and_symbols() -> None:
    text = (
        "Cash and cash equivalents\n \n$\n2,853 \n$\n3,053\nInventories\n2,120\n1,915\n"
        "Total assets\n$\n36,500\n$\n37,987"
    )
    alignment = align_evidence(Evidence(text, "D", 1), CHUNKS)
    assert (alignment.chunk_ids, alignment.place, alignment.match) == ((1, 2), "page", "exact")
    assert alignment.ratio == 100


def test_page_number_disambiguates_identical_chunks() -> None:
    text = CHUNKS[0].text
    assert align_evidence(Evidence(text, "D", 2), CHUNKS).chunk_ids == (3,)
    assert align_evidence(Evidence(text, "D", 0), CHUNKS).chunk_ids == (0,)
    assert align_evidence(Evidence(text, "D", None), CHUNKS).place == "document"


def test_evidence_matches_fuzzily_on_neighbouring_page() -> None:
    alignment = align_evidence(
        Evidence("Cash and cash equivalent s $ 2,853 $ 3,053 Inventory 2,120", "D", 0), CHUNKS
    )
    assert (alignment.chunk_ids, alignment.place, alignment.match) == ((1,), "neighbour", "fuzzy")


def test_evidence_with_different_figures_is_unmatched() -> None:
    similar = chunk(7, "Revenue from the sale of tools was $7.8 million in fiscal year 2014.", 1)
    for other in ("$5.2 million in fiscal year 2014", "$7.8 million in fiscal year 2015"):
        text = f"Revenue from the sale of tools was {other}."
        assert align_evidence(Evidence(text, "D", 1), [similar]).match == "none"
    point = chunk(8, "Revenue was 52 million.", 1)
    assert align_evidence(Evidence("Revenue was 5.2 million.", "D", 1), [point]).match == "none"
    joined = chunk(9, "Total revenues 194,579184,786 177,546 and so on", 1)
    table = Evidence("Total revenues\n194,579\n184,786\n177,546", "D", 1)
    assert align_evidence(table, [joined]).chunk_ids == (9,)


def test_absent_evidence_is_unmatched() -> None:
    for text in ("A sentence that this document does not hold on any page at all.", " \n "):
        alignment = align_evidence(Evidence(text, "D", 1), CHUNKS)
        assert (alignment.match, alignment.chunk_ids, alignment.place) == ("none", (), None)
    assert align_evidence(Evidence("Net sales", "E", 1), []).match == "none"
