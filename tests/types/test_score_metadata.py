"""Tests of the layout of a score's metadata: what scorers write fits, and nothing else is read."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from arag_inspect.report import frames, make_report, write_report
from arag_inspect.types.score_metadata import CriterionRecord, read_metadata, read_records
from tests.report import material as m

LOGS = sorted((Path(__file__).parents[1] / "frozen/logs").glob("*.eval"))
LISTS = ("judges", "judges_context", "facts", "claims", "sentences", "sections", "topics")

SIGNATURES: dict[str, Any] = {"text": "a|b", "list": ["a"], "number": 3}

HOSTILE: dict[str, dict[str, Any]] = {
    "rubric": {"judges": [{"criteria": [{"criterion": "a", "met": True, "points": "many"}, 1]}, 2]},
    "fact_coverage": {"facts": [{"verdict": "stated"}, {"id": 1, "text": [], "verdict": "partly"}]},
    "factual_consistency": {
        "claims": [
            {"figure": {"span": [0, 2], "text": "An"}, "differs": 5, "verdict": {}},
            {"figure": {"span": [0, "2"], "text": "An"}},
            {"figure": 1},
        ]
    },
    "fact_match": {"judges": [{"gold": [{"verdict": "TP"}], "grader": None, "raw": 7, "f1": "1"}]},
    "section_coverage": {"sections": "all", "topics": [None], "sentences": [{"sentence": {}}]},
}


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_layout_has_what_scorers_write(log: Path) -> None:
    for sample in read_eval_log(str(log)).samples or []:
        for scorer, score in (sample.scores or {}).items():
            stored = score.metadata or {}
            metadata = read_metadata(stored)
            assert metadata.signature == stored.get("signature")
            for name in LISTS if scorer != "embedding_coverage" else ():  # sentences of references
                assert len(getattr(metadata, name)) == len(stored.get(name) or ())


@pytest.mark.parametrize("name", HOSTILE)
def test_report_reads_what_does_not_fit_layout_as_missing(tmp_path: Path, name: str) -> None:
    samples = [m.sample(n, {name: m.scored(0.5, **HOSTILE[name])}) for n in range(3)]
    report = make_report(frames(m.write(tmp_path / "logs", m.log(samples))))
    assert write_report(report, tmp_path / "report").page.exists()


@pytest.mark.parametrize("kind", SIGNATURES)
def test_only_text_is_a_signature(kind: str) -> None:
    signature = read_metadata({"signature": SIGNATURES[kind]}).signature
    assert signature == (SIGNATURES[kind] if kind == "text" else None)


@pytest.mark.parametrize("points", [1, -2.5, "1", None, float("nan"), 10**400])
def test_criterion_without_number_of_points_is_left_out(points: object) -> None:
    entry = {"criterion": "States it.", "met": True, "points": points}
    records = read_records([entry], CriterionRecord)
    assert [record.points for record in records] == ([points] if points in (1, -2.5) else [])
