"""The measure of docs/adding-a-scorer.md works as it stands, with no file changed."""

import json
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
print(json.dumps({
    "names": [registry_info(made).name for made in makers],
    "values": {case: ran.score(case, "hedging").value for case in cases},
    "primary": list(primary_measures(study)),
    "verb": study.spec("hedging").verb,
}))
"""


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a copy of the package with the page's files makes of the measure."""
    root = tmp_path_factory.mktemp("project")
    package = copy_package(root)
    (module,), (prompt,) = blocks(PAGE, "py"), blocks(PAGE, "markdown")
    (package / "measures" / "hedging.py").write_text(module)
    (package / "prompts" / "judge" / "hedging.md").write_text(prompt)
    return json.loads(run_python(root, USE).splitlines()[-1])


def test_added_measure_is_taken_by_name_after_those_of_the_task(used: Any) -> None:
    assert used["names"][-1] == "arag_inspect/hedging" and len(used["names"]) > 2


def test_added_measure_has_the_grades_of_its_judge(used: Any) -> None:
    assert used["values"] == {"kept": 5, "lost": 2, "empty": 1}


def test_added_measure_decides_and_has_its_sentence(used: Any) -> None:
    assert used["primary"] == ["hedging"]
    assert used["verb"] == "keeps more of the source's hedges"
