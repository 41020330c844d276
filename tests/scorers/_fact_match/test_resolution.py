"""The rules that bring two passes of a judge into agreement, each on a case made by hand."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.scorers._fact_match.resolution import Resolution, Resolved, resolve

G, P = ("G1", "G2", "G3"), ("P1", "P2", "P3")


def resolved(gold: dict[str, str | None], predicted: dict[str, str | None]) -> Resolution:
    return resolve(G[: len(gold)], P[: len(predicted)], gold, predicted)


def test_both_passes_agree() -> None:
    found = resolved({"G1": "P1", "G2": None}, {"P1": "G1", "P2": None})
    assert found.gold == {"G1": Resolved("TP", "P1"), "G2": Resolved("FN")}
    assert found.predicted == {"P1": Resolved("TP", "G1"), "P2": Resolved("FP")}
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)
    assert found.bounds == (0.5, 0.5)


def test_a_gold_fact_that_a_prediction_claims_is_found() -> None:
    found = resolved({"G1": None}, {"P1": "G1"})
    assert found.gold == {"G1": Resolved("TP", "P1", "claimed")}
    assert (found.precision, found.recall, found.f1) == (1, 1, 1)


def test_a_gold_fact_on_a_prediction_that_is_wrong_by_itself_is_missed() -> None:
    found = resolved({"G1": "P1", "G2": "P2"}, {"P1": None, "P2": "G2"})
    assert found.gold == {"G1": Resolved("FN", "P1", "disowned"), "G2": Resolved("TP", "P2")}
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)


def test_of_many_predictions_of_one_fact_the_first_counts() -> None:
    found = resolved({"G1": "P2"}, {"P1": "G1", "P2": "G1", "P3": "G1"})
    assert found.predicted == {
        "P1": Resolved("TP", "G1"),
        "P2": Resolved("FP", "G1", "repeated"),
        "P3": Resolved("FP", "G1", "repeated"),
    }
    assert found.gold == {"G1": Resolved("TP", "P1")}
    assert found.precision == pytest.approx(1 / 3) and found.recall == 1


def test_a_claim_outweighs_that_another_prediction_is_wrong() -> None:
    found = resolved({"G1": "P1"}, {"P1": None, "P2": "G1"})
    assert found.gold == {"G1": Resolved("TP", "P2")}


def test_missing_verdicts_bound_the_score() -> None:
    found = resolve(("G1", "G2"), ("P1", "P2"), {"G1": "P1"}, {"P1": "G1"})
    assert found.missing == ("G2", "P2")
    assert (found.precision, found.recall, found.f1) == (1, 1, 1)
    assert found.bounds == (0.5, 1)


def test_a_missing_verdict_that_could_change_nothing_is_none_missed() -> None:
    found = resolve(("G1",), ("P1",), {}, {"P1": "G1"})
    assert found.gold == {"G1": Resolved("TP", "P1", "claimed")} and not found.missing
    assert found.bounds == (1, 1)


def test_a_find_that_rests_on_a_missing_verdict_is_at_risk() -> None:
    found = resolve(("G1",), ("P1",), {"G1": "P1"}, {})
    assert found.recall == 1 and found.bounds == (0, 1)


def verdicts(
    own: tuple[str, ...], other: tuple[str, ...]
) -> st.SearchStrategy[dict[str, str | None]]:
    return st.fixed_dictionaries({}, optional={one: st.sampled_from([None, *other]) for one in own})


@given(verdicts(G, P), verdicts(P, G))
def test_after_resolution_predictions_stand_for_different_facts_that_are_found(
    gold: dict[str, str | None], predicted: dict[str, str | None]
) -> None:
    found = resolve(G, P, gold, predicted)
    assert tuple(found.gold) == G and tuple(found.predicted) == P
    right = [one.match for one in found.predicted.values() if one.verdict == "TP"]
    assert len(right) == len(set(right))
    assert all(match and found.gold[match].verdict == "TP" for match in right)
    for one in found.gold.values():
        if one.verdict == "TP":
            assert one.match is not None and predicted.get(one.match, "open") is not None
    assert {one for one in P if found.predicted[one].verdict is None} == set(P) - set(predicted)


@given(verdicts(G[:2], P[:2]), verdicts(P[:2], G[:2]))
def test_whatever_the_missing_verdicts_are_f1_stays_within_its_bounds(
    gold: dict[str, str | None], predicted: dict[str, str | None]
) -> None:
    golds, predictions = G[:2], P[:2]
    found = resolve(golds, predictions, gold, predicted)
    low, high = found.bounds
    assert low <= found.f1 <= high
    missing = [(one, predictions) for one in golds if one not in gold]
    missing += [(one, golds) for one in predictions if one not in predicted]
    for filled in itertools.product(*([None, *others] for _, others in missing)):
        more = dict(zip((one for one, _ in missing), filled, strict=True))
        whole = resolve(
            golds,
            predictions,
            gold | {one: more[one] for one in golds if one in more},
            predicted | {one: more[one] for one in predictions if one in more},
        )
        assert low - 1e-9 <= whole.f1 <= high + 1e-9
        assert not whole.missing and whole.bounds == (whole.f1, whole.f1)
