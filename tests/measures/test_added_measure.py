"""Tests that the measures in docs/adding-a-scorer.md work without editing existing files."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.copies import copy_package, run_python
from tests.test_docs import blocks

PAGE = "docs/adding-a-scorer.md"
USE = """
import json
from pathlib import Path
from inspect_ai.util import registry_info
from arag_inspect import scorers
from arag_inspect.benchmark.scorers import make_scorers, scorer_sets
from arag_inspect.benchmark.usual_scorers import SUMMARY_SCORERS
from arag_inspect.report import frames, studies
from arag_inspect.report.comparison.primary import primary_measures
from tests.measures.cases import Case, run_cases

sets = scorer_sets(SUMMARY_SCORERS, "summary")
makers = make_scorers("no_grader,hedging", SUMMARY_SCORERS, sets, {})
asks = "keeps the hedges"
style = {"style": "summary"}
cases = {
    "kept": Case("We expect about 5%.", {asks: "Kept.\\nVERDICT: 5"}, metadata=style),
    "lost": Case("It rises 5%.", {asks: "Lost.\\nVERDICT: 2"}, metadata=style),
    "empty": Case("", metadata=style),
}
ran = run_cases(cases, [scorers.hedging()])
(study,) = studies(frames("logs"))
lists = "List every figure"
half = '[{"text": "5%", "dated": true}, {"text": "9", "dated": false}]'
figures = {
    "half": Case("5% in 2024, and 9.", {lists: 'VERDICT: {"figures": ' + half + "}"}),
    "none": Case("It rose.", {lists: 'VERDICT: {"figures": []}'}),
    "empty": Case(""),
}
ran_figures = run_cases(figures, [scorers.dated()])
Path("results.json").write_text(json.dumps({
    "names": [registry_info(made).name for made in makers],
    "values": {case: ran.score(case, "hedging").value for case in cases},
    "primary": list(primary_measures(study)),
    "runs_by_default": "hedging" in sets["default"],
    "verb": study.catalogue.spec("hedging").verb,
    "half": ran_figures.score("half", "dated").value,
    "unscored": [ran_figures.score(case, "dated").reason for case in ("none", "empty")],
}))
"""
PASSED = "The documented test has passed."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that includes the page's files."""
    project = tmp_path_factory.mktemp("project")
    package = copy_package(project)
    _, hedging, dated, *_ = blocks(PAGE, "py")
    (prompt,) = blocks(PAGE, "markdown")
    (package / "measures" / "hedging.py").write_text(hedging)
    (package / "measures" / "dated.py").write_text(dated)
    (package / "prompts" / "judge" / "hedging.md").write_text(prompt)
    return project


@pytest.fixture(scope="module")
def results(project: Path) -> Any:
    """Run the copy, then the page's test, in one process, as imports take the most time."""
    test = blocks(PAGE, "py")[3]
    steps = [
        "import tests.quick",
        USE,
        f"{test}\ntest_hedging_is_grade_of_judge()\nprint({PASSED!r})",
    ]
    printed = run_python(project, "\n".join(steps))
    return {**json.loads((project / "results.json").read_text()), "printed": printed}


def test_added_measure_is_appended_to_scorers_of_task(results: Any) -> None:
    assert results["names"][-1] == "arag_inspect/hedging" and len(results["names"]) > 2


def test_added_measure_returns_grades_of_judge(results: Any) -> None:
    assert results["values"] == {"kept": 5, "lost": 2, "empty": 1}


def test_added_measure_runs_by_default_as_it_declares(results: Any) -> None:
    assert results["runs_by_default"]


def test_added_measure_is_primary_and_has_own_verb(results: Any) -> None:
    assert results["primary"] == ["hedging"]
    assert results["verb"] == "keeps more of the source's hedges"


def test_added_share_counts_listed_items_and_is_unscored_when_list_is_empty(results: Any) -> None:
    assert results["half"] == 0.5
    assert results["unscored"] == ["no_figures", "no_figures"]


def test_documented_test_of_added_measure_passes(results: Any) -> None:
    assert PASSED in results["printed"]
