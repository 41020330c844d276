"""Inference by rule, on pairs that were worked out by hand."""

import pytest

from arag_inspect.models.offline.judge.nli import infer

CONTRADICTED = [
    # the same metric with another figure, scale, sign, direction or period
    ("Revenue was $4.5 billion.", "Revenue was $4.2 billion."),
    ("Revenue was $4.2 million.", "Revenue was $4.2 billion."),
    ("The company made a net loss of $3 million.", "The company made a net income of $3 million."),
    ("Operating margin fell 120 basis points.", "Operating margin rose 1.2 percentage points."),
    ("Q3 revenue was $4.2 billion.", "Q2 revenue was $4.2 billion."),
    ("Profit fell.", "Profit rose by twelve percent."),
    # denial, by a word, a prefix or the whole sentence
    ("The board did not approve the merger.", "The board approved the merger last week."),
    ("The contract is void and unenforceable.", "The contract is void but enforceable in part."),
    ("It is not true that the plant in Ohio will close.", "The plant in Ohio will close."),
    ("The ferry cannot carry trucks in winter.", "The ferry can carry trucks in winter."),
    # opposites
    ("The judge granted the motion to dismiss.", "The judge denied the motion to dismiss."),
    ("The law allows fishing in the upper lake.", "The law forbids fishing in the upper lake."),
    ("The city is liable for the flood damage.", "The city is immune from flood damage claims."),
    (
        "Fraud must be proved by a preponderance of the evidence.",
        "Fraud must be proved by clear and convincing evidence.",
    ),
    # courts
    ("The judgment below is affirmed.", "The judgment below is reversed."),
    (
        "The judgment is affirmed as to Smith and reversed as to Jones.",
        "The judgment is reversed as to Smith and affirmed as to Jones.",
    ),
    ("The Court decided 6-3 for the union.", "The Court decided 5-4 for the union."),
    (
        "Justice Roe wrote for the Court that a lease of land for ninety years is a sale.",
        "Justice Poe dissented: a lease of land for ninety years is a sale.",
    ),
    # a figure of no known metric, where all else is the same
    ("The drone hovered for 19 minutes over the yard.", "The drone hovered for 11 minutes over the yard of the farm."),
]  # fmt: skip

NEUTRAL = [
    # another matter, period, basis, subject
    ("Revenue was $4.5 billion.", "Net income was $4.2 billion."),
    ("Q2 revenue was $4.5 billion.", "Q3 revenue was $4.2 billion."),
    ("GAAP earnings per share were $0.50.", "Adjusted earnings per share were $0.60."),
    ("New vehicle sales increased 22%.", "Used vehicle sales increased 28%."),
    ("Sales in Europe rose.", "Sales in Asia fell."),
    ("Revenue rose 5% in Europe.", "Revenue fell 3% in Asia and the hotel closed."),
    ("Smith denied the motion of the tenants.", "Jones granted the motion of the tenants."),
    # two courts
    ("The trial court dismissed the suit, and the Court of Appeals affirmed.", "The judgment of the Court of Appeals is reversed."),
    # a dissent is bound to say the opposite
    (
        "Justice Poe dissented: the agency has no power to fine the mill.",
        "The Court held that the agency has power to fine the mill.",
    ),
    # true, but not by words
    ("The firm went bankrupt.", "The company could no longer pay its debts."),
]  # fmt: skip

ENTAILED = [
    ("Revenue rose 7.5% to $4.21 billion in the third quarter.", "Revenue rose 7.5% to $4.2 billion."),
    ("The new bridge in Linden saves commuters an hour a day.", "The bridge in Linden saves an hour a day."),
    # no denial
    ("The plan is not only cheap but safe for bathers.", "The plan is cheap and safe for bathers."),
    ("It rained. The ferry to Marl was late again. We waited.", "The ferry to Marl was late."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("label", "premise", "hypothesis"),
    [
        *(("contradiction", *pair) for pair in CONTRADICTED),
        *(("neutral", *pair) for pair in NEUTRAL),
        *(("entailment", *pair) for pair in ENTAILED),
    ],
)
def test_a_pair(label: str, premise: str, hypothesis: str) -> None:
    found = infer(premise, hypothesis)
    assert found.label == label, found.why
    assert bool(found.why) == (label != "neutral")


@pytest.mark.parametrize(("premise", "hypothesis"), CONTRADICTED)
def test_contradiction_goes_both_ways(premise: str, hypothesis: str) -> None:
    assert infer(hypothesis, premise).label == "contradiction"


def test_what_lacks_a_name_or_a_figure_is_not_entailed() -> None:
    said = "The new bridge saves commuters an hour a day in winter and in summer."
    assert infer(said, "The new bridge saves commuters in Linden an hour a day.").label == "neutral"
    assert infer(said, "The new bridge saves 90 commuters an hour a day.").label == "neutral"


def test_nothing_follows_from_nothing() -> None:
    assert infer("", "Revenue rose.").label == infer("Revenue rose.", "").label == "neutral"
