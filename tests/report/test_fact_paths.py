"""Tests of the stage at which each fact is lost, and of the advice derived from it."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score
from inspect_ai.log import EvalLog, EvalSampleLimit, list_eval_logs, read_eval_log

from arag_inspect.report import Study, fact_paths, frames, make_report, studies
from arag_inspect.report.cells import raw
from arag_inspect.report.chart import as_spec
from arag_inspect.report.fact_paths import STAGES
from arag_inspect.report.findings.advice import advice, without_advice
from arag_inspect.report.findings.failures import most_frequent_failure
from arag_inspect.report.findings.lost_facts import lost_facts_line
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.page.render import render_page
from arag_inspect.report.study import Choices
from arag_inspect.scorers import fact_coverage, retrieval_pr
from arag_inspect.tasks import earnings_synthetic
from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.report.material import (
    change_of,
    chart_of,
    data_of,
    finding_texts,
    judged,
    log,
    part_of_chunk,
    passage,
    report_of,
    report_on,
    rows_of,
    run_of,
    sample,
    scored,
    trace,
    write,
)
from tests.scripted import run
from tests.tables import tables_beside

SENTENCE = "Net revenue rose 8% to $4.2 billion, helped by pricing in Europe."

_EVIDENCE = ("Net revenue rose 8% to $4.2 billion.", "The board proposes a dividend of $0.45.")
_BESIDE = "Net revenue rose, helped by pricing in Europe and Asia."
"""A sentence of a gold chunk with the words of the evidence, but without its figures."""

_HEAD = "[ABM | TABLE: $ billion | 2021 | 2020 | Change]"
_ROW = "| Net revenue | 4.2 | 3.9 | 8 % |"
"""A row of a table whose head is in an earlier chunk."""


def _sample(
    number: int,
    facts: Sequence[tuple[str, str, int | None]],
    *,
    found: Sequence[int] = (),
    read: Sequence[dict[str, Any]] = (),
    scores: dict[str, Any] | None = None,
    system: str = "arag",
    answer: str = "Sales rose.",
    epoch: int = 1,
) -> Any:
    """A sample with facts as texts, program verdicts and chunks."""
    listed = [
        {"id": f"f{i}", "text": text, "verdict": verdict, "said": None}
        for i, (text, verdict, _) in enumerate(facts)
    ]
    searches = [{"tool": "s", "query": "q", "chunk_ids": list(found), "scores": [], "loop": 1}]
    bank = [
        {"id": f"f{i}", "text": text} | ({} if chunk is None else {"chunk_id": chunk})
        for i, (text, _, chunk) in enumerate(facts)
    ]
    return sample(
        number,
        {"fact_coverage": scored({"facts": 0.5}, facts=listed)} | (scores or {}),
        system=system,
        answer=answer,
        epoch=epoch,
        store=trace(system, searches=searches, passages=list(read)),
        metadata={
            "facts": bank, "gold_chunk_ids": [1], "doc_ids": ["ABM_q1"], "company": f"C{number}"
        },
    )  # fmt: skip


def _benchmark(folder: Path, *logs: Any, baseline: str | None = None) -> Study:
    (study,) = studies(frames(write(folder, *logs)), Choices(baseline=baseline))
    return study


_STAGES = [
    ("stated", 1, [1], [passage(1, text=SENTENCE)], "stated"),
    ("stated", 1, [], [], "unread"),
    ("stated", 1, [1], [], "stated"),  # in the search results
    ("stated", 1, [], [passage(7, text=SENTENCE)], "stated"),  # another chunk holds it too
    ("stated", None, [], [passage(7, text=SENTENCE)], "stated"),
    ("stated", 1, [], [passage(7, text="Our top line grew 8% to $4.2 billion.")], "stated"),
    ("stated", 1, [], [passage(7, text="Our top line grew 9% to $4.9 billion.")], "unread"),
    ("stated", 1, [], [passage(7, text=SENTENCE) | {"doc_id": "XYZ_q1"}], "unread"),
    ("stated", 1, [], [passage(7, text=_ROW) | {"prefix": _HEAD}], "stated"),
    ("stated", 1, [], [passage(7, text=_ROW)], "unread"),
    ("contradicted", 1, [1], [passage(1, text=SENTENCE)], "wrong"),
    ("contradicted", 1, [1], [passage(7, text="Costs were $4.9 billion.")], "not_read"),
    ("contradicted", 1, [2], [passage(7, text="Costs were $4.9 billion.")], "not_found"),
    ("missing", 1, [1], [passage(1, text=SENTENCE)], "left_out"),
    ("missing", 1, [1], [passage(1, text="Good morning and welcome.")], "not_read"),
    ("missing", 1, [1, 2], [passage(2, text="Good morning.")], "not_read"),
    ("missing", 1, [2], [passage(2, text="Good morning.")], "not_found"),
    ("missing", None, [2], [], "unlocated"),
    ("missing", None, [2], [passage(7, text=SENTENCE)], "left_out"),
    ("stated", None, [2], [passage(2, text="Good morning.")], "unlocated"),
    ("stated", None, [], [], "unread"),  # nothing was read
    ("missing", 1, [1], [part_of_chunk(1, SENTENCE)], "left_out"),
    ("missing", 1, [1], [part_of_chunk(1, "Our top line grew 8% to $4.2 billion.")], "left_out"),
    ("missing", 1, [1], [part_of_chunk(1, "")], "left_out"),  # without a text the chunk decides
    ("missing", 1, [1], [part_of_chunk(1, _BESIDE)], "not_found"),
    ("missing", 1, [1], [passage(1, text=_BESIDE)], "left_out"),
]
"""The program's verdict on a fact, its chunk, what was found and read, and the path's stage."""


def test_fact_path_ends_at_expected_stage(tmp_path: Path) -> None:
    samples = []
    for number, (verdict, chunk, found, passages, _) in enumerate(_STAGES):
        facts = [(SENTENCE, verdict, chunk), ("Something else.", "missing", 9)]
        samples.append(_sample(number, facts, found=found, read=passages))
    stages = list(fact_paths(_benchmark(tmp_path, log(samples)))["stage"])
    expected = [(*row[:4], row[-1], "not_found") for row in _STAGES]
    pairs = zip(stages[::2], stages[1::2], strict=True)
    assert [(*row[:4], *pair) for row, pair in zip(_STAGES, pairs, strict=True)] == expected


def test_lost_fact_has_document_and_chunk_whoever_read_it(tmp_path: Path) -> None:
    """The document comes from the chunk another system read, or is the sample's only document."""
    facts = [("Sales rose 5%.", "missing", 4), ("Costs fell 2%.", "missing", 9)]
    answer = _sample(0, facts)
    answer.metadata["doc_ids"] = ["ABM_q1", "ABM_q2"]
    other = _sample(0, facts, read=[passage(4) | {"doc_id": "ABM_q2"}], system="naive_rag")
    alone = _sample(1, facts[1:])
    logs = log([answer, alone]), log([other], system="naive_rag")
    rows = rows_of(report_of(tmp_path, *logs), "lost_facts")
    places = [(row["document"], row["chunk"]) for row in rows if row["system"] == "A-RAG"]
    assert places == [("ABM_q2", 4), (None, 9), ("ABM_q1", 9)]


