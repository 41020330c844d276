"""Tests of the rules that reconcile a judge's two passes, on hand-made cases."""

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect.measures._fact_pairing import Resolved, rates, resolve

G, P = ("G1", "G2", "G3"), ("P1", "P2", "P3")
Matches = dict[str, str | None]


def counted(gold: tuple[str, ...], predicted: tuple[str, ...], matches: Matches) -> list[float]:
    return list(rates(gold, predicted, resolve(gold, predicted, matches)).values())


@pytest.mark.parametrize(
    ("golds", "predictions", "matches", "expected", "figures"),
    [
        (  # both passes agree
            2, 2, {"G1": "P1", "G2": None, "P1": "G1", "P2": None},
            {"G1": ("TP", "P1"), "G2": ("FN",), "P1": ("TP", "G1"), "P2": ("FP",)},
            [0.5, 0.5, 0.5, 0.5, 0.5],
        ),
        (  # a gold fact claimed by a prediction is found
            1, 1, {"G1": None, "P1": "G1"}, {"G1": ("TP", "P1", "claimed")}, [1, 1, 1, 1, 1],
        ),
        (  # a gold fact claimed by a prediction that is itself wrong is missed
            2, 2, {"G1": "P1", "G2": "P2", "P1": None, "P2": "G2"},
            {"G1": ("FN", "P1", "disowned"), "G2": ("TP", "P2")},
            [0.5, 0.5, 0.5, 0.5, 0.5],
        ),
        (  # the first of several predictions of one fact counts
            1, 3, {"G1": "P2", "P1": "G1", "P2": "G1", "P3": "G1"},
            {"G1": ("TP", "P1"), "P1": ("TP", "G1"), "P2": ("FP", "G1", "repeated"),
             "P3": ("FP", "G1", "repeated")},
            [1 / 3, 1, 0.5, 0.5, 0.5],
        ),
        (  # a claim outweighs another prediction being wrong
            1, 2, {"G1": "P1", "P1": None, "P2": "G1"}, {"G1": ("TP", "P2")},
            [0.5, 1, 2 / 3, 2 / 3, 2 / 3],
        ),
        (  # missing verdicts bound the score
            2, 2, {"G1": "P1", "P1": "G1"}, {"G2": (None,), "P2": (None,)}, [1, 1, 1, 0.5, 1],
        ),
        (  # a missing verdict that could not change anything is ignored
            1, 1, {"P1": "G1"}, {"G1": ("TP", "P1", "claimed")}, [1, 1, 1, 1, 1],
        ),
        (  # a match that rests on a missing verdict is at risk
            1, 1, {"G1": "P1"}, {"G1": ("TP", "P1"), "P1": (None,)}, [0, 1, 0, 0, 1],
        ),
    ],
)  # fmt: skip
def test_resolve_applies_each_rule(
    golds: int, predictions: int, matches: Matches, expected: Mapping[str, tuple[str, ...]],
    figures: list[float],
) -> None:  # fmt: skip
    resolved = resolve(G[:golds], P[:predictions], matches)
    assert {fact: resolved[fact] for fact in expected} == {
        fact: Resolved(*own)  # type: ignore[arg-type]
        for fact, own in expected.items()
    }
    assert counted(G[:golds], P[:predictions], matches) == pytest.approx(figures)


def verdicts(golds: tuple[str, ...], predictions: tuple[str, ...]) -> st.SearchStrategy[Matches]:
    optional = {fact: st.sampled_from([None, *predictions]) for fact in golds}
    optional |= {fact: st.sampled_from([None, *golds]) for fact in predictions}
    return st.fixed_dictionaries({}, optional=optional)


@given(verdicts(G, P))
def test_true_positive_predictions_match_distinct_found_facts(matches: Matches) -> None:
    resolved = resolve(G, P, matches)
    assert set(resolved) == {*G, *P}
    right = [resolved[fact].match for fact in P if resolved[fact].verdict == "TP"]
    assert len(right) == len(set(right))
    assert all(match and resolved[match].verdict == "TP" for match in right)
    for own in (resolved[fact] for fact in G):
        if own.verdict == "TP":
            assert own.match is not None and matches.get(own.match, "open") is not None
    assert {fact for fact in P if resolved[fact].verdict is None} == set(P) - set(matches)


@settings(max_examples=50)
@given(verdicts(G[:2], P[:2]))
def test_f1_stays_within_bounds_for_any_missing_verdicts(matches: Matches) -> None:
    golds, predictions = G[:2], P[:2]
    _, _, f1, low, high = counted(golds, predictions, matches)
    assert low <= f1 <= high
    missing = {fact: predictions for fact in golds if fact not in matches}
    missing |= {fact: golds for fact in predictions if fact not in matches}
    for filled in itertools.product(*([None, *others] for others in missing.values())):
        complete = matches | dict(zip(missing, filled, strict=True))
        _, _, f1, own_low, own_high = counted(golds, predictions, complete)
        assert low - 1e-9 <= f1 <= high + 1e-9 and own_low == own_high == f1
