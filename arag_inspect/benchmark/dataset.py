"""The declaration of a data set: its reader and its origin."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, get_args, get_type_hints, runtime_checkable

from ..corpus import Chunk, Document, Extras, Source
from ..corpus.documents.text import Skipped

Chunks = Mapping[str, Sequence[Chunk]]
"""Chunks of each document, in order."""


class SourceData(Protocol):
    """Result of a reader: documents to index, and the samples made from their chunks."""

    @property
    def split(self) -> str:
        """Part of the data set."""

    @property
    def documents(self) -> Iterable[Document]:
        """Documents, read once and in order; with a length, there is a progress bar."""

    @property
    def source(self) -> Source:
        """Origin, for the manifest."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """Files left out; complete once all documents are read."""

    def annotate(self, chunks: Chunks, dataset: str, corpus: str) -> Extras:
        """Make the samples.

        Args:
            chunks: Chunks of each document.
            dataset: Name of the data set.
            corpus: Name of the prepared folder.
        """


@runtime_checkable
class ReadsColumns(Protocol):
    """Result of a reader that recognises the columns of a file."""

    @property
    def reading(self) -> Sequence[str]:
        """Meaning of each column, a line each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A data set. `arag-inspect prepare NAME` and the table of data sets are made from it."""

    name: str
    """Name of its folder in `arag_inspect/benchmarks`, or of its entry point."""

    title: str
    summary: str
    """One line: the command's help, and the row of the table."""

    licence: str
    citation: str
    url: str = ""

    read: Callable[..., SourceData] | None = None
    """Reader. Its parameters are the options of the command, with their types, defaults and the
    text of its docstring. None for a data set that needs no preparation."""

    corpus: str = ""
    """Name of the prepared folder, with fields `{name}` and `{split}`. Default: the data set's
    name, with the split where the reader has a parameter `split`."""

    evaluate: str = ""
    """Task and parameters that evaluate it, e.g. `custom -T corpus={corpus}`. Default: the task of
    the same name, with the split if there is one."""

    prepare_options: str = ""
    """Options that its command requires, e.g. `--source DIR`, as error messages name them."""

    if_empty: str | None = None
    """Error message if a prepared corpus has none of its samples."""

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits of the data set, from the reader's parameter `split`."""
        hints = get_type_hints(self.read) if self.read else {}
        return get_args(hints.get("split"))

    @property
    def task(self) -> str:
        """Task that evaluates it."""
        return self.evaluate.partition(" ")[0] or self.name

    def corpus_name(self, split: str | None) -> str:
        """Return the name of the prepared folder of a split; None for the data set's default."""
        default_pattern = "{name}-{split}" if split in self.splits else "{name}"
        return (self.corpus or default_pattern).format(name=self.name, split=split or self.name)

    def evaluation(self, split: str, corpus: str | None = None) -> str:
        """Return the task with its parameters.

        Args:
            split: Split that was prepared.
            corpus: Path of the prepared folder; None for the folder's usual place.
        """
        default_pattern = f"{self.name} -T split={{split}}" if self.splits else self.name
        pattern = self.evaluate or default_pattern
        task = pattern.format(split=split, corpus=corpus or self.corpus_name(split))
        return task if corpus is None or "{corpus}" in pattern else f"{task} -T corpus={corpus}"

    def preparation(self, split: str | None = None) -> str:
        """Return the command that prepares it, with the options it requires."""
        options = f"--split {split}" if split else self.prepare_options
        return f"arag-inspect prepare {self.name} {options}".rstrip()