_CASES = tables_beside(__file__)


def test_fact_counts_as_read_when_other_passage_paraphrases_fact(tmp_path: Path) -> None:
    cases = _CASES["another passage"]
    samples = [
        _sample(number, [(fact, "missing", 1)], read=[passage(7, text=text)])
        for number, (fact, text, _) in enumerate(cases)
    ]
    paths = fact_paths(_benchmark(tmp_path, log(samples)))
    assert [
        (fact, text, stage)
        for (fact, text, is_read), stage in zip(cases, paths["stage"], strict=True)
        if stage != ("left_out" if is_read else "not_found")
    ] == []


def test_fact_in_other_words_or_with_another_figure_ends_at_expected_stage(
    tmp_path: Path,
) -> None:
    rows = [(fact, fact, answer, stage) for fact, answer, stage in _CASES["answer"]]
    cases = _CASES["another figure in its place"]
    rows += [(fact, text or fact, answer, stage) for fact, text, answer, stage in cases]
    samples = [
        _sample(n, [(fact, "missing", 1)], read=[passage(1, text=text)], found=[1], answer=answer)
        for n, (fact, text, answer, _) in enumerate(rows)
    ]
    before = log(samples, model="mockllm/model")
    after = score(before, fact_coverage(), action="overwrite", display="none")
    paths = fact_paths(_benchmark(tmp_path, after))
    assert [
        (fact, answer, stage)
        for (fact, _, answer, expected), stage in zip(rows, paths["stage"], strict=True)
        if stage != expected
    ] == []


def test_fact_stated_whole_is_not_refuted_by_other_figures(tmp_path: Path) -> None:
    fact = "Operating income was $451 million."
    answer = f"{fact} Operating income of another company was $282 million."
    one = log([_sample(0, [(fact, "stated", 1)], read=[passage(1, text=fact)], answer=answer)])
    assert list(fact_paths(_benchmark(tmp_path, one))["stage"]) == ["stated"]


def test_fact_without_chunk_is_located_in_gold_evidence(tmp_path: Path) -> None:
    answers = []
    for number, search in enumerate(([], [1], [2])):
        answer = _sample(number, [(SENTENCE, "missing", None)], found=search)
        answer.metadata |= {"evidence": [SENTENCE], "gold_chunk_ids": [1, 2]}
        answers.append(answer)
    passages_read = [passage(1, text="Good morning."), passage(2, text=f"Well. {SENTENCE}")]
    other = _sample(3, [(SENTENCE, "missing", None)], read=passages_read, system="naive_rag")
    logs = log(answers), log([other], system="naive_rag")
    paths = fact_paths(_benchmark(tmp_path, *logs))
    of_agent = paths[paths["system"] == "A-RAG"]
    assert list(of_agent["stage"]) == ["not_found", "not_found", "not_read"]
    assert set(of_agent["chunk_id"]) == {2}


_LOCATED = [
    (SENTENCE, [[5], [6, 7]], 5, "not_found"),
    ("The dividend is $0.45.", [[5], [6, 7]], 6, "not_found"),  # in other words
    ("The dividend is $0.45.", [[5], []], None, "unlocated"),
    ("Headcount is 400.", [[5], [6, 7]], None, "unlocated"),
    (SENTENCE, None, None, "not_found"),  # in any of the gold chunks
]
"""A fact, the chunks of each piece of evidence, the chunk of the fact, and the stage."""


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize(("fact", "chunks", "chunk", "stage"), _LOCATED)
def test_fact_is_located_by_its_evidence_whatever_other_systems_read(
    tmp_path: Path, fact: str, chunks: Any, chunk: int | None, stage: str, others: int
) -> None:
    about = {
        "evidence": [SENTENCE, "The board proposes a dividend of $0.45."],
        "evidence_chunk_ids": chunks,
        "gold_chunk_ids": [4, 5, 6, 7],
    }
    answer = _sample(0, [(fact, "missing", None)], found=[1])
    answer.metadata |= about
    other = _sample(0, [(fact, "missing", None)], read=[passage(4)], system="naive_rag")
    other.metadata |= about
    logs = [log([answer]), log([other], system="naive_rag")][: 1 + others]
    paths = fact_paths(_benchmark(tmp_path, *logs))
    of_agent = paths[paths["system"] == "A-RAG"]
    assert list(of_agent["chunk_id"]) == [chunk]
    assert list(of_agent["stage"]) == [stage]


_ONLY_FACT = {"id": "r0", "text": "Net debt was $1.2 billion.", "verdict": "missing", "said": None}


_OF_REFERENCE = [
    ({}, [7], "not_found"),
    ({}, [1, 7], "unlocated"),
    ({}, [1, 2], "left_out"),
    ({"verdict": "contradicted"}, [7], "not_found"),
    ({"verdict": "contradicted"}, [1, 7], "wrong"),
    ({"verdict": "contradicted"}, [1, 2], "wrong"),
    ({"text": "yes", "verdict": "stated"}, [1, 2], "stated"),
    ({"text": "yes", "verdict": "stated"}, [7], "unread"),
]
"""A fact of a reference, the chunks read, and the stage; the gold chunks are 1 and 2."""


def test_fact_of_reference_is_located_where_all_or_no_gold_chunks_were_read(
    tmp_path: Path,
) -> None:
    samples = []
    for number, (fact, chunk_ids, _) in enumerate(_OF_REFERENCE):
        passages = [passage(chunk, text="Good morning.") for chunk in chunk_ids]
        store = trace(passages=passages, searches=[])
        scores = {"fact_coverage": scored({"facts": 0.5}, facts=[_ONLY_FACT | fact])}
        samples.append(sample(number, scores, metadata={"gold_chunk_ids": [1, 2]}, store=store))
    stages = fact_paths(_benchmark(tmp_path, log(samples)))["stage"]
    assert list(stages) == [stage for *_, stage in _OF_REFERENCE]


