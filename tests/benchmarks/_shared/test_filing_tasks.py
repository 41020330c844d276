"""End-to-end tests of the filing tasks, from PDFs and questions to scored logs (offline model)."""

import csv
import hashlib
import json
import math
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

from arag_inspect._util.errors import InputError
from arag_inspect.benchmark.build import build_task
from arag_inspect.benchmarks import Options, Prepared, prepare_dataset
from arag_inspect.benchmarks._shared.filing_items import MDA, RISK_FACTORS
from arag_inspect.benchmarks._shared.silver_references import REFERENCES
from arag_inspect.benchmarks._shared.spot_check import SPOT_CHECK
from arag_inspect.benchmarks.financebench.filings import Filing, ReadFiling
from arag_inspect.benchmarks.financebench.samples import QFS, annotate
from arag_inspect.benchmarks.financebench.selection import Selection
from arag_inspect.corpus import Chunk, Corpus
from arag_inspect.run.annotate import references as references_workflow
from arag_inspect.run.annotate.references import make_references
from arag_inspect.solvers import reference
from arag_inspect.tasks import (
    financebench,
    financebench_qfs,
    section_summary,
    yoy_change,
)
from arag_inspect.types.trace import RetrievalTrace
from tests.benchmarks.financebench.source import write_source
from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, Script, recorded, run, scripted, speak
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

Logs = Mapping[tuple[str, str], EvalLog]
OFFLINE = "offline/extractive"
COMPARISON = (
    "Net sales grew, while operating income rose. Tools net sales fell. Paints net sales fell."
)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    root = tmp_path_factory.mktemp("filings")
    return prepare_dataset(
        "financebench",
        source=write_source(root / "FinanceBench"),
        options=Options(out=root / "datasets" / "financebench", chunk_tokens=300),
    )


@pytest.fixture(scope="module")
def logs(prepared: Prepared) -> Logs:
    corpus = str(prepared.folder)
    longest = Corpus.open(corpus).document_chunks(["ACME_2021_10K"])
    most = {"max_tokens": sum(chunk.tokens for chunk in longest)}
    judged = "geval_faithfulness,geval_coverage,factual_consistency,rouge"
    own = {"scope": "sample_documents", "top_k": 2}
    rag: dict[str, Any] = {"corpus": corpus, "system": "naive_rag", "scorers": "no_grader"}
    tasks = {
        ("financebench", "arag"): financebench(corpus=corpus),
        ("financebench", "naive_rag"): financebench(**rag, system_args=own),
        ("qfs", "stuffing"): financebench_qfs(
            corpus=corpus, subset="all", system="stuffing", system_args=most, scorers=judged
        ),
        ("section", "naive_rag"): section_summary(
            **rag, section="Risk Factors", system_args={"top_k": 2}
        ),
    }
    weak = scripted(Script(recorded("filings_agent_without_search")))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(prepared.folder.parents[1])
        found = {
            name: run(task, OFFLINE, model_roles={"grader": STEADY}) for name, task in tasks.items()
        }
        found["yoy", "naive_rag"] = run(
            yoy_change(**rag, system_args={"top_k": 6}), scripted(Script(COMPARISON))
        )
        found["yoy", "weak"] = run(yoy_change(corpus=corpus), weak, model_roles={"grader": STEADY})
    return found


