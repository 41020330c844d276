"""Locate a user's corpus: a prepared folder, or a folder of files."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from .._util.errors import echo
from .._util.files import cache_folder, digest
from ..corpus import Corpus
from ..corpus.manifest import is_prepared
from ..datasets.prepare import Options
from ..datasets.registry import prepare_dataset

_SHOWN = 20
"""Most files listed."""


def locate_or_prepare(corpus: str) -> Path:
    """Find a prepared folder; a folder of files is prepared in the cache first.

    Files that are not read are listed on standard error with their reasons.

    Args:
        corpus: Prepared corpus by name or path, or a folder of documents.

    Raises:
        InputError: It is neither, or no file of the folder can be read.
    """
    folder = Path(corpus).expanduser()
    if is_prepared(Corpus.locate(corpus)) or not folder.is_dir():
        return Corpus.open(corpus).path
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    state = [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    out = cache_folder() / "ask" / digest(json.dumps([str(folder.absolute()), state]))
    unread = out.with_suffix(".skipped.json")
    if not is_prepared(out):
        with TemporaryDirectory() as scratch:
            questions = Path(scratch) / "questions.jsonl"
            questions.write_text('{"id": "none", "question": "-", "answer": "-"}\n')
            prepared = prepare_dataset(
                "custom",
                documents=folder,
                questions=questions,
                name="ask",
                options=Options(out=out),
            )
        notes = [f"{file.name}: {file.reason}" for file in prepared.skipped]
        unread.write_text(json.dumps(notes), "utf-8")
    notes = json.loads(unread.read_text("utf-8")) if unread.is_file() else []
    if notes:
        echo(f"{len(notes)} files of {folder} are not read, or in part:", err=True)
    for note in notes[:_SHOWN]:
        echo(f"  {note}", longest=200, err=True)
    if len(notes) > _SHOWN:
        echo(f"  and {len(notes) - _SHOWN} more", err=True)
    return out