@pytest.mark.parametrize("verdict", ["missing", "contradicted"])
def test_fact_without_evidence_is_located_in_gold_chunk_that_any_system_read(
    tmp_path: Path, verdict: str
) -> None:
    text = "Our top line grew 8% to $4.2 billion."
    half = _sample(0, [(SENTENCE, verdict, None)], found=[1], read=[passage(7, text=_BESIDE)])
    other = _sample(
        0, [(SENTENCE, verdict, None)], read=[passage(1, text=text)], system="naive_rag"
    )
    logs = log([half]), log([other], system="naive_rag")
    paths = fact_paths(_benchmark(tmp_path, *logs))
    read_stage = "left_out" if verdict == "missing" else "wrong"
    assert dict(zip(paths["system"], paths["stage"], strict=True)) == {
        "A-RAG": "not_read",
        "Naive RAG": read_stage,
    }


def test_stages_are_withheld_when_many_facts_are_not_located(tmp_path: Path) -> None:
    facts = [(SENTENCE, "missing", None), ("Sales rose.", "missing", 1)]
    study = _benchmark(tmp_path, log([_sample(n, facts) for n in range(8)]))
    assert not advice(study) and most_frequent_failure(study) is None
    reason = "Where A-RAG lost facts is unknown, because too many facts have no source chunk; "
    assert f"{reason}add facts to the documents of summaries" in lost_facts_line(study)


def test_share_of_facts_not_located_is_a_mean_over_samples(tmp_path: Path) -> None:
    """As are the shares beside it: a summary of many facts does not outweigh the others."""
    summary = _sample(0, [(SENTENCE, "missing", None)] * 12)
    others = [_sample(n, [("Sales rose.", "missing", 1)]) for n in range(1, 9)]
    line = lost_facts_line(_benchmark(tmp_path, log([summary, *others])))
    assert "; the source chunk of 11% is unknown" in line and "because" not in line


def test_advice_on_facts_not_located_asks_for_no_evidence_that_is_there(tmp_path: Path) -> None:
    samples = [_sample(n, [(SENTENCE, "missing", None)], found=[2]) for n in range(8)]
    for one in samples:
        one.metadata |= {"evidence": [SENTENCE], "gold_chunk_ids": []}
    line = lost_facts_line(_benchmark(tmp_path, log(samples)))
    assert line.startswith("A-RAG: the source chunk of 100% of the facts is unknown. ")
    assert "`arag-inspect prepare` finds the chunks of evidence" in line


def test_advice_on_facts_not_located_names_what_their_answers_lack(tmp_path: Path) -> None:
    """Evidence that every question has is not asked for because summaries have none."""
    samples = [_sample(n, [(SENTENCE, "missing", None)], found=[2]) for n in range(8)]
    for one in samples[:4]:
        one.metadata |= {"evidence": [SENTENCE], "gold_chunk_ids": [], "style": "qa"}
    line = lost_facts_line(_benchmark(tmp_path / "summaries", log(samples)))
    assert "chunk; add facts to the documents of summaries (" in line
    samples[0].metadata["evidence"] = []
    line = lost_facts_line(_benchmark(tmp_path / "both", log(samples)))
    assert "chunk; add evidence to the questions and facts to the documents of summaries" in line


def test_judge_verdict_takes_precedence_over_program_verdict(tmp_path: Path) -> None:
    facts = [(SENTENCE, verdict, 1) for verdict in ("missing", "contradicted", "stated", "missing")]
    gold = [
        {"id": f"f{i}", "text": SENTENCE, "verdict": verdict, "match": None}
        for i, verdict in enumerate(("TP", "FN", "FN"))  # and none on the fourth
    ]
    matched = scored({"f1": 0.5}, judges=[{"grader": "g", "verdict": 0.5, "gold": gold}])
    passages_read = [passage(1, text=SENTENCE)]
    one = log([_sample(0, facts, read=passages_read, scores={"fact_match": matched})])
    stages = list(fact_paths(_benchmark(tmp_path, one))["stage"])
    assert stages == ["stated", "wrong", "left_out", "left_out"]


def test_items_of_judge_are_the_facts_of_a_reference(tmp_path: Path) -> None:
    """A bank says what the facts are; without one, a judge knows which are stated wrongly."""
    verdicts = "stated", "partly", "missing", "wrong", "unknown"
    items = [{"text": SENTENCE, "verdict": verdict} for verdict in verdicts]
    judges = [{"grader": "g", "verdict": 3, "items": items}]
    scores = {"geval_coverage": scored(3.0, judges=judges)}
    passages = [passage(1, text=SENTENCE)]
    with_bank = _sample(0, [(SENTENCE, "missing", 1)], read=passages, scores=scores)
    without = _sample(1, [(SENTENCE, "missing", 1)], read=passages, scores=scores)
    del without.metadata["facts"]
    stages = list(fact_paths(_benchmark(tmp_path, log([with_bank, without])))["stage"])
    assert stages == ["left_out", "stated", "stated", "left_out", "wrong"]


@pytest.mark.parametrize(("verdict", "stage"), [("stated", "left_out"), ("missing", "unlocated")])
def test_item_was_read_if_judge_found_its_sentence_in_the_text(
    tmp_path: Path, verdict: str, stage: str
) -> None:
    items = [{"text": "rose 8% to $4.2 billion", "verdict": "missing"}]
    in_text = [{"id": "f0", "text": SENTENCE, "verdict": verdict}]
    scores = {
        "geval_coverage": scored(1.0, judges=[{"grader": "g", "verdict": 1, "items": items}]),
        "context_recall": scored(1.0, facts=in_text),
    }
    answer = _sample(0, [(SENTENCE, "missing", None)], read=[passage(7)], scores=scores)
    answer.metadata |= {"facts": [], "gold_chunk_ids": []}
    assert list(fact_paths(_benchmark(tmp_path, log([answer])))["stage"]) == [stage]


_QUESTIONS = [
    (1.0, "It was 5.", [1, 2], "stated"),
    (1.0, "It was 5.", [1], "unread"),
    (0.0, "It was 6.", [1, 2], "wrong"),
    (0.0, "It was 6.", [2], "not_found"),
    (0.0, "I do not know.", [1, 2], "left_out"),
    (0.0, "I do not know.", [2], "not_found"),
]
"""Whether an answer is right, the answer, the chunks read, and the stage."""


def test_answer_to_question_counts_as_one_fact(tmp_path: Path) -> None:
    samples = [
        _question(number, {"numeric_match": scored(correct)}, answer, chunk_ids)
        for number, (correct, answer, chunk_ids, _) in enumerate(_QUESTIONS)
    ]
    paths = fact_paths(_benchmark(tmp_path, log(samples)))
    assert list(paths["stage"]) == [stage for *_, stage in _QUESTIONS]
    assert list(paths["chunk_id"]) == [1] * len(_QUESTIONS)


