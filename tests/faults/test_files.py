"""Tests of damaged folders and hostile files: a one-line error, bounded resources, no crash."""

import io
import json
import random
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmark.rows import read_rows
from arag_inspect.corpus import Corpus
from arag_inspect.corpus.documents.text import read_text
from arag_inspect.run.gate.rules import read_rules
from tests.faults import FULL
from tests.faults.processes import forked, status

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

_REFUSED = 3


@pytest.fixture
def folder(material: Path, tmp_path: Path) -> Path:
    """A copy of a prepared folder."""
    return Path(shutil.copytree(material / "corpus", tmp_path / "c"))


def _outcome(read: Callable[[], object]) -> int:
    """Read in a child process, because open corpora are cached."""

    def attempt() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        try:
            read()
        except InputError:
            raise SystemExit(_REFUSED) from None

    return status(forked(attempt))


def test_corpus_is_rejected_when_any_bit_has_changed(folder: Path) -> None:
    draw = random.Random(5)
    files = sorted(path for path in folder.iterdir() if path.name != "manifest.json")
    assert _outcome(lambda: Corpus.open(folder)) == 0
    for _ in range(300 if FULL else 60):
        path = draw.choice(files)
        content = bytearray(path.read_bytes())
        position, bit = draw.randrange(len(content)), 1 << draw.randrange(8)
        content[position] ^= bit
        path.write_bytes(content)
        assert _outcome(lambda: Corpus.open(folder)) == _REFUSED, (path.name, position, bit)
        content[position] ^= bit
        path.write_bytes(content)


@pytest.mark.parametrize("field", ["files", "embedding", "format_version", "counts"])
def test_corpus_is_rejected_when_manifest_field_is_invalid(folder: Path, field: str) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    values: list[object] = [None, {}, -1, "", "../../etc/passwd", [], 1e999, "x" * 1_000_000]
    for value in values if FULL else values[:2]:
        path.write_text(json.dumps({**manifest, field: value}), "utf-8")
        harmless = field == "counts" and value == {}  # informational numbers, unused by searches
        outcome = _outcome(lambda: Corpus.open(folder))
        assert outcome == _REFUSED or (harmless and outcome == 0), value


def _rows(path: Path) -> object:
    return list(read_rows(path))


def _hostile() -> Iterator[tuple[str, Callable[[Path], object], list[bytes]]]:
    """Yield suffix, reader and contents of malicious files."""
    draw = random.Random(9)
    pdf = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R]"
    pdf += b"/Count 99999999>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    buffer = io.BytesIO()
    pq.write_table(pa.table({"id": ["a"] * 100_000, "n": [1.0] * 100_000}), buffer)
    table = buffer.getvalue()
    # fmt: off
    yield "pdf", read_text, [
        pdf, b"%PDF-1.7\n", b"", b"%PDF-" + draw.randbytes(50_000), pdf * 500, pdf[:60], pdf[::-1],
        pdf.replace(b"99999999", b"-1"), b"<html>", b"\0" * 100_000,
    ]
    yield "html", read_text, [
        b"<div>" * 200_000, b"<table><tr><td>" * 50_000, b"<a href='" + b"x" * 5_000_000,
        b"&" * 1_000_000, b"<!--" * 100_000, b"<script>alert(1)</script>", draw.randbytes(100_000),
        b"<p>" + b"\xff\xfe" * 1_000, b"<svg onload=x>" * 50_000, b"",
    ]
    yield "txt", read_text, [
        b"x" * 60_000_000, b"\xff" * 1_000, b"\0" * 1_000_000, b" " * 10_000_000, b"\n" * 5_000_000,
    ]
    yield "parquet", _rows, [
        table[:200], table[:-1], b"PAR1" + b"\0" * 100 + b"PAR1", draw.randbytes(10_000), b"",
        table[:4] + draw.randbytes(300) + table[-200:],
    ]
    yield "json", _rows, [
        b"[" * 1_000_000, b'{"a":' * 500_000, b"[" + b"1," * 2_000_000, b'{"id": "\\ud83d"}',
        b'[{"id": ' + b"9" * 1_000_000 + b"}]", b"NaN", b"\xef\xbb\xbf", b"null", b'["a"',
        b'{"id": "a"}\n{"id": ', b"{" * 100, draw.randbytes(10_000),
    ]
    yield "csv", _rows, [
        b"id,text\n" + b'"' * 1_000_000, b"id\n" + b"a," * 500_000, b"\0,\0\n",
        b"id;text\n\xff;a\n",
        b"id,id,id\n1,2,3\n", b"", b"\n" * 100_000, b"id\n" + b"x" * 20_000_000,
        draw.randbytes(9_999),
    ]
    yield "yaml", lambda path: read_rules([], path), [
        b"a: &a [x,x]\nb: &b [*a,*a]\n" * 9, b"!!python/object/apply:os.system ['true']",
        b"[" * 500, b"- {", b"\xff", b"- 1", b"a: b: c", b"&a [*a]",
    ]
    # fmt: on


@pytest.mark.parametrize(
    ("suffix", "read", "contents"), [*_hostile()], ids=lambda value: str(value)[:8]
)
def test_hostile_file_is_read_or_rejected_without_crash(
    suffix: str, read: Callable[[Path], object], contents: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / f"file.{suffix}"
    for number, content in enumerate(contents if FULL else contents[::3]):
        path.write_bytes(content)
        assert _outcome(lambda: read(path)) in (0, _REFUSED), number
