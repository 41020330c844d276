"""Which sections of its documents does a summary use?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Chunk
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.quantities.sentence_support import NearestSentence, nearest_sentences
from arag_inspect.scorers._scorer import scorer
from arag_inspect.scorers._section_coverage.topics import LEAST, count_topics
from arag_inspect.text.stems import content_stems
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import SampleMetadata, sample_metadata_or_default
from arag_inspect.types.trace import TraceRecord, recorded

if TYPE_CHECKING:
    from arag_inspect.corpus import Corpus

_LEAST_SHARED = 0.25
"""Share of a sentence's content words, by weight, that its nearest sentence must have."""

MEASURES = measures(
    MeasureSpec(
        "section_coverage",
        "Sections used",
        "Sections",
        "Share of the sections of the sample's documents that the summary uses.",
        higher_is_better=None,
    ),
    family="facts",
)


@scorer(MEASURES)
def section_coverage() -> Scorer:
    """Which sections of its documents a summary uses, and which it leaves out.

    1. Each sentence is compared with the text that the system read, or with the whole documents if
       it retrieved nothing, and belongs to the chunk of its nearest sentence: the one that shares
       most of its content words, rare words counting more. A sentence that shares less than a
       quarter of them by weight, or a single one that is not a number, belongs nowhere.
    2. A section is used if a sentence belongs to one of its chunks. The value is sections used /
       sections. Neither direction is better: an answer about one section should stay there.
    3. For calls, topics are counted too: a topic exists if two sentences of the call use its words
       (`topics.yaml`), and is used if one sentence of the summary does.
    4. Of references whose evidence is known, 153 of 171 sentences (40 calls of ECTSum; 9 belong
       nowhere) and 124 of 124 (20 generated calls) belong to a chunk of the evidence.
    5. Unscored if the documents have no named sections or no prepared corpus, and if the summary is
       empty.

    Reads the prepared corpus that the sample's metadata name. Metadata: `sections` in the order of
    the documents, each with `doc_id`, `section`, `chunks`, `read` (chunks that were read) and
    `sentences` (indices of those that belong to it, from 0); `topics`, each with `topic`,
    `mentions` (sentences of the call) and `sentences`; `sentences`, each with its chunk and nearest
    sentence.
    """

    async def score(state: TaskState, target: Target) -> Score:
        about, answer = sample_metadata_or_default(state), state.output.completion
        if not about.corpus:
            raise _no_sections()
        from arag_inspect.corpus import Corpus  # pyarrow is loaded where a corpus is read

        try:
            corpus = await Corpus.open_async(about.corpus)
            return await anyio.to_thread.run_sync(_score, corpus, recorded(state), about, answer)
        except InputError as error:
            raise UnscoredError("no_corpus", str(error)) from None

    return score


def _no_sections() -> UnscoredError:
    return UnscoredError("no_sections", "The sample has no documents with named sections.")


def _score(corpus: "Corpus", trace: TraceRecord, about: SampleMetadata, answer: str) -> Score:
    chunks = corpus.document_chunks(about.doc_ids)
    if not any(chunk.section for chunk in chunks):
        raise _no_sections()
    read = _read(corpus, trace)
    candidates = read or chunks
    supports = nearest_sentences(answer, [chunk.text for chunk in candidates])
    if not supports:
        raise UnscoredError("no_sentences", "The summary has no sentence.")
    homes = [candidates[support.passage] if _belongs(support) else None for support in supports]
    sections = _sections(chunks, frozenset(chunk.chunk_id for chunk in read), homes)
    used = [section["section"] for section in sections if section["sentences"]]
    metadata: dict[str, Any] = {
        "sections": sections,
        "sentences": [
            _sentence(support, home) for support, home in zip(supports, homes, strict=True)
        ],
    }
    if about.style == "earnings_call":
        own = [home is None or home.doc_id in about.doc_ids for home in homes]
        metadata["topics"] = _topics(chunks, supports, own)
    return Score(
        value=len(used) / len(sections),
        explanation=f"{len(used)} of {len(sections)} sections are used: "
        f"{', '.join(dict.fromkeys(used)) or 'none'}.",
        metadata=metadata,
    )


def _belongs(support: NearestSentence) -> bool:
    """Return whether a sentence or heading shares enough words with its nearest."""
    words = content_stems(support.sentence) & content_stems(support.nearest)
    enough = len(words) > 1 or any(word[0].isdigit() for word in words)
    return enough and support.shared >= _LEAST_SHARED


def _read(corpus: "Corpus", trace: TraceRecord) -> list[Chunk]:
    """Return the chunks of the corpus that the system read."""
    passages = [passage for passage in trace.passages if 0 <= passage.chunk_id < len(corpus)]
    chunks = [corpus.chunk(passage.chunk_id) for passage in passages]
    return [
        chunk
        for chunk, passage in zip(chunks, passages, strict=True)
        if chunk.doc_id == passage.doc_id
    ]


def _sections(
    chunks: Sequence[Chunk], read: frozenset[int], homes: Sequence[Chunk | None]
) -> list[dict[str, Any]]:
    """Return the sections in order, with the chunks read and the sentences of each."""
    own: dict[tuple[str, str], list[int]] = {}
    for chunk in chunks:
        own.setdefault((chunk.doc_id, chunk.section), []).append(chunk.chunk_id)
    return [
        {
            "doc_id": doc_id,
            "section": section,
            "chunks": len(ids),
            "read": len(read.intersection(ids)),
            "sentences": [
                index for index, home in enumerate(homes) if home and home.chunk_id in ids
            ],
        }
        for (doc_id, section), ids in own.items()
        if section
    ]


def _topics(
    chunks: Sequence[Chunk], supports: Sequence[NearestSentence], own: Sequence[bool]
) -> list[dict[str, Any]]:
    """Return the topics of a call, with the summary's sentences about them.

    Sentences that use another document are left out.
    """
    call_topics = count_topics(
        chunk.text[start:end] for chunk in chunks for start, end in chunk.sentences
    )
    summary_topics = [count_topics([support.sentence]) for support in supports]
    return [
        {
            "topic": topic,
            "mentions": mentions,
            "sentences": [
                index for index, counts in enumerate(summary_topics) if own[index] and counts[topic]
            ],
        }
        for topic, mentions in call_topics.items()
        if mentions >= LEAST
    ]


def _sentence(support: NearestSentence, home: Chunk | None) -> dict[str, Any]:
    return {
        "sentence": support.sentence,
        "chunk_id": home.chunk_id if home else None,
        "section": home.section if home else None,
        "nearest": support.nearest,
        "shared": round(support.shared, 4),
    }
