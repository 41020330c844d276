"""Tests of naming winners: real differences are found, chance differences rarely."""

import re
from collections.abc import Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score

from arag_inspect._util.errors import InputError
from arag_inspect.report import Frames, frames, make_report, studies
from arag_inspect.report.cells import show
from arag_inspect.report.comparison.basis import needed_groups
from arag_inspect.report.comparison.comparisons import Comparison, compare_systems
from arag_inspect.report.comparison.length import contest
from arag_inspect.report.comparison.primary import primary_measures
from arag_inspect.report.findings.key_finding import key_finding
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.page.render import render_page
from arag_inspect.report.table import Table
from arag_inspect.stats.estimates import paired_difference
from arag_inspect.stats.multiple_tests import benjamini_hochberg, holm
from tests.logs import samples_of, scores_of
from tests.report import material as m

PRIMARY = ("geval_coverage",)
CONTRADICTED = "factual_consistency.contradicted"
MEASURES = ("geval_coverage", "rouge.rouge2", "nli_contradiction")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    """Two systems on 40 samples of 20 companies, with three measures."""
    half = m.scored(0.5)
    scores = {"geval_coverage": m.judged(3), "rouge": m.scored({"rouge2": 0.5})}
    logs = [
        m.run_of(system, {**scores, "nli_contradiction": half}, 40)
        for system in ("arag", "naive_rag")
    ]
    for sample in (sample for log in logs for sample in samples_of(log)):
        sample.metadata["company"] = f"C{int(str(sample.id)[1:]) % 20}"
    return frames(m.write(tmp_path_factory.mktemp("logs"), *logs))


def _with(pair: Frames, values: Mapping[str, np.ndarray]) -> Frames:
    """Return the same pair with other values: by measure, in shape (2, samples)."""
    scores = pair.scores.copy()
    samples = scores["id"].str.removeprefix("s").astype(int)
    rows = zip(scores["measure"], scores["system"], samples, strict=True)
    scores["value"] = [
        values[measure][("A-RAG", "Naive RAG").index(system), sample]
        for measure, system, sample in rows
    ]
    return pair._replace(scores=scores)


def _compare(pair: Frames, *args: Any, **kwargs: Any) -> tuple[Comparison, ...]:
    (study,) = studies(pair)
    return compare_systems(study, *args, **kwargs)