@pytest.mark.parametrize(
    ("judged_right", "matched", "chunk_ids", "stage"),
    [
        (1.0, 0.0, [2], "not_found"),
        (1.0, 1.0, [2], "unread"),
        (1.0, None, [2], "unread"),
        (1.0, 0.0, [1, 2], "stated"),
    ],
)
def test_answer_on_which_judge_and_program_disagree_is_not_known_by_heart(
    tmp_path: Path, judged_right: float, matched: float | None, chunk_ids: list[int], stage: str
) -> None:
    scores = {"llm_accuracy": scored({"correct": judged_right}, "llm_accuracy")}
    if matched is not None:
        scores["answer_match"] = scored(matched, "answer_match")
    question = _question(0, scores, "It was 6.", chunk_ids)
    assert list(fact_paths(_benchmark(tmp_path, log([question])))["stage"]) == [stage]


@pytest.mark.parametrize(
    ("verdict", "stage"), [("contradicted", "not_found"), ("stated", "unread")]
)
def test_fact_on_which_judge_and_program_disagree_is_not_known_by_heart(
    tmp_path: Path, verdict: str, stage: str
) -> None:
    gold = [{"id": "f0", "text": SENTENCE, "verdict": "TP", "match": None}]
    matched = scored({"f1": 1.0}, judges=[{"grader": "g", "verdict": 1.0, "gold": gold}])
    one = _sample(0, [(SENTENCE, verdict, 1)], scores={"fact_match": matched})
    assert list(fact_paths(_benchmark(tmp_path, log([one])))["stage"]) == [stage]


_MEASURED = [
    (1.0, "It was 5.", "missing", "stated"),
    (0.0, "It was 6.", "missing", "wrong"),
    (0.0, "It was 6.", "stated", "wrong"),
    (0.0, "I do not know.", "contradicted", "left_out"),
]
"""Whether an answer is right, the answer, the verdict on its fact, and the stage."""


@pytest.mark.parametrize("chunks", [[1], []])
def test_measure_of_right_answers_decides_path_of_question(
    tmp_path: Path, chunks: list[int]
) -> None:
    text = "Sales were $5 million."
    samples = []
    for number, (correct, answer, verdict, _) in enumerate(_MEASURED):
        fact = {"id": "gold1", "text": text, "verdict": verdict, "said": None}
        scores = {
            "answer_match": scored(correct),
            "fact_coverage": scored({"facts": 0.0}, facts=[fact]),
        }
        store = trace(passages=[passage(1, text=text)])
        about = {"style": "qa", "gold_chunk_ids": chunks, "evidence": [text]}
        samples.append(sample(number, scores, answer=answer, metadata=about, store=store))
    stages = fact_paths(_benchmark(tmp_path, log(samples)))["stage"]
    assert list(stages) == [stage for *_, stage in _MEASURED]


def test_facts_of_bank_decide_path_of_question_that_has_them(tmp_path: Path) -> None:
    facts = [("Sales rose 5%.", "stated", 1), ("Costs fell 2%.", "missing", 1)]
    one = _sample(0, facts, read=[passage(1)], scores={"answer_match": scored(0.0)})
    one.metadata |= {"style": "qa"}
    paths = fact_paths(_benchmark(tmp_path, log([one])))
    assert list(paths["fact"]) == ["f0", "f1"] and paths["stage"][0] == "stated"


_PARTS = [
    (0.0, {1: _EVIDENCE[0], 2: _EVIDENCE[1]}, "wrong"),
    (1.0, {1: _EVIDENCE[0], 2: _EVIDENCE[1]}, "stated"),
    (0.0, {1: _EVIDENCE[0], -1: _EVIDENCE[1]}, "wrong"),  # in a text of no chunk
    (0.0, {1: _BESIDE, 2: _EVIDENCE[1]}, "not_found"),
    (1.0, {1: _BESIDE, 2: _EVIDENCE[1]}, "unread"),
    (0.0, {1: _BESIDE, 2: _BESIDE}, "not_found"),
    (0.0, {1: "", 2: ""}, "wrong"),  # without texts the chunks decide
]
"""Whether an answer is right, the texts read of each chunk, and the stage."""


def test_question_path_agrees_with_evidence_read_when_passages_are_parts(tmp_path: Path) -> None:
    samples = []
    for number, (correct, texts, _) in enumerate(_PARTS):
        passages = [part_of_chunk(chunk, text) for chunk, text in texts.items()]
        searches = [{"tool": "s", "query": "q", "chunk_ids": [*texts], "scores": [], "loop": 1}]
        store = trace("external", context="retrieved", passages=passages, searches=searches)
        about = {"style": "qa", "evidence": list(_EVIDENCE)}
        scores = {"numeric_match": scored(correct)}
        samples.append(sample(number, scores, metadata=about, store=store))
    before = log(samples, system="external", model="mockllm/model")
    after = score(before, retrieval_pr(), action="append", display="none")
    study = _benchmark(tmp_path, after)
    stages = list(fact_paths(study)["stage"])
    assert stages == [stage for *_, stage in _PARTS]
    for stage, answer in zip(stages, study.answers["answer"], strict=True):
        share = study.value(answer, "retrieval_pr.evidence")
        assert share is None or (share == 1) == (stage in ("wrong", "stated"))


def test_question_path_of_whole_chunks_is_that_of_their_ids(tmp_path: Path) -> None:
    """Evidence may be spelled otherwise than in the chunk with which it was aligned."""
    store = trace(passages=[passage(1, text=_BESIDE), passage(2, text=_BESIDE)])
    about = {"style": "qa", "evidence": list(_EVIDENCE)}
    one = sample(0, {"numeric_match": scored(0.0)}, metadata=about, store=store)
    assert list(fact_paths(_benchmark(tmp_path, log([one])))["stage"]) == ["wrong"]


def test_page_counts_evidence_texts_when_passages_are_parts(tmp_path: Path) -> None:
    passages = [part_of_chunk(1, _BESIDE), part_of_chunk(2, _EVIDENCE[1])]
    store = trace("external", context="retrieved", passages=passages)
    about = {"style": "qa", "evidence": list(_EVIDENCE)}
    one = sample(0, {"numeric_match": scored(0.0)}, metadata=about, store=store)
    full_report = make_report(frames(write(tmp_path, log([one], system="external"))))
    (benchmark,) = data_of(render_page(full_report))["benchmarks"]
    (answer,) = benchmark["samples"][0]["answers"]
    assert (answer["gold"], answer["missed"], answer["by_text"]) == (2, [_EVIDENCE[0]], True)
    assert "evidence not found for 1 of 1 answer" in to_markdown(full_report)


