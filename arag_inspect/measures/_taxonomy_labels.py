"""Codes of an error taxonomy for a summary, from judges, else from rules."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import anyio.to_thread
from inspect_ai.scorer import Target

from arag_inspect.judge.judge import judge_by_all
from arag_inspect.judge.judgement import Judgement
from arag_inspect.judge.parsing import labels_form
from arag_inspect.measures._excerpts import nearest_excerpts
from arag_inspect.measures._references import reference_of
from arag_inspect.measures._taxonomy import SampleEvidence, agreed_codes, code_by_rules
from arag_inspect.measures.taxonomy_file import Taxonomy, list_codes
from arag_inspect.models.request_key import asking
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.text.sentences import sentences
from arag_inspect.types.sample import most_words
from arag_inspect.types.trace import Passage

_EXCERPTS = 12
"""Maximum excerpts of the text read that a judge sees."""


@dataclass
class Labels:
    """The codes of a summary, and their source."""

    codes: dict[str, str] = field(default_factory=dict)
    """Reason by code; empty for a judge's code, which the judge's reasoning explains."""

    source: Literal["judge", "rules"] | None = None
    """None without a search for errors."""

    judges: list[Judgement[list[str]]] = field(default_factory=list)

    @property
    def is_unanswered(self) -> bool:
        """Whether judges were asked and no reply could be read."""
        return bool(self.judges) and all(judgement.verdict is None for judgement in self.judges)


async def assign_codes(
    evidence: SampleEvidence,
    taxonomy: Taxonomy,
    reasonings: Mapping[str, str],
    target: Target,
    texts_read: Sequence[str],
) -> Labels:
    """Assign the codes that the judges agree on, else the codes of the rules.

    Args:
        evidence: Evidence about the summary.
        taxonomy: The codes.
        reasonings: Reasoning behind each available grade.
        target: References of the summary.
        texts_read: Texts from which the summary was written.
    """
    judges: list[Judgement[list[str]]] = []
    if evidence.answer.strip():
        judges = await _ask_judges(evidence, taxonomy, reasonings, target, texts_read)
    verdicts = [judgement.verdict for judgement in judges if judgement.verdict is not None]
    codes = agreed_codes(verdicts)
    if codes or (verdicts and not evidence.is_weak_summary):
        return Labels(dict.fromkeys(codes, ""), "judge", judges)
    return Labels(code_by_rules(evidence, taxonomy.rules), "rules", judges)


async def _ask_judges(
    evidence: SampleEvidence,
    taxonomy: Taxonomy,
    reasonings: Mapping[str, str],
    target: Target,
    texts_read: Sequence[str],
) -> list[Judgement[list[str]]]:
    reference = (await anyio.to_thread.run_sync(reference_of, list(target))).text
    compared_sentences = [*sentences(evidence.answer), *sentences(reference)]
    excerpts = await anyio.to_thread.run_sync(
        nearest_excerpts, texts_read, compared_sentences, _EXCERPTS
    )
    blocks = [fence("source", excerpt) for excerpt in excerpts]
    if reference:
        blocks.append(fence("reference", reference))
    blocks.append(fence("summary", evidence.answer))
    for name, reasoning in reasonings.items():
        blocks.append(fence("reasoning", reasoning, grade=f"{name} {evidence.grades[name]}"))
    blocks.append(fence("record", _describe_record(evidence)))
    codes = taxonomy.applicable_codes(evidence)
    template = load_prompt("judge/error_taxonomy")
    prompt = fill(template, codes=list_codes(codes), material="\n\n".join(blocks))
    with asking(purpose="codes"):
        return await judge_by_all(prompt, labels_form(tuple(codes)))


def _describe_record(evidence: SampleEvidence) -> str:
    """Describe the run in a few lines, for a judge."""
    trace = evidence.trace
    metadata = evidence.metadata
    lines = [f"words: {evidence.words}"]
    if metadata.target_length:
        lines[0] += f" (asked for: at most {most_words(metadata.target_length)})"
    if trace.loops:
        lines.append(f"loops: {trace.loops}, ended by: {trace.stopped_by or 'unknown'}")
    lines += [
        f"searched: {search.query} ({len(search.chunk_ids)} found)" for search in trace.searches
    ]
    if trace.passages:
        lines.append(f"chunks read: {len(trace.passages)}")
        if evidence.is_retriever:
            lines += _count_passages_by_source(trace.passages)
    if evidence.could_retrieve_gold:
        reading = evidence.evidence_read
        gold = "chunks that hold the evidence" if reading.unit == "gold chunk" else "evidence texts"
        lines.append(f"{gold}: {reading.total}, read of them: {reading.number_read}")
    lines += [
        f"figure that a program found contradicted: {claim.figure.text} in: {claim.sentence}"
        for claim in evidence.wrong_figures
    ]
    return "\n".join(lines)


def _count_passages_by_source(passages: Sequence[Passage]) -> list[str]:
    """Return a line with the number of chunks read of each source, most first."""
    counts = Counter(" ".join(passage.prefix.split()) for passage in passages)
    return [
        f"read from {source or 'a source without a header'}: {count}"
        for source, count in counts.most_common()
    ]
