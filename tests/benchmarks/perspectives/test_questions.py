"""Tests of contested questions, bundled or user-defined, and of document ids written by models."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks.perspectives.questions import merge_documents, perspectives_dataset
from arag_inspect.benchmarks.perspectives.two_sided import (
    SourceDocument,
    normalize_id,
    sample_documents,
)
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

LOCAL = [
    {"id": 1, "content": "It helps.", "score": 0.9},
    {"id": "https://a.example/x", "content": "No."},
]
PAGE = {"url": "https://b.example/y", "content": "It costs.", "relevance": "R"}


def line(query: str = "Should it?", documents: Any = LOCAL, **more: Any) -> str:
    return json.dumps({"query": query, "documents": documents, **more})


def loaded(tmp_path: Path, *lines: str) -> Any:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return perspectives_dataset(str(path))


def test_bundled_questions_have_relevant_and_irrelevant_documents() -> None:
    shipped = perspectives_dataset()
    assert len(shipped) == 20 and len({sample.id for sample in shipped}) == 20
    documents = [sample_documents(sample.metadata or {}) for sample in shipped]
    assert all(len(group) >= 5 for group in documents)
    assert all({document.relevance for document in group} == {"R", "NR"} for group in documents)
    assert sum(isinstance(document.id, str) for group in documents for document in group) >= 8


def test_relevant_web_pages_are_added_with_url_as_id(tmp_path: Path) -> None:
    off = {"url": "https://c.example/z", "content": "Cake.", "relevance": "NR"}
    (sample,) = loaded(tmp_path, "", line(web=[PAGE, off]), " ")
    assert sample.input == "Should it?" and sample.id.startswith("should-it-")
    documents = sample_documents(sample.metadata)
    assert [document.id for document in documents] == [
        1,
        "https://a.example/x",
        "https://b.example/y",
    ]
    assert [document.score for document in documents] == [0.9, None, None]


def test_merge_documents_rejects_duplicate_id() -> None:
    page = SourceDocument(id="https://a.example/x", content="Twice.", relevance="R")
    with pytest.raises(ValueError, match=r"id 'https://a.example/x' is given twice"):
        merge_documents([SourceDocument(id="https://a.example/x", content="Once.")], [page])


@pytest.mark.parametrize(
    ("second", "message"),
    [*TABLES["bad lines"], ("[" * 100_000, "is damaged after row 1")],
)
def test_perspectives_dataset_reports_bad_line_in_one_line(
    tmp_path: Path, second: str, message: str
) -> None:
    with pytest.raises(InputError) as error:
        loaded(tmp_path, line(), second)
    assert message in error.value.message and "\n" not in error.value.message


def test_perspectives_dataset_rejects_missing_empty_or_non_utf8_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="data must be the path of a JSON Lines file, got 5"):
        perspectives_dataset(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"nowhere.jsonl not found"):
        perspectives_dataset(str(tmp_path / "nowhere.jsonl"))
    with pytest.raises(InputError, match="has no questions"):
        loaded(tmp_path, "")
    (tmp_path / "latin.jsonl").write_bytes(b'{"query": "\xe9"}')
    with pytest.raises(InputError, match="is not UTF-8 text"):
        perspectives_dataset(str(tmp_path / "latin.jsonl"))


URL = "https://example.org/a/(1)?q=2"


@pytest.mark.parametrize(("given_id", "meant"), TABLES["ids"])
def test_normalize_id_maps_spellings_to_ids(given_id: Any, meant: Any) -> None:
    assert normalize_id(given_id) == meant


@settings(max_examples=30)
@given(
    st.integers(0, 10**9), st.sampled_from(["{}", "Doc {}", "document {}", "[{}]", "#{}", "ID {}"])
)
def test_normalize_id_finds_any_number_and_is_idempotent(number: int, dress: str) -> None:
    assert normalize_id(dress.format(number)) == normalize_id(normalize_id(number)) == number


@settings(max_examples=30)
@given(st.text() | st.floats() | st.integers() | st.none())
def test_normalize_id_accepts_any_value_and_is_idempotent(value: Any) -> None:
    once = normalize_id(value)
    assert once is None or normalize_id(once) == once
