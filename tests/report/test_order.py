"""Tests of the leaderboard's order and wording, and of which systems are compared."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect._util.errors import InputError
from arag_inspect.report import frames, make_report, studies
from arag_inspect.report.build import StudyReport
from arag_inspect.report.comparison.comparisons import describe_pairs
from arag_inspect.report.comparison.contestants import family_of
from arag_inspect.report.study import Choices
from tests.report import material as m

Scores = Callable[[int], Mapping[str, Score]]


def _log(
    system: str, scores: Scores, model: str = "mock/model", count: int = 12, **effort: object
) -> EvalLog:
    return m.run_of(system, scores, count, company="C{}", effort=effort, model=model)


def _constant(**values: float) -> Scores:
    def scores(number: int) -> Mapping[str, Score]:
        scores_by_name = [
            (name.split("__"), value + number % 2 / 10) for name, value in values.items()
        ]
        return {
            scorer: m.scored({key[0]: value} if key else value)
            for (scorer, *key), value in scores_by_name
        }

    return scores


def _order(report: StudyReport) -> list[str]:
    return [row.system for row in report.leaderboard.rows]


@pytest.mark.parametrize(
    "tokens, primary, better",
    [
        ({"arag": 9000, "stuffing": 10}, ("rouge.rouge2",), "A-RAG"),
        ({"arag": 9000, "stuffing": 0}, ("rouge.rouge2",), "A-RAG"),
        ({"arag": 10, "stuffing": 9000}, ("factual_consistency.contradicted",), "Stuffing"),
    ],
)
def test_leaderboard_puts_better_value_first_regardless_of_tokens(
    tmp_path: Path, tokens: Mapping[str, int], primary: tuple[str, ...], better: str
) -> None:
    """With three samples, no difference is significant."""
    logs = [
        _log(
            system,
            _constant(rouge__rouge2=value, factual_consistency__contradicted=value),
            count=3,
            input_tokens=tokens[system],
            output_tokens=0,
        )
        for system, value in (("stuffing", 0.2), ("arag", 0.8))
    ]
    report = m.report_of(tmp_path, *logs, primary=primary)
    assert _order(report)[0] == better
    table = m.table_of(report, "leaderboard")
    assert table.rows[0][0] == better
    assert "the first primary measure), best first" in table.text


def test_leaderboard_puts_systems_without_measure_last(tmp_path: Path) -> None:
    logs = [
        _log("closed_book", _constant(geval_coverage=3)),
        _log("arag", _constant(geval_coverage=3, retrieval_pr__recall=0.1)),
        _log("naive_rag", _constant(geval_coverage=3, retrieval_pr__recall=0.6)),
    ]
    report = m.report_of(tmp_path, *logs, primary=("geval_coverage", "retrieval_pr.recall"))
    assert _order(report) == ["Naive RAG", "A-RAG", "Closed book"]


def test_equal_systems_share_faithfulness_rank(tmp_path: Path) -> None:
    same = _constant(composite_faithfulness=0.8, severity_judge=0.8, embedding_coverage=0.5)
    less = _constant(composite_faithfulness=0.3, severity_judge=0.8, embedding_coverage=0.5)
    logs = [_log("arag", same), _log("naive_rag", same), _log("stuffing", less)]
    table = m.table_of(m.report_of(tmp_path, *logs), "pillars")
    assert [row[:2] for row in table.rows] == [
        (1, "A-RAG"), (1, "Naive RAG"), (3, "Stuffing"),
    ]  # fmt: skip


def test_findings_name_better_side_and_largest_undecided_difference(tmp_path: Path) -> None:
    """A-RAG clearly beats two systems, which differ slightly in the wrong direction."""

    def errors(share: float, wobble: float = 0.0) -> Scores:
        return lambda n: {
            "factual_consistency": m.scored({"contradicted": share + wobble * (n % 3 - 0.9)}),
            "llm_accuracy": m.scored({"correct": float(n % 2)}),
        }

    logs = [
        _log("arag", errors(0.1)),
        _log("naive_rag", errors(0.6, 0.1)),
        _log("stuffing", errors(0.63)),
    ]
    keys = ("factual_consistency.contradicted", "llm_accuracy.correct")
    found = m.report_of(tmp_path, *logs, primary=keys).findings
    by_topic = {finding.topic: finding.text for finding in found}
    text = by_topic["Figures contradicted"]
    assert "A-RAG is better in figures contradicted than Naive RAG (-0.5" in text
    assert "No other difference in figures contradicted is shown: Naive RAG" in text
    assert "Naive RAG over Stuffing, -0.0" in text
    assert by_topic["Correct by judge"] == (
        "All systems score the same in correctness by judge on every sample."
    )


@pytest.mark.parametrize(
    ("systems", "subject"),
    [(["arag", "stuffing"], "Both systems"), (["arag", "stuffing", "naive_rag"], "All systems")],
)
def test_equal_scores_name_number_of_systems(
    tmp_path: Path, systems: list[str], subject: str
) -> None:
    logs = [_log(system, lambda n: {"rouge": m.scored({"rouge1": n / 20})}) for system in systems]
    finding, *_ = m.report_of(tmp_path, *logs, primary=["rouge.rouge1"]).findings
    assert finding.text.startswith(f"{subject} score the same in ROUGE-1 on every sample")


def test_equal_scores_of_two_runs_are_of_runs(tmp_path: Path) -> None:
    log = _log("arag", lambda n: {"rouge": m.scored({"rouge1": n / 20})})
    texts = m.finding_texts(m.change_of(tmp_path, log, log))
    assert texts["ROUGE-1"].startswith("Both runs score the same in ROUGE-1 on every sample")


@pytest.mark.parametrize(
    ("scores", "is_explained"),
    [({"geval_coverage": m.judged(4)}, True), ({"answer_match": m.scored(1.0)}, False)],
)
def test_captions_explain_only_what_the_tables_have(
    tmp_path: Path, scores: Mapping[str, Score], is_explained: bool
) -> None:
    report = m.report_of(tmp_path, _log("arag", lambda _: scores))
    assert ("Cost per coverage point" in m.table_of(report, "cost").text) is is_explained
    assert "uman marks" not in m.table_of(report, "headline").text


def _two_models(folder: Path, *systems: str) -> Path:
    quality = {"stuffing": 0.2, "naive_rag": 0.4, "arag": 0.6}
    logs = [
        _log(system, _constant(rouge__rouge2=quality[system] + add), model)
        for model, add in (("mock/one", 0.0), ("mock/two", 0.3))
        for system in systems
    ]
    return m.write(folder, *logs)


def test_headline_keeps_name_of_measure_for_single_best_of_many(tmp_path: Path) -> None:
    logs = [_log(f"s{n}", _constant(rouge__rouge2=0.1 * n), "mock/one") for n in range(1, 6)]
    line = m.report_of(tmp_path, *logs).headline
    assert line.startswith("s5 is better in ROUGE-2 than 4 others, the nearest s4 (+0.100")


def test_comparisons_pair_systems_within_each_model(tmp_path: Path) -> None:
    folder = _two_models(tmp_path, "arag", "naive_rag", "stuffing")
    report = m.report_on(frames(folder))
    pairs = [(pair.a, pair.b) for pair in report.comparisons]
    assert len(pairs) == 6 and all(a.split(" · ")[1] == b.split(" · ")[1] for a, b in pairs)
    message = "every two systems with the same model (6 pairs, 6 primary comparisons)"
    table = m.table_of(report, "comparisons")
    assert message in table.text
    assert report.headline == (
        "No single winner: in ROUGE-2, compared within each model, 2 of 6 are not shown to be "
        "worse than another (A-RAG · one and A-RAG · two); largest lead: A-RAG · two over "
        "Stuffing · two (+0.400, the same on every sample). Averaged over systems, model two is "
        "better in ROUGE-2 than one (+0.300, the same on every sample). Only 12 samples."
    )
    assert report.leaderboard.rows[0].system == "A-RAG · two"
    assert [row.standings[0].place for row in report.leaderboard.rows if row.standings[0]] == [
        f"{place} (3 of 6 compared)"
        for place in ("best", "rank 2", "best", "rank 3", "rank 2", "rank 3")
    ]


def test_baseline_is_compared_with_every_system(tmp_path: Path) -> None:
    all_frames = frames(_two_models(tmp_path, "arag", "naive_rag"))
    baseline = "Naive RAG · one"
    (study,) = studies(all_frames, Choices(baseline=baseline))
    pairs = {frozenset((pair.a, pair.b)) for pair in m.PartialReport(study).comparisons}
    assert len(pairs) == 4 and sum(baseline in pair for pair in pairs) == 3
    assert f"and each system with {baseline} (4 pairs" in describe_pairs(study)
    with pytest.raises(InputError, match="baseline 'naive' is unknown; choose from A-RAG"):
        make_report(all_frames, baseline="naive")


@pytest.mark.parametrize(
    "runs, pairs",
    [
        ([("arag", "mock/one"), ("arag", "mock/two")], 1),
        ([("external", "none/none"), ("arag", "mock/one"), ("naive_rag", "mock/one")], 3),
        ([("arag", "mock/one"), ("naive_rag", "mock/one"), ("arag", "mock/two")], 3),
    ],
)
def test_systems_without_partner_of_same_model_are_paired_across_models(
    tmp_path: Path, runs: list[tuple[str, str]], pairs: int
) -> None:
    logs = [_log(system, _constant(rouge__rouge2=0.4), model) for system, model in runs]
    report = m.report_of(tmp_path, *logs)
    assert len(family_of(report.study).pairs) == len(report.comparisons) == pairs


def test_external_system_is_named_without_model(tmp_path: Path) -> None:
    """It was run beside A-RAG, with a model that it does not call."""
    runs = (("arag", "mock/one"), ("external", "mock/one"), ("arag", "mock/two"))
    logs = [_log(system, _constant(rouge__rouge2=0.4), model) for system, model in runs]
    report = m.report_of(tmp_path / "one", *logs[:2])
    assert {*report.study.systems} == {"A-RAG", "external"}
    assert [run.model for run in report.study.rows] == ["mock/one", "none/none"]
    report = m.report_of(tmp_path / "two", *logs)
    assert {*report.study.systems} == {"A-RAG · one", "A-RAG · two", "external"}


def test_headline_names_rival_not_separated_from_leader(tmp_path: Path) -> None:
    """A system beats one rival; the other is neither better nor worse."""
    means = {"arag": 4.0, "stuffing": 3.5, "naive_rag": 2.0}

    def scores(system: str, n: int) -> Mapping[str, Score]:
        wave = n % 2 * 3 - 1.5 if system == "stuffing" else 0
        return {"geval_coverage": m.judged(means[system] + wave)}

    logs = [_log(system, partial(scores, system)) for system in means]
    report = m.report_of(tmp_path, *logs, primary=("geval_coverage",))
    assert report.headline.startswith(
        "A-RAG covers more than Naive RAG: 4.000 against 2.000 of 5 (+2.000, the same"
    )
    assert report.headline.endswith("); Stuffing is not separated from A-RAG. Only 12 samples.")
    places = {row.system: row.standings[0].place for row in report.leaderboard.rows}  # type: ignore[union-attr]
    assert places["A-RAG"] == "unbeaten" and places["Naive RAG"].startswith("rank 2")


def test_finding_suggests_shared_measures_when_primary_is_missing(tmp_path: Path) -> None:
    logs = [
        _log("arag", _constant(rouge__rouge2=0.4, geval_coverage=4)),
        _log("naive_rag", _constant(rouge__rouge2=0.3)),
    ]
    (finding, *_) = m.report_of(tmp_path, *logs, primary=("geval_coverage",)).findings
    assert "--primary NAME chooses one they share: rouge.rouge2" in finding.text


def test_variants_are_ordered_by_number_and_equal_ones_by_cost_or_tokens(tmp_path: Path) -> None:
    logs = []
    for top_k in (1, 12, 3, 6):
        log = _log("arag", _constant(rouge__rouge2=0.5), cost_usd=None, input_tokens=100 - top_k)
        log.plan.steps[0].params = {"top_k": top_k}
        logs.append(log)
    report = m.report_of(tmp_path, *logs, primary=["rouge.rouge2"])
    variants = [f"A-RAG (top_k={top_k})" for top_k in (1, 3, 6, 12)]
    assert list(report.study.systems) == variants
    assert _order(report) == variants[::-1]


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"retriever": "bm25", "top_k": 5}, "Naive RAG (bm25)"),
        ({"retriever": "dense", "top_k": 5}, "Naive RAG"),
        ({}, "Naive RAG"),
    ],
)
def test_name_states_retriever_other_than_default_though_all_share_it(
    tmp_path: Path, params: dict[str, object], name: str
) -> None:
    log = _log("naive_rag", _constant(rouge__rouge2=0.5))
    log.plan.steps[0].params = params
    report = m.report_of(tmp_path, log, primary=["rouge.rouge2"])
    assert report.study.systems == (name,)
