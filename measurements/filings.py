"""Filings: PDF to chunks, memory while a corpus is built, search over 40,000 chunks."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from unittest.mock import patch

import numpy as np
from pypdf import PdfReader

from arag_inspect.benchmark.rows import read_rows
from arag_inspect.benchmarks import Options, Prepared, prepare_dataset
from arag_inspect.benchmarks.financebench import selection as financebench
from arag_inspect.benchmarks.financebench.filings import ReadFiling, read_filing
from arag_inspect.corpus import Chunk, DenseIndex, EmbeddingModel, chunk_document, embedding_model
from arag_inspect.corpus.chunks import read_chunks
from arag_inspect.corpus.documents.isolated import read_in_parallel
from arag_inspect.corpus.embedding.models import Vectors
from arag_inspect.corpus.prepared.manifest import INDEX
from arag_inspect.corpus.search.dense_index import new_index, write_index

from .keyword import compare
from .material import documents, keyword_queries, questions, random_vectors, stand_ins
from .measure import Row, best, memory_of_process

SOURCE = Path(__file__).resolve().parents[2] / "shared" / "data" / "financebench"
"""Expected location of a copy of the FinanceBench repository."""

_ROOT = Path(__file__).resolve().parents[1]
_CHUNK_TOKENS = 1000
_BLOCK = 16_384
"""Vectors made at a time."""


def filings(quick: bool, source: Path = SOURCE) -> list[Row]:
    """Measure on the filings of a local copy of FinanceBench; nothing where there is none."""
    if not (source / financebench.DOCUMENTS).is_file():
        print(f"skipped: no copy of FinanceBench in {source}; give --source DIR", file=sys.stderr)
        return []
    given = sorted((source / "pdfs").glob("*.pdf"))
    with TemporaryDirectory() as folder:
        work = Path(folder)
        built = work / "corpus"
        rows = _reading(source, given[::3] if not quick else given[-1:])
        rows += _building(_copy(source, work / "given", given[-1:] if quick else given), built)
        rows += _memory(
            source, given[-3:] if quick else given, work, (1, 3) if quick else (3, 14, 28)
        )
        rows += _searching(built, work, 300 if quick else 40_000, quick)
    return rows


def _reading(source: Path, pdfs: Sequence[Path]) -> list[Row]:
    """Pages a second: to chunks, with one process and one a core, and `pypdf`'s text."""
    model = embedding_model()
    names = [path.stem for path in pdfs]
    material = financebench.load(source=source, docs=names)
    (one, pages), (all_cores, _), (plain, read) = best(
        [
            lambda: _chunk(map(read_filing, material.filings), model),
            lambda: _chunk(read_in_parallel(read_filing, material.filings), model),
            lambda: sum(len([page.extract_text() for page in PdfReader(p).pages]) for p in pdfs),
        ],
        1,
    )
    assert pages == read
    what = f"{len(pdfs)} filings, {pages} pages, PDF to chunks"
    plainly = f"{pages / plain:.1f} pages/s"
    return [
        Row(f"{what}, one process (plain: pypdf's text alone)", f"{pages / one:.0f} pages/s",
            plainly, plain / one, 3.0),
        Row(f"{what}, a process a core (plain: the same)", f"{pages / all_cores:.0f} pages/s",
            plainly, plain / all_cores),
    ]  # fmt: skip


def _chunk(given: Iterable[ReadFiling], model: EmbeddingModel) -> int:
    """Cut filings into chunks as they are read; the number of pages."""
    pages = 0
    for one in given:
        assert one.document is not None, one.problem
        chunk_document(
            one.document,
            first_id=0,
            chunk_tokens=_CHUNK_TOKENS,
            count_tokens=model.count_tokens,
        )
        pages += one.pages
    return pages


def _building(source: Path, out: Path) -> list[Row]:
    """A corpus as `arag-inspect prepare financebench` makes it."""
    start = perf_counter()
    with _timed_embedding() as spent:
        prepared = _prepare(source, out)
    whole = perf_counter() - start
    counts = prepared.manifest.counts
    what = f"corpus of {counts['documents']} filings, {counts['sentences']:,} sentences"
    return [
        Row(f"{what}: prepared in", f"{whole:.0f} s"),
        Row(f"{what}: share of that which is embedding", f"{sum(spent) / whole:.0%}"),
    ]


def _prepare(source: Path, out: Path) -> Prepared:
    return prepare_dataset("financebench", source=source, options=Options(out=out))


