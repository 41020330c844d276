"""Values that differ by rounding alone are ties on every surface."""

from functools import partial
from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report import compare_frames, frames, make_report
from arag_inspect.report.criteria import Criterion
from arag_inspect.report.page.data import benchmark_data
from arag_inspect.report.tables.quality import choose_examples
from arag_inspect.workflows.gate import check_rules, read_rules
from tests.report import material as m


def _folder(folder: Path, key: str, apart: float, *systems: str) -> Path:
    """Logs of systems with the same answers, whose values differ a little, up and down."""
    scorer, _, name = key.partition(".")

    def value(system: str, n: int) -> float:
        return 0.8 + n / 100 + apart * (system == systems[-1]) * (1 if n % 3 else -1)

    def scores(system: str, n: int) -> dict[str, Score]:
        return {scorer: m.scored({name: value(system, n)} if name else value(system, n))}

    return m.write(folder, *(m.run_of(own, partial(scores, own), 12) for own in systems))


@pytest.mark.parametrize(
    "key, apart",
    [("bertscore.bertscore_f1", 6e-8), ("rouge.rouge2", 1e-15), ("embedding_coverage", 1e-12)],
)
def test_no_surface_counts_rounding(tmp_path: Path, key: str, apart: float) -> None:
    results = frames([_folder(tmp_path / "one", key, apart, "arag", "stuffing")])
    criterion = Criterion(
        name="ahead", statistic="difference", measure=key, system="arag", over="stuffing",
        at_least=-1e-10,
    )  # fmt: skip
    (report,) = make_report(results, [key], [criterion]).benchmarks
    (pair,) = report.comparisons
    assert (pair.paired.wins, pair.paired.ties, pair.paired.losses) == (0, 12, 0)
    assert (pair.paired.effect, pair.needed) == (0, None)
    assert report.table("power") is None
    assert pair.verdict == "not shown: no sample differs"
    titles = [
        example.title
        for example in choose_examples(report.benchmark)
        if example.sample_id is not None
    ]
    assert not [title for title in titles if title.endswith("win")]
    criteria = m.table_of(report, "criteria")
    assert criteria.rows[0][-1] == "met"
    (measure,) = benchmark_data(report.benchmark)["measures"]
    assert measure["tie"] > 2 * apart

    before = frames([_folder(tmp_path / "before", key, 0, "arag")])
    after = frames([_folder(tmp_path / "after", key, apart, "arag")])
    (check,) = check_rules(after, before, read_rules([f"{key} >= 0"])).checks
    assert check.verdict == "kept"
    (changed,) = compare_frames(after, before, [key]).benchmarks
    assert changed.comparisons[0].paired.ties == 12
    assert changed.table("gains") is changed.table("regressions") is None


def test_what_is_more_than_rounding_counts(tmp_path: Path) -> None:
    key = "bertscore.bertscore_f1"
    folder = _folder(tmp_path, key, 0.001, "arag", "stuffing")
    ((pair,),) = (part.comparisons for part in make_report(frames(folder), [key]).benchmarks)
    assert (pair.paired.wins, pair.paired.ties, pair.paired.losses) == (4, 0, 8)
