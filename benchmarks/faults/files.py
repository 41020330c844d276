"""Damaged folders and hostile files."""

import io
import json
import random
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.datasets._io.records import read_rows
from arag_inspect.datasets._parsing.text import read_text
from arag_inspect.report import read_criteria

from .row import Row, forked, status


def flips(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Change a byte at 300 places of a prepared folder."""
    shutil.copytree(material / "corpus", folder / "c")
    draw = random.Random(5)
    files = sorted(path for path in (folder / "c").iterdir() if path.name != "manifest.json")
    if _opened(folder / "c") != 0:
        raise SystemExit("an undamaged folder cannot be opened")
    for _ in range(60 if quick else 300):
        path = draw.choice(files)
        content = bytearray(path.read_bytes())
        place, bit = draw.randrange(len(content)), 1 << draw.randrange(8)
        content[place] ^= bit
        path.write_bytes(content)
        row.count(wrong=_opened(folder / "c") != _REFUSED)
        content[place] ^= bit
        path.write_bytes(content)


_REFUSED = 3


def _opened(folder: Path) -> int:
    """Open a folder in a process of its own, because an open corpus is kept."""

    def attempt() -> None:
        try:
            Corpus.open(folder)
        except InputError:
            raise SystemExit(_REFUSED) from None

    return status(forked(attempt))


def hostile_files(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Read files that were made to harm: one line or a text, within 20 s and 4 GB, and no crash."""
    cases = list(_hostile())
    for number, (name, content, read) in enumerate(cases[::4] if quick else cases):
        path = folder / f"{number}-{name}"
        path.write_bytes(content)

        def attempt(path: Path = path, read: Callable[[Path], object] = read) -> None:
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            try:
                read(path)
            except InputError:
                raise SystemExit(_REFUSED) from None

        row.count(wrong=status(forked(attempt)) not in (0, _REFUSED))


def _hostile() -> Iterator[tuple[str, bytes, Callable[[Path], object]]]:
    def rows(path: Path) -> list[object]:
        return list(read_rows(path))

    draw = random.Random(9)
    pdf = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R]"
    pdf += b"/Count 99999999>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    yield from (
        (f"{n}.pdf", body, read_text)
        for n, body in enumerate(
            [
                pdf,
                b"%PDF-1.7\n",
                b"",
                b"%PDF-" + draw.randbytes(50_000),
                pdf * 500,
                pdf.replace(b"99999999", b"-1"),
                b"<html>",
                b"\0" * 100_000,
                pdf[:60],
                pdf[::-1],
            ]
        )
    )
    yield from (
        (f"{n}.html", body, read_text)
        for n, body in enumerate(
            [
                b"<div>" * 200_000,
                b"<table><tr><td>" * 50_000,
                b"<a href='" + b"x" * 5_000_000,
                b"&" * 1_000_000,
                b"<!--" * 100_000,
                b"<script>alert(1)</script>",
                draw.randbytes(100_000),
                b"<p>" + b"\xff\xfe" * 1_000,
                b"<svg onload=x>" * 50_000,
                b"",
            ]
        )
    )
    yield from (
        (f"{n}.txt", body, read_text)
        for n, body in enumerate(
            [
                b"x" * 60_000_000,
                b"\xff" * 1_000,
                b"\0" * 1_000_000,
                b" " * 10_000_000,
                b"\n" * 5_000_000,
            ]
        )
    )
    whole = io.BytesIO()
    pq.write_table(pa.table({"id": ["a"] * 100_000, "n": [1.0] * 100_000}), whole)
    parquet = whole.getvalue()
    yield from (
        (f"{n}.parquet", body, rows)
        for n, body in enumerate(
            [
                parquet[:200],
                parquet[:-1],
                b"PAR1" + b"\0" * 100 + b"PAR1",
                draw.randbytes(10_000),
                b"",
                parquet[:4] + draw.randbytes(300) + parquet[-200:],
            ]
        )
    )
    yield from (
        (f"{n}.json", body, rows)
        for n, body in enumerate(
            [
                b"[" * 1_000_000,
                b'{"a":' * 500_000,
                b"[" + b"1," * 2_000_000,
                b'{"id": "\\ud83d"}',
                b'[{"id": ' + b"9" * 1_000_000 + b"}]",
                b"NaN",
                b"\xef\xbb\xbf",
                b"null",
                b'["a"',
                b'{"id": "a"}\n{"id": ',
                b"{" * 100,
                draw.randbytes(10_000),
            ]
        )
    )
    yield from (
        (f"{n}.csv", body, rows)
        for n, body in enumerate(
            [
                b"id,text\n" + b'"' * 1_000_000,
                b"id\n" + b"a," * 500_000,
                b"\0,\0\n",
                b"id;text\n\xff;a\n",
                b"id,id,id\n1,2,3\n",
                b"",
                b"\n" * 100_000,
                b"id\n" + b"x" * 20_000_000,
                draw.randbytes(9_999),
            ]
        )
    )
    yield from (
        (f"{n}.yaml", body, read_criteria)
        for n, body in enumerate(
            [
                b"a: &a [x,x]\nb: &b [*a,*a]\n" * 9,
                b"!!python/object/apply:os.system ['true']",
                b"[" * 500,
                b"- {",
                b"\xff",
                b"- 1",
                b"a: b: c",
                b"&a [*a]",
            ]
        )
    )


def manifests(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Change each field of a manifest into something else."""
    shutil.copytree(material / "corpus", folder / "c")
    path = folder / "c" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    trials: list[object] = [None, -1, "", "../../etc/passwd", [], {}, 1e999, "x" * 1_000_000]
    needed = [
        name for name in ("files", "embedding", "format_version", "counts") if name in manifest
    ]
    for name in needed:
        for value in trials[:: 4 if quick else 1]:
            path.write_text(json.dumps({**manifest, name: value}), "utf-8")
            code = _opened(folder / "c")
            harmless = name == "counts" and value == {}  # numbers for people, not for searches
            row.count(wrong=code != _REFUSED and not (harmless and code == 0))
    path.write_text(json.dumps(manifest), "utf-8")
