"""Summaries of court opinions, from the prepared corpus to every score."""

from pathlib import Path
from shutil import copy

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.datasets import prepare_legal
from arag_inspect.datasets.legal import DEMO
from arag_inspect.datasets.registry import Options
from arag_inspect.tasks import legal_cases
from tests.scripted import columns


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """One case of the demo, summarised from the whole opinion and judged by two graders."""
    folder = tmp_path_factory.mktemp("legal")
    for path in DEMO.glob("6 *.txt"):
        copy(path, folder)
    prepared = prepare_legal(folder, options=Options(out=folder / "corpus"))
    [found] = eval(
        legal_cases(corpus=str(prepared.folder), scorers="all"),
        model="offline/extractive",
        model_roles={"grader": ["offline/extractive", "offline/extractive"]},
        display="plain",
        log_dir=str(folder / "logs"),
    )
    return found


def test_every_score_is_there(log: EvalLog) -> None:
    assert log.status == "success"
    [sample] = log.samples or []
    scores = sample.scores or {}
    assert set(scores) == {
        "geval_faithfulness", "geval_coverage", "error_taxonomy", "nli_contradiction",
        "severity_judge", "embedding_coverage", "composite_faithfulness", "rouge", "bertscore", "efficiency",
    }  # fmt: skip
    assert {name: score.reason for name, score in scores.items() if score.reason} == {}
    assert "|model:offline/rules|" in (scores["nli_contradiction"].metadata or {})["signature"]
    assert "model:offline/rules;" in (scores["composite_faithfulness"].metadata or {})["signature"]
    assert "threshold:0.66;" in (scores["composite_faithfulness"].metadata or {})["signature"]
    assert isinstance(codes := scores["error_taxonomy"].value, dict)
    assert set(codes) == {"FC", "ID", "WH", "RO", "WV", "MO", "OH", "OC", "OD", "any"}
    assert "rubrics/legal.md:" in (scores["severity_judge"].metadata or {})["signature"]


def test_the_log_browser_has_a_column_for_each_code_of_lawyers(log: EvalLog) -> None:
    [sample] = log.samples or []
    shown = [key for scorer, key in columns(log) if scorer == "error_taxonomy"]
    assert shown[0] == "any"
    assert sorted(shown) == sorted((sample.scores or {})["error_taxonomy"].as_dict())


def test_the_whole_opinion_is_read_part_by_part(log: EvalLog) -> None:
    [sample] = log.samples or []
    assert sample.metadata["style"] == "legal"
    assert 150 <= len(sample.output.completion.split()) <= 350
    corpus = Corpus.open(sample.metadata["corpus"])
    prefixes = {chunk.prefix for chunk in corpus.document_chunks(sample.metadata["doc_ids"])}
    assert "[CASE: Marchetti v. Larkspur School District | SECTION: Concurrence]" in prefixes
    system = sample.messages[0].text
    assert "about 250 words" in system and "each dissent by its author" in system


def test_bad_arguments_are_refused(log: EvalLog, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not prepared.*run: arag-inspect prepare legal"):
        legal_cases(corpus=str(tmp_path / "none"))
    [sample] = log.samples or []
    with pytest.raises(InputError, match="fact_match"):
        legal_cases(corpus=sample.metadata["corpus"], scorers="fact_match")
