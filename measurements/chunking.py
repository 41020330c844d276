"""What other chunks and headers would change: `python -m measurements.chunking --ectsum DIR`.

DIR is a copy of the ECTSum repository. The calls are drawn by a seed from the val split. Each
variant of the corpus is searched with every sample's request, by meaning and by keyword, and
compared with the chunks that `arag-inspect prepare ectsum` makes. Intervals are over resampled
companies.
"""

import argparse
import os
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import yaml
from rapidfuzz import fuzz, process

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from arag_inspect.benchmarks._shared.summary_set import SummarizedDocument
from arag_inspect.benchmarks.ectsum.reader import read_ectsum
from arag_inspect.corpus import Chunk, Document, EmbeddingModel, Section, embedding_model
from arag_inspect.corpus.chunking import chunk_document
from arag_inspect.corpus.embedding.models import Vectors
from arag_inspect.corpus.prepared.builder import passages
from arag_inspect.corpus.search.keyword_index import KeywordIndex
from arag_inspect.stats.bootstrap import percentile_interval, resample_means
from arag_inspect.text.content_words import content_words

CHUNK_TOKENS = 1000
ROOM = 50
"""Tokens of a chunk kept for each sentence that is put before it."""

TOP = 5
"""Chunks that count as found: as many as naive RAG reads."""

MEASURES = ("recall, semantic", "recall, keyword", "subject in the chunk")

_HANDOVER = re.compile(
    r"\b(?:turn|hand|pass)(?:ing)? (?:it|things|(?:the|this|our) (?:\w+ ){0,2}"
    r"(?:call|floor|discussion|time|program|presentation))\b.{0,80}?\bto\b",
    re.IGNORECASE,
)
"""Last sentence of a speaker; the transcripts name no speakers."""

_NO_CONTENT = re.compile(
    r"(?:good (?:morning|afternoon|evening|day)|hello|welcome|thank you|thanks|operator)\b",
    re.IGNORECASE,
)
"""Start of a greeting, or of a line to or of the operator."""

_MOST_WORDS = 12
"""Maximum words of such a sentence; a longer one may have content."""

_NAME = re.compile(
    r"(?<=[a-z,] )(?!(?:I|January|February|March|April|May|June|July|August|September|October"
    r"|November|December|Slides?|Company|Board|Chief|President|Phonetic)\b)[A-Z]\w*[a-z]\w*"
)
"""A capitalised word within a sentence, other than an abbreviation, month or office."""


@dataclass(frozen=True)
class Passages:
    """The sentences of all calls in order, each with the header of its call."""

    texts: list[str]
    """Without headers."""

    call_of: npt.NDArray[np.int64]
    vectors: Vectors
    """Of headers and sentences, shape (sentences, dimension)."""


@dataclass(frozen=True)
class Variant:
    """A way to cut and index the same sentences."""

    name: str
    chunks: list[tuple[int, ...]]
    """Numbers of the sentences of each chunk."""

    headers: list[str]
    """By call."""

    passages: Passages
    indexed: npt.NDArray[np.bool_]
    """Whether a sentence is searched by meaning, shape (sentences,)."""


def chunk_calls(documents: Sequence[Document], model: EmbeddingModel, room: int) -> list[Chunk]:
    """Split calls into chunks as for a corpus, with that many tokens in each reserved."""
    chunks: list[Chunk] = []
    for document in documents:
        chunks += chunk_document(
            document,
            first_id=len(chunks),
            chunk_tokens=CHUNK_TOKENS - room,
            count_tokens=model.count_tokens,
            window=model.window,
        )
    return chunks


def numbered(chunks: Sequence[Chunk]) -> list[tuple[int, ...]]:
    """Return the numbers of the sentences of each chunk."""
    ends = np.cumsum([len(chunk.sentences) for chunk in chunks]).tolist()
    return [
        tuple(range(end - len(chunk.sentences), end))
        for chunk, end in zip(chunks, ends, strict=True)
    ]


def with_overlap(
    chunks: Sequence[tuple[int, ...]], call_of: npt.NDArray[np.int64], count: int
) -> list[tuple[int, ...]]:
    """Put the last sentences before a chunk, of the same call, at its start."""
    extended = []
    for chunk in chunks:
        before = range(max(0, chunk[0] - count), chunk[0])
        extended.append((*(i for i in before if call_of[i] == call_of[chunk[0]]), *chunk))
    return extended


