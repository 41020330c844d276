"""Tests of section summaries: gold chunks, how many of them were read, and primary measures."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ModelOutput

from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.benchmarks._shared.filing_items import MDA, RISK_FACTORS
from arag_inspect.benchmarks._shared.silver_references import REFERENCES
from arag_inspect.benchmarks.financebench.filings import Filing, ReadFiling, read_filing
from arag_inspect.benchmarks.financebench.samples import QFS, YOY, annotate
from arag_inspect.benchmarks.financebench.selection import Selection, load
from arag_inspect.corpus import Chunk, Corpus
from arag_inspect.corpus.chunking import chunk_document
from arag_inspect.report import frames, make_report, read_criteria
from arag_inspect.report.comparison.primary import primary_measures
from arag_inspect.tasks import financebench_qfs, section_summary, yoy_change
from arag_inspect.types.trace import RetrievalTrace
from tests.benchmarks.financebench.source import write_source
from tests.conftest import SHARED_DATA
from tests.logs import samples_of, scores_of
from tests.report import material as m
from tests.scripted import run, scripted, speak

OFFLINE = "offline/extractive"
TITLES = {
    "risk_factors": (RISK_FACTORS,),
    "highlights": (MDA, "Results", "Outlook", "Segments"),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Filings of two years in small chunks, so that a section exceeds what a system reads."""
    root = tmp_path_factory.mktemp("filings")
    return prepare_dataset(
        "financebench",
        source=write_source(root / "FinanceBench"),
        options=Options(out=root / "datasets" / "financebench", chunk_tokens=150),
    ).folder


