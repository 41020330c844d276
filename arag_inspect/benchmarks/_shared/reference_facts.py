"""The passages that support each sentence of a silver reference."""

from collections.abc import Sequence
from itertools import chain

from arag_inspect.corpus import Chunk
from arag_inspect.corpus.evidence import figures_agree
from arag_inspect.figures import match_fact, read_statement, read_statements
from arag_inspect.text.citations import find_marks, without_marks
from arag_inspect.text.content_words import content_words
from arag_inspect.text.sentences import Span, sentences, split_sentences
from arag_inspect.types.sample import SampleFact

_HELD = 0.6
"""Minimum share of a sentence's content words in its passages, as in a report's fact paths."""

_HALF = 0.5
"""Minimum share of its figures in its passages, in any unit and rounded or not."""


def reference_facts(name: str, reply: str, chunks: Sequence[Chunk]) -> list[SampleFact]:
    """Return the sentences of a reference as facts, with the chunks that support them.

    These are the fewest cited chunks with most of a sentence's content words and its figures, else
    the chunk with most of its words if it has the figures too, else none.

    Args:
        name: Id of the sample.
        reply: The reference, with chunk ids in square brackets: `[12]`, `[12, 15]`.
        chunks: The chunks from which it was written.
    """
    text = without_marks(reply)
    cited_ids = _cited_ids(reply, split_sentences(text))
    facts = []
    for number, (sentence, ids) in enumerate(zip(sentences(text), cited_ids, strict=True), 1):
        cited = [chunk for chunk in chunks if chunk.chunk_id in ids]
        holders = _holders(sentence, cited, max_holders=len(cited)) or _holders(
            sentence, chunks, max_holders=1
        )
        chunk_ids = tuple(chunk.chunk_id for chunk in holders)
        facts.append(SampleFact(id=f"{name}#s{number:02}", text=sentence, chunk_ids=chunk_ids))
    return facts


def _cited_ids(reply: str, spans: Sequence[Span]) -> list[set[int]]:
    """Return the chunk ids in the marks within or after each sentence."""
    ids: list[set[int]] = [set() for _ in spans]
    for mark in find_marks(reply):
        position = len(without_marks(reply[: mark.start]))
        preceding_count = sum(span.start < position for span in spans)
        if preceding_count:
            ids[preceding_count - 1].update(mark.ids)
    return ids


def _holders(sentence: str, chunks: Sequence[Chunk], max_holders: int) -> list[Chunk]:
    """Return the fewest chunks, by words in common, that together support a sentence."""
    words = content_words(sentence.lower())
    shared_words = {chunk: words & content_words(chunk.text.lower()) for chunk in chunks}
    ranked = sorted(chunks, key=lambda chunk: -len(shared_words[chunk]))[:max_holders]
    common_words = frozenset[str]()
    for count, chunk in enumerate(ranked, 1):
        common_words |= shared_words[chunk]
        is_enough = words and len(common_words) >= _HELD * len(words)
        if is_enough and _has_figures(sentence, [chunk.text for chunk in ranked[:count]]):
            return ranked[:count]
    return []


def _has_figures(sentence: str, texts: Sequence[str]) -> bool:
    if figures_agree(sentence, "\n".join(texts)):
        return True
    statements = list(chain.from_iterable(map(read_statements, texts)))
    return match_fact(read_statement(sentence), statements).share >= _HALF
