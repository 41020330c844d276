"""The measures of docs/adding-a-scorer.md work as they stand, with no file changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.copies import copy_package, run_python
from tests.test_docs import blocks

PAGE = "docs/adding-a-scorer.md"
USE = """
import json
from inspect_ai.util import registry_info
from arag_inspect import scorers
from arag_inspect.benchmark.scorers import make_scorers
from arag_inspect.benchmark.usual_scorers import SUMMARY_SCORERS, SUMMARY_SETS
from arag_inspect.report import frames, studies
from arag_inspect.report.primary import primary_measures
from tests.measures.cases import Case, run_cases

makers = make_scorers("no_grader,hedging", SUMMARY_SCORERS, SUMMARY_SETS, {})
asks = "keeps the hedges"
cases = {
    "kept": Case("We expect about 5%.", {asks: "Kept.\\nVERDICT: 5"}, metadata={"style": "summary"}),
    "lost": Case("It rises 5%.", {asks: "Lost.\\nVERDICT: 2"}, metadata={"style": "summary"}),
    "empty": Case("", metadata={"style": "summary"}),
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
print(json.dumps({
    "names": [registry_info(made).name for made in makers],
    "values": {case: ran.score(case, "hedging").value for case in cases},
    "primary": list(primary_measures(study)),
    "verb": study.spec("hedging").verb,
    "half": ran_figures.score("half", "dated").value,
    "unscored": [ran_figures.score(case, "dated").reason for case in ("none", "empty")],
}))
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has the page's files."""
    root = tmp_path_factory.mktemp("project")
    package = copy_package(root)
    (hedging, dated, _), (prompt,) = blocks(PAGE, "py"), blocks(PAGE, "markdown")
    (package / "measures" / "hedging.py").write_text(hedging)
    (package / "measures" / "dated.py").write_text(dated)
    (package / "prompts" / "judge" / "hedging.md").write_text(prompt)
    return root


@pytest.fixture(scope="module")
def used(root: Path) -> Any:
    """What the copy makes of the measures."""
    return json.loads(run_python(root, USE).splitlines()[-1])


def test_added_measure_is_appended_to_scorers_of_task(used: Any) -> None:
    assert used["names"][-1] == "arag_inspect/hedging" and len(used["names"]) > 2


def test_added_measure_returns_grades_of_judge(used: Any) -> None:
    assert used["values"] == {"kept": 5, "lost": 2, "empty": 1}


def test_added_measure_is_primary_and_has_own_verb(used: Any) -> None:
    assert used["primary"] == ["hedging"]
    assert used["verb"] == "keeps more of the source's hedges"


def test_added_share_counts_listed_items_and_is_unscored_when_list_is_empty(used: Any) -> None:
    assert used["half"] == 0.5
    assert used["unscored"] == ["no_figures", "no_figures"]


def test_documented_script_prints_share_of_each_log_without_api_key(root: Path) -> None:
    (root / "logs" / "demo").mkdir(parents=True)
    for path in (root / "logs").glob("*.eval"):
        path.rename(root / "logs" / "demo" / path.name)
    printed = run_python(root, blocks(PAGE, "py")[2])
    assert [line.split()[-1] for line in printed.splitlines()] == ["1.0"] * 2
