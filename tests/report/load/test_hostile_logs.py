"""Tests that logs cannot define valid ranges or which value is better."""

import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import Frames, frames, make_report, studies
from arag_inspect.report.load import header
from tests.report import material as m

GOOD = {"geval_coverage": m.judged(4), "rouge": m.scored({"rouge1": 0.5})}
HUGE = 10**400


@pytest.fixture(autouse=True)
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the epoch limit a thousandfold, so that hostile logs are processed quickly."""
    monkeypatch.setattr(header, "EPOCHS", range(1, 1_000))


IMPOSSIBLE: dict[str, tuple[dict[str, Any], str]] = {
    "a grade above": ({"scores": {"geval_coverage": m.judged(99)}}, "geval_coverage 99"),
    "a grade below": ({"scores": {"geval_coverage": m.judged(-3)}}, "geval_coverage -3"),
    "an endless grade": ({"scores": {"geval_coverage": m.scored(math.inf)}}, "geval_coverage inf"),
    "a share": ({"scores": {"rouge": m.scored({"rouge1": 7})}}, "rouge.rouge1 7"),
    "a huge float": ({"scores": {"unknown": m.scored(1e308)}}, "unknown 1e+308"),
    "a huge integer": ({"scores": {"rouge": m.scored({"rouge1": HUGE})}}, "rouge.rouge1 of too"),
    "a repetition": ({"scores": {**GOOD, "geval_coverage1": m.judged(50)}}, "geval_coverage1 50"),
    "dollars below 0": ({"store": m.trace(cost_usd=-5)}, "cost_usd -5"),
    "dollars as text": ({"store": m.trace(cost_usd="much")}, "cost_usd 'much'"),
    "no number of dollars": ({"store": m.trace(cost_usd=math.nan)}, "cost_usd nan"),
    "endless latency": ({"store": m.trace(latency_ms=math.inf)}, "latency_ms inf"),
    "tokens below 0": ({"store": m.trace(input_tokens=-1)}, "input_tokens -1"),
    "too many tokens": ({"store": m.trace(output_tokens=HUGE)}, "output_tokens of too"),
    "loops below 0": ({"store": m.trace(loops=-2)}, "loops -2"),
    "half a loop": ({"store": m.trace(loops=2.5)}, "loops 2.5"),
    "loops as text": ({"store": m.trace(loops="many")}, "loops 'many'"),
    "a list of loops": ({"store": m.trace(loops=[3])}, "loops [3]"),
    "too many loops": ({"store": m.trace(loops=10**9)}, "loops 1000000000"),
    "cached calls below 0": ({"store": m.trace(cached_calls=-2)}, "cached_calls -2"),
    "a loop of a passage": (
        {"store": m.trace(passages=[m.passage(1) | {"loop": "one"}])},
        "passages [{'chunk_id': 1",
    ),
    "epoch 0": ({"epoch": 0}, "epoch 0"),
    "too many epochs": ({"epoch": 10**30}, "epoch of too"),
}


def _log(bad: dict[str, Any], system: str = "arag") -> EvalLog:
    """A log of four samples, in which s001 has an impossible value."""
    samples = [m.sample(n, GOOD, system=system) for n in range(4) if n != 1]
    return m.log(
        [*samples, m.sample(1, **{"scores": GOOD, "system": system, **bad})], system=system
    )


def _warnings(results: Frames) -> list[str]:
    return [notice.text for notice in m.notices(results) if notice.level == "warning"]


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_impossible_value_is_excluded_and_named(tmp_path: Path, kind: str) -> None:
    bad, name = IMPOSSIBLE[kind]
    results = frames([m.write(tmp_path, _log(bad))])
    left_out = [notice.text for notice in results.notices if "left out" in notice.text]
    assert len(left_out) == 1 and "_log.eval has " in left_out[0]
    assert f"sample s001, {name}" in left_out[0]
    effort = ["cost_usd", "latency_ms", "input_tokens", "output_tokens", "loops", "cached_calls"]
    effort.append("skipped_tokens")
    for figures in (
        results.scores["value"],
        results.verdicts["value"],
        results.answers[effort].stack(),
    ):
        assert len(figures) and figures.dropna().between(0, 1000).all()
    assert results.runs["declared"][0]["geval_coverage"].high == 5
    assert len(results.answers) == 4 - ("epoch" in bad)
    if mark := next(iter(bad.get("scores", {})), None):
        values = {reason for _, _, reason in m.marks(results, "s001").values()}
        assert (mark == "geval_coverage" and "repetition" in kind) or "out_of_range" in values


@pytest.mark.parametrize("loops", [-2, 10**9])
def test_impossible_efficiency_score_is_excluded_from_answers(tmp_path: Path, loops: int) -> None:
    bad = {"store": {}, "scores": {"efficiency": m.scored({"loops": loops, "input_tokens": 3})}}
    results = frames([m.write(tmp_path, _log(bad))])
    answer = results.answers[results.answers["id"] == "s001"].iloc[0]
    assert math.isnan(answer["loops"]) and answer["input_tokens"] == 3
    assert any(f"loops {loops}" in text for text in _warnings(results))


def test_report_handles_huge_number_of_loops(tmp_path: Path) -> None:
    recall = {"retrieval_pr": m.scored({"recall": 0.5})}
    store = m.trace(loops=10**9, passages=[m.passage(1)])
    results = frames([m.write(tmp_path, _log({"store": store, "scores": recall}))])
    assert make_report(results).studies


def test_impossible_values_are_counted_in_one_warning(tmp_path: Path) -> None:
    scores = {"geval_coverage": m.judged(99), "rouge": m.scored({"rouge1": 7, "rouge2": -1})}
    bad = {"scores": scores, "store": m.trace(cost_usd=math.nan, latency_ms=-1)}
    m.write(tmp_path, _log(bad), _log({}, system="stuffing"))
    (line,) = [text for text in _warnings(frames(tmp_path)) if "left out" in text]
    assert "has 6 impossible values, left out" in line and line.endswith("and 3 more")


def test_value_beyond_range_by_rounding_is_kept(tmp_path: Path) -> None:
    log = _log({"scores": {"rouge": m.scored({"rouge1": 1.0000002})}})
    assert not [text for text in _warnings(frames(m.write(tmp_path, log))) if "left out" in text]


def _declaring(system: str, grade: float, **declared: Any) -> EvalLog:
    """A log whose scorers declare their own measures."""
    scores = {"geval_coverage": m.judged(grade), "own": Score(value=grade / 5)}
    spec = {"key": "own", "label": "Own", "role": "primary", "low": 0, "high": 1, **declared}
    scorer = {"name": "own", "metadata": {"measures": [spec]}}
    return m.run_of(system, scores, company="C{}", scorers=[scorer])


@pytest.mark.parametrize("key", ["geval_coverage", "geval*", "efficiency.cost_usd", "human.tone"])
def test_log_cannot_redefine_known_measures(tmp_path: Path, key: str) -> None:
    hostile = _declaring("arag", 2, key=key, higher_is_better=False)
    m.write(tmp_path, hostile, _declaring("stuffing", 4, key=key))
    results = frames(tmp_path)
    (study,) = studies(results)
    assert study.catalogue.spec("geval_coverage").higher_is_better is True
    assert study.catalogue.spec("efficiency.cost_usd").higher_is_better is False
    assert study.catalogue.spec("human.tone").family == "human"
    assert m.report_on(results).findings[0].text.startswith("Stuffing covers more than A-RAG")
    if key in ("geval_coverage", "human.tone", "efficiency.cost_usd"):
        assert any(f"declares {key} differently" in text for text in _warnings(results))


def test_contested_measure_declaration_has_no_direction(tmp_path: Path) -> None:
    m.write(tmp_path / "one", _declaring("arag", 2), _declaring("stuffing", 4))
    agreed = frames(tmp_path / "one")
    assert studies(agreed)[0].catalogue.spec("own").higher_is_better is True
    assert not any("differently" in text for text in _warnings(agreed))
    changes: list[dict[str, Any]] = [{"higher_is_better": False}, {"high": 5}, {"key": "own_*"}]
    for number, change in enumerate(changes):
        folder = tmp_path / str(number)
        m.write(folder, _declaring("arag", 2, **change), _declaring("stuffing", 4))
        contested = frames(folder)
        spec = studies(contested)[0].catalogue.spec("own")
        assert spec.higher_is_better is None and spec.high is None
        assert any("declare own" in text for text in _warnings(contested))


@pytest.mark.parametrize("epochs", [10**8, 10**30])
def test_huge_number_of_epochs_in_log_header_is_capped(tmp_path: Path, epochs: int) -> None:
    hostile = _log({})
    hostile.eval.config.epochs = epochs
    results = frames([m.write(tmp_path, hostile)])
    assert len(results.answers) == 4 and results.runs["planned"][0] == header.EPOCHS.stop
