"""FinanceBench (Islam et al., 2023) as a data set: filings read one by one.

CC BY-NC 4.0. Not distributed with this package.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import PositiveInt

from arag_inspect._util.errors import InputError
from arag_inspect.benchmark import Dataset
from arag_inspect.corpus import Chunk, Document, Extras, Source
from arag_inspect.corpus.documents.isolated import read_in_parallel
from arag_inspect.corpus.documents.text import Skipped

from .._shared.download import evict
from . import samples
from .filings import ReadFiling, read_filing
from .selection import REPOSITORY, Selection, load


@dataclass(slots=True)
class FilingSet:
    """Filings and the questions about them; a broken PDF is skipped.

    Reading its documents, once, fills `read`.
    """

    selection: Selection
    split: str
    read: list[ReadFiling] = field(default_factory=list)
    """Filings read so far, without their text."""

    @property
    def source(self) -> Source:
        """Origin of the files."""
        return self.selection.source

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Filings that could not be read."""
        return [
            Skipped(item.filing.doc_id, item.problem.cause) for item in self.read if item.problem
        ]

    @property
    def documents(self) -> "FilingSet":
        """Documents of the readable filings."""
        return self

    def __len__(self) -> int:
        """Return the number of filings."""
        return len(self.selection.filings)

    def __iter__(self) -> Iterator[Document]:
        """Read the filings, and yield the documents of readable ones."""
        for item in read_in_parallel(read_filing, self.selection.filings):
            if item.problem is not None:
                evict(item.filing.path)  # a broken download is fetched again next time
            self.read.append(replace(item, document=None))  # the corpus keeps the text
            if item.document is not None:
                yield item.document
        if all(item.problem for item in self.read):
            raise InputError(f"no PDF could be read; the first: {self.read[0].problem}")

    def annotate(self, chunks: Mapping[str, Sequence[Chunk]], dataset: str, corpus: str) -> Extras:
        """Make the samples of every task over filings, and the report on documents."""
        return samples.annotate(self.selection, self.read, chunks, dataset, corpus)


def read_financebench(
    docs: str | None = None,
    open_only: Annotated[bool | None, "--open-only/--all"] = None,
    source: Path | None = None,
    limit: PositiveInt | None = None,
) -> FilingSet:
    """Read FinanceBench: its questions, and PDFs with their sections.

    Args:
        docs: Only these documents, names separated by commas, e.g. 3M_2018_10K.
        open_only: The 84 documents of the open questions, or all 360. Default: open; all that are
            there with `source`.
        source: Local copy of the repository, possibly with only some of the PDFs, instead of a
            download.
        limit: Only the first questions, with the documents that they need.

    Raises:
        InputError: An argument or the source is invalid, or the download fails.
    """
    names = [name.strip() for name in (docs or "").split(",") if name.strip()]
    if docs is not None and not names:
        raise InputError("--docs names no document; give names like 3M_2018_10K")
    selection = load(source=source, docs=names, open_only=open_only, limit=limit)
    split = "given" if source else "open"
    if open_only is not None:
        split = "open" if open_only else "all"
    return FilingSet(selection, "docs" if names else split)


DATASET = Dataset(
    name="financebench",
    title="FinanceBench",
    summary="SEC filings with questions and the pages that answer them "
    "(CC BY-NC 4.0, downloaded from its authors).",
    read=read_financebench,
    if_empty="no question is about one of its documents; evaluate financebench_qfs, "
    "section_summary or yoy_change, or prepare others",
    licence="CC BY-NC 4.0",
    citation="Islam et al., 2023",
    url=REPOSITORY,
)
