"""Rules that reconcile two passes of a judge, each on a case made by hand."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.scorers._fact_resolution import Resolution, Resolved, resolve

G, P = ("G1", "G2", "G3"), ("P1", "P2", "P3")


def resolved(gold: dict[str, str | None], predicted: dict[str, str | None]) -> Resolution:
    return resolve(G[: len(gold)], P[: len(predicted)], gold, predicted)


def test_both_passes_agree() -> None:
    resolution = resolved({"G1": "P1", "G2": None}, {"P1": "G1", "P2": None})
    assert resolution.gold == {"G1": Resolved("TP", "P1"), "G2": Resolved("FN")}
    assert resolution.predicted == {"P1": Resolved("TP", "G1"), "P2": Resolved("FP")}
    assert (resolution.precision, resolution.recall, resolution.f1) == (0.5, 0.5, 0.5)
    assert resolution.bounds == (0.5, 0.5)


def test_a_gold_fact_that_a_prediction_claims_is_found() -> None:
    resolution = resolved({"G1": None}, {"P1": "G1"})
    assert resolution.gold == {"G1": Resolved("TP", "P1", "claimed")}
    assert (resolution.precision, resolution.recall, resolution.f1) == (1, 1, 1)


def test_a_gold_fact_on_a_prediction_that_is_wrong_by_itself_is_missed() -> None:
    resolution = resolved({"G1": "P1", "G2": "P2"}, {"P1": None, "P2": "G2"})
    assert resolution.gold == {"G1": Resolved("FN", "P1", "disowned"), "G2": Resolved("TP", "P2")}
    assert (resolution.precision, resolution.recall, resolution.f1) == (0.5, 0.5, 0.5)


def test_of_many_predictions_of_one_fact_the_first_counts() -> None:
    resolution = resolved({"G1": "P2"}, {"P1": "G1", "P2": "G1", "P3": "G1"})
    assert resolution.predicted == {
        "P1": Resolved("TP", "G1"),
        "P2": Resolved("FP", "G1", "repeated"),
        "P3": Resolved("FP", "G1", "repeated"),
    }
    assert resolution.gold == {"G1": Resolved("TP", "P1")}
    assert resolution.precision == pytest.approx(1 / 3) and resolution.recall == 1


def test_a_claim_outweighs_that_another_prediction_is_wrong() -> None:
    resolution = resolved({"G1": "P1"}, {"P1": None, "P2": "G1"})
    assert resolution.gold == {"G1": Resolved("TP", "P2")}


def test_missing_verdicts_bound_the_score() -> None:
    resolution = resolve(("G1", "G2"), ("P1", "P2"), {"G1": "P1"}, {"P1": "G1"})
    assert resolution.missing == ("G2", "P2")
    assert (resolution.precision, resolution.recall, resolution.f1) == (1, 1, 1)
    assert resolution.bounds == (0.5, 1)


def test_a_missing_verdict_that_could_change_nothing_is_none_missed() -> None:
    resolution = resolve(("G1",), ("P1",), {}, {"P1": "G1"})
    assert resolution.gold == {"G1": Resolved("TP", "P1", "claimed")} and not resolution.missing
    assert resolution.bounds == (1, 1)


def test_a_find_that_rests_on_a_missing_verdict_is_at_risk() -> None:
    resolution = resolve(("G1",), ("P1",), {"G1": "P1"}, {})
    assert resolution.recall == 1 and resolution.bounds == (0, 1)


def verdicts(
    own: tuple[str, ...], other: tuple[str, ...]
) -> st.SearchStrategy[dict[str, str | None]]:
    return st.fixed_dictionaries(
        {}, optional={fact: st.sampled_from([None, *other]) for fact in own}
    )


@given(verdicts(G, P), verdicts(P, G))
def test_after_resolution_predictions_stand_for_different_facts_that_are_found(
    gold: dict[str, str | None], predicted: dict[str, str | None]
) -> None:
    resolution = resolve(G, P, gold, predicted)
    assert tuple(resolution.gold) == G and tuple(resolution.predicted) == P
    right = [verdict.match for verdict in resolution.predicted.values() if verdict.verdict == "TP"]
    assert len(right) == len(set(right))
    assert all(match and resolution.gold[match].verdict == "TP" for match in right)
    for verdict in resolution.gold.values():
        if verdict.verdict == "TP":
            assert verdict.match is not None and predicted.get(verdict.match, "open") is not None
    assert {fact for fact in P if resolution.predicted[fact].verdict is None} == set(P) - set(
        predicted
    )


@given(verdicts(G[:2], P[:2]), verdicts(P[:2], G[:2]))
def test_whatever_the_missing_verdicts_are_f1_stays_within_its_bounds(
    gold: dict[str, str | None], predicted: dict[str, str | None]
) -> None:
    golds, predictions = G[:2], P[:2]
    resolution = resolve(golds, predictions, gold, predicted)
    low, high = resolution.bounds
    assert low <= resolution.f1 <= high
    missing = [(fact, predictions) for fact in golds if fact not in gold]
    missing += [(fact, golds) for fact in predictions if fact not in predicted]
    for filled in itertools.product(*([None, *others] for _, others in missing)):
        more = dict(zip((fact for fact, _ in missing), filled, strict=True))
        complete = resolve(
            golds,
            predictions,
            gold | {fact: more[fact] for fact in golds if fact in more},
            predicted | {fact: more[fact] for fact in predictions if fact in more},
        )
        assert low - 1e-9 <= complete.f1 <= high + 1e-9
        assert not complete.missing and complete.bounds == (complete.f1, complete.f1)
