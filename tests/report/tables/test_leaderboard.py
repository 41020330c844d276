"""Tests that only compared systems are ranked."""

from pathlib import Path

import pytest
from inspect_ai.log import EvalLog

from tests.report import material as m


def _run(system: str, model: str, share: float, first: int = 0) -> EvalLog:
    samples = [
        m.sample(number, {"match": m.scored(float(number % 10 < 10 * share))}, system=system)
        for number in range(first, first + 20)
    ]
    return m.log(samples, system=system, model=model)


def _places_by_system(folder: Path, *logs: EvalLog) -> dict[str, tuple[str, str]]:
    rows = m.report_of(folder, *logs).leaderboard.rows
    standings = {row.system: row.standings[0] for row in rows}
    return {name: (own.place, own.number) for name, own in standings.items() if own is not None}


@pytest.mark.parametrize("firsts", [(0, 20), (0, 19)])
def test_systems_without_common_samples_are_not_compared(
    tmp_path: Path, firsts: tuple[int, int]
) -> None:
    logs = [_run("arag", "a/x", 0.9, firsts[0]), _run("naive_rag", "a/x", 0.3, firsts[1])]
    assert set(_places_by_system(tmp_path, *logs).values()) == {("not compared", "not compared")}


def test_sweep_ranks_state_number_of_compared_systems(tmp_path: Path) -> None:
    logs = [
        _run(system, model, share)
        for model, share in (("a/x", 0.9), ("b/y", 0.3))
        for system in ("arag", "naive_rag", "stuffing")
    ]
    places = _places_by_system(tmp_path, *logs)
    assert len(places) == 6
    assert set(places.values()) == {
        ("not separated (3 of 6 compared)", "1, shared (3 of 6 compared)")
    }


def test_fully_compared_systems_have_plain_ranks(tmp_path: Path) -> None:
    logs = [_run(system, "a/x", 0.5) for system in ("arag", "naive_rag")]
    assert set(_places_by_system(tmp_path, *logs).values()) == {("not separated", "1, shared")}