@contextmanager
def _timed_embedding() -> Iterator[list[float]]:
    """Seconds of each call that embeds."""
    spent: list[float] = []
    encode = EmbeddingModel.encode

    def timed(model: EmbeddingModel, texts: Sequence[str]) -> Vectors:
        start = perf_counter()
        vectors = encode(model, texts)
        spent.append(perf_counter() - start)
        return vectors

    with patch.object(EmbeddingModel, "encode", timed):
        yield spent


def _memory(source: Path, pdfs: Sequence[Path], work: Path, numbers: Sequence[int]) -> list[Row]:
    """Peak memory of building, in a process each; random vectors stand for embeddings there."""
    peaks = []
    for number in numbers:
        copied = _copy(
            source, work / f"source-{number}", [pdfs[n % len(pdfs)] for n in range(number)]
        )
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(copied), str(work / f"corpus-{number}")],
            cwd=_ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        peaks.append(json.loads(done.stdout.splitlines()[-1]))
    if None in peaks:
        return [Row("peak memory while building", "unknown on this system")]
    slope = (peaks[-1] - peaks[0]) / (numbers[-1] - numbers[0])
    rows = [
        Row(f"peak memory while building, {number} filings", f"{peak:.0f} MiB")
        for number, peak in zip(numbers, peaks, strict=True)
    ]
    grown = peaks[-1] / peaks[0]
    last = f"the same, from {numbers[0]} to {numbers[-1]} filings: growth a filing"
    return [*rows, Row(last, f"{slope:.2f} MiB", ratio=grown, target=1.15, at_most=True)]


def _copy(source: Path, folder: Path, pdfs: Sequence[Path]) -> Path:
    """A source with some of the filings, those that come again under other names."""
    (folder / "data").mkdir(parents=True)
    (folder / "pdfs").mkdir()
    (folder / financebench.QUESTIONS).symlink_to(source.resolve() / financebench.QUESTIONS)
    rows = read_rows(source / financebench.DOCUMENTS)
    known = {str(row.values["doc_name"]).lower(): row.values for row in rows}
    lines = []
    for place, path in enumerate(pdfs):
        name = path.stem if path not in pdfs[:place] else f"COPY{place}-{path.stem}"
        (folder / "pdfs" / f"{name}.pdf").symlink_to(path.resolve())
        lines.append(json.dumps({**known[path.stem.lower()], "doc_name": name}))
    (folder / financebench.DOCUMENTS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _searching(corpus: Path, work: Path, wanted: int, quick: bool) -> list[Row]:
    """Search over chunks of filings, repeated with other figures and random vectors."""
    chunks = list(read_chunks(corpus))
    sentences = [len(chunk.sentences) for chunk in chunks]
    texts = [_repeated(chunks[n % len(chunks)], n // len(chunks)) for n in range(wanted)]
    queries = keyword_queries(texts, 20)
    rows = compare(texts, queries, " of filings", None if quick else 30.0)
    chunk_of = np.repeat(np.arange(wanted), np.resize(sentences, wanted))
    path = work / INDEX
    _write_vectors(path, len(chunk_of))
    asked = questions(8 if quick else 20, documents(20))
    times = _search_times(DenseIndex(path, chunk_of), asked)
    what = f"semantic search, {wanted:,} chunks of filings, {len(chunk_of):,} sentences, exact"
    return [*rows, Row(f"{what}: one query alone, median", f"{1000 * median(times):.0f} ms")]


def _repeated(chunk: Chunk, time: int) -> str:
    """Text of a chunk with its prefix; the first time as it is, then with its digits exchanged."""
    digits = Random(time).sample("0123456789", 10) if time else "0123456789"
    return f"{chunk.prefix} {chunk.text}".translate(str.maketrans("0123456789", "".join(digits)))


def _write_vectors(path: Path, number: int) -> None:
    rng = np.random.default_rng(5)
    index = new_index(embedding_model().dimension)
    for start in range(0, number, _BLOCK):
        index.add(random_vectors(rng, min(_BLOCK, number - start), embedding_model().dimension))
    write_index(index, path)


def _search_times(index: DenseIndex, asked: Sequence[str]) -> list[float]:
    model = embedding_model()
    times = []
    for query in ("a first query", *asked):
        start = perf_counter()
        index.search(model.encode_queries([query])[0], 5)
        times.append(perf_counter() - start)
    return times[1:]


def _peak(source: str, out: str) -> None:
    """A process of its own: build, and print the peak of its memory."""
    with stand_ins():
        _prepare(Path(source), Path(out))
    print(json.dumps(memory_of_process("VmHWM")))


if __name__ == "__main__":
    _peak(sys.argv[1], sys.argv[2])
