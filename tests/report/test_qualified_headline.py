"""Tests of what a report says beside its headline: worse measures, disagreement, other code."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalError, EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import LogOptions, Study, frames, make_report, studies
from arag_inspect.report.comparison.regressions import regressions
from arag_inspect.report.findings.failures import most_frequent_failure
from arag_inspect.report.findings.headline import headline
from arag_inspect.report.page.board import effort_columns
from arag_inspect.report.page.render import render_page
from tests.commands import call
from tests.report import material as m
from tests.report.material import PartialReport

Scores = Callable[[int], Mapping[str, Score]]

RIGHT = [1.0, 1.0, 0.0]
"""Right answers, in turns."""


def _marks(answers: list[float], supported: float, contains: list[float]) -> Scores:
    def scores(number: int) -> dict[str, Score]:
        share = supported + 0.02 * (number % 5)
        return {
            "answer_match": m.scored(answers[number % len(answers)], "answer_match"),
            "contain_match": m.scored(contains[number % len(contains)], "contain_match"),
            "factual_consistency": m.scored({"supported": share}, "factual_consistency"),
        }

    return scores


def _run(
    system: str, scores: Scores, *, cost: float = 0.001, ms: float = 12.0, **more: Any
) -> EvalLog:
    effort = {"cost_usd": cost, "latency_ms": ms}
    return m.run_of(system, scores, 24, company="C{}", style="qa", effort=effort, **more)


def _sides(folder: Path, base: EvalLog, new: EvalLog) -> tuple[Path, Path]:
    return m.write(folder / "base", base), m.write(folder / "new", new)


def _first_screen(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return text.split('<div class="hero">')[1].split('<div class="notes">')[0]


def test_compare_and_gate_name_fallen_measure_once_where_primary_one_is_tied(
    tmp_path: Path,
) -> None:
    base, new = _sides(
        tmp_path,
        _run("arag", _marks(RIGHT, 0.9, RIGHT)),
        _run("arag", _marks(RIGHT, 0.5, RIGHT), cost=0.004, ms=40.0),
    )
    printed = call("compare", base, new, "-o", tmp_path / "report").output
    line = "Worse elsewhere: figures confirmed -0.400 (the same on every sample)"
    assert printed.count(line) == 1
    assert printed.index("Right answer: ") < printed.index(line)
    rises = "cost per question $0.0010 → $0.0040; time per question 12 ms → 40 ms."
    assert f"{line}; {rises}" in printed
    page = tmp_path / "report" / "report.html"
    assert _first_screen(page).count("figures confirmed -0.400") == 1
    assert page.read_text(encoding="utf-8").count("figures confirmed -0.400") == 1
    rule = ("--rule", "answer_match >= -0.1")
    gated = call("gate", new, "--against", base, *rule).output
    assert gated.count("worse elsewhere: A-RAG: figures confirmed -0.400 (") == 1
    rules = (*rule, "--rule", "factual_consistency.supported >= -0.5")
    assert "figures confirmed" not in call("gate", new, "--against", base, *rules).output


@pytest.mark.parametrize(
    ("others", "text"),
    [
        (
            {"naive_rag": _marks(RIGHT, 0.5, RIGHT)},
            "figures confirmed -0.400 (the same on every sample) (Naive RAG behind A-RAG).",
        ),
        (
            {"naive_rag": _marks([0.0], 0.95, RIGHT)},
            "figures confirmed -0.050 (the same on every sample).",
        ),
        (
            {
                "naive_rag": _marks([1.0] * 7 + [0.0], 0.5, RIGHT),
                "stuffing": _marks([0.0, 0.0, 1.0], 0.1, RIGHT),
            },
            "figures confirmed -0.400 (the same on every sample) (Naive RAG behind A-RAG)",
        ),
    ],
    ids=["tie", "winner", "unbeaten beside winner"],
)
def test_measure_is_named_on_which_unbeaten_system_is_worse(
    tmp_path: Path, others: dict[str, Scores], text: str
) -> None:
    by_system = {"arag": _marks(RIGHT if len(others) == 1 else [1.0], 0.9, RIGHT)} | others
    cost = {"naive_rag": 0.0005}
    runs = [_run(name, scores, cost=cost.get(name, 0.001)) for name, scores in by_system.items()]
    worse = m.finding_texts(m.report_of(tmp_path, *runs).study)["Worse elsewhere"]
    assert text in worse
    assert worse.count("behind") == text.count("behind")


def test_report_says_on_how_many_samples_two_measures_of_correctness_disagree(
    tmp_path: Path,
) -> None:
    runs = (
        _run("arag", _marks(RIGHT, 0.9, [1.0])),
        _run("naive_rag", _marks([1.0], 0.9, [1.0, 0.0, 0.0, 0.0])),
    )
    texts = m.finding_texts(m.report_of(tmp_path, *runs).study)
    # A-RAG differs on every third sample, Naive RAG on three of four: on both on 20 of 24
    assert texts["Measures disagree"] == (
        "By gold answers contained A-RAG is ahead of Naive RAG (1.000 against 0.250); this and "
        "right answers disagree on 20 of 24 samples."
    )
    assert "gold answers contained" not in texts.get("Worse elsewhere", "")


@pytest.mark.parametrize(
    ("count", "contains", "says"),
    [(4, [0.0], True), (4, [1.0, 1.0, 1.0, 0.0], False), (24, [1.0, 1.0, 0.0], True)],
    ids=["far apart in few groups", "near in few groups", "shown"],
)
def test_report_says_that_program_separates_systems_that_judge_ties(
    tmp_path: Path, count: int, contains: list[float], says: bool
) -> None:
    def scores_of_system(values: list[float]) -> Scores:
        return lambda number: {
            "llm_accuracy": m.scored({"correct": 1.0}, "llm_accuracy"),
            "contain_match": m.scored(values[number % len(values)], "contain_match"),
        }

    runs = [
        m.run_of(system, scores_of_system(values), count, company="C{}", style="qa")
        for system, values in (("arag", [1.0]), ("naive_rag", contains))
    ]
    texts = m.finding_texts(m.report_of(tmp_path, *runs).study)
    assert ("A-RAG is ahead of Naive RAG" in texts.get("Measures disagree", "")) == says


def _verdicts(judged: str, matched: str) -> Scores:
    """Return scores of right answers by a judge and by programs: 1 is right, - is unscored."""

    def scores(number: int) -> dict[str, Score]:
        names = {"llm_accuracy": judged, "answer_match": matched, "contain_match": "0" * 6}
        values = {name: marks[number] for name, marks in names.items()}
        return {
            name: Score.unscored(reason="no_reference")
            if value == "-"
            else m.scored(
                {"correct": float(value)} if name == "llm_accuracy" else float(value), name
            )
            for name, value in values.items()
        }

    return scores


@pytest.mark.parametrize(
    ("judged", "matched", "text"),
    [
        (
            "110100",
            "111010",
            "3 of 6 samples: the judge alone calls answers to s002 and s004 wrong, and to s003 "
            "right.",
        ),
        ("1001-0", "1100-1", "3 of 5 samples: the judge alone calls answers to s001 and s005"),
        ("110100", "110100", None),
    ],
    ids=["both ways", "unscored", "agree"],
)
def test_report_names_samples_on_which_judge_and_program_disagree(
    tmp_path: Path, judged: str, matched: str, text: str | None
) -> None:
    run = m.run_of("arag", _verdicts(judged, matched), 6, company="C{}", style="qa")
    sentence = m.finding_texts(m.report_of(tmp_path, run).study).get("Measures disagree")
    if text is None:
        assert sentence is None
    else:
        assert sentence and f"Correctness by judge and right answers disagree on {text}" in sentence
        assert "gold answers contained disagree" not in sentence


def test_report_counts_once_where_judge_and_program_also_rank_systems_differently(
    tmp_path: Path,
) -> None:
    runs = [
        m.run_of(system, _verdicts(judged, matched), 6, company="C{}", style="qa")
        for system, judged, matched in (
            ("arag", "111111", "110000"),
            ("naive_rag", "110000", "111000"),
        )
    ]
    sentence = m.finding_texts(m.report_of(tmp_path, *runs).study)["Measures disagree"]
    assert "By right answers Naive RAG is ahead of A-RAG (0.500 against 0.333). " in sentence
    assert sentence.count("disagree on") == 1
    assert (
        "on 4 of 6 samples: the judge alone calls answers of Naive RAG to s002 wrong, and of A-RAG "
        "to s002, s003, s004 and s005 right."
    ) in sentence


def test_disagreement_with_judge_gives_difference_of_program(tmp_path: Path) -> None:
    runs = [
        m.run_of(system, _verdicts(judged, matched), 6, company="C{}", style="qa")
        for system, judged, matched in (
            ("arag", "111100", "111111"),
            ("naive_rag", "111000", "111000"),
        )
    ]
    texts = m.finding_texts(m.report_of(tmp_path, *runs).study)
    gap = "By right answers, A-RAG is ahead of Naive RAG: +0.500 [-0.075, +1.000]"
    assert texts["Measures disagree"].count(gap) == 1
    assert "+0.167" in texts["Correct by judge"]


@pytest.mark.parametrize("answer", ["I cannot answer this.", "Sales rose by 4 %."])
def test_board_and_finding_say_where_first_sentence_contradicts_judge_of_declining(
    tmp_path: Path, answer: str
) -> None:
    scores = {"abstention": m.scored({"right": 1.0}, "abstention")}
    right = m.scored(1.0, "answer_match")
    answers = [m.sample(0, {"answer_match": right}, metadata={"style": "qa"})]
    for number, text in enumerate(("Not stated.", answer), 1):
        metadata = {"style": "qa", "question_type": "unanswerable"}
        answers.append(m.sample(number, scores, metadata=metadata, answer=text))
    report = m.report_of(tmp_path, m.log(answers))
    says = "the judge alone calls answers to s002 refusals"
    is_contradicted = answer.startswith("Sales")
    assert (says in m.finding_texts(report.study).get("Measures disagree", "")) == is_contradicted
    columns = effort_columns(report.study, report.leaderboard)
    (cell,) = next(c for c in columns if c.name == "Rightly declined").cells
    assert cell.note == ("2 of 2; 1 by first sentence" if is_contradicted else "2 of 2")
    (row,) = m.rows_of(report, "leaderboard")
    assert (row.get("rightly declined by first sentence") is not None) == is_contradicted


def test_right_answers_come_first_in_worse_elsewhere(tmp_path: Path) -> None:
    def scores(answers: list[float], faithful: float) -> Scores:
        return lambda number: (
            dict(_marks(answers, faithful, [1.0])(number)) | {"geval_coverage": m.judged(3.0)}
        )

    runs = (
        m.run_of("arag", scores([1.0], 0.9), 24, company="C{}"),
        m.run_of("naive_rag", scores(RIGHT, 0.1), 24, company="C{}"),
    )
    worse = m.finding_texts(m.report_of(tmp_path, *runs).study)["Worse elsewhere"]
    assert 0 <= worse.find("right answers") < worse.find("figures confirmed")


def _declining(declined: int, unanswerable: int) -> Scores:
    """Return scores of questions; the first questions are unanswerable, and some are declined."""

    def scores(number: int) -> dict[str, Score]:
        if number >= unanswerable:
            return {"answer_match": m.scored(1.0, "answer_match")}
        marks = {"right": float(number < declined)}
        return {
            "answer_match": Score.unscored(reason="unanswerable"),
            "abstention": m.scored(marks, "abstention"),
        }

    return scores


@pytest.mark.parametrize(
    ("before", "after", "questions", "expected"),
    [
        (0, 4, 4, "0 of 4 → 4 of 4 (too few for an interval)."),
        (2, 6, 6, "2 of 6 → 6 of 6 (+0.667 [+0.125, +1.000])."),
        (0, 1, 4, ""),
        (4, 0, 4, ""),
    ],
)
def test_questions_newly_declined_rightly_are_counted(
    tmp_path: Path, before: int, after: int, questions: int, expected: str
) -> None:
    runs = (_run("arag", _declining(declined, questions)) for declined in (before, after))
    better = m.finding_texts(m.change_of(tmp_path, *runs)).get("Better elsewhere", "")
    assert better == (expected and f"unanswerable questions rightly declined {expected}")


def _lost_declines(change: Study) -> list[str]:
    """Return the unanswerable questions that only the earlier run declines."""
    if PartialReport(change).table("regressions") is None:
        return []
    rows = m.rows_of(PartialReport(change), "regressions")
    return [row["sample"] for row in rows if row["measure"] == "Rightly declined"]


@pytest.mark.parametrize(
    ("counts", "in_headline", "expected"),
    [
        ((4, 0, 4), True, "4 of 4 → 0 of 4 (too few for an interval)."),
        ((1, 0, 1), False, "1 of 1 → 0 of 1 (too few for an interval)."),
        ((4, 1, 4), False, "4 of 4 → 1 of 4 (-0.750 [-1.000, +0.046]) (uncorrected intervals)."),
        ((6, 2, 6), True, "6 of 6 → 2 of 6 (-0.667 [-1.000, -0.125]) (uncorrected intervals)."),
        ((4, 3, 4), False, ""),
    ],
    ids=["all of few", "the only one", "most of few", "most", "one of few"],
)
def test_unanswerable_questions_no_longer_declined_are_counted(
    tmp_path: Path, counts: tuple[int, int, int], in_headline: bool, expected: str
) -> None:
    before, after, questions = counts
    runs = (_run("arag", _declining(declined, questions)) for declined in (before, after))
    change = m.change_of(tmp_path, *runs)
    worse = m.finding_texts(change).get("Worse elsewhere", "")
    measure = "unanswerable questions rightly declined"
    assert worse == (expected and f"{measure} {expected}")
    loss = f"But A-RAG is worse in {measure}: {before} of {before} → {after} of {before}."
    assert (loss in headline(change)) == in_headline
    assert len(_lost_declines(change)) == before - after


@pytest.mark.parametrize(
    ("coverages", "declined", "in_headline"),
    [((2.0, 4.5), 1, True), ((3.0, 3.0), 1, False), ((2.0, 4.5), 12, False)],
    ids=["leads elsewhere", "leads nowhere", "declines"],
)
def test_headline_names_answers_to_unanswerable_questions_of_system_that_leads_elsewhere(
    tmp_path: Path, coverages: tuple[float, float], declined: int, in_headline: bool
) -> None:
    def scores(faithful: float, coverage: float, declined: int) -> Scores:
        def of_sample(number: int) -> Mapping[str, Score]:
            noise = 0.1 * (number % 5)
            marks = {
                "geval_faithfulness": m.judged(faithful + noise, name="geval_faithfulness"),
                "geval_coverage": m.judged(coverage - noise),
            }
            declining = _declining(declined, 12)(number)
            return marks | {name: declining[name] for name in declining if name == "abstention"}

        return of_sample

    runs = (
        _run("arag", scores(4.0, coverages[0], 12)),
        _run("naive_rag", scores(2.0, coverages[1], declined)),
    )
    report = m.report_of(tmp_path, *runs, primary=["geval_faithfulness", "geval_coverage"])
    line = headline(report.study)
    assert line.startswith("A-RAG is more faithful than Naive RAG")
    loss = (
        "Naive RAG is worse in unanswerable questions rightly declined: 1 of 12 against 12 of 12."
    )
    assert (loss in line) == in_headline
    worse = m.finding_texts(report.study).get("Worse elsewhere", "")
    assert ("rightly declined 1 of 12 against 12 of 12" in worse) == in_headline


@pytest.mark.parametrize(
    ("question_type", "scores", "expected"),
    [
        ("unanswerable", {}, "rightly declined 4 of 4 → 2 of 4 (-0.500 [-1.000, +0.419])"),
        ("single", {}, ""),
        ("unanswerable", {"right": 1.0}, ""),
    ],
    ids=["by program", "answerable", "judged alike"],
)
def test_declined_questions_are_counted_without_judge(
    tmp_path: Path, question_type: str, scores: dict[str, float], expected: str
) -> None:
    runs = []
    for declined in (4, 2):
        samples = []
        for number in range(10):
            answer = "The documents do not state it." if number < declined else "$9 million."
            fields: dict[str, Any] = {"style": "qa", "company": f"C{number}"}
            marks = {"answer_match": m.scored(1.0, "answer_match")}
            if number < 4:
                fields["question_type"] = question_type
                marks = {"abstention": m.scored(scores, "abstention")} if scores else {}
            samples.append(m.sample(number, marks, answer=answer, metadata=fields))
        runs.append(m.log(samples))
    change = m.change_of(tmp_path, *runs)
    worse = m.finding_texts(change).get("Worse elsewhere", "")
    assert ("rightly declined" in worse) == bool(expected) and expected in worse
    assert _lost_declines(change) == (["s002", "s003"] if expected else [])


def test_gate_takes_rule_for_declined_questions_without_judge(tmp_path: Path) -> None:
    for folder, answers in (
        ("base", ["N/A"] * 10),
        ("fallen", ["N/A"] * 5 + ["$9 million."] * 5),
        ("same", ["It is not disclosed in the documents."] * 10),
        ("failed", [""] * 10),
    ):
        samples = [
            m.sample(
                number,
                {"answer_match": Score.unscored(reason="unanswerable")},
                answer=answer,
                metadata={"style": "qa", "question_type": "unanswerable", "company": str(number)},
            )
            for number, answer in enumerate(answers)
        ]
        for sample, answer in zip(samples, answers, strict=True):
            if not answer:
                sample.error = EvalError(message="away", traceback="", traceback_ansi="")
                sample.scores = None
        m.write(tmp_path / folder, m.log(samples))
    rule = ("--against", tmp_path / "base", "--rule", "rightly_declined >= -0.1")
    assert "-0.500 [-0.877, -0.123]" in call("gate", tmp_path / "fallen", *rule, code=1).output
    call("gate", tmp_path / "same", *rule)
    failed = call("gate", tmp_path / "failed", *rule, "--undecided", "pass", code=2).output
    assert "missing for 10 samples: 10 errored; no sample remains" in failed


@pytest.mark.parametrize(
    ("shares", "places"),
    [
        # half of the scale on two samples: the interval covers all of the scale
        ((1, 0), ["facts"]),
        # half of the scale on four samples: the interval includes zero
        ((1, 1, 1, 0), ["facts", "figures"]),
        ((1,) * 12, ["figures", "facts"]),
    ],
    ids=["whole scale", "includes zero", "shown"],
)
def test_difference_whose_interval_includes_zero_is_worse_elsewhere_last_or_not_at_all(
    tmp_path: Path, shares: tuple[int, ...], places: list[str]
) -> None:
    def scoring(is_new: bool) -> Scores:
        def scores(number: int) -> dict[str, Score]:
            facts = 0.9 - 0.3 * is_new - 0.001 * number
            by_name = {"answer_match": 1.0, "facts": facts}
            if number < len(shares):
                by_name["figures"] = 1.0 - is_new * shares[number]
            return {name: Score(value=value) for name, value in by_name.items()}

        return scores

    runs = (_run("arag", scoring(is_new)) for is_new in (False, True))
    change = m.change_of(tmp_path, *runs, higher=("facts", "figures"))
    assert [pair.measure.key for pair in regressions(change, ["answer_match"])] == places


@pytest.mark.parametrize("unanswerable", [0, 4], ids=["not scored", "scored"])
def test_regressions_mention_unanswerable_questions_only_where_refusals_are_scored(
    tmp_path: Path, unanswerable: int
) -> None:
    def answering(right: float) -> Scores:
        def scores(number: int) -> dict[str, Score]:
            if number < unanswerable:
                return dict(_declining(unanswerable, unanswerable)(number))
            return {"answer_match": m.scored(right, "answer_match")}

        return scores

    base, new = (_run("arag", answering(right)) for right in (1.0, 0.0))
    caption = " (for unanswerable questions: whether they are declined)" if unanswerable else ""
    for runs, table, direction in (
        ((base, new), "regressions", "worse"),
        ((new, base), "gains", "better"),
    ):
        change = PartialReport(m.change_of(tmp_path / table, *runs))
        text = m.table_of(change, table).text
        assert text.startswith(f"Every sample whose primary measure{caption} is {direction}; ")


def _constant_share(supported: float) -> Scores:
    return lambda number: {
        "answer_match": m.scored(1.0, "answer_match"),
        "factual_consistency": m.scored({"supported": supported}, "factual_consistency"),
    }


@pytest.mark.parametrize(
    ("count", "company", "after", "worse"),
    [
        (4, "C", [0.7], "-0.200 (all samples are from one company)."),
        (4, "C{}", [0.7], "-0.200 (too few companies)."),
        (4, "C", [0.2, 0.3], "-0.650 (all samples are from one company)."),
        (4, "C", [0.8, 0.7, 0.6, 0.5], ""),
        (1, "C", [0.8], ""),
        (4, "C{}", [0.95], ""),
    ],
    ids=["one group", "few groups", "large", "different falls", "a single sample", "better"],
)
def test_fall_without_interval_is_named_if_uniform_or_large(
    tmp_path: Path, count: int, company: str, after: list[float], worse: str
) -> None:
    def falling(number: int) -> Mapping[str, Score]:
        return _constant_share(after[number % len(after)])(number)

    runs = (
        m.run_of("arag", scores, count, company=company, style="qa")
        for scores in (_constant_share(0.9), falling)
    )
    texts = m.finding_texts(m.change_of(tmp_path, *runs))
    assert texts.get("Worse elsewhere", "") == (worse and f"figures confirmed {worse}")


@pytest.mark.parametrize(
    ("ratios", "company", "extent"),
    [
        ([1.1, 1.2, 1.3, 9.0], "C{}", "higher in 4 of 4 samples"),
        ([1.1, 1.2, 1.3, 9.0], "C", "higher in 4 of 4 samples"),
        ([1.1, 0.9, 1.3, 9.0], "C{}", None),
        ([1.1, 0.9, 1.3, 9.0, 1.1, 1.4, 0.9, 1.4], "", "higher in 4 of 4 companies"),
        ([1.01] * 9 + [0.99, 9.0], "C{}", "higher in 10 of 11 samples"),
        ([1.01] * 8 + [0.99] * 2 + [9.0], "C{}", None),
        ([2.0] * 4, "C{}", ""),
        ([1.01, 1.02, 1.03, 1.04], "C{}", None),
        ([9.0], "C{}", None),
    ],
    ids=[
        *("few", "one group", "not all", "groups", "nearly all", "too few"),
        *("uniform", "small", "one sample"),
    ],
)
def test_rise_of_effort_is_named_if_uniform_or_shared_by_groups(
    tmp_path: Path, ratios: list[float], company: str, extent: str | None
) -> None:
    """Amounts vary so much that the interval of the mean is missing or spans zero."""

    def run(factors: list[float]) -> EvalLog:
        samples = []
        for number, factor in enumerate(factors):
            store = m.trace("arag", cost_usd=0.001 * factor, latency_ms=1000.0 * factor)
            name = company.format(number) if company else f"C{number % 4}"
            metadata = {"company": name, "style": "qa"}
            scores = _constant_share(0.9)(number)
            samples.append(m.sample(number, scores, store=store, metadata=metadata))
        return m.log(samples)

    change = m.change_of(tmp_path, run([1.0] * len(ratios)), run(ratios))
    worse = m.finding_texts(change).get("Worse elsewhere", "")
    if extent is None:
        assert worse == ""
        return
    cost, time = worse.removesuffix(".").split("; ")
    assert cost.startswith("cost per question $0.0010 → $")
    assert time.startswith("time per question 1.0 s → ")
    after = f" ({extent})" if extent else " s"
    assert time.endswith(after) and (cost.endswith(after) or not extent)


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        ([0.5] * 4, "cost per question $0.0020 → $0.0010; time per question 2.0 s → 1.0 s."),
        ([0.4, 0.5, 0.6, 0.5], "cost per question $0.0020 → $0.0010; time per question 2.0 s → "),
        ([0.95] * 4, ""),
        ([2.0] * 4, ""),
    ],
    ids=["uniform", "beyond its interval", "small", "rise"],
)
def test_compare_names_fall_of_cost_and_time(
    tmp_path: Path, factors: list[float], expected: str
) -> None:
    earlier, new = (
        m.log([
            m.sample(
                number,
                _constant_share(0.9)(number),
                store=m.trace("arag", cost_usd=0.002 * factor, latency_ms=2000.0 * factor),
                metadata={"company": f"C{number}", "style": "qa"},
            )
            for number, factor in enumerate(of_run)
        ])
        for of_run in ([1.0] * len(factors), factors)
    )  # fmt: skip
    change = m.change_of(tmp_path, earlier, new)
    assert m.finding_texts(change).get("Less effort", "").startswith(expected)
    assert ("Less effort" in m.finding_texts(change)) == bool(expected)


@pytest.mark.parametrize(("ms", "is_named"), [(0.4, False), (1.6, True)])
def test_compare_is_silent_about_rise_of_less_than_a_millisecond(
    tmp_path: Path, ms: float, is_named: bool
) -> None:
    scores = _constant_share(0.9)
    runs = (
        m.run_of("arag", scores, company="C{}", effort={"latency_ms": latency})
        for latency in (0.2, ms)
    )
    texts = m.finding_texts(m.change_of(tmp_path, *runs))
    assert ("time per question" in texts.get("Worse elsewhere", "")) is is_named


@pytest.mark.parametrize(
    ("right", "wrong", "is_named"),
    [
        ((9, 12), (0, 8), True),
        ((9, 9), (0, 8), True),
        ((12, 4), (0, 8), False),
        ((9, 12), (8, 8), False),
    ],
    ids=["more right and more wrong", "more wrong", "less right", "as wrong"],
)
def test_more_wrong_answers_are_named_unless_fewer_are_right(
    tmp_path: Path, right: tuple[int, int], wrong: tuple[int, int], is_named: bool
) -> None:
    """Answers that are neither right nor wrong decline."""

    def run(right_count: int, wrong_count: int) -> EvalLog:
        samples = []
        for number in range(20):
            is_right = float(number < right_count)
            is_wrong = float(number >= 20 - wrong_count)
            value = {"correct": is_right, "incorrect": is_wrong}
            scores = {"llm_accuracy": m.scored(value, "llm_accuracy")}
            metadata = {"company": f"C{number}", "style": "qa"}
            samples.append(m.sample(number, scores, metadata=metadata))
        return m.log(samples)

    runs = (run(*counts) for counts in zip(right, wrong, strict=True))
    texts = m.finding_texts(m.change_of(tmp_path, *runs))
    assert ("wrong answers by judge" in texts.get("Worse elsewhere", "")) == is_named


def test_worse_grade_is_given_with_its_scale(tmp_path: Path) -> None:
    def run(grade: float) -> EvalLog:
        def scores(number: int) -> dict[str, Score]:
            return {"answer_match": m.scored(1.0), "geval_faithfulness": m.judged(grade)}

        return _run("arag", scores)

    texts = m.finding_texts(m.change_of(tmp_path, run(5), run(4)))
    assert "faithfulness (1-5) -1.000" in texts["Worse elsewhere"]


def test_page_names_three_measures_that_are_worse_and_markdown_all(tmp_path: Path) -> None:
    keys = ["one", "two", "three", "four", "five"]

    def run_with(value: float) -> EvalLog:
        def scores(number: int) -> dict[str, Score]:
            marks = {key: m.scored(value + 0.01 * (number % 3), key) for key in keys}
            return {"answer_match": m.scored(1.0, "answer_match"), **marks}

        return _run("arag", scores)

    folders = _sides(tmp_path, run_with(0.8), run_with(0.2))
    higher = [option for key in keys for option in ("--higher", key)]
    printed = call("compare", *folders, *higher, "-o", tmp_path / "report").output
    markdown = (tmp_path / "report" / "summarization_report.md").read_text(encoding="utf-8")
    for text in (printed, markdown.split("# Appendix")[0]):
        assert all(f"{key} -0.6" in text for key in keys)
    assert "and 2 more measures" in _first_screen(tmp_path / "report" / "report.html")


def _code(digest: str, day: int = 1) -> dict[str, Any]:
    code = {"code_sha256": {"rag.py": digest * 12}}
    return {"metadata": code, "created": f"2026-01-0{day}T10:00:00+00:00"}


def test_report_names_other_code_of_labelled_runs(tmp_path: Path) -> None:
    scores = _marks(RIGHT, 0.9, RIGHT)
    base = _run("external", scores, **_code("a"))
    new = _run("external", scores, **_code("b", day=2))
    texts = m.finding_texts(m.change_of(tmp_path, base, new))
    assert texts["What differs"] == f"code of rag.py: {'a' * 12} → {'b' * 12}."
    sides = [tmp_path / "base", tmp_path / "new"]
    assert "counts; they differ in code of rag.py" in m.noticed(frames(sides))
    files = [str(next(side.iterdir())) for side in sides]
    labels = dict(zip(files, ("old", "edited"), strict=True))
    (with_labels,) = studies(frames(sides, reading=LogOptions(labels=labels)))
    assert m.finding_texts(with_labels)["Other code"] == (
        f"code of rag.py: {'b' * 12} (edited), {'a' * 12} (old)."
    )
    (same,) = studies(frames(tmp_path / "new"))
    assert "Other code" not in m.finding_texts(same)


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ({"v2.py": "2" * 12}, f"code: v1.py ({'1' * 12}) → v2.py ({'2' * 12})."),
        ({"v1.py": "1" * 12, "v2.py": "2" * 12}, f"code of v2.py: none → {'2' * 12}."),
    ],
)
def test_comparison_names_file_that_replaces_another(
    tmp_path: Path, code: dict[str, str], change: str
) -> None:
    scores = _marks(RIGHT, 0.9, RIGHT)
    created = {"base": "2026-01-01T10:00:00+00:00", "new": "2026-01-02T10:00:00+00:00"}
    base, new = (
        _run("external", scores, metadata={"code_sha256": digests}, created=created[side])
        for side, digests in (("base", {"v1.py": "1" * 12}), ("new", code))
    )
    assert m.finding_texts(m.change_of(tmp_path, base, new))["What differs"] == change


@pytest.mark.parametrize(
    ("names", "only_new"),
    [
        (["numeric_match"], "numeric_match"),
        (
            [f"measure_{letter}" for letter in "abcde"],
            "measure_a, measure_b, measure_c and 2 more",
        ),
    ],
    ids=["one", "five"],
)
def test_measures_that_only_one_run_has_are_named(
    tmp_path: Path, names: list[str], only_new: str
) -> None:
    scores = _marks(RIGHT, 0.9, RIGHT)

    def more_scores(number: int) -> dict[str, Score]:
        return {**scores(number), **{name: m.scored(1.0) for name in names}}

    change = m.change_of(tmp_path, _run("arag", scores), _run("arag", more_scores))
    assert (
        m.finding_texts(change)["What differs"].count(
            f"measures in one run only: none → {only_new}"
        )
        == 1
    )


@pytest.mark.parametrize(("source", "said"), [("rules", ", by rule, in"), ("judge", " in")])
def test_most_frequent_error_says_that_rules_gave_it(
    source: str, said: str, tmp_path: Path
) -> None:
    def scores(number: int) -> dict[str, Score]:
        value = {"any": 1.0, "H": float(number < 2)}
        return {"error_taxonomy": m.scored(value, codes=["H"], coded_by=source)}

    failure = most_frequent_failure(m.report_of(tmp_path, m.run_of("arag", scores, 3)).study)
    assert failure is not None and failure.losses[0].text.endswith(f"{said} 2 of 3 answers")
    assert (", by rule" in failure.losses[0].text) == (source == "rules")


def test_most_frequent_failure_is_by_chosen_primary_measure(tmp_path: Path) -> None:
    run = _run("arag", _marks([0.0, 0.0, 1.0], 0.9, [1.0, 1.0, 0.0]))
    all_frames = frames(m.write(tmp_path, run))
    for primary, count in (((), 16), (("contain_match",), 8)):
        failure = most_frequent_failure(m.report_on(all_frames, primary).study)
        assert failure is not None
        assert failure.losses[0].text == f"A-RAG: evidence not found for {count} of 24 answers"


def test_board_shows_times_of_fast_systems_and_what_time_counts(tmp_path: Path) -> None:
    run = _run("arag", _marks(RIGHT, 0.9, RIGHT), ms=12.4)
    page = render_page(make_report(frames(m.write(tmp_path, run))))
    assert ">12 ms<" in page and "0.0 s" not in page
    assert "other samples in the same process" in page


def test_size_table_counts_groups_where_samples_are_grouped(tmp_path: Path) -> None:
    runs = [
        m.run_of(system, _marks(right, 0.9, RIGHT), 24, style="qa")
        for system, right in (("arag", [1.0]), ("naive_rag", RIGHT))
    ]
    table = m.table_of(m.report_of(tmp_path, *runs), "power")
    assert "companies for it" in table.columns
    assert "They must come from this many companies" in table.text


@pytest.mark.parametrize(
    ("differing", "least"), [(5, 10), (4, 12)], ids=["five of eight", "four of eight"]
)
def test_size_table_names_samples_in_which_enough_groups_differ(
    tmp_path: Path, differing: int, least: int
) -> None:
    """No p of a permutation test is below 0.05 with a difference in fewer than six groups."""
    runs = []
    for system, first_right in (("arag", 0), ("naive_rag", differing)):
        right = [m.scored(float(number >= first_right)) for number in range(8)]
        scores = [{"answer_match": score} for score in right]
        runs.append(m.run_of(system, scores.__getitem__, 8, company="C{}", style="qa"))
    (row,) = m.rows_of(m.report_of(tmp_path, *runs), "power")
    assert row["for the difference seen"].value >= least


def test_headline_of_sweep_names_first_of_equal_systems_on_board(tmp_path: Path) -> None:
    """The cheapest of the unbeaten systems with equal scores comes first on the board."""
    runs = []
    for top_k in range(6):
        grade = m.judged(4 if top_k < 4 else 2)

        def scores(_: int, grade: Score = grade) -> dict[str, Score]:
            return {"geval_coverage": grade}

        effort = {"cost_usd": 0.01 * (10 - top_k)}
        params = {"top_k": top_k}
        runs.append(m.run_of("arag", scores, 12, company="C{}", effort=effort, params=params))
    report = m.report_of(tmp_path, *runs)
    first = report.leaderboard.rows[0].system
    assert first == "A-RAG (top_k=3)"
    assert f"largest lead: {first} over" in report.headline
