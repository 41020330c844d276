"""ECTSum (Mukherjee et al., EMNLP 2022): earnings calls with Reuters-style summaries.

https://github.com/rajdeep345/ECTSum, GPL-3.0. Not distributed with this package.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, PositiveInt, ValidationError

from arag_inspect._util.errors import InputError, check_choice
from arag_inspect.benchmark.rows import first_fault
from arag_inspect.corpus import Document, Section, Source

from .._shared.download import Upstream, fetch, read_archive, read_folder
from .._shared.summary_set import SummarizedDocument, SummarySet, earnings_call

ECTSumSplit = Literal["test", "val", "train"]

REPOSITORY = "https://github.com/rajdeep345/ECTSum"
COMMIT = "6909f1fc543104c1c60cf9de63e799f6620d1b0a"
ARCHIVE = f"{REPOSITORY}/archive/{COMMIT}.tar.gz"

CONTENT_DIGESTS: Mapping[str, str] = {
    "val": "c7453da2bc02f1dc3b51f4da5b8fbdf4f9de2cd6bf0f80a3380f39c6dfb8c5d6",
}
"""`content_digest` of each pinned split.

The bytes of a GitHub archive may change from day to day, but not its contents. The other splits are
checked against the digest of the first download, see `fetch`; the manifest lists the SHA-256 of
each file.
"""

_NAME = re.compile(r"(?P<ticker>[A-Za-z0-9.-]+)_q(?P<quarter>[1-4])_(?P<year>(?:19|20)\d\d)")
_SENTENCES = "codes/ECT-BPS/ectbps_ext/data"


class _SentenceRow(BaseModel):
    """A line of ECT-BPS's training data."""

    summaries: str
    """Key sentences of a call, one per line."""


def read_ectsum(
    split: ECTSumSplit = "test",
    *,
    limit: PositiveInt | None = None,
    source: Path | None = None,
) -> SummarySet:
    """Read a split of ECTSum.

    Args:
        split: train (1,681 calls), val (249) or test (495).
        limit: Read only the first `limit` calls, sorted by name.
        source: Local copy of the repository, instead of a download of the pinned commit.

    Raises:
        InputError: The source is invalid, or the download fails.
    """
    files = load_files(split, source)
    origin = source_of(files, split, is_download=source is None)
    return SummarySet(read_calls(files, split, limit), split, origin)


def load_files(split: ECTSumSplit, source: Path | None) -> dict[str, bytes]:
    """Read the files of a split from a local copy or from the pinned archive.

    Args:
        split: Which split.
        source: Root of a local copy; None downloads.

    Returns:
        Contents by path in the repository.

    Raises:
        InputError: A folder or file is missing, the download fails, or the contents differ from the
            pinned ones.
    """
    check_choice("split", split, get_args(ECTSumSplit))
    pattern = re.compile(
        rf"data/final/{split}/(?:ects|gt_summaries)/[^/]+\.txt"
        rf"|{_SENTENCES}/{split}(?:\.json|_files\.txt)"
    )
    if source is not None:
        if not source.is_dir():
            raise InputError(f"source folder {source} does not exist")
        return read_folder(source, pattern)
    files = read_archive(
        fetch(ARCHIVE, f"ectsum-{COMMIT[:12]}.tar.gz", begins=(b"\x1f\x8b",)), pattern
    )
    pinned = CONTENT_DIGESTS.get(split)
    if pinned is not None and content_digest(files) != pinned:
        raise InputError(f"{ARCHIVE} does not hold the pinned contents of split {split!r}")
    return files


def content_digest(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of the names and contents of files, in the order of names."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(f"{name}\0{hashlib.sha256(files[name]).hexdigest()}\n".encode())
    return total.hexdigest()


def source_of(files: Mapping[str, bytes], split: ECTSumSplit, *, is_download: bool) -> Source:
    """Return the origin of the files, for the manifest.

    Args:
        files: Contents by path in the repository, see `load_files`.
        split: Which split.
        is_download: Whether they were downloaded.
    """
    inputs = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    is_pinned = is_download or CONTENT_DIGESTS.get(split) == content_digest(files)
    return Upstream(REPOSITORY, COMMIT).source(inputs, is_pinned=is_pinned)


def read_calls(
    files: Mapping[str, bytes], split: ECTSumSplit, limit: int | None = None
) -> list[SummarizedDocument]:
    """Read the calls of a split, in the order of their names.

    Args:
        files: Contents by path in the repository, see `load_files`.
        split: Which split.
        limit: Read only the first `limit` calls.

    Raises:
        InputError: A file is missing, is not UTF-8, is empty, or has a name without company and
            quarter.
    """
    folder = f"data/final/{split}"
    names = sorted(Path(path).stem for path in files if path.startswith(f"{folder}/ects/"))
    if not names:
        raise InputError(
            f"no transcripts found: expected {folder}/ects/<TICKER>_<qN>_<YEAR>.txt in the source"
        )
    key_sentences = _key_sentences(files, split)
    return [_call(name, files, folder, key_sentences.get(name, ())) for name in names[:limit]]


def _call(
    name: str, files: Mapping[str, bytes], folder: str, key_sentences: tuple[str, ...]
) -> SummarizedDocument:
    path = f"{folder}/ects/{name}.txt"
    match = _NAME.fullmatch(name)
    text = _text(files, path).strip()
    if match is None or not text:
        raise InputError(f"{path}: expected a text, and a name like AAN_q3_2021.txt")
    ticker = match["ticker"]
    period = f"Q{match['quarter']}_{match['year']}"
    prefix = f"[COMPANY: {ticker} | TYPE: EARNINGS_CALL | PERIOD: {period}]"
    return earnings_call(
        document=Document(
            doc_id=name,
            company=ticker,
            period=period,
            sections=(Section(title="Prepared Remarks", text=text, prefix=prefix),),
        ),
        summary=_text(files, f"{folder}/gt_summaries/{name}.txt").strip(),
        key_sentences=key_sentences,
    )


def _key_sentences(files: Mapping[str, bytes], split: ECTSumSplit) -> dict[str, tuple[str, ...]]:
    """Return each call's key sentences: `summaries` in ECT-BPS's training data."""
    names = _text(files, f"{_SENTENCES}/{split}_files.txt").split()
    path = f"{_SENTENCES}/{split}.json"
    lines = [line for line in _text(files, path).split("\n") if line.strip()]
    if len(names) != len(lines):
        raise InputError(
            f"{path} has {len(lines)} records for the {len(names)} names of {split}_files.txt"
        )
    try:
        texts = [_SentenceRow.model_validate_json(line).summaries.split("\n") for line in lines]
    except ValidationError as error:
        raise InputError(
            f"{path} has a record without text `summaries` ({first_fault(error)})"
        ) from None
    return {
        Path(name).stem: tuple(filter(None, map(str.strip, sentences)))
        for name, sentences in zip(names, texts, strict=True)
    }


def _text(files: Mapping[str, bytes], path: str) -> str:
    if path not in files:
        raise InputError(f"{path} is missing in the source; is it a copy of {REPOSITORY}?")
    try:
        return files[path].decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