_READ = [passage(1, text=SENTENCE)]


def _run(
    counts: Mapping[str, int],
    system: str,
    created: str = "2026-01-01T10:00:00+00:00",
    *,
    varied: bool = False,
) -> Any:
    """Return a run on 12 samples of different companies, with a number of facts per stage.

    If varied, every second sample has another fact, which is stated.
    """
    kinds = {"stated": ("stated", 1), "unread": ("stated", 8), "wrong": ("contradicted", 1)}
    kinds |= {"left_out": ("missing", 1), "not_read": ("missing", 7), "not_found": ("missing", 8)}
    facts = [
        (SENTENCE if chunk == 1 else f"Item {n} was sold.", verdict, chunk)
        for name, count in counts.items()
        for n in range(count)
        for verdict, chunk in [kinds[name]]
    ]
    more = [("The plant was sold.", "stated", 1)] if varied else []
    samples = [
        _sample(i, [*facts, *more * (i % 2)], found=[1, 7], read=_READ, system=system)
        for i in range(12)
    ]
    return log(samples, system=system, created=created)


_FAILURES: dict[str, tuple[dict[str, dict[str, int]], str | None]] = {
    "stage with most losses": (
        {"naive_rag": {"stated": 4, "left_out": 1, "not_found": 5}, "arag": {"stated": 9}},
        "Naive RAG: 50% of the facts not found, in 12 of 12 answers",
    ),
    "left out and wrong": (
        {
            "naive_rag": {"stated": 1, "left_out": 3, "wrong": 1},
            "arag": {"stated": 9, "wrong": 1},
        },
        "Naive RAG: 60% of the facts read, left out, in 12 of 12 answers",
    ),
    "nothing lost": ({"naive_rag": {"stated": 9}, "arag": {"stated": 9}}, None),
    "all systems that lose most": (
        {
            "naive_rag": {"stated": 1, "left_out": 2, "not_found": 1},
            "stuffing": {"stated": 1, "left_out": 2, "not_found": 1},
            "arag": {"stated": 1, "not_found": 3},
        },
        "A-RAG: 75% of the facts not found, in 12 of 12 answers; "
        "Naive RAG and Stuffing: 50% of the facts read, left out, in 12 of 12 answers",
    ),
    "equal losses, and unread": (
        {
            "arag": {"stated": 1, "unread": 2, "left_out": 1},
            "naive_rag": {"stated": 3, "left_out": 1},
        },
        "A-RAG and Naive RAG: 25% of the facts read, left out, in 12 of 12 answers",
    ),
    "nothing lost but unread": (
        {"arag": {"stated": 1, "unread": 3}, "naive_rag": {"stated": 3, "left_out": 1}},
        "Naive RAG: 25% of the facts read, left out, in 12 of 12 answers",
    ),
}
"""Facts of each system by stage, and the most frequent failure."""


@pytest.mark.parametrize("case", _FAILURES)
def test_most_frequent_failure_is_largest_loss_of_any_system(tmp_path: Path, case: str) -> None:
    counts_by_system, text = _FAILURES[case]
    runs = (_run(counts, system) for system, counts in counts_by_system.items())
    failure = most_frequent_failure(_benchmark(tmp_path, *runs))
    samples = tuple(f"s{n:03}" for n in range(12))
    assert failure is None or {loss.samples for loss in failure.losses} == {samples}
    assert (failure and "; ".join(loss.text for loss in failure.losses)) == text


def test_console_says_where_facts_are_lost(tmp_path: Path) -> None:
    runs = [
        _run({"stated": 3, "left_out": 4, "not_found": 3}, "naive_rag"),
        _run({"stated": 4, "left_out": 6}, "arag"),
    ]
    printed = call("report", write(tmp_path / "logs", *runs), "-o", tmp_path / "report").output
    failure = "Naive RAG: 40% of the facts read, left out, in 12 of 12 answers"
    assert f"  Where it fails most: {failure}: s000, s001, s002 and 9 more.\n" in printed
    losses = "Naive RAG loses 70% of the facts (40% read, left out + 30% not found)"
    assert f"  Facts lost: {losses}; A-RAG loses 60% (60% read, left out).\n" in printed


def test_losses_of_questions_and_summaries_are_not_all_stated_wrongly(tmp_path: Path) -> None:
    """An answer is only known not to be right; the measure may be wrong, not the answer."""
    about = {"style": "qa", "gold_chunk_ids": [1], "evidence": ["Sales rose."]}
    wrong = {"answer_match": scored(0.0, "answer_match")}
    question = sample(1, wrong, store=trace(passages=[passage(1)]), metadata=about)
    summary = _sample(2, [(SENTENCE, "contradicted", 1)], found=[1], read=_READ)
    study = _benchmark(tmp_path, log([question, summary]))
    failure = most_frequent_failure(study)
    texts = [failure and failure.losses[0].text, lost_facts_line(study)]
    assert texts == [
        "A-RAG: 100% of the facts stated wrongly or not right, in 2 of 2 answers",
        "A-RAG loses 100% of the facts (100% stated wrongly or not right)",
    ]


@pytest.mark.parametrize(
    ("wrong", "answered", "said"),
    [
        (1, 2, "A-RAG: unanswerable questions answered (by first sentence), in 2 of 4 answers"),
        (0, 1, "A-RAG: unanswerable questions answered (by first sentence), in 1 of 4 answers"),
        (3, 2, "A-RAG: not right by program, with the evidence read, in 3 of 6 answers"),
    ],
)
def test_most_frequent_failure_may_be_answers_to_unanswerable_questions(
    tmp_path: Path, wrong: int, answered: int, said: str
) -> None:
    samples = []
    for number in range(10):
        scores = {"answer_match": scored(float(number >= wrong))} if number < 6 else {}
        answer = "It is not disclosed." if number >= 6 + answered else "It was 6."
        question = _question(number, scores, answer, [1, 2])
        if number >= 6:
            question.metadata |= {"question_type": "unanswerable", "gold_chunk_ids": []}
        samples.append(question)
    failure = most_frequent_failure(_benchmark(tmp_path, log(samples)))
    assert failure is not None
    assert failure.losses[0].text == said


