"""Tests of the line that states what share of the facts each system loses."""

from collections.abc import Mapping

from arag_inspect.report.fact_paths import Stage
from arag_inspect.report.findings.lost_facts import describe_losses


def test_system_that_loses_most_comes_first_though_another_has_the_largest_stage() -> None:
    shares: dict[str, Mapping[Stage, float]] = {
        "A-RAG": {"left_out": 0.53, "stated": 0.47},
        "Naive RAG": {"not_found": 0.40, "left_out": 0.20, "wrong": 0.08, "stated": 0.32},
    }
    assert describe_losses(shares) == (
        "Naive RAG loses 68% of the facts (40% not found + 20% read, left out + 8% stated "
        "wrongly); A-RAG loses 53% (53% read, left out)"
    )


def test_facts_without_a_known_chunk_are_stated_beside_lost_ones() -> None:
    shares: dict[str, Mapping[Stage, float]] = {
        "digits": {"wrong": 0.08, "stated": 0.92},
        "lead": {"unlocated": 0.58, "stated": 0.42},
    }
    assert describe_losses(shares) == (
        "digits loses 8% of the facts (8% stated wrongly); lead: the source chunk of 58% is unknown"
    )


def test_three_worst_of_many_systems_are_named() -> None:
    shares: dict[str, Mapping[Stage, float]] = {f"S{n}": {"left_out": n / 10} for n in range(1, 6)}
    text = describe_losses(shares)
    assert text.startswith("S5 loses 50% of the facts")
    assert text.endswith("S3 loses 30% (30% read, left out); 2 other systems lose less")
    del shares["S1"]
    assert describe_losses(shares).endswith("; S2 loses 20% (20% read, left out)")


def test_nothing_is_said_when_no_fact_is_lost() -> None:
    assert describe_losses({"A-RAG": {"stated": 1.0}}) == ""
    assert describe_losses({}) == ""
