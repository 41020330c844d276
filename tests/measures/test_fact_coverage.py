"""Tests of the programmatic check for fact-bank facts in a summary."""

import json
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from inspect_ai.solver import generate

from arag_inspect.benchmarks.ectsum import reader as ectsum
from arag_inspect.figures import match_claim, match_fact, read_statement
from arag_inspect.figures.checks.statements import entities_of
from arag_inspect.judge.unscored import OF_THE_SAMPLE
from arag_inspect.scorers import fact_coverage
from tests.logs import samples_of, scores_of
from tests.measures.cases import answered
from tests.scripted import run, scripted, speak
from tests.tables import tables_beside

SUMMARY = (
    "Q3 revenue rose 7.5% to about $1.2 billion. Adjusted EPS was $2.10 in the quarter. "
    "The company opened a plant in Ohio."
)
FACTS = [
    {"id": "d#1", "text": "revenue of $1,234 million in Q3 2021"},
    {"id": "d#2", "text": "Adjusted EPS was $2.25 in the quarter."},
    {"id": "d#3", "text": "free cash flow of $54 million in Q3 2021"},
    {"id": "d#4", "text": "A plant was opened in Ohio."},
]
LISTS = [
    {"id": "x", "text": "Gross margin was 40%, up from 39% last year, on sales of $9 million."},
]
SEVERAL = [
    {"id": "part", "text": "Revenue rose 7.5% to $1,234 million and net income was $90 million."},
    {"id": "all", "text": "Revenue rose 7.5% to $1,234 million."},
    {"id": "one wrong", "text": "Adjusted EPS was $2.10, on revenue of $4 billion."},
    {"id": "words", "text": "A plant was opened in Ohio by the company in October."},
]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    samples = [
        Sample(id="bank", input="Summarise.", metadata={"facts": FACTS}),
        Sample(id="figures", input="Summarise.", metadata={"facts": LISTS + FACTS[3:]}),
        Sample(id="several", input="Summarise.", metadata={"facts": SEVERAL}),
        Sample(id="reference", input="Summarise.",
               target="Revenue rose 7.5%. Debt was $4 million."),
        Sample(id="words", input="Summarise.", target="A plant opened in Ohio."),
        Sample(id="asked", input="Which plant was opened?", target="The plant opened is in Texas."),
        Sample(id="repeated", input="Which plant opened in Ohio?",
               target="A plant opened in Ohio."),
        Sample(id="long", input="Which plant was opened? " * 30,
               target="The plant opened is in Texas."),
        Sample(id="none", input="Summarise."),
    ]  # fmt: skip
    task = Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=fact_coverage(),
    )
    answer = scripted(lambda *_: speak(SUMMARY, 1))
    folder = str(tmp_path_factory.mktemp("logs"))
    return run(task, answer, log_dir=folder)


def only(log: EvalLog, case: str) -> Score:
    assert log.status == "success" and log.samples, log.error
    (sample,) = (sample for sample in log.samples if sample.id == case)
    return scores_of(sample)["fact_coverage"]


def test_fact_coverage_records_verdict_and_deciding_sentence_per_fact(log: EvalLog) -> None:
    score = only(log, "bank")
    assert isinstance(score.value, dict)
    assert score.value["facts"] == 0.5 and score.value["quantities"] == pytest.approx(1 / 3)
    facts = (score.metadata or {})["facts"]
    assert [(fact["id"], fact["verdict"], fact["figures"]) for fact in facts] == [
        ("d#1", "stated", 1),
        ("d#2", "contradicted", 1),
        ("d#3", "missing", 1),
        ("d#4", "stated", 0),
    ]
    assert facts[0]["said"] == "Q3 revenue rose 7.5% to about $1.2 billion."
    assert facts[1]["said"] == "Adjusted EPS was $2.10 in the quarter." and facts[2]["said"] is None
    assert json.loads(json.dumps(score.metadata)) == score.metadata
    assert "contradicted: Adjusted EPS" in (score.explanation or "")