@pytest.mark.parametrize(
    ("scores", "stages"),
    [
        ({"answer_match": 1.0, "names_a_year": 0.0}, {"stated"}),
        ({"llm_accuracy": {"correct": 0.0}, "names_a_year": 1.0}, {"wrong"}),
        ({"match": 1.0, "names_a_year": 0.0}, {"stated"}),
        ({"names_a_year": 0.0}, {"wrong"}),  # nothing else says whether answers are right
    ],
)
def test_facts_are_traced_by_measure_of_correctness_whichever_decides(
    tmp_path: Path, scores: dict[str, Any], stages: set[str]
) -> None:
    values = {name: scored(value, name) for name, value in scores.items()}
    runs = frames(write(tmp_path, log([_question(1, values, "It was 6.", [1, 2])])))
    (study,) = studies(runs, Choices(primary=("names_a_year",)))
    assert set(fact_paths(study)["stage"]) == stages


@pytest.mark.parametrize(
    ("empty", "said"),
    [
        (4, "A-RAG: no text (empty, or ended by a limit), in 4 of 10 answers"),
        (3, "A-RAG: not right by program, with the evidence read, in 3 of 6 answers"),
    ],
)
def test_most_frequent_failure_may_be_answers_without_text(
    tmp_path: Path, empty: int, said: str
) -> None:
    right_or_wrong = [
        _question(number, {"answer_match": scored(float(number >= 3))}, "It was 6.", [1, 2])
        for number in range(6)
    ]
    summaries = [
        sample(number, {}, answer="" if number < 6 + empty else "Sales rose.")
        for number in range(6, 10)
    ]
    summaries[0].limit = EvalSampleLimit(type="cost", limit=0.03)
    failure = most_frequent_failure(_benchmark(tmp_path, log([*right_or_wrong, *summaries])))
    assert failure is not None
    assert failure.losses[0].text == said


def test_most_frequent_failure_is_never_of_earlier_run(tmp_path: Path) -> None:
    earlier = _run({"not_found": 3}, "arag")
    better, good = (
        most_frequent_failure(change_of(tmp_path / str(left_out), earlier, new))
        for left_out, new in (
            (1, _run({"stated": 2, "left_out": 1}, "arag")),
            (0, _run({"stated": 3}, "arag")),
        )
    )
    assert better is not None and str(better).startswith("A-RAG: 33% of the facts read, left out")
    assert good is None


def test_system_with_many_facts_that_are_not_located_has_no_advice_and_no_failure(
    tmp_path: Path,
) -> None:
    facts = [("The plant in Ohio closed.", "missing", None), *[("Sales rose.", "stated", 1)] * 2]
    samples = [_sample(n, facts, found=[1], read=_READ, system="naive_rag") for n in range(12)]
    runs = [
        log(samples, system="naive_rag"),
        *(
            _run({"stated": 3, "left_out": 6}, system, varied=True)
            for system in ("arag", "stuffing")
        ),
    ]
    study = _benchmark(tmp_path, *runs)
    assert {item.system for item in advice(study)} == {"A-RAG", "Stuffing"}
    failure = most_frequent_failure(study)
    assert failure is not None and failure.losses[0].text.startswith("A-RAG and Stuffing: 63%")
    assert "Where Naive RAG lost facts is unknown, because too many facts" in lost_facts_line(study)


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("left_out", "change the writer (prompt, length)."),
        ("not_found", "change which parts of the documents it is given."),
    ],
)
def test_advice_to_system_without_retriever_names_none(
    tmp_path: Path, stage: str, said: str
) -> None:
    (item,) = advice(_benchmark(tmp_path, _run({"stated": 3, stage: 6}, "stuffing", varied=True)))
    assert item.text.endswith(f": {said}")


def test_most_frequent_error_code_is_failure_when_no_facts_are_known(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Any]:
        codes = {"H": int(number == 5), "O": int(number in (2, 4)), "any": int(number in (2, 4, 5))}
        return {"error_taxonomy": scored(codes)}

    path = write(tmp_path, run_of("arag", scores))
    full_report = make_report(frames(path))
    (report,) = full_report.studies
    failure = report.failure
    assert failure is not None
    assert failure.losses[0].text.endswith(" in 2 of 8 answers")
    assert failure.losses[0].samples == ("s002", "s004")
    assert '<a href="#sample-0-s002">s002</a>' in render_page(full_report)
    assert "in 2 of 8 answers: s002, s004" in to_markdown(full_report)


def test_failure_counts_answers_of_every_epoch_and_names_system_once(tmp_path: Path) -> None:
    """Each sample has an error in one of three epochs: 8 of 24 answers, not 8 of 8 samples."""
    samples = []
    for epoch, number in product((1, 2, 3), range(8)):
        has_error = int(epoch == 1 + number % 3)
        scores = {"error_taxonomy": scored({"H": has_error, "O": has_error, "any": has_error})}
        samples.append(sample(number, scores, epoch=epoch))
    failure = most_frequent_failure(_benchmark(tmp_path, log(samples)))
    assert failure is not None
    assert (
        failure.losses[0].text.startswith("A-RAG: ") and failure.losses[0].text.count("A-RAG") == 1
    )
    assert failure.losses[0].text.count(" in 8 of 24 answers") == 2
    assert len(failure.losses[0].samples) == 8


def test_failure_counts_answers_that_lose_facts_in_every_epoch(tmp_path: Path) -> None:
    facts = {1: ("missing", 8), 2: ("stated", 1)}
    samples = [
        _sample(i, [("Item was sold.", *facts[epoch])], found=[1], read=_READ, epoch=epoch)
        for epoch, i in product((1, 2), range(6))
    ]
    failure = most_frequent_failure(_benchmark(tmp_path, log(samples)))
    assert failure is not None
    assert failure.losses[0].text == "A-RAG: 50% of the facts not found, in 6 of 12 answers"


def _question(
    number: int, scores: dict[str, Any], answer: str, read: Sequence[int], system: str = "arag"
) -> Any:
    store, about = trace(system, passages=[passage(i) for i in read]), {"style": "qa"}
    return sample(number, scores, answer=answer, metadata=about, store=store)


@pytest.mark.parametrize(
    ("measure", "answer", "read", "said"),
    [
        ("numeric_match", "It was 6.", [1, 2], "not right by program, with the evidence read, in"),
        ("answer_match", "No figure.", [1, 2], "not right by program, with the evidence read, in"),
        ("llm_accuracy", "It was 6.", [1, 2], "not right by judge, with the evidence read, in"),
        ("answer_match", "It was 6.", [2], "evidence not found for"),
        ("answer_match", "I do not know.", [1, 2], "evidence read, question declined, in"),
    ],
)
def test_failure_of_answers_says_what_their_measure_knows_and_counts_them(
    tmp_path: Path, measure: str, answer: str, read: list[int], said: str
) -> None:
    """One of ten questions has no value, and three of the others have a wrong answer."""

    def scores(number: int) -> dict[str, Any]:
        value = float(number > 3)
        correct = {"correct": value} if measure == "llm_accuracy" else value
        return {measure: scored(correct, measure)} if number else {}

    samples = [_question(n, scores(n), answer, read if n <= 3 else [1, 2]) for n in range(10)]
    failure = most_frequent_failure(_benchmark(tmp_path, log(samples)))
    text = f"A-RAG: {said} 3 of 9 answers"
    assert failure == ("Where it fails most", ((text, ("s001", "s002", "s003")),))


