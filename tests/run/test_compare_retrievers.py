"""Command-line tests of `retrieval`, which compares retrievers on gold evidence."""

import csv
import json
from pathlib import Path

import anyio
import pytest

from arag_inspect.corpus import Corpus
from tests.commands import typed


def test_retrieval_figures_match_direct_searches(synthetic_folder: Path, tmp_path: Path) -> None:
    printed = typed(
        tmp_path, f"arag-inspect retrieval {synthetic_folder} --retrievers dense,bm25 -o x"
    )
    assert printed.startswith("10 questions\n") and "Differences to dense" in printed
    dense, bm25 = csv.DictReader((tmp_path / "x/retrievers.csv").open())
    corpus = Corpus.open(synthetic_folder)
    samples = map(json.loads, (synthetic_folder / "samples.jsonl").open())
    firsts, recalls = [], []
    for sample in samples:
        gold = set(sample["metadata"]["gold_chunk_ids"])
        assert not sample["metadata"].get("gold_copies")
        hits = anyio.run(corpus.semantic_search, sample["input"], 5)
        hit_ids = [hit.chunk_id for hit in hits]
        firsts.append(hit_ids[0] in gold)
        recalls.append(len(gold & set(hit_ids)) / len(gold))
    assert float(dense["hit@1"]) == pytest.approx(sum(firsts) / len(firsts))
    assert float(dense["recall@5"]) == pytest.approx(sum(recalls) / len(recalls))
    recall, _ = csv.DictReader((tmp_path / "x/differences.csv").open())
    difference = float(bm25["recall@5"]) - float(dense["recall@5"])
    assert (recall["retriever"], recall["measure"]) == ("bm25", "recall@5")
    assert float(recall["difference"]) == pytest.approx(difference)


def test_retrieval_compares_several_corpora_by_documents(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    line = f"retrieval {synthetic_folder} {synthetic_folder}/ --retrievers dense,keyword --limit 4"
    printed = typed(tmp_path, f"arag-inspect {line} --gold documents --scope sample_documents -o x")
    assert printed.startswith("4 questions\n")
    rows = list(csv.DictReader((tmp_path / "x/retrievers.csv").open()))
    names = [name for where in ("", "/") for name in (f"{where}: dense", f"{where}: keyword")]
    assert [row["retriever"].removeprefix(str(synthetic_folder)) for row in rows] == names
    assert {row["hit@1"] for row in rows} == {"1.0"}  # only the question's document was searched
