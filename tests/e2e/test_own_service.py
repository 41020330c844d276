"""The service of the examples, measured beside A-RAG in one report."""

import runpy
from pathlib import Path

import pytest

from arag_inspect.corpus import Corpus
from arag_inspect.report import make_report, read_runs, write_report
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.scripted import run
from tests.serving import running

EXAMPLE = Path(__file__).parents[2] / "examples" / "rag_service.py"


@pytest.mark.usefixtures("logs")
def test_service_is_reported_beside_arag(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")
    monkeypatch.setenv("RAG_CORPUS", str(synthetic_folder))
    lines = [line for line in EXAMPLE.read_text().splitlines() if line.strip()]
    assert len(lines) <= 15
    with running(runpy.run_path(str(EXAMPLE))["app"]) as url:
        locations = []
        for system, arguments in (
            ("external", {"target": f"{url}/ask"}),
            ("arag", {"max_loops": 4}),
        ):
            task = earnings_synthetic(
                corpus=str(synthetic_folder),
                system=system,  # type: ignore[arg-type]
                system_args=arguments,
                scorers="retrieval_pr,rouge,efficiency",
            )
            log = run(task, "offline/extractive", limit=2)
            assert log.status == "success" and log.samples, log.error
            locations.append(log.location)
            passages = log.samples[0].store_as(RetrievalTrace).passages
            known = Corpus.open(synthetic_folder)
            assert passages and all(
                one.text.split() == known.chunk(one.chunk_id).text.split() for one in passages
            )
    written = write_report(make_report(read_runs(locations)), tmp_path / "report")
    text = written.markdown.read_text(encoding="utf-8")
    assert "external" in text and "arag" in text
