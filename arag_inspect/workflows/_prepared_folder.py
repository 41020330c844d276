"""Locate a user's corpus: a prepared folder, or a folder of files."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from .._util.cache import cache_folder
from .._util.hashing import digest
from ..corpus import Corpus
from ..corpus.manifest import is_prepared
from ..datasets.prepare import Options
from ..datasets.registry import prepare_dataset


def locate_or_prepare(corpus: str) -> Path:
    """Find a prepared folder; a folder of files is prepared in the cache first.

    Args:
        corpus: Prepared corpus by name or path, or a folder of txt, md, html and pdf files.

    Raises:
        InputError: It is neither, or no file of the folder can be read.
    """
    folder = Path(corpus).expanduser()
    if is_prepared(Corpus.locate(corpus)) or not folder.is_dir():
        return Corpus.open(corpus).path
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    state = [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    out = cache_folder() / "ask" / digest(json.dumps([str(folder.absolute()), state]))
    if not is_prepared(out):
        with TemporaryDirectory() as scratch:
            questions = Path(scratch) / "questions.jsonl"
            questions.write_text('{"id": "none", "question": "-", "answer": "-"}\n')
            prepare_dataset(
                "custom",
                documents=folder,
                questions=questions,
                name="ask",
                options=Options(out=out),
            )
    return out
