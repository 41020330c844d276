"""Reader of a folder of documents with a reference summary beside each."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import PositiveInt

from ..._util.errors import InputError
from ..._util.files import file_digest
from ...benchmark.prepared_files import (
    aligned_chunks,
    count_alignments,
    sample_files,
    sample_record,
)
from ...corpus import FACTS, Alignment, Chunk, Document, Extras, Section, Source, align
from ...corpus.documents.text import Skipped, read_texts
from .fact_bank import FactRecord, bank_sentences, bank_text, count_facts, key_facts

GoldChoice = Literal["aligned", "all", "none"]
"""Gold chunks of a summary: those that hold a line of the reference, all of the document, or none."""


@dataclass(frozen=True, slots=True)
class ReferencedText:
    """A document with its reference summary."""

    document: Document
    question: str
    reference: str

    @property
    def statements(self) -> list[str]:
        """Lines of the reference, without the marks of a list."""
        lines = (line.strip().lstrip("-*• ") for line in self.reference.splitlines())
        return [line for line in lines if line]


@dataclass(frozen=True, slots=True)
class TextSet:
    """Documents with reference summaries, one sample each."""

    texts: Sequence[ReferencedText]
    split: str
    style: str
    gold: GoldChoice
    source: Source
    skipped: Sequence[Skipped] = ()

    @property
    def documents(self) -> Sequence[Document]:
        """The documents."""
        return [text.document for text in self.texts]

    def annotate(self, chunks: Mapping[str, Sequence[Chunk]], dataset: str, corpus: str) -> Extras:
        """Make the samples, and a fact of each line of a reference."""
        alignments: dict[str, list[Alignment]] = {}
        samples = []
        all_facts: list[FactRecord] = []
        for text in self.texts:
            doc_id = text.document.doc_id
            its_chunks = chunks[doc_id]
            facts = bank_sentences(doc_id, text.statements, "reference", its_chunks)
            alignments[doc_id] = [align(line, its_chunks) for line in text.statements]
            gold = self._gold(alignments[doc_id], its_chunks)
            samples.append(self._sample(text, gold, facts, source=dataset, corpus=corpus))
            all_facts += facts
        return Extras(
            files={**sample_files(samples, alignments), FACTS: bank_text(all_facts)},
            counts={
                "samples": len(samples),
                "documents_skipped": len(self.skipped),
                **count_alignments(alignments),
                **count_facts(all_facts),
            },
        )

    def _gold(self, alignments: Sequence[Alignment], chunks: Sequence[Chunk]) -> set[int]:
        if self.gold == "all":
            return {chunk.chunk_id for chunk in chunks}
        if self.gold == "none":
            return set()
        return aligned_chunks(alignments)

    def _sample(
        self, text: ReferencedText, gold: set[int], facts: Sequence[FactRecord], **metadata: str
    ) -> dict[str, Any]:
        document = text.document
        return sample_record(
            document.doc_id,
            text.question,
            text.reference,
            **metadata,
            doc_ids=[document.doc_id],
            company=document.company,
            period=document.period,
            style=self.style,
            question_type="summary",
            gold_chunk_ids=sorted(gold),
            evidence=text.statements,
            facts=key_facts(facts),
        )


def text_folder(
    *,
    name: str,
    question: str,
    style: str,
    documents: str = "*.txt",
    reference: str = "{stem}.summary.txt",
    gold: GoldChoice = "aligned",
) -> Callable[..., TextSet]:
    """Return a reader of a folder of documents with a reference summary beside each.

    A file whose name does not fit, that has no reference or that cannot be read is skipped, which
    `prepare` prints. Each line of a reference is a fact on which summaries are scored.

    Args:
        name: Regular expression for the name of a document, without its suffix. Its named groups
            are fields of `question`; `company` and `period` also go into the samples.
        question: The request of each sample, e.g. `Summarise the release of {company}.`
        style: Kind of answer, which names the prompt `styles/STYLE.md`.
        documents: Pattern of the documents' file names.
        reference: File name of a document's reference, from the `{stem}` of the document's.
        gold: Which chunks are gold.
    """
    pattern = re.compile(name)

    def read(source: Path, limit: PositiveInt | None = None) -> TextSet:
        """Read a folder of documents with their reference summaries.

        Args:
            source: Folder of the documents and their reference summaries.
            limit: Read only the first `limit` documents, sorted by name.
        """
        if not source.is_dir():
            raise InputError(f"folder {source} does not exist; --source takes a folder")
        pairs, skipped = _pairs(source, documents, reference, pattern)
        pairs = dict(list(pairs.items())[:limit])
        paths = {path.name: path for path in chain.from_iterable(pairs.items())}
        contents, unreadable, _ = read_texts(paths)
        skipped += unreadable
        texts = []
        for document, summary in pairs.items():
            if document.name in contents and summary.name in contents:
                fields = _fields(pattern, document)
                request = question.format_map(fields)
                built_document = _document(document.stem, contents[document.name], fields)
                text = contents[summary.name].strip()
                texts.append(ReferencedText(built_document, request, text))
        if not texts:
            first_skipped = f": {skipped[0]}" if skipped else ""
            raise InputError(
                f"{source} has no {documents} with a reference {reference} beside it{first_skipped}"
            )
        inputs = {name: file_digest(path) for name, path in paths.items()}
        split = source.absolute().name
        return TextSet(texts, split, style, gold, Source(inputs=inputs), skipped)

    return read


def _pairs(
    folder: Path, documents: str, reference: str, pattern: re.Pattern[str]
) -> tuple[dict[Path, Path], list[Skipped]]:
    """Return the reference of each document, and the files that are left out."""
    candidates = [path for path in sorted(folder.glob(documents)) if path.is_file()]
    references = {path: folder / reference.format(stem=path.stem) for path in candidates}
    summaries = set(references.values())
    is_reference = re.compile(re.escape(reference).replace(r"\{stem\}", ".+")).fullmatch
    pairs: dict[Path, Path] = {}
    skipped = []
    for path, summary in references.items():
        if is_reference(path.name):
            if path not in summaries:
                skipped.append(Skipped(path.name, "no document for this reference"))
        elif pattern.fullmatch(path.stem) is None:
            skipped.append(Skipped(path.name, f"its name does not fit {pattern.pattern}"))
        elif not summary.is_file():
            skipped.append(Skipped(path.name, f"{summary.name} is missing"))
        else:
            pairs[path] = summary
    return pairs, skipped


def _fields(pattern: re.Pattern[str], document: Path) -> dict[str, str]:
    match = pattern.fullmatch(document.stem)
    assert match is not None  # `_pairs` left out all others
    return {name: (text or "").replace("_", " ") for name, text in match.groupdict().items()}


def _document(doc_id: str, text: str, fields: Mapping[str, str]) -> Document:
    labels = [f"{name.upper()}: {value}" for name, value in fields.items() if value]
    prefix = f"[{' | '.join(labels or [f'DOCUMENT: {doc_id}'])}]"
    section = Section(title="", text=text, prefix=prefix)
    return Document(doc_id, fields.get("company", ""), fields.get("period", ""), (section,))