def with_subject(chunks: Sequence[tuple[int, ...]], subjects: list[int]) -> list[tuple[int, ...]]:
    """Put the sentence that holds the subject of a chunk's first sentence before the chunk."""
    return [
        chunk if subjects[chunk[0]] == chunk[0] else (subjects[chunk[0]], *chunk)
        for chunk in chunks
    ]


def subject_sentences(passages: Passages) -> list[int]:
    """Return for each sentence the nearest at or before it, in its call, that holds a name.

    A sentence without any name before it is its own.
    """
    subjects: list[int] = []
    for number, text in enumerate(passages.texts):
        continues = number > 0 and passages.call_of[number] == passages.call_of[number - 1]
        has_name = _NAME.search(text) is not None
        subjects.append(number if has_name or not continues else subjects[-1])
    return subjects


def at_speakers(document: Document) -> Document:
    """Make a section of each speaker's text, so that no chunk crosses its border."""
    (section,) = document.sections
    turns: list[Section] = []
    lines: list[str] = []
    for line in section.text.split("\n"):
        lines.append(line)
        if _HANDOVER.search(line):
            turns.append(replace(section, text="\n".join(lines)))
            lines = []
    if any(line.strip() for line in lines):
        turns.append(replace(section, text="\n".join(lines)))
    return replace(document, sections=tuple(turns))


def with_name(document: Document, names: dict[str, str]) -> Document:
    """Put the company's name, if known, beside its ticker in the header."""
    (section,) = document.sections
    name = names.get(document.company)
    company = f"{document.company} ({name})" if name else document.company
    prefix = section.prefix.replace(f"COMPANY: {document.company} ", f"COMPANY: {company} ")
    return replace(document, sections=(replace(section, prefix=prefix),))


def embed(documents: Sequence[Document], model: EmbeddingModel) -> Passages:
    """Embed the sentences of calls, each behind its header."""
    chunks = chunk_calls(documents, model, 0)
    numbers = {document.doc_id: number for number, document in enumerate(documents)}
    call_of = np.repeat(
        [numbers[chunk.doc_id] for chunk in chunks], [len(chunk.sentences) for chunk in chunks]
    )
    texts = passages(chunks, embed_prefix=False)
    return Passages(texts, call_of, model.encode(passages(chunks, embed_prefix=True)))


def variants(
    documents: Sequence[Document], names: dict[str, str], model: EmbeddingModel
) -> Iterator[Variant]:
    """Yield the corpus as it is, and the variants."""
    sentences = embed(documents, model)
    everything = np.ones(len(sentences.texts), bool)
    headers = [document.sections[0].prefix for document in documents]
    today = numbered(chunk_calls(documents, model, 0))
    yield Variant("today", today, headers, sentences, everything)
    for count in (1, 2):
        shorter = numbered(chunk_calls(documents, model, count * ROOM))
        overlapping = with_overlap(shorter, sentences.call_of, count)
        yield Variant(f"overlap of {count}", overlapping, headers, sentences, everything)
    by_speaker = numbered(chunk_calls(list(map(at_speakers, documents)), model, 0))
    assert by_speaker[-1][-1] == today[-1][-1], "cuts must keep the sentences"
    yield Variant("cuts at speakers", by_speaker, headers, sentences, everything)
    shorter = numbered(chunk_calls(documents, model, ROOM))
    in_context = with_subject(shorter, subject_sentences(sentences))
    yield Variant("context line", in_context, headers, sentences, everything)
    has_content = np.array([not _is_empty(text) for text in sentences.texts])
    print(f"{(~has_content).sum()} of {len(has_content):,} sentences are greetings or the like")
    yield Variant("no greetings", today, headers, sentences, has_content)
    named = [with_name(document, names) for document in documents]
    headers = [document.sections[0].prefix for document in named]
    yield Variant("company's name", today, headers, embed(named, model), everything)


def _is_empty(text: str) -> bool:
    is_handover = _HANDOVER.search(text) is not None
    is_greeting = _NO_CONTENT.match(text) is not None and len(text.split()) <= _MOST_WORDS
    return is_handover or is_greeting


def key_sentences(calls: Sequence[SummarizedDocument], sentences: Passages) -> list[list[int]]:
    """Return the numbers of the key sentences of each call: the most similar ones of its text."""
    found = []
    for number, call in enumerate(calls):
        candidates = np.flatnonzero(sentences.call_of == number)
        texts = [sentences.texts[i] for i in candidates]
        keys = []
        for text in call.evidence:
            _, _, position = process.extractOne(text, texts, scorer=fuzz.ratio)
            keys.append(int(candidates[position]))
        found.append(keys)
    return found