def _chance(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw values that differ only by chance, correlated by company and measure."""
    companies = random.normal(size=20)[np.arange(40) % 20]
    common = (
        companies + random.normal(size=(2, 40)) + random.normal(size=(2, 20))[:, np.arange(40) % 20]
    )
    return {name: common + random.normal(size=(2, 40)) for name in MEASURES}


def test_chance_difference_is_called_in_at_most_five_percent(
    pair: Frames,
) -> None:
    random = np.random.default_rng(1)
    called = 0
    for _ in range(60):
        study = _with(pair, _chance(random))
        comparisons = _compare(study, {}, MEASURES, resamples=499)
        assert len(comparisons) == 3
        called += any(comparison.winner for comparison in comparisons)
    assert called <= 3


def test_known_difference_is_called_and_reported(pair: Frames) -> None:
    values = _chance(np.random.default_rng(2))
    values["geval_coverage"][0] += 2
    study = _with(pair, values)
    report = m.report_on(study)
    winners = {comparison.measure.key: comparison.winner for comparison in report.comparisons}
    assert winners == {"geval_coverage": "A-RAG", "rouge.rouge2": None, "nli_contradiction": None}
    (finding,) = report.findings
    assert finding.shown and finding.topic == "Coverage (1-5)"
    (comparison,) = finding.comparisons
    assert (comparison.winner, comparison.loser, comparison.doubt) == ("A-RAG", "Naive RAG", None)
    assert finding.text.startswith("A-RAG covers more than Naive RAG (+")
    other = {"A-RAG": "Naive RAG", "Naive RAG": "A-RAG"}
    turned = study.scores.assign(system=study.scores["system"].map(other))
    backwards = study._replace(scores=turned)
    (finding,) = m.report_on(backwards).findings
    (comparison,) = finding.comparisons
    assert (comparison.winner, comparison.loser) == ("Naive RAG", "A-RAG")


def test_undecided_difference_comes_with_samples_needed(pair: Frames) -> None:
    study = _with(pair, _chance(np.random.default_rng(3)))
    finding, *_ = m.report_on(study).findings
    match = re.fullmatch(
        r"No difference in coverage is shown: [\w -]+ over [\w -]+, \+[\d.]+ "
        r"\[.+, .+\]; about ([\d,]+) companies with ([\d,]+) samples would show it"
        r"(?:, before [\w ]+)?\.",
        finding.text,
    )
    assert not finding.shown and match
    companies, needed = (int(match[place].replace(",", "")) for place in (1, 2))
    assert 40 < needed <= 2 * companies <= needed + 1  # two samples per company


@pytest.mark.parametrize(
    ("samples", "grouped", "alone"),
    [
        (3_999, "about 2,000 companies with 3,999 samples", "about 3,999 samples"),
        (4_000, "about 2,000 companies with 4,000 samples", "about 4,000 samples"),
        (4_001, "no realistic number of companies", "no realistic number of samples"),
    ],
)
def test_needed_samples_are_counted_up_to_a_hundred_times_those_at_hand(
    pair: Frames, samples: int, grouped: str, alone: str
) -> None:
    (study,) = studies(pair)
    differences = np.linspace(0, 1, 40)
    by_company, single = (
        paired_difference(differences, np.zeros(40), clusters)
        for clusters in (study.clusters, np.arange(40))
    )
    assert by_company and single
    assert needed_groups(study, by_company, samples) == grouped
    assert needed_groups(study, single, samples) == alone


def test_tiny_difference_needs_no_realistic_number_of_companies(pair: Frames) -> None:
    finding, *_ = m.report_on(_with(pair, _nearly_level(0.001))).findings
    assert finding.text.endswith("]; no realistic number of companies would show it.")


def _nearly_level(gap: float) -> dict[str, np.ndarray]:
    """Return random grades whose means differ by a gap."""
    values = _chance(np.random.default_rng(3))
    first, second = values["geval_coverage"]
    values["geval_coverage"][0] += second.mean() - first.mean() + gap
    return values


def _size_table(pair: Frames, gap: float) -> tuple[Table, dict[str, Any]]:
    """Return the table of sizes, and its row of coverage, whose means differ by a gap."""
    report = m.report_on(_with(pair, _nearly_level(gap)))
    (row,) = (row for row in m.rows_of(report, "power") if "Coverage" in str(row["measure"]))
    return m.table_of(report, "power"), row


@pytest.mark.parametrize("gap", [0.001, -0.0015])
def test_size_table_and_csv_of_tiny_difference(pair: Frames, gap: float) -> None:
    """The table shows numbers up to 100,000; the CSV file has the number."""
    table, row = _size_table(pair, gap)
    assert show(row["for the difference seen"]) == "more than 100,000"
    assert show(row["companies for it"]) == "-"
    assert "| more than 100,000 |" in table.as_markdown()
    (line,) = [line for line in table.as_csv().splitlines() if line.startswith("Coverage")]
    assert int(line.split(",")[4]) > 100_000


def test_size_table_needs_no_samples_where_means_differ_by_rounding_only(pair: Frames) -> None:
    table, row = _size_table(pair, 1e-15)
    assert show(row["for the difference seen"]) == show(row["companies for it"]) == "-"
    assert "0.5: " in str(table.rows[0][-1])


def test_primary_measures_are_corrected_apart_from_secondary_ones(pair: Frames) -> None:
    """Secondary measures do not change their p-values, and are corrected separately."""
    study = _with(pair, _chance(np.random.default_rng(5)))
    first, *others = _compare(study, {}, PRIMARY)
    assert (first.role, first.p_adjusted) == ("primary", first.paired.p)
    assert [comparison.role for comparison in others] == ["secondary", "secondary"]
    assert [comparison.p_adjusted for comparison in others] == benjamini_hochberg(
        [comparison.paired.p for comparison in others]
    )
    comparisons = _compare(study, {}, ("rouge.rouge2", "geval_coverage"))
    assert [comparison.measure.key for comparison in comparisons[:2]] == [
        "rouge.rouge2",
        "geval_coverage",
    ]
    assert [comparison.p_adjusted for comparison in comparisons[:2]] == holm(
        [comparison.paired.p for comparison in comparisons[:2]]
    )


def test_declared_primary_measures_replace_task_defaults(pair: Frames) -> None:
    results = pair
    assert primary_measures(m.report_on(results).study) == PRIMARY
    assert primary_measures(m.report_on(results, ["rouge.rouge2"]).study) == ("rouge.rouge2",)
    with pytest.raises(InputError, match="primary measure 'tone' is unknown; choose from geval_"):
        make_report(results, ["tone"])


def test_too_few_companies_are_reported_once_after_differences(tmp_path: Path) -> None:
    logs = (
        m.run_of(system, partial(lambda low, n: {"geval_coverage": m.judged(low + n % 2)}, low))
        for system, low in (("arag", 3), ("naive_rag", 1))
    )
    report = m.report_of(tmp_path, *logs)
    difference, finding, *_ = report.findings
    assert difference.text.startswith(
        "No difference in coverage is shown: A-RAG over Naive RAG, +2.000"
    )
    assert finding.topic == "Too few companies"
    assert finding.text == (
        "4 companies cannot show a difference; 6 or more are needed for 1 primary comparison."
    )
    assert report.comparisons[0].verdict == "not shown: too few companies"


def test_winner_is_withheld_when_difference_is_below_judge_noise(pair: Frames) -> None:
    values = _chance(np.random.default_rng(2))
    values["geval_coverage"][0] += 2
    study = _with(pair, values)
    comparisons = _compare(study, {"geval_coverage": 5.0}, PRIMARY)
    assert comparisons[0].verdict == "not shown: the judge's own noise is as large"
    comparisons = _compare(study, {"geval_coverage": 0.1}, PRIMARY)
    assert comparisons[0].winner == "A-RAG"


@pytest.mark.parametrize("odd, unsigned", [([], []), ([7], []), ([7], [3]), ([0, 1, 2, 3], [])])
def test_samples_measured_differently_are_excluded_and_named(
    tmp_path: Path, odd: list[int], unsigned: list[int]
) -> None:
    """A few samples measured differently are excluded and named; the others are compared."""

    def scores(system: str, number: int) -> dict[str, Score]:
        judge = "mock/other" if system == "arag" and number in odd else "mock/judge"
        graded = m.judged(4 + number % 2 if system == "arag" else 2, judge)
        if number in unsigned:  # like the score of an empty answer
            graded.metadata = {}
        return {"geval_coverage": graded}

    logs = [m.run_of(s, partial(scores, s), 20, company="C{}") for s in ("arag", "naive_rag")]
    all_frames = frames([m.write(tmp_path, *logs)])
    report = m.report_on(all_frames)
    (comparison,) = report.comparisons
    assert (comparison.paired.n, comparison.left_out) == (20 - len(odd), len(odd))
    assert comparison.winner == "A-RAG"
    texts = [one.text for one in m.notices(all_frames) if "computed differently" in one.text]
    assert len(texts) == bool(odd)
    if odd:
        assert texts[0].startswith(
            f"geval_coverage was computed differently on {len(odd)} of 20 samples"
        )
        assert f"s{odd[0]:03}: A-RAG: judge:mock/other; Naive RAG: judge:mock/judge" in texts[0]
        assert report.findings[0].text.endswith(
            "Samples left out because they were measured differently or asked another "
            f"question: {len(odd)}."
        )


@pytest.mark.parametrize("texts", [("page 7", "page #"), ("page #", "page 7, 8"), ("7", "#8")])
def test_causes_that_differ_in_figures_alone_are_all_counted(
    tmp_path: Path, texts: tuple[str, str]
) -> None:
    """Texts that differ only in figures are one cause, and no placeholder replaces a figure."""
    samples = [
        m.sample(n, {"rouge": Score.unscored(reason=text)}, store=m.trace(skipped=text))
        for n, text in enumerate(texts)
    ]
    samples += [m.sample(n, {"rouge": m.scored({"rouge2": 0.1})}) for n in range(2, 8)]
    report = m.report_of(tmp_path, m.log(samples))
    table = m.table_of(report, "attrition")
    assert all(f"A-RAG, 1 skipped: {text}." in table.text for text in texts)
    assert [row["values"] for row in m.rows_of(report, "reasons")] == [1, 1]


def test_epochs_are_averaged_per_sample(tmp_path: Path) -> None:
    samples = [
        m.sample(number, {"rouge": m.scored({"rouge2": value})}, epoch=epoch)
        for number in range(3)
        for epoch, value in ((1, 0.0), (2, number / 2))
    ]
    (study,) = studies(frames(m.write(tmp_path, m.log(samples))))
    assert len(study.answers) == study.rows[0].planned == 6
    assert study.values_of("A-RAG", "rouge.rouge2").tolist() == [0.0, 0.25, 0.5]


@pytest.mark.parametrize(("again", "warns"), [(0.5, True), (0.05, False)])
def test_judge_that_changes_its_verdicts_is_named(
    tmp_path: Path, again: float, warns: bool
) -> None:
    def scores(number: int) -> dict[str, Score]:
        second = 3 + again + (number % 2 - 0.5) / 5
        return {"geval_coverage": m.judged(3), "geval_coverage1": m.judged(second)}

    texts = [
        notice.text for notice in m.notices(frames(m.write(tmp_path, m.run_of("arag", scores))))
    ]
    start = "judged again, Coverage (1-5) of A-RAG changes by +0.500 ["
    assert any(text.startswith(start) for text in texts) == warns


def test_repeated_judging_yields_noise_floor(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        again = 4 if number % 2 else 3
        return {"geval_coverage": m.judged(3), "geval_coverage1": m.judged(again)}

    lower = m.run_of("naive_rag", lambda n: {"geval_coverage": m.judged(2.6 + n % 2 / 10)})
    report = m.report_of(tmp_path, m.run_of("arag", scores), lower)
    (row,) = m.rows_of(report, "self_consistency")
    assert (row["system"], row["answers"], row["same value"]) == ("A-RAG", 8, (0.5,))
    assert row["size of a change"] == row["change"].value == 0.5
    assert row["noise floor"] == row["change"].high > 0.5
    (compared,) = report.comparisons
    assert compared.paired.difference == pytest.approx(0.35)
    assert compared.winner is None


@pytest.mark.parametrize(
    ("better", "order"),
    [("arag", ("A-RAG", "Naive RAG")), ("naive_rag", ("Naive RAG", "A-RAG"))],
)
def test_equal_budget_table_counts_only_answers_of_similar_cost(
    tmp_path: Path, better: str, order: tuple[str, str]
) -> None:
    def sample(number: int, system: str) -> object:
        dear = number >= 12 and system == "arag"
        store = m.trace(system, input_tokens=5000 if dear else 1000 + 10 * number, cost_usd=None)
        value = 0.9 if dear else 0.3 + 0.1 * (system == better)
        return m.sample(number, {"rouge": m.scored({"rouge2": value})}, system=system, store=store)

    logs = [
        m.log([sample(n, system) for n in range(24)], system=system)  # type: ignore[misc]
        for system in ("arag", "naive_rag")
    ]
    ((budget, measure, a, b, n, first, second, difference),) = (
        row.values() for row in m.rows_of(m.report_of(tmp_path, *logs), "equal_budget")
    )
    assert (budget, measure, a, b, n) == ("tokens", "ROUGE-2", *order, 12)
    assert (first, second) == pytest.approx((0.4, 0.3))
    assert difference.value == pytest.approx(0.1)


def test_skip_reasons_are_reported(tmp_path: Path) -> None:
    skips = [
        m.trace(
            "stuffing",
            skipped=f"{tokens} tokens by *its* tokenizer (a/b) are over the limit of 8,000",
        )
        for tokens in ("10,412", "9,120")
    ]
    logs = m.run_of("stuffing", {"rouge": m.scored({"rouge2": 0.1})})
    for sample, store in zip(samples_of(logs), skips, strict=False):
        sample.scores, sample.store = {"rouge": Score.unscored(reason="skipped")}, store
    log = m.write(tmp_path, logs)
    made_report = make_report(frames([log]))
    (report,) = made_report.studies
    assert m.rows_of(report, "attrition")[0]["skipped"] == 2
    cause = (
        "Stuffing, 2 skipped: 9,120 to 10,412 tokens by *its* tokenizer (a/b) are over the "
        "limit of 8,000."
    )
    assert report.table("attrition").text.endswith(cause)  # type: ignore[union-attr]
    page = render_page(made_report)
    assert cause in page and "rests on 6 of 8 samples (skipped: 2)" in page
    assert cause.replace("*", r"\*") in to_markdown(made_report)
    first, second = report.findings[:2]
    assert first.text.endswith("rests on 6 of 8 samples (skipped: 2).")
    assert second.text.startswith("Stuffing has 0.100 [0.025, 0.774] on 6 of 8 samples")


def test_lead_states_sample_count_and_single_shared_sample_is_not_compared(tmp_path: Path) -> None:
    def run(system: str, numbers: range, cost: float) -> Any:
        samples = []
        for n in numbers:
            scores = {"geval_coverage": m.judged(2.0 + (n * len(system)) % 3)}
            own: Any = {"store": m.trace(system, cost_usd=cost), "metadata": {"company": f"C{n}"}}
            samples += [m.sample(n, scores, epoch=epoch, **own) for epoch in (1, 2)]
        return m.log(samples, system=system)

    runs = [("arag", range(8), 6e-6), ("naive_rag", range(1, 9), 1e-5)]
    runs += [("stuffing", range(7, 12), 1)]
    report = m.report_of(tmp_path, *(run(*own) for own in runs))
    text = " ".join(finding.text for finding in report.findings)
    assert report.headline.startswith("No winner: ")
    assert " on 2 of 12 samples" in text
    assert "Stuffing and A-RAG are not compared in coverage (only one sample is shared)." in text
    assert [row.epochs for row in report.leaderboard.rows] == [2, 2, 2]


@pytest.mark.parametrize(
    ("grades", "end"),
    [
        ((1.1, 1.2), "lowest"),
        ((4.8, 4.9), "highest"),
        ((1.1, 2), ""),
        ((4, 4.9), ""),
        ((3, 3.1), ""),
    ],
)
def test_retrieval_effect_is_undecided_when_all_scores_are_at_scale_end(
    tmp_path: Path, grades: tuple[float, float], end: str
) -> None:
    def scored(grade: float, number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(grade + (number % 2 - 0.5) / 10)}

    report = m.report_of(
        tmp_path,
        m.run_of("arag", partial(scored, grades[0]), 30, company="C{}"),
        m.run_of("stuffing", partial(scored, grades[1]), 30, company="C{}"),
    )
    text = key_finding(report.study) or ""
    cannot = f"in coverage every system is in the {end} 10 % of the scale"
    assert (cannot in text) == bool(end) and text.startswith("These scores" if end else "Retrieval")


@pytest.mark.parametrize(
    ("grades", "best", "whole"),
    [
        ({"arag": 2.0, "naive_rag": 4.0}, "Naive RAG · large", "Stuffing · large"),
        ({"arag": 3.0, "naive_rag": 3.0}, "Naive RAG · large", "Stuffing · large"),  # is cheaper
        ({"arag": 4.0, "naive_rag": 2.0}, "A-RAG · large", "Stuffing · large"),
    ],
)
def test_retrieval_effect_is_that_of_best_system_of_any_model(
    tmp_path: Path, grades: Mapping[str, float], best: str, whole: str
) -> None:
    costs = {"arag": 0.2, "naive_rag": 0.1, "stuffing": 0.1}
    logs = []
    for model, system in product(("base", "large"), costs):
        grade = grades.get(system, 3.0) + (0.5 if model == "large" else 0)
        run = m.run_of(
            system,
            {"geval_coverage": m.judged(grade)},
            company="C{}",
            model=f"mock/{model}",
            effort={"cost_usd": costs[system]},
        )
        logs.append(run)
    pairing = contest(m.report_of(tmp_path, *logs).study)
    assert pairing is not None and (pairing.retrieval, pairing.whole) == (best, whole)


@pytest.mark.parametrize(
    ("gains", "count", "said"),
    [
        ([1], 2, "is not shown to add value"),  # too few for any winner
        ([0], 8, "is not shown to add value"),  # a few equal samples show nothing
        ([1, -1], 8, "is not shown to add value"),
        ([-1], 4, "is not shown to add value"),  # below zero, too few for any winner
        ([0], 80, "does not add value"),
        ([1, *[0] * 49, -1, *[0] * 49], 200, "does not add value"),
        ([-1, -1, 0], 30, "does not add value"),
        ([1, 1, 0], 30, "adds value"),
    ],
)
def test_retrieval_gain_is_denied_only_when_excluded_by_interval(
    tmp_path: Path, gains: list[int], count: int, said: str
) -> None:
    def scored(add: bool, number: int) -> dict[str, Score]:
        gain = gains[number % len(gains)] if add else 0
        return {"geval_coverage": m.judged(3 + gain)}

    report = m.report_of(
        tmp_path,
        m.run_of("arag", lambda n: scored(True, n), count, company="C{}"),
        m.run_of("stuffing", lambda n: scored(False, n), count, company="C{}"),
    )
    text = key_finding(report.study) or ""
    assert text.startswith(f"Retrieval {said} "), text
    assert ("a gain of more than 0.2 is excluded" in text) == (said[0] == "d" and sum(gains) == 0)
    if gains == [0]:
        assert f"(n {count})" in text
    else:
        assert (" (too few companies)" if count < 6 else " [") in text


@pytest.mark.parametrize(
    ("tokens", "length"), [(9120, "9,120 tokens"), (None, "of unknown length")]
)
def test_length_of_skipped_document_is_read_from_trace(
    tmp_path: Path, tokens: int | None, length: str
) -> None:
    def skip(number: int) -> EvalSample:
        store = m.trace(
            "stuffing", skipped="9,999 tokens are over the limit", skipped_tokens=tokens
        )
        unscored = {"geval_coverage": Score.unscored(reason="skipped")}
        return m.sample(number, unscored, system="stuffing", store=store)

    report = m.report_of(
        tmp_path,
        m.run_of("arag", {"geval_coverage": m.judged(3)}, 4),
        m.log([skip(number) for number in range(4)], system="stuffing"),
    )
    assert f"Stuffing skipped 4 documents ({length})" in (key_finding(report.study) or "")


@pytest.mark.parametrize(("read", "share"), [(m.part_of_chunk(1), "25 %"), (m.passage(1), "75 %")])
def test_key_finding_gives_evidence_read_when_passages_are_parts(
    tmp_path: Path, read: Mapping[str, Any], share: str
) -> None:
    retrieval = m.scored({"recall": 0.75, "evidence": 0.25}, "retrieval_pr")
    passages = {"passages": [read], "context": "retrieved"}

    def scores(number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(3 + number % 2), "retrieval_pr": retrieval}

    report = m.report_of(
        tmp_path,
        m.run_of("arag", scores, effort=passages),
        m.run_of("stuffing", {"geval_coverage": m.judged(3)}),
    )
    assert f"finds {share} of the evidence" in (key_finding(report.study) or "")


@pytest.mark.parametrize(("size", "is_possible"), [(1.0, False), (0.25, True)])
def test_no_difference_beyond_the_scale_is_detectable(
    tmp_path: Path, size: float, is_possible: bool
) -> None:
    """Six companies; each system wins half of them by this much of a share."""

    def score(system: str, number: int) -> Mapping[str, Score]:
        wins = number % 2 == (system == "arag")
        return {"rouge": m.scored({"rouge2": size if wins else 0.0})}

    logs = [
        m.run_of(system, partial(score, system), 6, company="C{}")
        for system in ("arag", "naive_rag")
    ]
    (row,) = m.rows_of(m.report_of(tmp_path, *logs, primary=["rouge.rouge2"]), "comparisons")
    assert (row["detectable"] is not None) == is_possible


def test_wins_are_lower_values_for_measure_of_faults(tmp_path: Path) -> None:
    def contradicted(share: float) -> Mapping[str, Score]:
        return {"factual_consistency": m.scored({"contradicted": share})}

    report = m.report_of(
        tmp_path,
        m.run_of("arag", contradicted(0.0), 40, company="C{}"),
        m.run_of("naive_rag", lambda n: contradicted(float(n >= 4)), 40, company="C{}"),
        primary=[CONTRADICTED],
    )
    (row,) = m.rows_of(report, "comparisons")
    assert (row["a"], row["b"], row["n"]) == ("A-RAG", "Naive RAG", 40)
    assert row["a - b"].value == pytest.approx(-0.9)
    assert (row["wins/ties/losses"], row["verdict"]) == ("36/4/0", "A-RAG is better")


@pytest.mark.parametrize(
    ("measure", "reason", "label"),
    [
        ("geval_faithfulness.supported", "nothing_listed", "Statements supported"),
        ("citation_accuracy.supported", "no_sentences", "Sentences follow from their passage"),
    ],
)
def test_note_names_answers_that_drop_out_where_other_system_declines(
    tmp_path: Path, measure: str, reason: str, label: str
) -> None:
    scorer, key = measure.split(".")
    logs = m.runs_that_decline((1.0, 1.0, 1.0), (1.0, 0.0, 0.0))
    for log in logs:
        for sample in samples_of(log):
            scores = scores_of(sample)
            declines = "abstention" in scores and scores["abstention"].as_dict()["right"] == 1
            value = Score.unscored(reason=reason) if declines else m.scored({key: 0.25})
            scores[scorer] = value
    both = frames(m.write(tmp_path / "declined", *logs))
    (note,) = (own for own in m.notices(both) if "another system declined" in own.text)
    assert note.text == (
        "system1 answered 2 unanswerable questions that another system declined (s007, s008); "
        f"differences leave these answers out (their mean: {label} 0.25)"
    )
    alone = frames(m.write(tmp_path / "alone", logs[1]))
    assert not any("another system declined" in own.text for own in m.notices(alone))
