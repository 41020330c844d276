"""Tests of the one-line headline, and of systems that serve only as reference lines."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalError, EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import StudyReport, frames, make_report, studies
from arag_inspect.report.chart import as_spec
from arag_inspect.report.comparison.contestants import family_of
from arag_inspect.report.comparison.leads import baseline_of
from arag_inspect.report.findings.headline import headline as headline_of
from arag_inspect.report.findings.provenance import about, banner
from arag_inspect.report.page.render import render_page
from arag_inspect.report.study import Choices
from tests.logs import samples_of
from tests.report import material as m


def _run(system: str, grade: float, n: int = 12, **spec: Any) -> Any:
    return m.run_of(system, {"geval_coverage": m.judged(grade)}, n, company="C{}", **spec)


def _report(folder: Path, grades: Mapping[str, float], n: int = 12) -> StudyReport:
    return m.report_of(folder, *(_run(system, grade, n) for system, grade in grades.items()))


@pytest.mark.parametrize(
    ("grades", "n", "headline"),
    [
        ({"arag": 3}, 12, "A-RAG: coverage 3.000 ["),
        ({"arag": 3, "closed_book": 1}, 12, "A-RAG: coverage 3.000 ["),
        ({"arag": 4, "naive_rag": 2}, 12,
         ("A-RAG covers more than Naive RAG: 4.000 against 2.000 of 5 (+2.000, the same on "
          "every sample")),
        ({"arag": 4, "naive_rag": 2, "oracle": 5}, 12,
         "A-RAG covers more than Naive RAG: 4.000 against 2.000 of 5 ("),
        ({"arag": 4, "naive_rag": 2, "stuffing": 3}, 12,
         "A-RAG covers more than Naive RAG (+2.000, the same on every sample"),
        ({"arag": 4, "naive_rag": 4}, 12,
         "No winner: no difference is shown in coverage. Only 12 samples."),
        ({"arag": 4, "naive_rag": 2}, 3,
         ("No winner: 3 companies cannot show a difference; 6 or more are needed for 1 "
          "primary comparison.")),
    ],
)  # fmt: skip
def test_headline_states_result_in_one_line(
    tmp_path: Path, grades: Mapping[str, float], n: int, headline: str
) -> None:
    line = _report(tmp_path, grades, n).headline
    assert line.startswith(headline) and len(line) < 140


def test_groups_too_few_for_all_comparisons_but_not_for_one_have_a_next_step(
    tmp_path: Path,
) -> None:
    report = _report(tmp_path / "three", {"arag": 4, "naive_rag": 2, "stuffing": 3}, 6)
    comparisons = "7 or more are needed for 3 primary comparisons"
    step = "with fewer systems, or --primary NAME, fewer are"
    assert f"{comparisons}; {step}" in report.headline
    two = [
        m.run_of(
            system,
            {f"geval_{name}": m.judged(grade) for name in ("coverage", "faithfulness")},
            6,
            company="C{}",
        )
        for system, grade in (("arag", 4), ("naive_rag", 2))
    ]
    headline = m.report_of(tmp_path / "two", *two).headline
    assert "needed for 2 primary comparisons; with --primary NAME, fewer are." in headline


@pytest.mark.parametrize(
    ("clear", "noisy"),
    [("coverage", "faithfulness"), ("faithfulness", "coverage")],
)
def test_headline_without_winner_states_difference_nearest_to_being_shown(
    tmp_path: Path, clear: str, noisy: str
) -> None:
    def scores(lead: int, number: int) -> dict[str, Score]:
        small_gain = number % 3 == 0
        large_noise = 2 if number % 2 else -1
        return {
            f"geval_{clear}": m.judged(3 + lead * small_gain),
            f"geval_{noisy}": m.judged(3 + lead * large_noise),
        }

    logs = [
        m.run_of(system, partial(scores, lead), 12, company="C{}")
        for system, lead in (("arag", 1), ("naive_rag", 0))
    ]
    line = m.report_of(tmp_path, *logs).headline
    nearest = f"Nearest to being shown, in {clear}: A-RAG over Naive RAG, +0.333 ["
    assert line.startswith("No winner: ") and nearest in line


@pytest.mark.parametrize(
    ("n", "companies", "few"), [(29, 29, True), (30, 30, False), (60, 29, True)]
)
def test_headline_ends_with_extent_below_thirty_groups(
    tmp_path: Path, n: int, companies: int, few: bool
) -> None:
    run = m.run_of("arag", {"geval_coverage": m.judged(3)}, n)
    for number, sample in enumerate(samples_of(run)):
        sample.metadata["company"] = f"C{number % companies}"
    line = m.report_of(tmp_path, run).headline
    of = f" of {companies} companies" if companies < n else ""
    assert line.endswith(f" Only {n} samples{of}.") is few


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        (2, "p &lt; 0.05</p>"),
        (3, "p &lt; 0.05, corrected for 3 comparisons; intervals are not corrected</p>"),
    ],
)
def test_legend_names_number_of_comparisons_behind_bold_and_places(
    tmp_path: Path, systems: int, said: str
) -> None:
    grades = list({"arag": 4, "naive_rag": 2, "stuffing": 3}.items())
    _report(tmp_path, dict(grades[:systems]))
    assert f"bold Δ and ranks: {said}" in render_page(make_report(frames(tmp_path)))


def test_headline_of_many_systems_counts_groups(tmp_path: Path) -> None:
    runs = [_run("arag", 4 if n < 4 else 2, params={"top_k": n}) for n in range(6)]
    report = m.report_of(tmp_path, *runs)
    assert report.headline == (
        "No single winner: in coverage 4 of 6 are not shown to be worse than another, "
        "2 are worse than all of them; largest lead: A-RAG (top_k=0) over A-RAG (top_k=4) "
        "(+2.000, the same on every sample). Only 12 samples."
    )
    (finding,) = [finding.text for finding in report.findings if finding.shown]
    assert finding == (
        "In coverage 4 of 6 are not shown to be worse than another, 2 are worse than all of them; "
        "largest lead: A-RAG (top_k=0) over A-RAG (top_k=4) (+2.000, the same on every sample)."
    )
    assert report.study.title == "ectsum (ectsum-val), task version 1: 6 systems"


@pytest.mark.parametrize("baseline", [None, "Naive RAG", "A-RAG"])
def test_reference_systems_are_excluded_from_comparisons(
    tmp_path: Path, baseline: str | None
) -> None:
    grades = {"closed_book": 1, "arag": 3, "oracle": 5, "naive_rag": 2}
    logs = m.write(tmp_path, *(_run(system, grade) for system, grade in grades.items()))
    (study,) = studies(frames(logs), Choices(baseline=baseline))
    report = m.PartialReport(study)
    assert not any(name in report.headline for name in ("Closed book", "Oracle"))
    assert [*map(sorted, family_of(report.study).pairs)] == [["A-RAG", "Naive RAG"]]
    rows = [(row.system, row.is_bound) for row in report.leaderboard.rows]
    assert rows == [("A-RAG", False), ("Naive RAG", False), ("Oracle", True), ("Closed book", True)]
    chart = as_spec(m.chart_of(report, "frontier"))
    names = [{row["system"] for row in layer["data"]["values"]} for layer in chart["layer"]]
    assert names[0] == {"Oracle", "Closed book"} and names[-1] == {"A-RAG", "Naive RAG"}
    assert not any("Oracle" in finding.text for finding in report.findings)


@pytest.mark.parametrize("baseline", [None, "Naive RAG", "A-RAG"])
def test_difference_has_one_sign_in_headline_board_chart_and_tables(
    tmp_path: Path, baseline: str | None
) -> None:
    """The better system comes first, or the one compared with the baseline."""
    runs = (_run(system, grade) for system, grade in {"arag": 2, "naive_rag": 4}.items())
    (study,) = studies(frames(m.write(tmp_path, *runs)), Choices(baseline=baseline))
    report = m.PartialReport(study)
    first, second = ("A-RAG", "Naive RAG") if baseline == "Naive RAG" else ("Naive RAG", "A-RAG")
    sign = "-" if baseline == "Naive RAG" else "+"
    assert baseline_of(report.study) == second
    assert report.headline.startswith(f"{first} ") and f"({sign}2.000, the same" in report.headline
    (message,) = [finding.text for finding in report.findings if finding.shown]
    assert message.startswith(f"{first} ") and f"({sign}2.000, the same" in message
    assert f"{first}: {sign}2.000 (" in m.chart_of(report, "differences").description
    (row,) = m.rows_of(report, "comparisons")
    assert (row["a"], row["b"], row["a - b"].value) == (first, second, float(f"{sign}2"))


@pytest.mark.parametrize(
    ("models", "judge", "said"),
    [
        ({"arag": "mock/model", "naive_rag": "mock/model"}, None, ""),
        (
            {"arag": "offline/extractive", "naive_rag": "offline/extractive"},
            None,
            "Written by rules, not by a language model.",
        ),
        (
            {"arag": "mock/model", "naive_rag": "offline/extractive"},
            None,
            "Naive RAG · extractive was written by rules, not by a language model; cost and "
            "time say nothing about a model.",
        ),
        ({"external": "mockllm/model"}, None, ""),  # the system did not ask the model
        ({"arag": "mock/model"}, "mockllm/model", "Judged by rules, not by a language model."),
        ({"arag": "mock/model"}, "offline/judge", "Judged by rules, not by a language model."),
        ({"arag": "mock/model"}, "mock/judge", ""),
    ],
)
def test_banner_names_what_rules_wrote_or_judged(
    tmp_path: Path, models: dict[str, str], judge: str | None, said: str
) -> None:
    scores = {"geval_coverage": m.judged(4, judge)} if judge else {"rouge": m.scored(0.5)}
    logs = [m.run_of(system, scores, model=model) for system, model in models.items()]
    assert banner(m.report_of(tmp_path, *logs).study) == said


@pytest.mark.parametrize("target", ["rag.py:ask", "https://example.org/answers", None])
def test_provenance_names_function_or_service_of_external_system_but_no_model(
    tmp_path: Path, target: str | None
) -> None:
    """Inspect does not know the model behind its answers, and `none/none` is meaningless."""
    scores = {"rouge": m.scored(0.5, "rouge")}
    params = {"target": target} if target else {}
    logs = [
        m.run_of("naive_rag", scores, model="mock/model"),
        m.run_of("external", scores, model="none/none", params=params),
    ]
    writers = f"mock/model and {target}" if target else "mock/model"
    assert f"written by {writers}" in about(m.report_of(tmp_path, *logs).study)


def _partly(system: str, value: float, scored: int, n: int = 12, **unscored: Any) -> Any:
    """A run with a value on its first samples, and a reason on the others."""

    def scores(number: int) -> dict[str, Score]:
        if number < scored:
            return {"numeric_match": m.scored(value, "numeric_match")}
        return {"numeric_match": Score.unscored(**unscored)} if unscored else {}

    return m.run_of(system, scores, n, company="C{}")


def test_no_winner_sets_measures_of_fewer_samples_apart(tmp_path: Path) -> None:
    def scores(scored: int, number: int) -> dict[str, Score]:
        coverage = m.judged(3) if number < scored else Score.unscored(reason="no_facts")
        return {"geval_faithfulness": m.judged(2 + number % 2), "geval_coverage": coverage}

    logs = (
        m.run_of(name, partial(scores, scored), 12, company="C{}")
        for name, scored in (("arag", 8), ("naive_rag", 9))
    )
    headline = m.report_of(tmp_path, *logs).headline
    assert "no difference is shown in faithfulness, nor in coverage on 8 of 12" in headline


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((1, 0), "1.000 against 0.000 (+1.000, the same on every sample)"),
        ((1, 1), "No winner: no difference is shown in right numbers"),
        ((1,), "A-RAG: right numbers 1.000 [0.629, 1.000]"),
    ],
)
def test_first_screen_counts_scored_samples_once_when_some_are_unscored(
    tmp_path: Path, values: tuple[float, ...], said: str
) -> None:
    systems = zip(("arag", "naive_rag"), values, strict=False)
    logs = [_partly(system, value, 9, reason="no_reference") for system, value in systems]
    report = m.report_of(tmp_path, *logs)
    assert report.headline.endswith(f"{said}. Only 12 samples.")
    page = render_page(make_report(frames(tmp_path)))
    first_screen = page.split('<div class="hero">')[1].split('<div class="notes">')[0]
    assert first_screen.count("9 of 12") == 1
    (partial,) = [finding for finding in report.findings if finding.kind == "partial"]
    assert partial.text == "Right number rests on 9 of 12 samples (no reference: 3)."
    assert [row["n, Right number"] for row in m.rows_of(report, "leaderboard")] == (
        ["9 of 12 samples"] * len(logs)
    )


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ({"reason": "no_reference"}, "of Naive RAG rests on 8 of 12 samples (no reference: 4)."),
        ({}, "of Naive RAG rests on 8 of 12 samples (not scored: 4)."),
        (None, "of Naive RAG rests on 8 of 12 samples (not run: 4)."),
    ],
)
def test_partial_finding_names_system_and_reason_for_missing_samples(
    tmp_path: Path, lacking: Mapping[str, Any] | None, said: str
) -> None:
    partial = _partly("naive_rag", 0, 8, **lacking) if lacking is not None else None
    logs = [_partly("arag", 1, 12), partial or _partly("naive_rag", 0, 8, 8)]
    report = m.report_of(tmp_path, *logs)
    assert [finding.text for finding in report.findings if finding.kind == "partial"] == [
        f"Right number {said}"
    ]
    assert "on 8 of 12 samples" in report.headline  # the means rest on 12 and on 8
    page = render_page(make_report(frames(tmp_path)))
    notes = re.findall(r">(n \d+ of 12)", page.split('<div class="notes">')[0])
    assert notes == ["n 8 of 12"] * 2  # the difference, in either row


@pytest.mark.parametrize(("n", "counted"), [(1, "1 of 1 sample of"), (2, "2 of 2 samples of")])
def test_failed_samples_notice_uses_singular_and_plural(
    tmp_path: Path, n: int, counted: str
) -> None:
    failed = _partly("arag", 1, n, n)
    for sample in samples_of(failed):
        sample.error = EvalError(message="broken", traceback="", traceback_ansi="")
    notices = m.noticed(frames(m.write(tmp_path, failed, _partly("naive_rag", 1, n, n))))
    assert f"{counted} A-RAG failed" in notices


def test_sample_counts_are_omitted_when_all_samples_are_scored(tmp_path: Path) -> None:
    report = m.report_of(tmp_path, _partly("arag", 1, 12), _partly("naive_rag", 0, 12))
    assert " of 12" not in report.headline
    assert not any(finding.kind == "partial" for finding in report.findings)
    assert not any(name.startswith("n, ") for name in m.table_of(report, "leaderboard").columns)


def test_grades_missing_from_judge_are_counted_once(tmp_path: Path) -> None:
    """They count as unjudged, and not also as samples without a value."""
    report = m.report_of(tmp_path, _partly("arag", 1, 9, reason="grader_failed"))
    assert [finding.kind for finding in report.findings] == ["not judged", "result"]


def test_question_about_all_documents_counts_as_no_document(tmp_path: Path) -> None:
    documents = [("a",), ("b",), ("c",), ("a",), ("b",), ("d", "e"), ()]

    def run(system: str, grade: float) -> Any:
        log = m.run_of(system, {"geval_coverage": m.judged(grade)}, len(documents))
        for sample, doc_ids in zip(samples_of(log), documents, strict=True):
            sample.metadata |= {"company": "", "doc_ids": list(doc_ids), "style": "qa"}
        return log

    report = m.report_of(tmp_path, run("arag", 3))
    assert "7 questions of 5 documents" in about(report.study)
    assert report.headline.endswith(" Only 7 questions of 5 documents.")
    two_systems = m.report_of(tmp_path / "two", run("arag", 3), run("naive_rag", 2))
    assert two_systems.headline.startswith("No winner: 5 groups cannot show a difference; 6 or ")


@pytest.mark.parametrize(
    ("grades", "costs", "text"),
    [
        ((3, 3, 3), (0.002, 0.0005, 0.004), "Naive RAG $0.5000, A-RAG $2.00, Stuffing $4.00."),
        ((3, 3, 3), (None, 0.0005, 0.004), "Naive RAG $0.5000, Stuffing $4.00."),
        ((5, 1, 3), (0.002, 0.0005, 0.004), ""),
        ((3, 3, 3), (0, 0, 0), ""),
    ],
    ids=["all known", "one unknown", "winner", "free"],
)
def test_costs_are_listed_where_no_system_wins(
    tmp_path: Path, grades: tuple[int, ...], costs: tuple[float | None, ...], text: str
) -> None:
    logs = []
    for system, grade, cost in zip(("arag", "naive_rag", "stuffing"), grades, costs, strict=True):
        scores_by_number = {number: {"geval_coverage": m.judged(grade)} for number in range(13)}
        effort = {"cost_usd": cost}
        run = m.run_of(system, scores_by_number.__getitem__, 12, company="C{}", effort=effort)
        logs.append(run)
    report = m.report_of(tmp_path, *logs)
    texts = {finding.topic: finding.text for finding in report.findings}
    assert texts.get("Cost per 1,000 answers", "") == text


def _answers_and_recall(answers: str, mean: float, recall: float, spread: float = 0.0) -> EvalLog:
    """Return a run with a mean on a measure of answers, and one recall on every sample."""
    answers_scorer, _, key = answers.partition(".")
    low, width = (0, 1) if key else (1, 4)

    def scores(number: int) -> dict[str, Score]:
        value = low + width * (mean + spread * (-1) ** number)
        return {
            answers_scorer: m.scored({key: value} if key else value),
            "retrieval_pr": m.scored({"recall": recall}),
        }

    return m.run_of("arag", scores, 12, company="C{}", style="summary")


@pytest.mark.parametrize("answers", ["geval_coverage", "fact_coverage.facts", "geval_faithfulness"])
@pytest.mark.parametrize(
    ("new", "headline"),
    [
        ((0.5, 0.9), "No winner: {new} finds more of the evidence than {earlier}: 0.900 against "
                     "0.500 (+0.400"),
        ((0.6, 0.9), "{new} finds more of the evidence than {earlier}: 0.900 against 0.500"),
        ((0.7, 0.1), "No winner: {new} is worse in recall than {earlier}: 0.100 against 0.500"),
        ((0.5, 0.1), "{new} is worse in recall than {earlier}: 0.100 against 0.500"),
    ],
)  # fmt: skip
def test_lead_in_retrieval_wins_only_if_answers_are_not_behind(
    tmp_path: Path, answers: str, new: tuple[float, float], headline: str
) -> None:
    earlier = _answers_and_recall(answers, 0.6, 0.5)
    change = m.change_of(tmp_path, earlier, _answers_and_recall(answers, *new, spread=0.3))
    names = dict(zip(("new", "earlier"), change.systems, strict=True))
    line = headline_of(change)
    assert line.startswith(headline.format(**names))
    assert ("although" in line) is headline.startswith("No winner")


def _coverage_and_faithfulness(system: str, coverage: float, faithfulness: float) -> EvalLog:
    def scores(number: int) -> dict[str, Score]:
        spread = 0.5 * (-1) ** number
        return {
            "geval_coverage": m.judged(coverage + spread),
            "geval_faithfulness": m.judged(faithfulness - spread, name="geval_faithfulness"),
        }

    return m.run_of(system, scores, 12, company="C{}", style="summary")


@pytest.mark.parametrize(
    ("new", "loss"),
    [
        ((4, 2), " But {new} is better in coverage: +2.000 (the same on every sample)."),
        ((1, 4.5), " But {new} is worse in coverage: -1.000 (the same on every sample)."),
        ((4, 4), ""),
        ((4, 4.2), ""),
    ],
)
def test_headline_names_primary_measure_on_which_winner_is_worse(
    tmp_path: Path, new: tuple[float, float], loss: str
) -> None:
    earlier = _coverage_and_faithfulness("arag", 2, 4)
    change = m.change_of(tmp_path, earlier, _coverage_and_faithfulness("arag", *new))
    line = headline_of(change)
    assert (" But " in line) is bool(loss) and loss.format(new=change.systems[0]) in line


def test_headline_of_three_systems_names_largest_loss_of_winner(tmp_path: Path) -> None:
    grades = {"arag": (2, 4), "naive_rag": (4, 2), "stuffing": (3.5, 2)}
    logs = [_coverage_and_faithfulness(system, *pair) for system, pair in grades.items()]
    line = headline_of(m.report_of(tmp_path, *logs).study)
    assert line.count("But A-RAG is worse in coverage than Naive RAG: -2.000") == 1


@pytest.mark.parametrize(
    ("samples", "figures"),
    [(12, "4.000 against 2.000 of 5 (+2.000, "), (11, "(+2.000 on 11 of 12 ")],
)
def test_headline_states_means_only_if_leaderboard_has_the_same(
    tmp_path: Path, samples: int, figures: str
) -> None:
    """The sample that one system lacks has another grade than those of both."""

    def scores(number: int) -> Mapping[str, Score]:
        return {"geval_coverage": m.judged(4 if number < samples else 1)}

    def others(number: int) -> Mapping[str, Score]:
        return {"geval_coverage": m.judged(2)} if number < samples else {}

    runs = (("arag", scores), ("naive_rag", others))
    logs = [m.run_of(system, of_run, 12, company="C{}") for system, of_run in runs]
    line = m.report_of(tmp_path, *logs).headline
    separator = ": " if samples == 12 else " "
    assert line.startswith(f"A-RAG covers more than Naive RAG{separator}{figures}")


def test_many_measures_without_values_take_one_line_on_the_first_screen(tmp_path: Path) -> None:
    lacking = {
        "arag": {"geval_faithfulness": 2, "geval_coverage": 1, "rouge": 3},
        "naive_rag": {"geval_faithfulness": 4, "geval_coverage": 1, "rouge": 3},
    }
    logs = []
    for system, counts in lacking.items():
        samples = []
        for number in range(12):
            scores = {key: m.judged(4) for key, count in counts.items() if number >= count}
            metadata = {"company": f"C{number}"}
            samples.append(m.sample(number, scores, system=system, metadata=metadata))
        logs.append(m.log(samples, system=system))
    report = m.report_of(tmp_path, *logs, primary=["geval_faithfulness", "geval_coverage", "rouge"])
    (partial,) = [item for item in report.findings if item.kind == "partial"]
    assert partial.brief == (
        "Fewer than 12 samples: Faithfulness (1-5) (8 to 10), Coverage (1-5) (11), rouge (9)."
    )
    assert partial.text.count(" on ") == 4