def test_failure_names_the_samples_of_each_system(tmp_path: Path) -> None:
    wrong = {"arag": (1, 2), "naive_rag": (2, 1), "stuffing": (3, 4)}
    runs = []
    for system, numbers in wrong.items():
        answers = []
        for number in range(6):
            scores = {"answer_match": scored(float(number not in numbers))}
            answers.append(_question(number, scores, "It was 6.", [1, 2], system))
        runs.append(log(answers, system=system))
    failure = str(most_frequent_failure(_benchmark(tmp_path, *runs)))
    first, second = failure.split("; ")
    assert first.startswith("A-RAG and Naive RAG: ") and first.endswith(" answers: s001, s002")
    assert second.startswith("Stuffing: ") and second.endswith(" answers: s003, s004")


def test_failure_of_a_change_is_that_of_the_new_run(tmp_path: Path) -> None:
    earlier, new = (
        log(
            [
                _question(n, {"answer_match": scored(float(n >= wrong))}, "It was 6.", [1, 2])
                for n in range(9)
            ]
        )
        for wrong in (5, 2)
    )
    failure = most_frequent_failure(change_of(tmp_path, earlier, new))
    assert failure is not None and failure.topic == "Where the new run fails most"
    assert failure.losses[0].samples == ("s000", "s001")


def test_wrong_answers_are_not_called_facts_stated_wrongly(tmp_path: Path) -> None:
    samples = [
        _question(n, {"answer_match": scored(float(n % 3 > 0))}, "Sales rose.", [1, 2])
        for n in range(30)
    ]
    for number, question in enumerate(samples):
        question.metadata["company"] = f"C{number}"
    report = report_of(tmp_path, log(samples))
    assert rows_of(report, "lost_facts")[0]["stage"] == "read, not right"
    text = finding_texts(report.study)["What to change"]
    assert text.startswith("A-RAG reads but does not get right 33% [")
    assert "of the reference answers: change the writer" in text


@pytest.mark.parametrize(
    ("counts", "stage"),
    [
        ({"stated": 3, "left_out": 6, "not_found": 1}, "left_out"),
        ({"stated": 3, "left_out": 1, "not_found": 6}, "not_found"),
        ({"stated": 3, "left_out": 1, "not_read": 6}, "not_read"),
        ({"stated": 3, "left_out": 5, "wrong": 2}, "wrong"),
        ({"stated": 3, "left_out": 5, "unread": 2}, "unread"),
        ({"stated": 3, "left_out": 3, "not_found": 3}, None),
        ({"stated": 9}, None),
    ],
)
def test_advice_names_largest_loss_unless_tied(
    tmp_path: Path, counts: Mapping[str, int], stage: str | None
) -> None:
    study = _benchmark(tmp_path, _run(counts, "arag", varied=True))
    assert [own.stage for own in advice(study)] == ([stage] if stage else [])


@pytest.mark.parametrize("stage", ["not_found", "not_read", "left_out"])
@pytest.mark.parametrize(
    ("other_loss", "named"), [({}, True), ({"not_found": 3, "not_read": 3, "left_out": 3}, False)]
)
def test_only_stage_with_losses_stands_out_however_few_companies(
    tmp_path: Path, stage: str, other_loss: dict[str, int], named: bool
) -> None:
    counts = {"stated": 6, **other_loss, stage: 3}
    run = _run(counts, "arag", varied=True)
    for number, one in enumerate(run.samples):
        one.metadata["company"] = f"C{number // 2}"
    study = _benchmark(tmp_path, run)
    assert [own.stage for own in advice(study)] == [stage] * named


@pytest.mark.parametrize("grade", [1.1, 3, 4.9])
def test_advice_is_withheld_when_scores_are_at_scale_end(tmp_path: Path, grade: float) -> None:
    task_log = _run({"stated": 3, "not_found": 6}, "arag", varied=True)
    for number, one in enumerate(task_log.samples):
        one.scores["geval_coverage"] = judged(grade + number % 2 / 20)
    assert [own.stage for own in advice(_benchmark(tmp_path, task_log))] == ["not_found"] * (
        grade == 3
    )


def test_advice_ignores_few_facts_that_are_not_located(tmp_path: Path) -> None:
    facts: list[tuple[str, str, int | None]] = []
    facts += [(f"Item {n} was sold.", "missing", 8) for n in range(8)]
    facts += [(f"The plant in Ohio was closed in year {n}.", "missing", None) for n in range(2)]
    samples = [_sample(n, facts[: 10 - n % 2], found=[1], read=_READ) for n in range(12)]
    own = report_of(tmp_path, log(samples))
    table = own.table("fact_paths")
    assert table is not None
    assert [row[1:3] for row in table.rows] == [("not found", 96), ("not located", 18)]
    text = " ".join(finding.text for finding in own.findings)
    assert "does not find 84% [" in text and "but does not read" not in text


def test_advice_discounts_facts_also_omitted_by_oracle(tmp_path: Path) -> None:
    arag = _run({"stated": 1, "left_out": 5, "not_found": 4}, "arag", varied=True)
    study = _benchmark(tmp_path, arag, _run({"stated": 3, "left_out": 7}, "oracle"))
    text = finding_texts(study)["What to change"]
    assert text.startswith("A-RAG does not find 38% [37%, 39%] of the facts: change")


@pytest.mark.parametrize(
    ("solvers", "named"),
    [
        (["naive_rag"], "Naive RAG"),
        (["naive_rag", "first", "second", "third", "fourth"], "5 other systems"),
    ],
)
def test_advice_names_or_counts_systems_without_a_stage_that_stands_out(
    tmp_path: Path, solvers: list[str], named: str
) -> None:
    losing = _run({"stated": 3, "left_out": 6, "not_found": 1}, "arag", varied=True)
    even = {"stated": 3, "left_out": 3, "not_found": 3}
    runs = [losing, *(_run(even, solver, varied=True) for solver in solvers)]
    text = finding_texts(_benchmark(tmp_path, *runs))["What to change"]
    assert text.startswith("A-RAG reads but leaves out")
    assert text.endswith(f" No stage stands out for {named}.")


