"""Tests of the rules that reconcile a judge's two passes, on hand-made cases."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect.measures._fact_pairing import Resolved, rates, resolve
from tests.tables import tables_beside

G, P = ("G1", "G2", "G3"), ("P1", "P2", "P3")
Matches = dict[str, str | None]


def counted(gold: tuple[str, ...], predicted: tuple[str, ...], matches: Matches) -> list[float]:
    return list(rates(gold, predicted, resolve(gold, predicted, matches)).values())


RULES = tables_beside(__file__)


@pytest.mark.parametrize("name", RULES)
def test_resolve_applies_each_rule(name: str) -> None:
    rule = RULES[name]
    golds, predictions = rule["facts"]
    gold, predicted = G[:golds], P[:predictions]
    resolved = resolve(gold, predicted, rule["matches"])
    expected = {fact: Resolved(*verdict) for fact, verdict in rule["verdicts"].items()}
    assert {fact: resolved[fact] for fact in expected} == expected
    figures = counted(gold, predicted, rule["matches"])
    assert figures == pytest.approx(rule["figures"], abs=1e-6)


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
