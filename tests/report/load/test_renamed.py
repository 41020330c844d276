"""Logs made before scorers and keys were renamed open under the new names."""

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from arag_inspect.report import benchmarks, frames, make_report
from tests.report import material as m

LOGS = Path(__file__).parents[2] / "recorded" / "logs"
RENAMED = {
    "earnings_synthetic": {
        "fact_coverage.fact_coverage": "fact_coverage.facts",
        "fact_coverage.figure_coverage": "fact_coverage.quantities",
        "factual_consistency.verified": "factual_consistency.supported",
        "retrieval_pr.found_recall": "retrieval_pr.search_recall",
        "rouge.rouge2": "rouge.rouge2",
    },
    "perspectives": {
        "document_use": "citation_recall",
        "perspective_validity.all": "perspective_validity.all",
    },
    "advisor_facts": {
        "citation_check.verbatim": "citation_check.exact",
        "citation_check.found": "citation_check.fuzzy",
        "estimate_flags.vague": "estimate_flags.sensitivity",
        "estimate_flags.exact": "estimate_flags.specificity",
    },
}


@pytest.mark.parametrize("task", RENAMED)
def test_old_names_are_read_as_the_new_ones(task: str) -> None:
    path = LOGS / f"{task}.eval"
    read = frames(path)
    (benchmark,) = benchmarks(read)
    (run,) = benchmark.rows
    assert all(benchmark.spec(key).family != "other" for key in run.measures)
    old = {str(sample.id): sample.scores or {} for sample in read_eval_log(str(path)).samples or []}
    assert len(old) == len(read.answers) == 2
    for before, after in RENAMED[task].items():
        assert after in run.measures and (before == after or before not in run.measures)
        scorer, _, key = before.partition(".")
        for sample in old:
            value = old[sample][scorer].value
            value = value[key] if isinstance(value, dict) else value
            assert m.marks(read, sample)[after][0] == (value if value == value else None)


def test_an_old_log_makes_a_whole_report() -> None:
    (report,) = make_report(frames(LOGS / "earnings_synthetic.eval")).benchmarks
    table = report.table("headline")
    labels = {row[0] for row in table.rows} if table else set()
    assert {"Coverage (1-5)", "Figures supported", "Search recall", "ROUGE-2"} <= labels