def test_advice_compares_system_with_baseline(tmp_path: Path) -> None:
    spoilt = _run({"stated": 2, "left_out": 7, "not_found": 1}, "spoilt")
    before = _run({"stated": 3, "left_out": 7}, "arag")
    advice_given = advice(_benchmark(tmp_path, before, spoilt, baseline="A-RAG"))
    (own,) = [one for one in advice_given if one.system == "spoilt"]
    assert (own.stage, own.reference) == ("not_found", "A-RAG")


def test_advice_on_questions_names_the_stage_that_rose(tmp_path: Path) -> None:
    def answered(system: str, not_found: int) -> EvalLog:
        """A third of 30 answers is wrong with the evidence read, and some more lack it."""
        samples = []
        for number in range(30):
            chunk_ids = [2] if number < not_found else [1, 2]
            is_right = number >= not_found and number < 20
            score = {"answer_match": scored(float(is_right))}
            question = _question(number, score, "Sales rose.", chunk_ids)
            question.metadata["company"] = f"C{number}"
            question.store["RetrievalTrace:system"] = system
            samples.append(question)
        return log(samples, system=system)

    study = _benchmark(tmp_path, answered("arag", 0), answered("spoilt", 7), baseline="A-RAG")
    (own,) = [one for one in advice(study) if one.system == "spoilt"]
    assert (own.stage, own.reference) == ("not_found", "A-RAG")


@pytest.mark.parametrize(
    ("counts", "systems"), [({"stated": 3, "left_out": 6}, {"Naive RAG"}), ({"stated": 9}, set())]
)
def test_advice_is_never_on_earlier_run(
    tmp_path: Path, counts: dict[str, int], systems: set[str]
) -> None:
    earlier = _run({"stated": 3, "left_out": 6}, "arag", varied=True)
    change = change_of(tmp_path, earlier, _run(counts, "naive_rag", varied=True))
    assert {item.system for item in advice(change)} == systems
    assert not without_advice(change)


@pytest.mark.parametrize("worse", ["arag", "naive_rag"])
def test_system_that_loses_fewer_facts_comes_first(tmp_path: Path, worse: str) -> None:
    counts = {True: {"stated": 2, "not_found": 8}, False: {"stated": 8, "not_found": 2}}
    logs = [_run(counts[system == worse], system) for system in ("arag", "naive_rag")]
    (row,) = rows_of(report_of(tmp_path, *logs), "fact_path_differences")
    order = ("Naive RAG", "A-RAG") if worse == "arag" else ("A-RAG", "Naive RAG")
    assert (row["stage"], row["a"], row["b"]) == (STAGES["not_found"], *order)
    assert row["a - b"].value == pytest.approx(-0.6)


def _recounted(folder: Path) -> dict[tuple[str, str, str], str]:
    """Trace every fact in the logs using only its chunk and the scorers' verdicts."""
    stages = {}
    for eval_log in map(read_eval_log, list_eval_logs(str(folder))):
        for answered in samples_of(eval_log):
            traced = {key.split(":")[-1]: value for key, value in answered.store.items()}
            ids_read = {passage["chunk_id"] for passage in traced["passages"]}
            ids_found = ids_read.union(*(search["chunk_ids"] for search in traced["searches"]))
            details = {name: score.metadata or {} for name, score in scores_of(answered).items()}
            verdicts = {fact["id"]: fact["verdict"] for fact in details["fact_coverage"]["facts"]}
            copies = answered.metadata.get("gold_copies", {})
            for fact in answered.metadata["facts"]:
                holders = {fact["chunk_id"], *copies.get(str(fact["chunk_id"]), ())}
                is_read = bool(holders & ids_read)
                is_found = bool(holders & ids_found)
                not_at_hand = "not_read" if is_found else "not_found"
                stages[str(traced["system"]), str(answered.id), fact["id"]] = {
                    "contradicted": "wrong" if is_read else not_at_hand,
                    "stated": "stated" if is_read or is_found else "unread",
                    "missing": "left_out" if is_read else not_at_hand,
                }[verdicts[fact["id"]]]
    return stages


_SYSTEMS: Any = ("closed_book", "naive_rag", "arag", "oracle")


def test_fact_paths_of_real_runs_match_independent_recount(
    synthetic_folder: Path, logs: Path
) -> None:
    for solver in _SYSTEMS:
        names = "fact_coverage,retrieval_pr"
        task = earnings_synthetic(corpus=str(synthetic_folder), system=solver, scorers=names)
        assert run(task, "offline/extractive", limit=2).status == "success"
    expected = _recounted(logs)
    own = report_on(frames(logs))
    solvers = own.study.runs["solver"]
    assert sorted(solvers) == sorted(_SYSTEMS)
    scale = as_spec(chart_of(own, "fact_paths"))["encoding"]["x"]["scale"]
    assert scale == {"domain": [0, 1]}
    paths = fact_paths(own.study)
    stages = {(solvers[row.system], row.id, row.fact): row.stage for row in paths.itertuples()}
    for fact, stage in expected.items():
        if stage == "unread" and stages[fact] == "stated":  # another passage may state it, too
            expected[fact] = "stated"
    assert stages == expected and len(paths) == len(expected) > 70
    assert {"stated", "left_out", "not_found"} <= set(expected.values())
    table = own.table("fact_paths")
    assert table is not None
    stages_by_sample: dict[tuple[str, str], list[str]] = {}
    for (system, sample_id, _), stage in expected.items():
        stages_by_sample.setdefault((system, sample_id), []).append(STAGES[stage])  # type: ignore[index]
    for name, label, count, share in table.rows:
        every = [own for (system, _), own in stages_by_sample.items() if system == solvers[name]]
        assert count == sum(own.count(str(label)) for own in every)
        mean = sum(own.count(str(label)) / len(own) for own in every) / len(every)
        assert raw(share) == pytest.approx(mean)


def test_table_of_lost_facts_names_call_that_returns_all_of_them(tmp_path: Path) -> None:
    folder = write(tmp_path, _run({"stated": 3, "not_found": 6}, "arag", varied=True))
    report = make_report(frames(folder))
    table = report.studies[0].table("lost_facts")
    assert table is not None
    assert '`fact_paths(study)` for each study in `studies(frames("LOGS"))`' in table.text
    (study,) = studies(frames(folder))
    paths = fact_paths(study)
    assert paths.equals(fact_paths(report.studies[0].study))
    assert (paths["stage"] == "not_found").sum() > len(table.rows)
