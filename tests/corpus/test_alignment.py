"""Tests of aligning sentences with chunks, exactly and fuzzily."""

import pytest

from arag_inspect.corpus import Chunk, align


def chunks(*texts: str) -> list[Chunk]:
    return [Chunk(i, "D", "A", "Q1", "", "", text, 1, ()) for i, text in enumerate(texts)]


SENTENCE = "Total revenue for the quarter was $4.2 billion, an increase of 7.5% over last year."


def test_align_matches_exactly_despite_whitespace() -> None:
    aligned = align(
        SENTENCE, chunks("Nothing here.", f"Well.\n{SENTENCE.replace(' ', chr(10))} Good.")
    )
    assert (aligned.chunk_id, aligned.match, aligned.distance) == (1, "exact", 0)


@pytest.mark.parametrize(
    "row", ["CET1 ratio 14.6%", "CET1 ratio | 14.6%", "| CET1 ratio | 14.6% |"]
)
def test_align_matches_row_exactly_despite_cell_borders(row: str) -> None:
    table = "| | 2024 | 2023 |\n|---|---|---|\n| CET1 ratio | 14.6% | 13.9% |\n"
    aligned = align(row, chunks("Nothing here.", table))
    assert (aligned.chunk_id, aligned.match, aligned.distance) == (1, "exact", 0)


def test_align_matches_fuzzily_within_tolerance() -> None:
    changed = SENTENCE.replace("Total revenue", "Revenues").replace("an increase", "increase")
    aligned = align(SENTENCE, chunks("Margins were flat in the quarter.", f"Hello. {changed} Bye."))
    assert (aligned.chunk_id, aligned.match) == (1, "fuzzy")
    assert aligned.distance is not None and 0 < aligned.distance <= 24


def test_align_returns_no_match_for_absent_sentence() -> None:
    aligned = align(
        SENTENCE, chunks("We opened a plant in Ohio and hired four hundred people there.")
    )
    assert (aligned.chunk_id, aligned.match, aligned.distance) == (None, "none", None)


def test_align_rejects_distance_over_tolerance() -> None:
    for words, changes, match in (
        (8, 2, "fuzzy"),
        (8, 4, "none"),
        (60, 8, "fuzzy"),
        (60, 11, "none"),
    ):
        sentence = " ".join(f"word{number}" for number in range(words))
        changed = sentence.replace("word", "what ", changes)
        assert align(sentence, chunks(changed)).match == match, (words, changes)