@pytest.fixture(scope="module")
def older_corpus(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder as earlier versions prepared it, with other questions' evidence as gold."""
    folder = Path(shutil.copytree(corpus, tmp_path_factory.mktemp("older") / "financebench"))
    lines = []
    for line in (folder / QFS).read_text().splitlines():
        sample = json.loads(line)
        metadata = sample["metadata"]
        metadata["gold_chunk_ids"] = metadata.pop("partial_chunk_ids")
        lines.append(json.dumps(sample) + "\n")
    (folder / QFS).write_text(text := "".join(lines))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][QFS] = hashlib.sha256(text.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def section_ids(corpus: Path, doc_ids: Sequence[str], titles: Sequence[str]) -> list[int]:
    chunks = Corpus.open(str(corpus)).document_chunks(doc_ids)
    return [chunk.chunk_id for chunk in chunks if chunk.section in titles]


def write_references(corpus: Path, folder: Path, make: Callable[..., Any]) -> Path:
    """Write references with a fact in each of the first two gold chunks, and an absent fact."""
    folder.mkdir()
    lines = []
    for sample in make(corpus=str(corpus)).dataset:
        gold = (sample.metadata or {})["gold_chunk_ids"]
        chunk_groups = [[gold[0]], gold[:2], []]
        facts = [
            {"id": f"f{number}", "text": f"Fact {number}.", "chunk_ids": ids}
            for number, ids in enumerate(chunk_groups)
        ]
        reference = {"id": str(sample.id), "question": "?", "reference": "Fact 0. Fact 1. Fact 2."}
        origin = {"model": OFFLINE, "date": "2026-01-01", "prompt_sha256": "", "chunk_ids": gold}
        lines.append(json.dumps({**reference, **origin, "chunks_sha256": "", "facts": facts}))
    (folder / REFERENCES).write_text("\n".join(lines))
    return folder


def values(sample: EvalSample, scorer: str) -> Any:
    return scores_of(sample)[scorer].value


@pytest.mark.parametrize("folder", ["corpus", "older_corpus"])
def test_section_chunks_are_gold_and_other_evidence_is_partial(
    folder: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path: Path = request.getfixturevalue(folder)
    everything: dict[str, Any] = {"corpus": str(path), "subset": "all"}
    references = write_references(path, tmp_path / "refs", financebench_qfs)
    task = financebench_qfs(
        **everything,
        references=str(references),
        system="naive_rag",
        system_args={"top_k": 3, "scope": "sample_documents"},
        scorers="retrieval_pr,section_retrieval",
    )
    log = run(task, OFFLINE, log_dir=str(tmp_path))
    assert log.status == "success" and log.samples
    questions = {
        sample["id"]: sample["metadata"]
        for sample in map(json.loads, (path / "samples.jsonl").read_text().splitlines())
    }
    shares = []
    for sample in log.samples:
        metadata = sample.metadata
        gold = section_ids(path, metadata["doc_ids"], TITLES[metadata["question_type"]])
        assert metadata["gold_chunk_ids"] == metadata["reference_chunk_ids"] == gold
        other = {
            chunk_id
            for question in questions.values()
            if question["doc_ids"][0] in metadata["doc_ids"]
            for chunk_id in question["gold_chunk_ids"]
        }
        ids_read = {passage.chunk_id for passage in sample.store_as(RetrievalTrace).passages}
        hits = len(ids_read & set(gold))
        retrieved = values(sample, "retrieval_pr")
        assert retrieved["recall"] == pytest.approx(hits / len(gold)) and len(gold) > 3
        assert retrieved["precision"] == pytest.approx(hits / 3)
        located = metadata.get("facts", [])[:2]
        facts_read = [set(fact["chunk_ids"]) <= ids_read for fact in located]
        if located:
            assert values(sample, "section_retrieval")["facts_read"] == fmean(facts_read)
            shares.append(fmean(facts_read))
        partial = values(sample, "section_retrieval")["partial"]
        assert partial == pytest.approx(len(ids_read & other) / len(other))
    assert len(log.samples) == 4 and max(shares) > 0


@pytest.mark.parametrize("make", [financebench_qfs, section_summary, yoy_change])
def test_no_grader_set_of_filing_tasks_has_section_retrieval(make: Any, corpus: Path) -> None:
    scorers = make(corpus=str(corpus), scorers="no_grader").scorer
    assert "section_retrieval" in {one.__qualname__.split(".")[0] for one in scorers}


def test_section_retrieval_scores_only_partial_evidence_without_references(
    corpus: Path, tmp_path: Path
) -> None:
    task = financebench_qfs(
        corpus=str(corpus), subset="all", system="naive_rag", scorers="section_retrieval"
    )
    log = run(task, OFFLINE, log_dir=str(tmp_path / "qfs"))
    sections = section_summary(corpus=str(corpus), system="naive_rag", scorers="section_retrieval")
    bare = run(sections, OFFLINE, limit=1, log_dir=str(tmp_path / "sections"))
    for sample in samples_of(log):
        assert values(sample, "section_retrieval")["partial"] >= 0
        score = scores_of(sample)["section_retrieval"]
        assert (score.metadata or {})["unscored"] == {"facts_read": "no_reference"}
    (sample,) = samples_of(bare)
    assert scores_of(sample)["section_retrieval"].reason == "no_reference"
    scores = frames(tmp_path / "qfs").scores.set_index("measure")
    assert set(scores.loc["section_retrieval.facts_read", "reason"]) == {"no_reference"}


def _chunks(sections: Mapping[int, Sequence[str]]) -> dict[str, list[Chunk]]:
    numbers = iter(range(100))
    return {
        f"ACME_{year}": [
            Chunk(next(numbers), f"ACME_{year}", "Acme", str(year), title, "[P]", "Text.", 1, ())
            for title in titles
        ]
        for year, titles in sections.items()
    }


@pytest.mark.parametrize(
    ("later", "gold"), [((RISK_FACTORS, MDA), [0, 3]), ((RISK_FACTORS,), []), ((), [])]
)
def test_yoy_gold_is_empty_when_discussion_section_is_missing(
    later: tuple[str, ...], gold: list[int]
) -> None:
    chunks = _chunks({2021: (MDA, RISK_FACTORS), 2022: later})
    filings = [Filing(name, "Acme", "10K", int(name[-4:]), name, Path()) for name in chunks]
    readings = [ReadFiling(filing) for filing in filings]
    annotation = annotate(Selection(tuple(filings), ()), readings, chunks, "financebench", "f")
    (sample,) = map(json.loads, annotation.files[YOY].splitlines())
    assert sample["metadata"]["gold_chunk_ids"] == gold


def test_gold_of_real_filing_is_chunks_of_named_sections() -> None:
    root, name = SHARED_DATA / "financebench", "AMCOR_2023_10K"
    if not (root / "pdfs" / f"{name}.pdf").is_file():
        pytest.skip("no copy of FinanceBench beside the repository")
    material = load(source=root, docs=[name])
    readings = [read_filing(filing) for filing in material.filings]
    assert readings[0].document is not None
    chunks = chunk_document(
        readings[0].document,
        first_id=0,
        chunk_tokens=700,
        count_tokens=lambda texts: [len(text.split()) for text in texts],
    )
    annotation = annotate(material, readings, {name: chunks}, "financebench", "f")
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    answers = [
        json.loads(line)["metadata"] for line in annotation.files["samples.jsonl"].splitlines()
    ]
    evidence = {chunk_id for about in answers for chunk_id in about["gold_chunk_ids"]}
    samples = [json.loads(line)["metadata"] for line in annotation.files[QFS].splitlines()]
    assert [sample["question_type"] for sample in samples] == ["risk_factors", "highlights"]
    for sample in samples:
        titles = {by_id[chunk_id].section for chunk_id in sample["gold_chunk_ids"]}
        assert titles and titles <= set(TITLES[sample["question_type"]])
        assert set(sample["partial_chunk_ids"]) == evidence and evidence


def model_with_window(most: int) -> Callable[..., ModelOutput]:
    """Return a model whose context window holds this many passages."""

    def reply(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        output = speak("Sales rose.", 1)
        if messages[-1].text.count("<passage") > most:
            output.choices[0].stop_reason = "model_length"
        return output

    return reply


@pytest.mark.parametrize("most", [1000, 7, 2])
def test_oracle_gets_leading_chunks_of_each_document_that_fit_window(
    most: int, corpus: Path, tmp_path: Path
) -> None:
    task = yoy_change(corpus=str(corpus), system="oracle", scorers="retrieval_pr")
    log = run(task, scripted(model_with_window(most)), log_dir=str(tmp_path))
    (sample,) = samples_of(log)
    gold = sample.metadata["gold_chunk_ids"]
    trace = sample.store_as(RetrievalTrace)
    read_ids = [passage.chunk_id for passage in trace.passages]
    assert (trace.skipped, trace.stopped_by, trace.loops) == (None, "answer", 1)
    assert sample.output.completion == "Sales rose." and len(sample.messages) == 3
    assert 0.5 * min(most, len(gold)) < len(read_ids) <= most
    opened = Corpus.open(str(corpus))
    for name in sample.metadata["doc_ids"]:
        of_document = [chunk_id for chunk_id in gold if opened.chunk(chunk_id).doc_id == name]
        shown = [chunk_id for chunk_id in read_ids if chunk_id in of_document]
        assert shown == of_document[: len(shown)] and len(shown) >= len(read_ids) // 2
    notices = [notice.text for notice in make_report(frames(tmp_path)).notices]
    warnings = [text for text in notices if "did not fit" in text]
    left_out = len(gold) - len(read_ids)
    assert bool(warnings) == (most < len(gold)) == bool(left_out)
    if warnings:
        assert warnings[0].startswith(
            f"{left_out} of {len(gold)} pieces of gold evidence did not fit"
        )
        assert "in 1 of 1 answer of Oracle" in warnings[0]


def test_oracle_skips_sample_when_no_chunk_fits_window(corpus: Path, tmp_path: Path) -> None:
    task = yoy_change(corpus=str(corpus), system="oracle", scorers="retrieval_pr")
    (sample,) = samples_of(run(task, scripted(model_with_window(0)), log_dir=str(tmp_path)))
    assert sample.store_as(RetrievalTrace).skipped == "the prompt is over the model's window"


def _run(system: str, style: str, found: float) -> EvalLog:
    """Return a log of eight summaries, with the first of two gold chunks read."""

    def scores(number: int) -> dict[str, Any]:
        grade = m.judged(3 + number % 2 + found)
        if system == "stuffing":
            return {"geval_coverage": grade}
        recall = 1.0 if number == 0 else found
        retrieved = {"recall": recall, "precision": found, "search_recall": 1.0}
        facts = {"facts_read": found, "partial": 0.0}
        return {
            "geval_coverage": grade,
            "retrieval_pr": m.scored(retrieved),
            "section_retrieval": m.scored(facts),
        }

    effort = {} if system == "stuffing" else {"passages": [m.passage(1)]}
    return m.run_of(system, scores, company="C{}", effort=effort, style=style)


@pytest.mark.parametrize("style", ["section", "earnings_call"])
def test_recall_is_not_a_criterion_when_gold_is_sections(style: str, tmp_path: Path) -> None:
    logs = [_run("arag", style, 0.5), _run("naive_rag", style, 0.25), _run("stuffing", style, 0.0)]
    report = m.report_of(tmp_path, *logs, criteria=read_criteria())
    primary = set(primary_measures(report.study)) - {"geval_coverage"}
    criteria = [row["criterion"] for row in m.rows_of(report, "criteria")]
    leaderboard = m.table_of(report, "leaderboard").columns
    words = f"{report.headline} {report.key_finding}"
    by_recall = style == "earnings_call"
    sections = {"retrieval_pr.precision", "section_retrieval.facts_read"}
    assert primary == ({"retrieval_pr.recall"} if by_recall else sections)
    assert ("A-RAG's recall is above naive RAG's" in criteria) == by_recall
    assert "A-RAG's coverage is above naive RAG's" in criteria
    assert ("Recall" in leaderboard) == by_recall
    assert ("of the evidence" in words) == by_recall
    assert ("reads 50 % of the reference's facts" in words) == (not by_recall)
    row = m.rows_of(report, "retrieval")[0]
    # one of two chunks was read, so 0.5; the first sample reached 1
    assert row["recall"].mean == row["recall ceiling"] == pytest.approx((1 + 7 * 0.5) / 8)
    second = m.rows_of(report, "retrieval")[1]
    assert second["recall"].mean == pytest.approx((1 + 7 * 0.25) / 8)
    assert second["recall ceiling"] == pytest.approx((1 + 7 * 0.5) / 8)
