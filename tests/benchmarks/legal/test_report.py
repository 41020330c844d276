"""Tests of the primary measure for court opinions when the composite has no value."""

from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.benchmarks.legal import composite_faithfulness  # noqa: F401
from arag_inspect.report import frames as read
from arag_inspect.report import make_report
from arag_inspect.report.output.markdown import to_markdown
from tests.report import material as m

WHY = "A part has no value (nli: NLI model 'x/y' cannot be loaded"
SAID = (
    "Composite faithfulness has no value on any sample, so the systems are ranked by "
    f"Free of grave errors and Embedding coverage. {WHY}."
)


def _unscored() -> Score:
    return Score.unscored(reason="part_unscored", explanation=f"{WHY}.")


def _scores(
    severity: float, composite: Callable[[int], Score]
) -> Callable[[int], dict[str, Score]]:
    return lambda n: {
        "severity_judge": m.judged(severity, name="severity_judge"),
        "embedding_coverage": m.scored(0.5, "embedding_coverage|model:some/minilm|threshold:0.5"),
        "composite_faithfulness": composite(n),
    }


def _logs(folder: Path, composite: Callable[[int], Score]) -> Path:
    runs = [
        m.run_of(system, _scores(severity, composite), 12, company="C{}", style="legal")
        for system, severity in (("arag", 0.8), ("stuffing", 0.4))
    ]
    return m.write(folder, *runs)


def test_report_ranks_by_severity_and_coverage_when_composite_is_unscored(tmp_path: Path) -> None:
    logs = _logs(tmp_path / "logs", lambda _: _unscored())
    report = make_report(read(logs))
    (part,) = report.studies
    board = part.leaderboard
    assert [measure.key for measure in board.measures] == ["severity_judge", "embedding_coverage"]
    assert [row.system for row in board.rows] == ["A-RAG", "Stuffing"]
    assert part.findings[0].text.startswith(SAID)
    assert part.headline.startswith("A-RAG ")
    assert SAID.replace("_", r"\_").split("(")[0] in to_markdown(report)
    assert report.unjudged[0] == SAID
    models = m.rows_of(part, "models")
    names = "A-RAG and Stuffing"
    assert models == [{"scorer": "embedding_coverage", "model": "some/minilm", "systems": names}]


def test_report_ranks_by_composite_when_any_sample_has_value(tmp_path: Path) -> None:
    logs = _logs(tmp_path, lambda n: _unscored() if n else m.scored(0.5))
    report = make_report(read(logs))
    (part,) = report.studies
    assert [measure.key for measure in part.leaderboard.measures] == ["composite_faithfulness"]
    assert report.unjudged[0].startswith("Composite faithfulness could not be judged on 11 of 12")


@pytest.mark.parametrize("chosen", ["composite_faithfulness", "severity_judge"])
def test_report_ranks_by_chosen_measure_even_when_composite_is_unscored(
    tmp_path: Path, chosen: str
) -> None:
    logs = _logs(tmp_path, lambda _: _unscored())
    part = m.report_on(read(logs), [chosen])
    assert [measure.key for measure in part.leaderboard.measures] == [chosen]
    assert not any("so the systems are ranked by" in item.text for item in part.findings)
