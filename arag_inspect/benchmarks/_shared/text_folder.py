"""Reader of a folder of documents with a reference summary beside each."""

import re
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path

from pydantic import PositiveInt

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect.corpus import Document, Section, Source
from arag_inspect.corpus.documents.text import Skipped, read_texts

from .summary_set import GoldChoice, SummarizedDocument, SummarySet


def text_folder(
    *,
    name: str,
    question: str,
    style: str,
    documents: str = "*.txt",
    reference: str = "{stem}.summary.txt",
    gold: GoldChoice = "aligned",
) -> Callable[..., SummarySet]:
    """Return a reader of a folder of documents with a reference summary beside each.

    Files are skipped, as `prepare` reports, if their name does not fit, the reference is missing or
    they are unreadable. Summaries are scored on each line of a reference as a fact.

    Args:
        name: Regular expression for the name of a document, without its suffix. Its named groups
            are fields of `question`; `company` and `period` also go into the samples.
        question: The request of each sample, e.g. `Summarise the release of {company}.`
        style: Kind of answer, with the prompt `styles/STYLE.md`.
        documents: Pattern of the documents' file names.
        reference: File name of a document's reference, from the `{stem}` of the document's.
        gold: Which chunks are gold.
    """
    pattern = re.compile(name)

    def read(source: Path, limit: PositiveInt | None = None) -> SummarySet:
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
        for path, summary in pairs.items():
            if path.name in contents and summary.name in contents:
                fields = _fields(pattern, path.stem)
                document = _document(path.stem, contents[path.name], fields)
                text = contents[summary.name].strip()
                request = question.format_map(fields)
                texts.append(SummarizedDocument(document, request, text, _statements(text)))
        if not texts:
            first_skipped = f": {skipped[0]}" if skipped else ""
            raise InputError(
                f"{source} has no {documents} with a reference {reference} beside it{first_skipped}"
            )
        inputs = {name: file_digest(path) for name, path in paths.items()}
        split = source.absolute().name
        origin = Source(inputs=inputs)
        return SummarySet(texts, split, origin, skipped, style, gold, origin="reference")

    return read


def _pairs(
    folder: Path, documents: str, reference: str, pattern: re.Pattern[str]
) -> tuple[dict[Path, Path], list[Skipped]]:
    """Return the reference of each document, and the omitted files."""
    candidates = [path for path in sorted(folder.glob(documents)) if path.is_file()]
    references = {path: folder / reference.format(stem=path.stem) for path in candidates}
    pairs: dict[Path, Path] = {}
    skipped = []
    for path, summary in references.items():
        if path in references.values():
            continue
        if pattern.fullmatch(path.stem) is None:
            skipped.append(Skipped(path.name, f"its name does not fit {pattern.pattern}"))
        elif not summary.is_file():
            skipped.append(Skipped(path.name, f"{summary.name} is missing"))
        else:
            pairs[path] = summary
    return pairs, skipped


def _statements(reference: str) -> tuple[str, ...]:
    """Return the lines of a reference, without the marks of a list."""
    lines = (line.strip().lstrip("-*• ") for line in reference.splitlines())
    return tuple(filter(None, lines))


def _fields(pattern: re.Pattern[str], stem: str) -> dict[str, str]:
    match = pattern.fullmatch(stem)
    groups = match.groupdict("") if match else {}
    return {name: text.replace("_", " ") for name, text in groups.items()}


def _document(doc_id: str, text: str, fields: Mapping[str, str]) -> Document:
    labels = [f"{name.upper()}: {value}" for name, value in fields.items() if value]
    prefix = f"[{' | '.join(labels or [f'DOCUMENT: {doc_id}'])}]"
    section = Section(title="", text=text, prefix=prefix)
    return Document(doc_id, fields.get("company", ""), fields.get("period", ""), (section,))