def test_fact_coverage_counts_partly_stated_fact_as_share_of_its_figures(log: EvalLog) -> None:
    score = only(log, "several")
    facts = (score.metadata or {})["facts"]
    verdicts = {fact["id"]: fact["verdict"] for fact in facts}
    assert verdicts == {
        "part": "partly",
        "all": "stated",
        "one wrong": "partly",
        "words": "stated",  # without figures, a part of its words suffices
    }
    assert isinstance(score.value, dict)
    assert score.value["facts"] == pytest.approx((2 / 3 + 1 + 1 / 2 + 1) / 4)
    assert "partly: Revenue rose 7.5%" in (score.explanation or "")


def test_fact_coverage_takes_note_without_answer_for_no_fact() -> None:
    cases = [("Not found.", "NOT IN DOCUMENTS"), ("Not found.", "not_answerable")]
    notes = answered(fact_coverage(), cases, question_type="unanswerable")
    assert [score.reason for score in notes] == ["unanswerable"] * 2
    removed, banked = (
        answered(fact_coverage(), [("Debt was $4 million.", target)], **about)[0]
        for target, about in (
            ("Debt was $4 million.", {"question_type": "unanswerable"}),
            ("NOT IN DOCUMENTS", {"question_type": "unanswerable", "facts": FACTS[:1]}),
        )
    )
    assert removed.as_dict()["facts"] == 1 and banked.as_dict()["facts"] == 0


def test_fact_coverage_falls_back_to_reference_without_bank(log: EvalLog) -> None:
    reference = only(log, "reference").value
    # "revenue" and 7.5 share a sentence of the summary; "debt" and 4 do not
    assert reference == {"facts": 0.5, "quantities": 0.5, "words": 0.5}
    words = only(log, "words").value
    assert isinstance(words, dict) and words["facts"] == words["words"] == 1
    assert words["quantities"] != words["quantities"]
    figures = only(log, "figures").value
    assert isinstance(figures, dict)
    assert (figures["facts"], figures["quantities"]) == (0.5, 0)


def test_question_words_are_ignored_unless_fact_has_no_other_words(log: EvalLog) -> None:
    words = {
        case: value["words"]
        for case in ("asked", "repeated", "long")
        if isinstance(value := only(log, case).value, dict)
    }
    # the summary has "plant" and "opened", but not "Texas"
    assert words == {"asked": 0, "repeated": 1, "long": pytest.approx(2 / 3)}


def test_fact_coverage_is_unscored_without_facts(log: EvalLog) -> None:
    assert only(log, "none").reason == "no_facts"


def test_fact_may_be_more_precise_than_summary_but_claim_may_not() -> None:
    exact, rounded = (
        read_statement(f"Revenue was {amount}.") for amount in ("$1,234 million", "$1.2 billion")
    )
    assert match_fact(exact, [rounded]).verdict == "stated"
    assert match_fact(rounded, [exact]).verdict == "missing"
    assert match_claim(rounded, [exact]).verdict == "stated"
    assert match_claim(exact, [rounded]).verdict == "missing"


def test_fact_is_stated_by_sentence_that_agrees_beside_one_that_does_not() -> None:
    fact = read_statement("The lease expires in November 2026.")
    summary = ["The lease expires in March 2026.", "The other lease expires in November 2026."]
    match = match_fact(fact, list(map(read_statement, summary)))
    assert (match.verdict, match.position) == ("stated", 1)


@pytest.mark.parametrize(
    ("summary", "verdicts"),
    [
        ("Paper revenue was $9 million and Glass revenue $4 million.", ["stated", "stated"]),
        ("Glass revenue was $9 million.", ["missing", "contradicted"]),
        (
            "Glass revenue was $9 million and Paper revenue $4 million.",
            ["contradicted", "contradicted"],
        ),
    ],
)
def test_fact_is_not_stated_by_its_figure_for_segment_of_another_fact(
    summary: str, verdicts: list[str]
) -> None:
    texts = ("Paper had revenue of $9 million.", "The segment Glass had revenue of $4 million.")
    facts = list(map(read_statement, texts))
    entities = entities_of(facts)
    matches = [match_fact(fact, [read_statement(summary)], entities) for fact in facts]
    assert [match.verdict for match in matches] == verdicts


