"""Tests of splitting documents into chunks."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.corpus import Chunk, Document, Section, chunk_document
from arag_inspect.corpus.chunking import split_document


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def cut(*texts: str, size: int = 10, first_id: int = 0) -> list[Chunk]:
    sections = tuple(Section(f"S{i}", text, f"[S{i}]") for i, text in enumerate(texts))
    document = Document("D", "ACME", "Q1_2021", sections)
    return chunk_document(document, first_id=first_id, chunk_tokens=size, count_tokens=words)


def test_chunks_pack_whole_sentences_up_to_limit() -> None:
    chunks = cut("One two three four. Five six seven. Eight nine ten eleven.", size=8)
    first, second, third = "One two three four.", "Five six seven.", "Eight nine ten eleven."
    assert [chunk.text for chunk in chunks] == [f"{first} {second}", third]
    assert [chunk.tokens for chunk in chunks] == [7, 4]
    chunk_sentences = [chunk.text[a:b] for chunk in chunks for a, b in chunk.sentences]
    assert chunk_sentences == [first, second, third]


def test_chunks_never_cross_sections_and_keep_prefix() -> None:
    chunks = cut("Short one.", "Short two.", first_id=5)
    assert [(c.chunk_id, c.section, c.prefix, c.text) for c in chunks] == [
        (5, "S0", "[S0]", "Short one."),
        (6, "S1", "[S1]", "Short two."),
    ]


def test_overlong_sentence_is_cut_between_words() -> None:
    text = " ".join(f"word{i}" for i in range(35))
    chunks = cut(text, size=10)
    assert all(chunk.tokens <= 10 for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks).split() == text.split()


@pytest.mark.parametrize("unit", ["x", "x" * 5_000 + " ", "a - ", "\u4e00", "a. "])
def test_text_without_breaks_is_counted_and_chunked_in_pieces(unit: str) -> None:
    counted: list[str] = []

    def one_each(texts: Sequence[str]) -> list[int]:  # as a tokenizer does with unknown words
        counted.extend(texts)
        return [1] * len(texts)

    document = Document("D", "ACME", "Q1", (Section("S", (unit * 100_000)[:100_000], ""),))
    chunks = chunk_document(document, first_id=0, chunk_tokens=50, count_tokens=one_each)
    assert max(map(len, counted)) <= 1_000
    letters = [len(chunk.text) - chunk.text.count(" ") for chunk in chunks]
    assert max(letters) <= 20 * 50 + 20 and sum(letters) == 100_000 - document.sections[
        0
    ].text.count(" ")


@pytest.mark.parametrize("end", [";", ",", " -", ""])
def test_sentence_over_model_window_is_cut_at_best_punctuation(end: str) -> None:
    text = " ".join(["one two, three four five six" + end] * 30)
    document = Document("D", "ACME", "Q1", (Section("S", text, "[A B]"),))
    (chunk,), sentences_cut = split_document(
        document, first_id=0, chunk_tokens=300, count_tokens=words, window=43
    )
    parts = [chunk.text[a:b] for a, b in chunk.sentences]
    assert sentences_cut == 1 and " ".join(parts) == text
    assert max(words(parts)) <= 40  # excluding the prefix
    assert all(part.endswith(end or ",") for part in parts[:-1])


def test_empty_document_has_no_chunks() -> None:
    assert cut("", "  \n ") == []


@given(
    st.lists(st.sampled_from(["Up 2.5%.", "We grew a lot in the U.S. this year.", "x" * 40 + "."])),
    st.integers(3, 20),
)
def test_chunks_cover_text_once_within_token_limit(parts: list[str], size: int) -> None:
    chunks = cut(" ".join(parts), size=size)
    assert [word for c in chunks for word in c.text.split()] == " ".join(parts).split()
    assert all(chunk.tokens <= size for chunk in chunks)
    assert [chunk.chunk_id for chunk in chunks] == list(range(len(chunks)))


BODY = [f"Region {n} | {n},105 | {n},011" for n in range(10, 16)]
PLAIN = [row.replace(" | ", " ") for row in BODY]


@pytest.mark.parametrize(
    ("lines", "head"),
    [
        (["Net sales", "(in millions)", "Item | 2022 | 2021", *BODY],
         "Net sales (in millions) Item | 2022 | 2021"),
        (["In thousands, except per share data", "2022 2021", *PLAIN],
         "In thousands, except per share data 2022 2021"),
        (["(Millions)", "June 30, 2022 June 30, 2021", *PLAIN],
         "(Millions) June 30, 2022 June 30, 2021"),
        (["(Millions)", "|Item | FY24 | H1 2023|", "|---|---|---|",
          *(f"| {row} |" for row in BODY)], "(Millions) Item | FY24 | H1 2023"),
        (["Item | 31.12.2023 | Dec-22", *BODY], "Item | 31.12.2023 | Dec-22"),
        (["A sentence that ends before the rows.", *PLAIN], ""),
        (["Name | Post | Town", *["Ada Holt | Chair | Bath"] * 6], "Name | Post | Town"),
    ],
)  # fmt: skip
def test_continuation_chunk_has_table_head_in_prefix(lines: list[str], head: str) -> None:
    """It is in the prefix, not in the text; the chunk after the table has none."""
    first, *rest = cut("\n".join([*lines, "The text goes on here. " * 9]), size=18)
    inside = [chunk for chunk in rest if chunk.text.startswith(lines[-2][:6])]
    assert first.prefix == rest[-1].prefix == "[S0]"
    prefix = f"[S0 | TABLE: {head}]" if head else "[S0]"
    assert inside and {chunk.prefix for chunk in inside} == {prefix}
    assert all(head not in chunk.text for chunk in inside if head)


TITLE = (
    "Condensed Consolidated Statements of Comprehensive Income (in thousands, except "
    "per share data)"
)
MONTHS = "Three months ended June 30, | | Six months ended June 30, |"
YEARS = "2025 | 2024 | 2025 | 2024"
SHORT_TITLE = TITLE.removeprefix("Condensed ")


@pytest.mark.parametrize(
    ("lines", "head"),
    [
        ([TITLE, "", f"| | {MONTHS} |", f"| {YEARS}"], f"{SHORT_TITLE} | {MONTHS} | {YEARS}"),
        ([f"{MONTHS} |", f"| {YEARS}"], f"{MONTHS} | | {YEARS}"),
        ([TITLE, f"| {YEARS}"], f"{SHORT_TITLE} | {YEARS}"),
        ([TITLE.replace("in thousands", "not audited"), f"| {YEARS}"], f"| {YEARS}"),
    ],
    ids=["title and period", "period", "title", "paragraph"],
)
def test_table_head_has_lines_of_period_and_unit(lines: list[str], head: str) -> None:
    body = ["Pumps | 1,234 | 1,111 | 2,345 | 2,222"] * 8
    (prefix,) = {chunk.prefix for chunk in cut("\n".join([*lines, *body]), size=40)[1:]}
    assert prefix == f"[S0 | TABLE: {head}]"


def test_table_starts_new_chunk_when_table_fits_whole() -> None:
    lines = ["The text goes on here.", "(Millions) 2022 2021", *PLAIN[:3], "It ends."]
    table = "\n".join(lines[1:5])
    assert [chunk.text for chunk in cut("\n".join(lines), size=16)] == [lines[0], table, lines[-1]]
    assert cut("\n".join(lines), size=12)[0].text == "\n".join(lines[:3])


def test_later_table_head_replaces_earlier_one() -> None:
    lines = ["(in millions)", "2022 2021", *PLAIN, "Assets", "2020 2019", *PLAIN]
    prefixes = [chunk.prefix for chunk in cut("\n".join(lines), size=12)]
    assert prefixes[1] == "[S0 | TABLE: (in millions) 2022 2021]"
    assert prefixes[-1] == "[S0 | TABLE: (in millions) Assets 2020 2019]"


def test_later_table_head_takes_only_unit_from_columns_of_earlier_one() -> None:
    rows = ["Pumps | 5 | 4", "Valves | 3 | 2"]
    lines = ["(in millions) | 2022 | 2021", *rows, "Assets", "| 2020 | 2019", *rows, *rows]
    prefixes = [chunk.prefix for chunk in cut("\n".join(lines), size=12)]
    assert prefixes[-1] == "[S0 | TABLE: (in millions) Assets | 2020 | 2019]"


BARRED_HEAD = ["Balance sheets", "(In millions)", "| May 31, 2025 | May 31, 2024"]


@pytest.mark.parametrize(
    ("below", "head"),
    [
        (["Statements of equity", "", "Shares | Amount | Total"],
         "Statements of equity Shares | Amount | Total"),
        (["Year ended May 31, 2023", "(Millions) | Asia | Total"],
         "Year ended May 31, 2023 (Millions) | Asia | Total"),
        (["Statements of income", "| 2025 | 2024"], "Statements of income | 2025 | 2024"),
    ],
)  # fmt: skip
def test_table_head_belongs_to_table_below_blank_line(below: list[str], head: str) -> None:
    lines = [*BARRED_HEAD, *BODY, "", *below, *BODY]
    prefixes = [chunk.prefix for chunk in cut("\n".join(lines), size=18)]
    assert prefixes[-1] == f"[S0 | TABLE: {head}]"
    assert "Balance" not in "".join(prefixes[-2:])
