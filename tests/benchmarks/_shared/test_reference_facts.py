"""Tests of locating sentences of silver references by citation or by wording."""

import pytest

from arag_inspect.benchmarks._shared.reference_facts import reference_facts
from arag_inspect.corpus import Chunk
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

TEXTS = {
    7: "Net sales (in millions) rose to 34,229 from 31,657, with price increases in Safety.",
    12: "Management expects the litigation over earplugs to weigh on cash flows for some years.",
    13: "A shortage of semiconductors delayed deliveries of equipment to hospitals in Europe.",
    14: "The board declared a dividend of $1.48 a share.",
}
CHUNKS = [Chunk(i, "D", "Acme", "", "", "[P]", text, 9, ()) for i, text in TEXTS.items()]


@pytest.mark.parametrize(("reply", "holders"), TABLES["replies"])
def test_reference_sentence_is_located_by_citations_words_and_figures(
    reply: str, holders: list[list[int]]
) -> None:
    facts = reference_facts("s", reply, CHUNKS)
    assert [list(fact.holders) for fact in facts] == holders
    assert facts[0].id == "s#s01" and all("[" not in fact.text for fact in facts)