def test_match_claim_requires_half_of_figures() -> None:
    fact = read_statement("Revenue was $4 million.")
    claim = read_statement(
        "Revenue was $4 million and net income $3 million, on debt of $2 million."
    )
    assert match_claim(claim, [fact]).verdict == "missing"
    assert match_fact(claim, [fact]) == ("stated", pytest.approx(1 / 3), 0)
    assert (
        match_fact(read_statement(""), [fact]).verdict == "missing" == match_fact(fact, []).verdict
    )


def test_references_state_own_key_sentences_only(recorded_calls: Path) -> None:
    calls = ectsum.read_calls(ectsum.load_files("val", recorded_calls), "val")
    own, other = (
        [
            match_fact(
                read_statement(sentence), [read_statement(line) for line in summary.split("\n")]
            )
            for call, summary in zip(calls, summaries, strict=True)
            for sentence in call.evidence
            if read_statement(sentence).figures
        ]
        for summaries in (
            [call.summary for call in calls],
            [call.summary for call in [*calls[1:], calls[0]]],
        )
    )
    shares = [
        sum(match.verdict == "stated" for match in matches) / len(matches)
        for matches in (own, other)
    ]
    assert shares[0] > 0.8 and shares[1] < 0.01


CASES = tables_beside(__file__)
SHORT_FACTS = CASES.pop("dates, years, yes and no")
NUMBERS = CASES.pop("number asked for")


@pytest.mark.parametrize("kind", CASES)
def test_fact_of_figure_alone_or_of_words_is_found_in_statement(kind: str) -> None:
    for fact, statement, verdict in CASES[kind]:
        match = match_fact(read_statement(fact), [read_statement(statement)])
        assert match.verdict == verdict, (fact, statement)


def test_fact_coverage_finds_dates_years_yes_and_no() -> None:
    scores = answered(fact_coverage(), [(answer, gold) for gold, answer, _ in SHORT_FACTS])
    for score, (_, answer, verdict) in zip(scores, SHORT_FACTS, strict=True):
        assert score.as_dict()["facts"] == float(verdict == "stated") and score.metadata
        (fact,) = score.metadata["facts"]
        deciding = None if verdict == "missing" else answer
        assert (fact["verdict"], fact["said"]) == (verdict, deciding), answer


@pytest.mark.parametrize(("question", "gold", "answer", "verdict"), NUMBERS)
def test_fact_coverage_finds_number_as_answer_to_question(
    question: str, gold: str, answer: str, verdict: str
) -> None:
    samples = [Sample(input=question, target=gold, metadata={"style": "qa"})]
    log = run(Task(dataset=samples, scorer=fact_coverage()), scripted(lambda *_: speak(answer, 1)))
    (sample,) = samples_of(log)
    metadata = scores_of(sample)["fact_coverage"].metadata
    assert metadata and metadata["facts"][0]["verdict"] == verdict


def test_other_date_contradicts_no_date_among_several_facts() -> None:
    facts = ["9 June 2026", "It opened a plant in Ohio."]
    (score,) = answered(fact_coverage(), [("It opened on 3 May 2026.", "")], facts=facts)
    assert score.metadata
    assert next(fact["verdict"] for fact in score.metadata["facts"]) == "missing"


@pytest.mark.parametrize(
    ("gold", "reasons"),
    [
        ("No", {"quantities": "no_figure", "words": "no_words"}),
        ("Margins fell.", {"quantities": "no_figure"}),
    ],
)
def test_fact_coverage_says_why_keys_have_no_value(gold: str, reasons: dict[str, str]) -> None:
    (score,) = answered(fact_coverage(), [("No, it fell.", gold)])
    assert (score.metadata or {})["unscored"] == reasons
    assert set(reasons.values()) <= OF_THE_SAMPLE
