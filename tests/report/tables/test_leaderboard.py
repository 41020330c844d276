"""Tests that only compared systems are ranked."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report.cells import Over, Share
from arag_inspect.report.page.board import effort_columns
from tests.report import material as m


def _run(system: str, model: str, share: float, first: int = 0) -> EvalLog:
    samples = [
        m.sample(number, {"match": m.scored(float(number % 10 < 10 * share))}, system=system)
        for number in range(first, first + 20)
    ]
    return m.log(samples, system=system, model=model)


def _places_by_system(folder: Path, *logs: EvalLog) -> dict[str, tuple[str, str]]:
    rows = m.report_of(folder, *logs).leaderboard.rows
    standings = {row.system: row.standings[0] for row in rows}
    return {name: (own.place, own.number) for name, own in standings.items() if own is not None}


@pytest.mark.parametrize("firsts", [(0, 20), (0, 19)])
def test_systems_without_common_samples_are_not_compared(
    tmp_path: Path, firsts: tuple[int, int]
) -> None:
    logs = [_run("arag", "a/x", 0.9, firsts[0]), _run("naive_rag", "a/x", 0.3, firsts[1])]
    assert set(_places_by_system(tmp_path, *logs).values()) == {("not compared", "not compared")}


def test_sweep_ranks_state_number_of_compared_systems(tmp_path: Path) -> None:
    """They are in words, so that systems of several models do not seem to share a rank."""
    logs = [
        _run(system, model, share)
        for model, share in (("a/x", 0.9), ("b/y", 0.3))
        for system in ("arag", "naive_rag", "stuffing")
    ]
    places = _places_by_system(tmp_path, *logs)
    assert len(places) == 6
    assert set(places.values()) == {("not separated (3 of 6 compared)",) * 2}


def test_fully_compared_systems_have_plain_ranks(tmp_path: Path) -> None:
    logs = [_run(system, "a/x", 0.5) for system in ("arag", "naive_rag")]
    assert set(_places_by_system(tmp_path, *logs).values()) == {("not separated", "1, shared")}


def _answers(system: str, first: str, *, style: str = "qa", **scores: Score) -> EvalLog:
    """A run that answers four questions: it gives `first` to the first question."""
    samples = []
    for number in range(4):
        right = m.scored(float(number > 0), "answer_match")
        answer = "Sales rose by 4 %." if number else first
        marks = {"answer_match": right, **(scores if number == 0 else {})}
        about = {"style": style}
        samples.append(m.sample(number, marks, system=system, answer=answer, metadata=about))
    return m.log(samples, system=system)


REFUSAL = "The documents do not say how sales developed. Ask the company for its report."
JUDGED = {
    "answered": m.scored({"correct": 0.0, "incorrect": 1.0, "refusal": 0.0}),
    "refused": m.scored({"correct": 0.0, "incorrect": 0.0, "refusal": 1.0}),
}


@pytest.mark.parametrize(
    ("log", "share"),
    [
        (_answers("arag", REFUSAL), 0.25),
        (_answers("arag", "Sales fell."), 0.0),
        (_answers("arag", REFUSAL, answer_match=m.scored(1.0, "answer_match")), 0.0),
        (_answers("arag", REFUSAL, answer_match=Score.unscored(reason="unanswerable")), 0.25),
        (_answers("arag", REFUSAL, llm_accuracy=JUDGED["answered"]), 0.0),
        (_answers("arag", "Sales fell.", llm_accuracy=JUDGED["refused"]), 0.25),
    ],
    ids=["program", "wrong", "right", "unanswerable", "judged an answer", "judged a refusal"],
)
def test_leaderboard_has_share_of_declined_questions(
    tmp_path: Path, log: EvalLog, share: float
) -> None:
    """By a judge or, without a judge, by program."""
    report = m.report_of(tmp_path, log, _answers("naive_rag", REFUSAL))
    rows = {row["system"]: row["declined"] for row in m.rows_of(report, "leaderboard")}
    assert rows == {"A-RAG": Share(share), "Naive RAG": Share(0.25)}
    (column,) = [
        column
        for column in effort_columns(report.study, report.leaderboard)
        if column.name == "Declined"
    ]
    assert sorted(text for text, _ in column.cells) == sorted([f"{share:.0%}", "25%"])


@pytest.mark.parametrize("is_judged", [True, False])
def test_leaderboard_has_declined_answerable_and_unanswerable_questions_apart(
    tmp_path: Path, is_judged: bool
) -> None:
    """The text of a refusal decides only without a judge; with one, it is shown beside it."""
    logs = []
    for system, refused in (("arag", 3), ("naive_rag", 0)):
        samples = []
        for number in range(8):
            is_refused = number < refused
            is_unanswerable = number < 4
            key = "right" if is_unanswerable else "wrong"
            marks = {"abstention": m.scored({key: float(is_refused)}, "abstention")}
            kind = {"question_type": "unanswerable"} if is_unanswerable else {}
            samples.append(
                m.sample(
                    number,
                    {"answer_match": m.scored(1.0, "answer_match"), **(marks if is_judged else {})},
                    system=system,
                    answer=REFUSAL if is_refused and not is_judged else "Sales rose by 4 %.",
                    metadata={"style": "qa", **kind},
                )
            )
        logs.append(m.log(samples, system=system))
    report = m.report_of(tmp_path, *logs)
    columns = {
        column.name: column.cells for column in effort_columns(report.study, report.leaderboard)
    }
    note = "3 of 4; 0 by first sentence" if is_judged else "3 of 4"
    assert columns["Rightly declined"] == [("75%", note), ("0%", "0 of 4")]
    assert "Declined" not in columns
    (first, second) = m.rows_of(report, "leaderboard")
    assert (first["rightly declined"], second["rightly declined"]) == (
        Over(Share(0.75), 4),
        Over(Share(0.0), 4),
    )


@pytest.mark.parametrize("has_second_verdict", [True, False])
def test_leaderboard_says_which_of_two_verdicts_on_declining_counts(
    tmp_path: Path, *, has_second_verdict: bool
) -> None:
    samples = []
    for number in range(4):
        accuracy = {"correct": 0.0, "incorrect": 0.0, "refusal": float(number == 0)}
        scores = {"llm_accuracy": m.scored(accuracy, "llm_accuracy")}
        if has_second_verdict:
            scores["abstention"] = m.scored({"wrong": float(number < 2)}, "abstention")
        samples.append(m.sample(number, scores, metadata={"style": "qa"}))
    report = m.report_of(tmp_path, m.log(samples))
    columns = effort_columns(report.study, report.leaderboard)
    (declined,) = (column for column in columns if column.name == "Declined")
    assert declined.cells == [("25%", "")]
    counts = "The verdict is that of Refused by judge; Wrongly declined may differ, and counts"
    caption = m.table_of(report, "leaderboard").text
    for text in (declined.meaning, caption):
        assert (counts in text) is has_second_verdict


@pytest.mark.parametrize(("first", "style"), [(REFUSAL, "earnings_call"), ("Sales fell.", "qa")])
def test_leaderboard_without_declined_question_has_no_share(
    tmp_path: Path, first: str, style: str
) -> None:
    report = m.report_of(tmp_path, _answers("arag", first, style=style))
    assert "Declined" not in [
        column.name for column in effort_columns(report.study, report.leaderboard)
    ]
    assert "declined" not in m.table_of(report, "leaderboard").without_empty_columns().columns


@pytest.mark.parametrize(
    ("primary", "grade", "cell"),
    [
        ("geval_coverage", 3, ("$20.00", "$10.00 a point")),
        ("geval_coverage", 5, ("$20.00", "$5.00 a point")),
        ("geval_coverage", 1, ("$20.00", "")),
        ("rouge", 3, ("$20.00", "")),
    ],
)
def test_dollars_per_point_are_per_1000_answers_and_only_beside_coverage(
    tmp_path: Path, primary: str, grade: int, cell: tuple[str, str]
) -> None:
    scores = {"geval_coverage": m.judged(grade), "rouge": m.scored(0.5, "rouge")}
    run = m.run_of("arag", scores, 4, effort={"cost_usd": 0.02})
    report = m.report_of(tmp_path, run, primary=[primary])
    (cost,) = [
        c
        for c in effort_columns(report.study, report.leaderboard)
        if c.name == "$ per 1,000 answers"
    ]
    assert cost.cells == [cell]


@pytest.mark.parametrize(
    ("times", "note"),
    [
        ([1000, 1000], "median change +500 ms, faster on 0 of 2"),
        ([460, 460, 2000], "median change -40 ms, faster on 2 of 3"),
        ([500, 500, 500, 100], "median change < 1 ms, faster on 1 of 4"),
    ],
)
def test_leaderboard_of_two_runs_states_median_change_of_time(
    tmp_path: Path, times: list[float], note: str
) -> None:
    runs = []
    for of_run in ([500] * len(times), times):
        samples = [
            m.sample(
                number,
                {"geval_coverage": m.judged(3)},
                store=m.trace("arag", latency_ms=time),
                metadata={"company": f"C{number}"},
            )
            for number, time in enumerate(of_run)
        ]
        runs.append(m.log(samples))
    report = m.PartialReport(m.change_of(tmp_path, *runs))
    (column,) = [
        c for c in effort_columns(report.study, report.leaderboard) if c.name == "Time, p90"
    ]
    assert [text for _, text in column.cells] == [note, ""]


@pytest.mark.parametrize(("start", "note"), [("10:04", "in parallel"), ("10:05", "")])
def test_leaderboard_marks_times_of_systems_that_ran_at_once(
    tmp_path: Path, start: str, note: str
) -> None:
    spans = {"arag": ("10:00", "10:05"), "naive_rag": (start, "10:09")}
    logs = []
    for system, (started, ended) in spans.items():
        log = m.run_of(system, {"geval_coverage": m.judged(3)}, 4)
        log.stats.started_at = f"2026-01-01T{started}:00+00:00"
        log.stats.completed_at = f"2026-01-01T{ended}:00+00:00"
        logs.append(log)
    report = m.report_of(tmp_path, *logs)
    (times,) = [
        c for c in effort_columns(report.study, report.leaderboard) if c.name == "Time, p90"
    ]
    assert times.cells == [("1.0 s", note)] * 2
    text = m.table_of(report, "leaderboard").text
    assert ("A-RAG and Naive RAG ran at the same time" in text) is bool(note)


def _log_in_time(seconds_between: int, latency_ms: float, system: str = "arag") -> EvalLog:
    """Return a log of 12 samples of 10 seconds each."""
    samples = []
    for number in range(12):
        start = datetime(2026, 1, 1, tzinfo=UTC) + number * timedelta(seconds=seconds_between)
        samples.append(
            m.sample(
                number,
                {"geval_coverage": m.judged(3)},
                store=m.trace(system, latency_ms=latency_ms + number),
                started_at=start.isoformat(),
                completed_at=(start + timedelta(seconds=10)).isoformat(),
            )
        )
    return m.log(samples, system=system)


@pytest.mark.parametrize(("seconds_between", "is_marked"), [(0, True), (9, True), (10, False)])
def test_times_of_samples_that_ran_at_once_are_marked_on_board_and_no_finding(
    tmp_path: Path, seconds_between: int, is_marked: bool
) -> None:
    """What else the process does changes the times of all samples, beyond any interval."""
    runs = (_log_in_time(seconds_between, latency_ms) for latency_ms in (1000.0, 2000.0))
    report = m.PartialReport(m.change_of(tmp_path, *runs))
    (times,) = [
        c for c in effort_columns(report.study, report.leaderboard) if c.name == "Time, p90"
    ]
    assert ["in parallel" in note for _, note in times.cells] == [is_marked] * 2
    worse = m.finding_texts(report.study).get("Worse elsewhere", "")
    assert ("time per question 1.0 s → 2.0 s" in worse) is not is_marked
    text = m.table_of(report, "leaderboard").text
    assert ("Latency may be overstated, because samples ran in parallel" in text) is is_marked


def test_replayed_times_are_not_marked(tmp_path: Path) -> None:
    report = m.report_of(tmp_path, _log_in_time(0, 1000.0, system="replay"))
    (times,) = [
        c for c in effort_columns(report.study, report.leaderboard) if c.name == "Time, p90"
    ]
    assert times.cells == [("1.0 s", "")]
