"""Tests of loading FinanceBench from a local copy and over HTTP, intact and damaged."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks.financebench import selection as financebench
from arag_inspect.benchmarks.financebench.filings import read_filing
from arag_inspect.benchmarks.financebench.selection import Selection, load
from tests.benchmarks.financebench.source import write_source
from tests.commands import call
from tests.conftest import SHARED_DATA
from tests.pdfs import draw_over
from tests.serving import Request, Response, serving

QUESTIONS, DOCUMENTS = financebench.QUESTIONS, financebench.DOCUMENTS


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_source(tmp_path / "FinanceBench")


def names(material: Selection) -> list[str]:
    return [filing.doc_id for filing in material.filings]


@pytest.mark.parametrize("docs", ["", " , "])
def test_docs_option_without_names_is_rejected(source: Path, docs: str) -> None:
    printed = call("prepare financebench --source", source, "--docs", docs, code=1).output
    assert "--docs names no document" in printed


def test_load_selects_documents_by_limit_name_and_choice(source: Path) -> None:
    every = load(source=source)
    assert len(every.filings) == 7 and every.missing == ("ABSENT_2022_10K",)
    assert (len(every.questions), every.left_out) == (5, 1)
    assert names(load(source=source, limit=2)) == ["ACME_2022_10K", "ACME_2021_10K"]
    dataset = load(source=source, docs=["ACME_2022_8K_dated-2022-05-20"])
    assert names(dataset) == ["ACME_2022_8K_dated-2022-05-20"] and len(dataset.questions) == 1
    assert names(load(source=source, open_only=True)) == [
        "ACME_2022_10K", "ACME_2021_10K", "ACME_2022_8K_dated-2022-05-20", "ACME_2022Q4_EARNINGS",
        "LOCKED_2022_10K",
    ]  # fmt: skip
    assert every.source.inputs["pdfs/Acme_2021_10K.pdf"] and every.source.commit is None


def _edit(root: Path, name: str, change: Callable[[dict], None], line: int = 0) -> None:  # type: ignore[type-arg]
    path = root / name
    records = [json.loads(text) for text in path.read_text().splitlines()]
    change(records[line])
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda root: (root / QUESTIONS).unlink(),
         "financebench_open_source.jsonl is missing; --source is the root"),
        (lambda root: _edit(root, QUESTIONS, lambda r: r.pop("question")),
         "row 1: question: Field required"),
        (lambda root: _edit(root, QUESTIONS,
                            lambda r: r.update(financebench_id="financebench_id_00001"), 1),
         "row 2: id 'financebench_id_00001' occurs twice"),
        (lambda root: _edit(root, QUESTIONS, lambda r: r["evidence"][0].pop("evidence_page_num")),
         "row 1: evidence.0.evidence_page_num: Field required"),
        (lambda root: _edit(root, DOCUMENTS, lambda r: r.update(doc_type="comic")),
         "row 1: doc_type: Input should be '10K', '10Q', '8K' or 'EARNINGS'"),
        (lambda root: (root / DOCUMENTS).write_text("{\n"), "is damaged after row 0"),
        (lambda root: [path.unlink() for path in (root / "pdfs").iterdir()],
         "none of the 6 PDFs is in"),
    ],
)  # fmt: skip
def test_load_rejects_damaged_source(
    source: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(source)
    with pytest.raises(InputError, match=message):
        load(source=source)


@pytest.mark.parametrize("form", ["10k405", "10K/A", "20f", "40F", "10k_annualreport"])
def test_other_annual_report_forms_are_read_as_10k(source: Path, form: str) -> None:
    _edit(source, DOCUMENTS, lambda record: record.update(doc_type=form), 1)
    assert {filing.kind for filing in load(source=source).filings} >= {"10K"}


def test_load_rejects_unknown_names_and_reports_missing_documents(source: Path) -> None:
    with pytest.raises(InputError, match="document 'NOBODY_1999_10K' is unknown; names are like"):
        load(source=source, docs=["NOBODY_1999_10K"])
    with pytest.raises(InputError, match="source folder .* does not exist"):
        load(source=source / "nowhere")
    _edit(source, QUESTIONS, lambda record: record.update(doc_name="UNHEARD_2022_10K"))
    material = load(source=source)  # a question about an unknown document is skipped and counted
    assert material.left_out == 2 and "UNHEARD_2022_10K" in material.missing


def serve(source: Path, addresses: list[str]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        addresses.append(request.path.removeprefix("/"))
        path = source / addresses[-1]
        return Response(200, path.read_bytes()) if path.is_file() else Response(404)

    return answer


def test_download_reports_missing_pdf_and_tries_other_spelling(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(financebench, "DIGESTS", {})
    _edit(source, QUESTIONS, lambda record: record.update(doc_name="Acme_2022_10K"))
    _edit(source, DOCUMENTS, lambda record: record.update(doc_name="Acme_2022_10K"), 1)
    addresses: list[str] = []
    with serving(serve(source, addresses)) as url:
        monkeypatch.setattr(financebench, "RAW", url)
        material = load(docs=["Acme_2022_10K", "ABSENT_2022_10K"])
        request_count = len(addresses)
        assert names(load(docs=["Acme_2022_10K"])) == ["Acme_2022_10K"]
        assert len(addresses) == request_count  # the spelling found is reused
    assert names(material) == ["Acme_2022_10K"] and material.missing == ("ABSENT_2022_10K",)
    assert "pdfs/Acme_2022_10K.pdf" in addresses and "pdfs/ACME_2022_10K.pdf" in addresses


def test_load_rejects_document_name_with_path_traversal(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(financebench, "DIGESTS", {})
    _edit(source, DOCUMENTS, lambda record: record.update(doc_name="../../evil"))
    with (
        serving(serve(source, [])) as url,
        pytest.raises(InputError, match="doc_name '../../evil' is not a valid file name"),
    ):
        monkeypatch.setattr(financebench, "RAW", url)
        load(docs=["../../evil"])


def test_prepare_financebench_fails_when_no_pdf_is_readable(tmp_path: Path) -> None:
    source = write_source(tmp_path / "F", ["EMPTY_2022_10K", "SCAN_2022_10K"])
    printed = call("prepare financebench --source", source, "--out", tmp_path / "c", code=1).output
    assert "Error: no PDF could be read; the first: " in printed and not (tmp_path / "c").exists()


def test_prepare_financebench_names_pages_without_text_layer(tmp_path: Path) -> None:
    source = write_source(tmp_path / "F", ["ACME_2022_10K"])
    draw_over(source / "pdfs" / "ACME_2022_10K.pdf", [1])
    printed = call("prepare financebench --source", source, "--out", tmp_path / "c").output
    assert "Skipped while reading:" in printed and "ACME_2022_10K: 1 of " in printed
    assert "which have no text layer (scans?)" in printed.replace("\n", " ")


def test_broken_link_and_pipe_are_reported_as_unreadable(source: Path) -> None:
    gone, pipe = source / "pdfs" / "Acme_2021_10K.pdf", source / "pdfs" / "ACME_2022_10K.pdf"
    gone.unlink()
    gone.symlink_to(source / "nowhere")
    pipe.unlink()
    os.mkfifo(pipe)
    filings = load(source=source, docs=["ACME_2021_10K", "ACME_2022_10K"]).filings
    causes = [item.problem.cause for item in map(read_filing, filings) if item.problem]
    assert causes == ["cannot be read (No such file or directory)", "is not a file"]


def test_full_disk_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "chunks.jsonl")

    monkeypatch.setattr("arag_inspect.corpus.prepared.builder.chunk_line", full)
    out = tmp_path / "c"
    printed = call("prepare synthetic --documents 1 --out", out, code=1).output
    assert printed.splitlines()[-1] == "Error: chunks.jsonl: No space left on device"
    assert not out.exists()


def test_real_data_matches_expected_counts_and_digests() -> None:
    root = SHARED_DATA / "financebench"
    if not root.is_dir():
        pytest.skip("no copy of FinanceBench beside the repository")
    material = load(source=root)
    assert (
        len(material.filings) == 14 and len(material.questions) == 22 and material.left_out == 128
    )
    digests = {name: material.source.inputs[name] for name in financebench.DIGESTS}
    assert digests == financebench.DIGESTS
