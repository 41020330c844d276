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
]  # fmt: skip

NEUTRAL = [
    # another matter, period, basis, subject
    ("Revenue was $4.5 billion.", "Net income was $4.2 billion."),
    ("Q2 revenue was $4.5 billion.", "Q3 revenue was $4.2 billion."),
    ("GAAP earnings per share were $0.50.", "Adjusted earnings per share were $0.60."),
    ("New vehicle sales increased 22%.", "Used vehicle sales increased 28%."),
    # negations and opposites are not seen
    ("The board did not approve the merger.", "The board approved the merger last week."),
    ("Profit fell.", "Profit rose by twelve percent."),
    # true, but not by words
    ("The firm went bankrupt.", "The company could no longer pay its debts."),
]  # fmt: skip

ENTAILED = [
    ("Revenue rose 7.5% to $4.21 billion in the third quarter.", "Revenue rose 7.5% to $4.2 billion."),
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


def test_what_lacks_a_figure_is_not_entailed() -> None:
    said = "The new bridge saves commuters an hour a day in winter and in summer."
    assert infer(said, "The new bridge saves 90 commuters an hour a day.").label == "neutral"


def test_nothing_follows_from_nothing() -> None:
    assert infer("", "Revenue rose.").label == infer("Revenue rose.", "").label == "neutral"