def measure(
    variant: Variant,
    calls: Sequence[SummarizedDocument],
    keys: list[list[int]],
    model: EmbeddingModel,
) -> npt.NDArray[np.float64]:
    """Return `MEASURES` of each call, shape (calls, measures); NaN without key sentences."""
    requests = [
        f"Summarize the key highlights from {call.document.company}'s "
        f"{call.document.period.replace('_', ' ')} earnings call."
        for call in calls
    ]
    chunk_texts = []
    for chunk in variant.chunks:
        header = variant.headers[variant.passages.call_of[chunk[0]]]
        chunk_texts.append(" ".join([header, *(variant.passages.texts[i] for i in chunk)]))
    index = KeywordIndex(chunk_texts)
    cosines = model.encode_queries(requests) @ variant.passages.vectors.T
    cosines[:, ~variant.indexed] = -np.inf
    subjects = subject_sentences(variant.passages)
    values = np.full((len(calls), len(MEASURES)), np.nan)
    for number, wanted in enumerate(keys):
        if not wanted:
            continue
        near = np.array([cosines[number, list(chunk)].max() for chunk in variant.chunks])
        matching = index.scores(sorted(content_words(requests[number].lower())))
        values[number] = (
            _recall(np.round(near, 6), wanted, variant.chunks),
            _recall(matching.astype(float), wanted, variant.chunks),
            np.mean([_together(key, subjects[key], variant.chunks) for key in wanted]),
        )
    return values


def _recall(
    scores: npt.NDArray[np.float64], wanted: list[int], chunks: list[tuple[int, ...]]
) -> float:
    """Return the share of key sentences that the best `TOP` chunks hold."""
    best = np.argsort(-scores, kind="stable")[:TOP]
    held = {number for chunk in best for number in chunks[chunk]}
    return float(np.mean([key in held for key in wanted]))


def _together(key: int, subject: int, chunks: list[tuple[int, ...]]) -> bool:
    """Return whether a chunk holds a key sentence and its subject."""
    return any(key in chunk and subject in chunk for chunk in chunks)


def report(
    name: str,
    values: npt.NDArray[np.float64],
    base: npt.NDArray[np.float64],
    clusters: Sequence[str],
) -> str:
    """Return a row of the table: each mean, and its difference to today's with its interval."""
    _, codes = np.unique(clusters, return_inverse=True)
    draws = resample_means(values - base, codes.astype(np.int64))
    cells = [name]
    for column, mean in enumerate(np.nanmean(values, axis=0)):
        difference = float(np.nanmean(values[:, column] - base[:, column]))
        low, high = percentile_interval(draws[:, column])
        change = f" ({difference:+.3f}, {low:+.3f} to {high:+.3f})" if values is not base else ""
        cells.append(f"{mean:.3f}{change}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Compare ways to cut and index earnings calls."""
    parser = argparse.ArgumentParser(prog="python -m measurements.chunking", description=__doc__)
    parser.add_argument("--ectsum", type=Path, required=True, help="copy of the ECTSum repository")
    parser.add_argument("--calls", type=int, default=60, help="[default: %(default)s]")
    parser.add_argument("--seed", type=int, default=56, help="[default: %(default)s]")
    given = parser.parse_args()
    every = read_ectsum("val", source=given.ectsum).items
    drawn = sorted(random.Random(given.seed).sample(range(len(every)), given.calls))
    calls = [every[number] for number in drawn]
    names = yaml.safe_load(Path(__file__).with_name("companies.yaml").read_text(encoding="utf-8"))
    model = embedding_model()
    companies = [call.document.company for call in calls]
    print(
        f"{len(calls)} calls of {len(set(companies))} companies, of which "
        f"{len(set(companies) & names.keys())} have a name",
        flush=True,
    )
    base: npt.NDArray[np.float64] | None = None
    for variant in variants([call.document for call in calls], names, model):
        if base is None:
            keys = key_sentences(calls, variant.passages)
            print(f"{sum(map(len, keys))} key sentences\n| chunks | {' | '.join(MEASURES)} |")
            print("|---" * (1 + len(MEASURES)) + "|")
        values = measure(variant, calls, keys, model)
        base = values if base is None else base
        row = report(variant.name, values, base, companies)
        print(f"{row} {len(variant.chunks)} chunks", flush=True)


if __name__ == "__main__":
    main()
