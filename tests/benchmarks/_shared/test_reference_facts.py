"""Tests of locating sentences of silver references by citation or by wording."""

import pytest

from arag_inspect.benchmarks._shared.reference_facts import reference_facts
from arag_inspect.corpus import Chunk

TEXTS = {
    7: "Net sales (in millions) rose to 34,229 from 31,657, with price increases in Safety.",
    12: "Management expects the litigation over earplugs to weigh on cash flows for some years.",
    13: "A shortage of semiconductors delayed deliveries of equipment to hospitals in Europe.",
    14: "The board declared a dividend of $1.48 a share.",
}
CHUNKS = [Chunk(i, "D", "Acme", "", "", "[P]", text, 9, ()) for i, text in TEXTS.items()]


@pytest.mark.parametrize(
    ("reply", "holders"),
    [
        ("Litigation over earplugs will weigh on cash flows [12].", [(12,)]),
        ("Litigation over earplugs will weigh on cash flows. [12]", [(12,)]),
        ("Litigation over earplugs will weigh on cash flows.", [(12,)]),  # located by its words
        ("Litigation over earplugs will weigh on cash flows [14].", [(12,)]),  # wrong citation
        ("Litigation over earplugs will weigh on cash flows [12, 13].", [(12,)]),  # one is enough
        ("Litigation over earplugs and delayed deliveries of semiconductors weigh [12][13].",
         [(12, 13)]),
        ("Litigation over earplugs and delayed deliveries of semiconductors weigh.", [()]),
        ("Net sales rose to $34,229 million with price increases [7].", [(7,)]),
        ("Net sales rose to $34.2 billion with price increases [7].", [(7,)]),
        ("Net sales rose to $35.9 billion with price increases [7].", [()]),
        ("The dividend declared is $1.48 a share [14]. Deliveries to hospitals were delayed [13].",
         [(14,), (13,)]),
        ("Its chief executive retired [12].", [()]),
        ("Its chief executive retired [99].", [()]),
    ],
)  # fmt: skip
def test_reference_sentence_is_located_by_citations_words_and_figures(
    reply: str, holders: list[tuple[int, ...]]
) -> None:
    facts = reference_facts("s", reply, CHUNKS)
    assert [fact.holders for fact in facts] == holders
    assert facts[0].id == "s#s01" and all("[" not in fact.text for fact in facts)
