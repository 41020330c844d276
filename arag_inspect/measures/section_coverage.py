"""Measure which sections of its documents a summary uses."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import packaged_yaml
from arag_inspect.corpus import Chunk
from arag_inspect.figures.checks.support import NearestSentence, nearest_sentences
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.scorer import scorer
from arag_inspect.text.content_words import content_stems
from arag_inspect.types.sample import SampleMetadata, sample_metadata_or_default
from arag_inspect.types.trace import TraceRecord, read_record

if TYPE_CHECKING:
    from arag_inspect.corpus import Corpus

_LEAST_MENTIONS = 2
"""Minimum sentences of a call about a topic."""

_LEAST_SHARED = 0.25
"""Share of a sentence's content words, by weight, that its nearest sentence must have."""


@scorer(
    MeasureSpec(
        "section_coverage", "Sections used", "Sections", higher_is_better=None, aspect="sections"
    ),
    family="facts",
    sets={"summary": "default"},
)
def section_coverage() -> Scorer:
    """Which sections of its documents a summary uses, and which it leaves out.

    1. Each sentence is compared with the text that the system read (with the whole documents if it
       retrieved nothing), and belongs to the chunk of its nearest sentence: the one that shares
       most of its content words, where rare words count more. A sentence belongs to no chunk if it
       shares less than a quarter of their weight, or only one word that is not a number.
    2. A section is used if a sentence belongs to one of its chunks. The value is sections used /
       sections. Neither direction is better: an answer about one section should stay there.
    3. For calls, topics are counted too: a call has a topic if two of its sentences use the topic's
       words (`section_topics.yaml`); a summary uses it if one of its sentences does.
    4. This was checked on references with known evidence: 153 of 171 sentences (40 calls of ECTSum;
       9 belong to no chunk) and 124 of 124 (20 generated calls) belong to a chunk of the evidence.
    5. Unscored if the documents have no named sections or no prepared corpus, and if the summary is
       empty.

    Reads the prepared corpus given in the sample's metadata. Metadata: `sections` in the order of
    the documents, each with `doc_id`, `section`, `chunks`, `read` (chunks that were read) and
    `sentences` (indices of those that belong to it, from 0); `topics`, each with `topic`,
    `mentions` (sentences of the call) and `sentences`; `sentences`, each with its chunk and nearest
    sentence.
    """

    async def score(state: TaskState, target: Target) -> Score:
        sample = sample_metadata_or_default(state)
        answer = state.output.completion
        if not sample.corpus:
            raise _no_sections_error()
        from arag_inspect.corpus import Corpus  # pyarrow is loaded where a corpus is read

        try:
            corpus = await Corpus.open_async(sample.corpus)
            return await anyio.to_thread.run_sync(
                _score_sections, corpus, read_record(state), sample, answer
            )
        except InputError as error:
            raise UnscoredError("no_corpus", str(error)) from None

    return score


def _no_sections_error() -> UnscoredError:
    return UnscoredError("no_sections", "The sample has no documents with named sections.")


def _score_sections(
    corpus: "Corpus", trace: TraceRecord, sample: SampleMetadata, answer: str
) -> Score:
    chunks = corpus.document_chunks(sample.doc_ids)
    if not any(chunk.section for chunk in chunks):
        raise _no_sections_error()
    chunks_read = _chunks_read(corpus, trace)
    candidates = chunks_read or chunks
    sentences = nearest_sentences(answer, [chunk.text for chunk in candidates])
    if not sentences:
        raise UnscoredError("no_sentences", "The summary has no sentence.")
    source_chunks: list[Chunk | None] = []
    records = []
    sentences_of_call = []
    for sentence in sentences:
        chunk = candidates[sentence.passage] if _is_in_section(sentence) else None
        source_chunks.append(chunk)
        chunk_id = chunk.chunk_id if chunk else None
        record = {"sentence": sentence.sentence, "chunk_id": chunk_id, "nearest": sentence.nearest}
        records.append(record)
        is_of_call = chunk is None or chunk.doc_id in sample.doc_ids
        sentences_of_call.append(sentence.sentence if is_of_call else "")
    ids_read = frozenset(chunk.chunk_id for chunk in chunks_read)
    sections = _section_records(chunks, ids_read, source_chunks)
    used_sections = [section["section"] for section in sections if section["sentences"]]
    metadata: dict[str, Any] = {"sections": sections, "sentences": records}
    if sample.style == "earnings_call":
        metadata["topics"] = _topic_records(chunks, sentences_of_call)
    return Score(
        value=len(used_sections) / len(sections),
        explanation=f"{len(used_sections)} of {len(sections)} sections are used: "
        f"{', '.join(dict.fromkeys(used_sections)) or 'none'}.",
        metadata=metadata,
    )


def _is_in_section(sentence: NearestSentence) -> bool:
    """Return whether a sentence or heading shares enough words with its nearest."""
    words = content_stems(sentence.sentence) & content_stems(sentence.nearest)
    has_enough_words = len(words) > 1 or any(word[0].isdigit() for word in words)
    return has_enough_words and sentence.shared >= _LEAST_SHARED


def _chunks_read(corpus: "Corpus", trace: TraceRecord) -> list[Chunk]:
    """Return the chunks of the corpus that the system read."""
    chunks = []
    for passage in trace.passages:
        if 0 <= passage.chunk_id < len(corpus):
            chunk = corpus.chunk(passage.chunk_id)
            if chunk.doc_id == passage.doc_id:
                chunks.append(chunk)
    return chunks


def _section_records(
    chunks: Sequence[Chunk], ids_read: frozenset[int], source_chunks: Sequence[Chunk | None]
) -> list[dict[str, Any]]:
    """Return the sections in order, with the chunks read and the sentences of each."""
    section_ids: dict[tuple[str, str], list[int]] = {}
    for chunk in chunks:
        section_ids.setdefault((chunk.doc_id, chunk.section), []).append(chunk.chunk_id)
    sections = []
    for (doc_id, section), ids in section_ids.items():
        if not section:
            continue
        sentences = [
            index for index, chunk in enumerate(source_chunks) if chunk and chunk.chunk_id in ids
        ]
        sections.append(
            {
                "doc_id": doc_id,
                "section": section,
                "chunks": len(ids),
                "read": len(ids_read.intersection(ids)),
                "sentences": sentences,
            }
        )
    return sections


def _topic_records(chunks: Sequence[Chunk], sentences: Sequence[str]) -> list[dict[str, Any]]:
    """Return the topics of a call, with the summary's sentences about them."""
    call = list(_sentences_of(chunks))
    topics = []
    for topic, words in _load_topic_patterns().items():
        mentions = sum(map(bool, map(words.search, call)))
        if mentions >= _LEAST_MENTIONS:
            topic_sentences = [index for index, text in enumerate(sentences) if words.search(text)]
            topics.append({"topic": topic, "mentions": mentions, "sentences": topic_sentences})
    return topics


def _sentences_of(chunks: Iterable[Chunk]) -> Iterator[str]:
    for chunk in chunks:
        for start, end in chunk.sentences:
            yield chunk.text[start:end]


@cache
def _load_topic_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return a pattern of the words of each topic of earnings calls."""
    words_by_topic: dict[str, list[str]] = packaged_yaml(__package__, "section_topics.yaml")
    return {
        topic: re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})", re.IGNORECASE)
        for topic, words in words_by_topic.items()
    }