@pytest.fixture(scope="module")
def references(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepare unreviewed references for all four samples."""
    root = tmp_path_factory.mktemp("references")
    make_references(
        OFFLINE,
        subset="all",
        corpus=str(prepared.folder),
        out=root / "refs",
        log_dir=str(root / "logs"),
    )
    return root / "refs"


@pytest.fixture
def copied(references: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(references, tmp_path / "refs"))


def prepare_refs(
    corpus: Path, out: Path, *options: str, model: str = OFFLINE, code: int = 0
) -> str:
    """Run `arag-inspect prepare references`, with logs beside the folder of references."""
    where = ("--corpus", corpus, "-o", out, "--log-dir", out.parent / "logs")
    line = f"prepare references financebench_qfs --subset all --model {model}"
    return call(line, *where, *options, code=code).output


def mark(folder: Path, name: str, verdict: str, note: str = "") -> None:
    (folder / SPOT_CHECK).write_text(f"id,mark,note\n{name},{verdict},{note}\n")


def marked(folder: Path) -> dict[str, tuple[str, str]]:
    with (folder / SPOT_CHECK).open(newline="") as file:
        return {row["id"]: (row["mark"], row["note"]) for row in csv.DictReader(file)}


def written_for(folder: Path) -> list[str]:
    lines = (folder / REFERENCES).read_text().splitlines()
    return [json.loads(line)["id"] for line in lines]


def reason(log: EvalLog, sample_id: str, scorer: str) -> str | None:
    """Return why a sample was left unscored; None if it was scored."""
    return score(log, sample_id, scorer).reason


def score(log: EvalLog, sample_id: str, scorer: str) -> Score:
    (sample,) = (one for one in samples_of(log) if one.id == sample_id)
    return scores_of(sample)[scorer]


def test_prepare_financebench_counts_contents_and_reports_skipped_files(prepared: Prepared) -> None:
    counts = prepared.manifest.counts
    assert {name: counts[name] for name in counts if name not in ("chunks", "sentences")} == {
        "documents": 4, "questions": 4, "questions_left_out": 2, "evidence": 4, "aligned_exact": 3,
        "aligned_fuzzy": 0,
        "aligned_elsewhere": 0, "unaligned": 1, "query_focused": 4, "section_summaries": 4,
        "years_compared": 1,
        "documents_without_sections": 0, "documents_skipped": 3, "documents_missing": 1,
    }  # fmt: skip
    assert {file.name: file.reason for file in prepared.skipped} == {
        "LOCKED_2022_10K": "is encrypted and needs a password",
        "EMPTY_2022_10K": "is empty (0 bytes)",
        "SCAN_2022_10K": "has no text layer (a scan?); run it through text recognition first",
    }


def test_chunks_record_section_and_pages(prepared: Prepared) -> None:
    corpus = Corpus.open(prepared.folder)
    chunks = corpus.document_chunks(["ACME_2022_10K"])
    pages = {chunk.section: (chunk.first_page, chunk.last_page) for chunk in chunks}
    assert pages["Risk Factors"] == (3, 3) and pages["Signatures and Exhibits"] == (6, 6)
    (balance,) = (chunk for chunk in chunks if chunk.section == "Financial Statements")
    assert balance.prefix == "[COMPANY: Acme | FILING: 10K_2022 | SECTION: Financial Statements]"
    assert "(Millions) 2022 2021\nCash and cash equivalents $ 85 $ 90\n" in balance.text
    gold = json.loads((prepared.folder / "gold_chunk_map.json").read_text())
    assert gold["financebench_id_00001"] == [balance.chunk_id]
    report = json.loads((prepared.folder / "documents.json").read_text())
    assert report["ACME_2022_10K"]["pages"] == 7 and report["ACME_2022_10K"]["lacks"] == []
    assert report["ABSENT_2022_10K"] == {"problem": "not available"}


def test_financebench_answers_are_matched_judged_and_grouped(logs: Logs) -> None:
    log = logs["financebench", "arag"]
    assert log.status == "success" and log.results is not None
    targets = {str(one.id): one.target for one in samples_of(log)}
    assert targets["financebench_id_00001"] == "85"  # a number in the source
    found = logs["financebench", "naive_rag"]
    assert score(found, "financebench_id_00003", "contain_match").value == 1
    value: Any = score(found, "financebench_id_00003", "retrieval_pr").value
    assert value["recall"] == 1
    matched = next(one for one in log.results.scores if one.name == "contain_match")
    groups = {name: each.group for name, each in matched.metrics.items()}
    types = {"metrics-generated", "novel-generated", "Information extraction", "not stated"}
    assert {name for name, group in groups.items() if group in ("type", "reason")} == types
    correct = next(one for one in log.results.scores if one.name == "correct")
    assert any("metrics-generated" in name for name in correct.metrics)


def test_financebench_search_is_limited_to_document_of_question(logs: Logs) -> None:
    for sample in samples_of(logs["financebench", "naive_rag"]):
        trace = sample.store_as(RetrievalTrace)
        assert {one.doc_id for one in trace.passages} == set(sample.metadata["doc_ids"])
        assert 0 < len(trace.passages) <= 2


def test_stuffing_skips_document_over_token_limit(logs: Logs) -> None:
    samples = {str(one.id): one for one in samples_of(logs["qfs", "stuffing"])}
    kinds = ("risk_factors", "highlights")
    assert set(samples) == {f"acme_{year}_{kind}" for year in (2021, 2022) for kind in kinds}
    skipped = samples["acme_2022_highlights"].store_as(RetrievalTrace).skipped
    assert skipped is not None and ") are over the limit of" in skipped
    assert reason(logs["qfs", "stuffing"], "acme_2022_highlights", "rouge") == "skipped"


def test_only_reference_free_scorers_score_without_references(logs: Logs) -> None:
    log = logs["qfs", "stuffing"]
    for name in ("rouge", "geval_coverage"):
        assert reason(log, "acme_2021_highlights", name) == "no_reference"
    for name in ("geval_faithfulness", "factual_consistency"):
        assert reason(log, "acme_2021_highlights", name) is None


def test_section_summary_has_sample_for_each_named_section(logs: Logs) -> None:
    log = logs["section", "naive_rag"]
    assert {str(one.id) for one in samples_of(log)} == {
        "ACME_2021_10K_risk_factors",
        "ACME_2022_10K_risk_factors",
    }
    value: Any = score(log, "ACME_2021_10K_risk_factors", "retrieval_pr").value
    assert 0 < value["recall"] <= 1


def test_section_coverage_lists_sections_drawn_on(logs: Logs) -> None:
    found = score(logs["section", "naive_rag"], "ACME_2021_10K_risk_factors", "section_coverage")
    sections: Any = (found.metadata or {})["sections"]
    drawn = [one["section"] for one in sections if one["sentences"]]
    untouched = [one["section"] for one in sections if not one["sentences"] and not one["read"]]
    assert drawn == ["Risk Factors"] and "Management's Discussion and Analysis" in untouched
    assert found.value == pytest.approx(1 / len(sections))
    years = score(logs["yoy", "naive_rag"], "acme_2021_2022", "section_coverage").metadata or {}
    assert {one["doc_id"] for one in years["sections"]} == {"ACME_2021_10K", "ACME_2022_10K"}


def test_yoy_change_retrieves_documents_of_both_years(logs: Logs) -> None:
    log = logs["yoy", "naive_rag"]
    (sample,) = samples_of(log)
    assert sample.id == "acme_2021_2022"
    value: Any = score(log, "acme_2021_2022", "retrieval_pr").value
    assert value["documents"] == 1


def test_yoy_change_scores_zero_retrieval_when_agent_reads_nothing(logs: Logs) -> None:
    log = logs["yoy", "weak"]
    value: Any = score(log, "acme_2021_2022", "retrieval_pr").value
    assert value["recall"] == value["precision"] == value["documents"] == 0
    reasons = {
        name: one.reason
        for sample in samples_of(log)
        for name, one in scores_of(sample).items()
        if one.reason
    }
    assert reasons == {
        "geval_faithfulness": "no_passages", "geval_coverage": "no_reference",
        "error_taxonomy": "no_grades",
        "factual_consistency": "no_passages", "fact_coverage": "no_facts", "rouge": "no_reference",
        "section_retrieval": "no_reference",
    }  # fmt: skip


def test_every_filing_score_is_a_number_or_has_a_reason(logs: Logs) -> None:
    for log in logs.values():
        assert log.status == "success"
        for sample in samples_of(log):
            assert sample.error is None
            for name, one in scores_of(sample).items():
                values = one.value.values() if isinstance(one.value, dict) else [one.value]
                bad = any(isinstance(v, float) and math.isnan(v) for v in values)
                allowed = name in ("factual_consistency", "section_retrieval", "efficiency")
                if name == "retrieval_pr":  # the gold chunks are unknown, but the document is known
                    allowed = not math.isnan(float(one.as_dict()["documents"] or 0))
                assert one.reason is not None or not bad or allowed, (name, one)


def test_references_are_written_kept_and_dropped_when_rejected(
    prepared: Prepared, logs: Logs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = str(prepared.folder)
    options: Any = {
        "corpus": corpus,
        "subset": "all",
        "out": tmp_path / "refs",
        "log_dir": str(tmp_path / "logs"),
    }
    capsys.readouterr()
    first = make_references("offline/extractive", limit=2, **options)
    printed = capsys.readouterr()
    assert printed.out == "" and "References written: 2 of 2\n" in printed.err
    assert (first.new, first.kept, first.failed) == (2, 0, {})
    second = make_references("offline/extractive", **options)
    assert (second.new, second.kept) == (2, 2)
    lines = [json.loads(line) for line in (tmp_path / "refs" / REFERENCES).read_text().splitlines()]
    sections = {Corpus.open(corpus).chunk(i).section for i in lines[0]["chunk_ids"]}
    assert lines[0]["id"] == "acme_2021_risk_factors" and sections == {"Risk Factors"}
    assert lines[0]["model"] == "offline/extractive" and len(lines[0]["prompt_sha256"]) == 64
    check = tmp_path / "refs" / SPOT_CHECK
    rows = list(csv.DictReader(check.open()))
    assert len(rows) == 1 and rows[0]["mark"] == ""
    check.write_text(
        check.read_text().rstrip().removesuffix(",,").removesuffix(",") + ",Reject,wrong year\n"
    )
    dataset = financebench_qfs(
        corpus=corpus, subset="all", references=str(tmp_path / "refs")
    ).dataset
    rejected = [str(one.id) for one in dataset if not one.target]
    assert rejected == [rows[0]["id"]] and len(dataset) == 4
    assert [one.id for one in dataset if not (one.metadata or {}).get("facts")] == rejected


def test_reference_facts_are_located_in_cited_chunks(
    prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cite(messages: Any, *_: Any) -> ModelOutput:
        passages = r'chunk_id="(\d+)"[^>]*>\n(.*?)</passage>'
        chunk_id, text = re.findall(passages, messages[-1].text, re.DOTALL)[0]
        sentence = next(line for line in text.splitlines() if line.endswith("before."))
        return speak(f"{sentence} [{chunk_id}]\nNobody knows what follows [{chunk_id}].", 1)

    def run_scripted(task: Any, model: str, about: str, **options: Any) -> EvalLog:
        quiet = options.pop("progress"), options.pop("display")
        assert quiet[1] == "none"
        return run(task, scripted(cite), **options)

    monkeypatch.setattr(references_workflow, "run_task", run_scripted)
    result = make_references(
        "mockllm/model",
        corpus=str(prepared.folder),
        out=tmp_path / "refs",
        log_dir=str(tmp_path),
    )
    assert result.new == 2 and result.located == result.sentences - 2
    task = financebench_qfs(corpus=str(prepared.folder), references=str(tmp_path / "refs"))
    for sample in task.dataset:
        metadata = sample.metadata or {}
        assert "[" not in sample.target
        *_, cited, last = metadata["facts"]
        assert list(cited["chunk_ids"]) == metadata["reference_chunk_ids"][:1]
        assert last == {"id": last["id"], "text": "Nobody knows what follows."}


ID = "acme_2021_highlights"


@pytest.mark.parametrize(
    ("table", "message"),
    TABLES["unreadable marks"],
    ids=lambda value: value.split(":")[-1].strip()[:30] if value[:2] != "id" else "table",
)
def test_unreadable_spot_check_is_rejected_before_model_is_called(
    prepared: Prepared, copied: Path, table: str, message: str
) -> None:
    (copied / SPOT_CHECK).write_bytes(table.encode("latin-1"))
    before = (copied / REFERENCES).read_bytes()
    printed = prepare_refs(prepared.folder, copied, "--overwrite", code=1)
    assert f"Error: {copied / SPOT_CHECK}" in printed and message in printed
    assert not (copied.parent / "logs").exists() and (copied / REFERENCES).read_bytes() == before
    with pytest.raises(InputError, match="spot_check.csv"):
        financebench_qfs(corpus=str(prepared.folder), references=str(copied))


def test_unwritable_output_folder_is_rejected_before_model_is_called(
    prepared: Prepared, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    logs = tmp_path / "logs"
    refs = tmp_path / "file" / "refs"
    printed = prepare_refs(prepared.folder, refs, "--log-dir", str(logs), code=1)
    assert "file/refs cannot be written to (Not a directory)" in printed and not logs.exists()


@pytest.mark.parametrize(
    "table",
    [
        f"id,mark\n {ID} , Reject \n",
        f"id;question;mark\n{ID};what, now?;reject\n",
        f"\ufeffid, mark\r\n,\r\n\r\n{ID},reject,,\r\n",
        f"id,mark,note\n{ID},reject,{'y' * 200_000}\n",
    ],
    ids=["spaces", "semicolons", "empty rows and cells", "long cell"],
)
def test_reject_mark_is_read_from_any_csv_dialect(
    prepared: Prepared, copied: Path, table: str
) -> None:
    (copied / SPOT_CHECK).write_text(table, encoding="utf-8")
    task = financebench_qfs(corpus=str(prepared.folder), subset="all", references=str(copied))
    assert [one.id for one in task.dataset if not one.target] == [ID]


def test_rejected_reference_is_counted_and_sample_is_unscored_with_reason(
    prepared: Prepared, copied: Path
) -> None:
    mark(copied, ID, "reject")
    printed = prepare_refs(prepared.folder, copied)
    assert re.search(r"\d+ of \d+ sentences located in their passages \(\d+%\)", printed)
    assert "0 references written, 4 kept (1 rejected), 0 failed" in printed
    names = ("rouge", "geval_coverage", "embedding_coverage", "nli_contradiction", "bertscore")
    corpus, refs = str(prepared.folder), str(copied)
    task = financebench_qfs(corpus=corpus, subset="all", references=refs, scorers=",".join(names))
    log = run(task, OFFLINE, sample_id=ID, log_dir=str(copied.parent / "logs"))
    assert {reason(log, ID, name) for name in names} == {"rejected_reference"}


def test_references_and_marks_are_kept_for_samples_missing_from_corpus(
    prepared: Prepared, copied: Path, tmp_path: Path
) -> None:
    before = written_for(copied)
    mark(copied, ID, "reject", "wrong year")
    small = prepare_dataset(
        "financebench",
        source=write_source(tmp_path / "F"),
        docs="ACME_2022_10K",
        options=Options(out=tmp_path / "small", chunk_tokens=300),
    )
    printed = prepare_refs(small.folder, copied)
    assert "2 references written, 0 kept, 0 failed" in printed
    assert sorted(written_for(copied)) == sorted(before)
    assert marked(copied)[ID] == ("reject", "wrong year")


def test_overwrite_keeps_mark_only_for_unchanged_reference(
    prepared: Prepared, copied: Path
) -> None:
    lines = [json.loads(line) for line in (copied / REFERENCES).read_text().splitlines()]
    lines[0]["reference"] = "Something else."
    (copied / REFERENCES).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    changed, same, noted = (line["id"] for line in lines[:3])
    rows = f"{changed},x,accept,\n{same},retyped,reject,wrong\n{noted},x,,look again\n"
    (copied / SPOT_CHECK).write_text(f"id,reference,mark,note\n{rows}")
    assert "4 references written" in prepare_refs(prepared.folder, copied, "--overwrite")
    kept = marked(copied)
    assert kept.get(changed, ("", "")) == ("", "")
    assert (kept[same], kept[noted]) == (("reject", "wrong"), ("", "look again"))


def test_prepare_references_fails_when_every_sample_fails(
    prepared: Prepared, tmp_path: Path
) -> None:
    printed = prepare_refs(prepared.folder, tmp_path / "refs", model="none/x", code=1)
    assert "0 references written, 0 kept, 4 failed" in printed
    assert "Error: no reference was written: every sample failed; see" in printed
    assert "To check:" not in printed
    assert not (tmp_path / "refs" / REFERENCES).exists()


def test_financebench_qfs_defaults_to_one_fiscal_year_per_company(prepared: Prepared) -> None:
    corpus = str(prepared.folder)
    seed = [sample.id for sample in financebench_qfs(corpus=corpus).dataset]
    assert seed == ["acme_2022_risk_factors", "acme_2022_highlights"]
    assert len(financebench_qfs(corpus=corpus, subset="all").dataset) == 4
    with pytest.raises(InputError, match="subset 'none' is unknown; choose from seed, all"):
        financebench_qfs(corpus=corpus, subset="none")


@pytest.mark.parametrize(
    ("make", "section"),
    [(section_summary, "Risk Factors"), (yoy_change, MDA)],
    ids=["section", "yoy"],
)
def test_section_and_yoy_references_are_kept_and_scored(
    prepared: Prepared, tmp_path: Path, make: Any, section: str
) -> None:
    name, corpus = make.__name__, str(prepared.folder)
    out = prepared.folder.with_name(f"{prepared.folder.name}-references") / name
    line = f"prepare references {name} --model {OFFLINE} --corpus {corpus} --log-dir {tmp_path}"
    first, again = (call(line) for _ in range(2))
    number = len(make(corpus=corpus).dataset)
    assert f"{number} references written, 0 kept, 0 failed" in first.output
    assert f"0 references written, {number} kept" in again.output
    assert len(marked(out)) == 1  # a tenth, for human review
    rows = [json.loads(row) for row in (out / REFERENCES).read_text().splitlines()]
    gold_chunks = [Corpus.open(corpus).chunk(i) for row in rows for i in row["chunk_ids"]]
    assert section in {chunk.section for chunk in gold_chunks}
    task = make(corpus=corpus, system="naive_rag", scorers="rouge,embedding_coverage,bertscore")
    log = run(task, OFFLINE, limit=1, log_dir=str(tmp_path))
    [sample] = samples_of(log)
    assert sample.metadata["reference"]["model"] == OFFLINE and sample.target
    assert {reason(log, str(sample.id), name) for name in scores_of(sample)} == {None}
    shutil.rmtree(out)


def test_reference_solver_skips_sample_without_sections(prepared: Prepared, tmp_path: Path) -> None:
    dataset = yoy_change(corpus=str(prepared.folder)).dataset
    task = build_task(dataset, reference(), [])
    for sample in task.dataset:
        sample.metadata = {**(sample.metadata or {}), "gold_chunk_ids": []}
    script = Script("Never asked.")
    [skipped] = samples_of(run(task, scripted(script), log_dir=str(tmp_path)))
    assert "no section to write it from" in str(skipped.store_as(RetrievalTrace).skipped)
    assert script.asked == []


def test_filing_tasks_reject_corpus_without_needed_sections_or_years(tmp_path: Path) -> None:
    source = write_source(tmp_path / "F", ["ACME_2022_8K_dated-2022-05-20"])
    small = prepare_dataset("financebench", source=source, options=Options(out=tmp_path / "c"))
    with pytest.raises(InputError, match="no company has annual filings of two consecutive years"):
        yoy_change(corpus=str(small.folder))
    with pytest.raises(InputError, match="no section of its documents is long enough"):
        section_summary(corpus=str(small.folder))


def test_filing_tasks_reject_unknown_parameter_values(prepared: Prepared) -> None:
    corpus = str(prepared.folder)
    with pytest.raises(
        InputError, match="section 'Weather' is unknown; choose from .*Risk Factors"
    ):
        section_summary(corpus=corpus, section="Weather")
    with pytest.raises(
        InputError, match="scope 'world' is unknown; choose from corpus, sample_documents"
    ):
        financebench(corpus=corpus, system_args={"scope": "world"})
    with pytest.raises(InputError, match="has no references"):
        financebench_qfs(corpus=corpus, references="nowhere")
    for value in (5, 0, ["refs"]):
        with pytest.raises(InputError, match="references must be the path of a folder, got"):
            financebench_qfs(corpus=corpus, references=value)


COMPANIES, YEARS = [f"Company {n}" for n in range(40)], (2020, 2021, 2022)


@pytest.fixture(scope="module")
def forty_companies(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A prepared folder of summaries for 40 companies and three years, built without reading texts.

    The last report of Company 0 has no risk factors.
    """
    chunks = {
        (company, year): [
            Chunk(0, f"{company}_{year}", company, str(year), section, "[P]", "Text.", 1, ())
            for section in (RISK_FACTORS, MDA)
            if (company, year, section) != ("Company 0", 2022, RISK_FACTORS)
        ]
        for company in COMPANIES
        for year in YEARS
    }
    readings = [
        ReadFiling(Filing(f"{company}_{year}", company, "10K", year, f"10K_{year}", Path()))
        for company, year in chunks
    ]
    held = {f"{company}_{year}": found for (company, year), found in chunks.items()}
    annotated = annotate(
        Selection(tuple(one.filing for one in readings), ()), readings, held, "financebench", "f"
    )
    folder = tmp_path_factory.mktemp("forty") / "corpus"
    shutil.copytree(prepared.folder, folder)
    (folder / QFS).write_text(text := annotated.files[QFS], encoding="utf-8", newline="\n")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][QFS] = hashlib.sha256(text.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(folder)


def test_seed_subset_has_two_questions_per_company(
    forty_companies: str,
) -> None:
    """From its last year, or from the year before if the last has only one question."""
    seed = {str(sample.id) for sample in financebench_qfs(corpus=forty_companies).dataset}
    assert len(seed) == 80
    assert seed == {
        f"company_{n}_{2022 if n else 2021}_{kind}"
        for n in range(40)
        for kind in ("risk_factors", "highlights")
    }
    assert len(financebench_qfs(corpus=forty_companies, subset="all").dataset) == 40 * 3 * 2 - 1
