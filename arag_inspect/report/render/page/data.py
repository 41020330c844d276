"""Samples of the page as plain data."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ....text.citations import find_marks, without_marks, without_thoughts
from ...load.records import Benchmark, Judgement, Run, SampleResult
from ...tables.sections import parts_of

_SNIPPET = 160
"""Characters shown of a passage; the log has the rest."""

_Passages = dict[tuple[int, str, str], int]
"""Number of each passage (chunk, prefix, beginning of its text): systems read the same ones."""

_Span = tuple[int, int, Mapping[str, Any]]
"""Start and end in an answer, and details of that part."""


def benchmark_data(benchmark: Benchmark) -> dict[str, Any]:
    """Return a benchmark's samples with every system's answer as JSON values.

    Measures are numbered, so that fifteen hundred samples stay small.
    """
    measures = [measure for measure in benchmark.specs if measure.family != "cost"]
    numbers = {measure.key: number for number, measure in enumerate(measures)}
    passages: _Passages = {}
    samples = [
        _sample(benchmark, sample_id, numbers, passages) for sample_id in benchmark.sample_ids
    ]
    return {
        "name": benchmark.name,
        "systems": [_system(run) for run in benchmark.runs],
        "measures": [
            {
                "name": measure.key,
                "label": measure.label,
                "higher_is_better": measure.higher_is_better,
                "low": measure.low,
                "high": measure.high,
                "tie": measure.tie,
            }
            for measure in measures
        ],
        "main": next((numbers[measure.key] for measure in benchmark.main), 0),
        "codes": _codes(benchmark),
        "code_names": dict(benchmark.code_names),
        "samples": samples,
        "passages": [
            {"chunk": chunk, "prefix": prefix, "snippet": snippet}
            for chunk, prefix, snippet in passages
        ],
    }


def _system(run: Run) -> dict[str, Any]:
    return {
        "name": run.system,
        "model": run.model,
        "graders": list(run.graders),
        "log": run.location.split("/")[-1],
    }


def _codes(benchmark: Benchmark) -> list[str]:
    names = (m.split(".")[1] for m in benchmark.measures if m.startswith("error_taxonomy."))
    return [name for name in names if name != "any"]


def _sample(
    benchmark: Benchmark, sample_id: str, numbers: Mapping[str, int], passages: _Passages
) -> dict[str, Any]:
    answers = [
        (index, sample)
        for index, run in enumerate(benchmark.runs)
        for sample in run.by_id.get(sample_id, ())
    ]
    first = answers[0][1]
    return {
        "id": sample_id,
        "company": first.company,
        "period": first.period,
        "type": first.question_type,
        "input": first.input[:4000],
        "target": first.target,
        "evidence": list(first.evidence),
        "answers": [_answer(index, sample, numbers, passages) for index, sample in answers],
    }


def _answer(
    index: int, sample: SampleResult, numbers: Mapping[str, int], passages: _Passages
) -> dict[str, Any]:
    marks = {numbers[m]: mark for m, mark in sample.marks.items() if m in numbers}
    return {
        "system": index,
        "epoch": sample.epoch,
        "pieces": _pieces(sample),
        "outcome": sample.outcome,
        "error": sample.error,
        "stopped": sample.stopped_by,
        "marks": {n: round(m.value, 6) for n, m in marks.items() if m.value is not None},
        "why": {n: m.reason or m.status for n, m in marks.items() if m.value is None},
        "codes": None if sample.codes is None else list(sample.codes),
        "words": sample.word_count,
        "loops": sample.loops,
        "cost": sample.cost_usd,
        "latency": sample.latency_ms,
        "tokens": [sample.input_tokens, sample.output_tokens],
        "judgements": [
            _judgement(judgement) for judgement in sample.judgements if judgement.repeat == 0
        ],
        "explanations": _explanations(sample),
        "read": _read(sample, passages),
        "parts": [part._asdict() for part in parts_of(sample)],
        "missed": list(sample.missed),
        "gold": len(sample.gold.chunk_ids),
        "searches": [
            {
                "tool": search.tool,
                "query": search.query,
                "loop": search.loop,
                "found": len(search.chunk_ids),
            }
            for search in sample.searches
        ],
    }


def _judgement(judgement: Judgement) -> dict[str, Any]:
    return {
        "scorer": judgement.scorer,
        "grader": judgement.grader,
        "verdict": judgement.verdict,
        "said": judgement.said,
        "reasoning": judgement.reasoning,
        "reason": judgement.reason,
    }


def _explanations(sample: SampleResult) -> dict[str, str]:
    """Return the explanations of scorers without a judge."""
    judged = {judgement.scorer for judgement in sample.judgements}
    return {
        scorer: scoring.explanation
        for scorer, scoring in sample.scorings.items()
        if scoring.explanation and scorer not in judged and scorer != "efficiency"
    }


def _pieces(sample: SampleResult) -> list[dict[str, Any]]:
    """Split the answer into checked figures and the sentences around them.

    Figures have verdict and source, sentences the nearest sentence of the text read.
    """
    scored, positions = _scored(sample.answer)
    spans = [
        (positions[start], positions[stop - 1] + 1, details)
        for start, stop, details in (*_figures(sample, scored), *_sentences(sample, scored))
    ]
    cuts = {0, len(sample.answer), *(end for start, stop, _ in spans for end in (start, stop))}
    return [
        {"text": sample.answer[start:stop], **_details_at(start, spans)}
        for start, stop in pairwise(sorted(cuts))
    ]


def _details_at(position: int, spans: Iterable[_Span]) -> Mapping[str, Any]:
    return next((details for start, stop, details in spans if start <= position < stop), {})


def _scored(answer: str) -> tuple[str, Sequence[int]]:
    """Return what scorers read of an answer, and the offset in the answer of each character."""
    stated = without_thoughts(answer)
    scored = without_marks(stated)
    if scored == answer:
        return answer, range(len(answer))
    marked = {offset for mark in find_marks(stated) for offset in range(mark.start, mark.end)}
    unmarked = [offset for offset in range(len(stated)) if offset not in marked]
    first, index, positions = max(0, answer.rfind(stated)), 0, []
    for character in scored:  # beside marks, only white space is left out or put in
        while not character.isspace() and stated[unmarked[index]] != character:
            index += 1
        positions.append(first + unmarked[min(index, len(unmarked) - 1)])
        index += stated[unmarked[min(index, len(unmarked) - 1)]] == character
    return scored, positions


def _figures(sample: SampleResult, scored: str) -> list[_Span]:
    """Return the figures that `factual_consistency` checked, in order.

    Of overlapping figures, only the first.
    """
    spans: list[_Span] = []
    claims = [
        claim for claim in _entries(sample, "factual_consistency", "claims") if "figure" in claim
    ]
    valid_claims = (claim for claim in claims if _is_span_of(scored, claim["figure"]))
    for claim in sorted(valid_claims, key=lambda claim: int(claim["figure"]["span"][0])):
        start, stop = claim["figure"]["span"]
        if not spans or start >= spans[-1][1]:
            differs = list(claim.get("differs") or [])
            about = {"verdict": str(claim.get("verdict")), "source": claim.get("source")}
            spans.append((start, stop, {**about, "differs": differs}))
    return spans


def _sentences(sample: SampleResult, scored: str) -> list[_Span]:
    """Return the sentences that the scorer `support` compared, in order."""
    spans: list[_Span] = []
    end = 0
    for entry in _entries(sample, "support", "sentences"):
        sentence = str(entry.get("sentence"))
        start = scored.find(sentence, end)
        if start >= 0:
            end = start + len(sentence)
            spans.append((start, end, {"source": entry.get("nearest")}))
    return spans


def _entries(sample: SampleResult, scorer: str, name: str) -> list[Mapping[str, Any]]:
    """Return the mappings of a list in a scorer's metadata; empty if it is no list."""
    scoring = sample.scorings.get(scorer)
    listed = scoring.metadata.get(name) if scoring else None
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _is_span_of(answer: str, figure: object) -> bool:
    span = figure.get("span") if isinstance(figure, Mapping) else None
    return (
        isinstance(figure, Mapping)
        and isinstance(span, Sequence)
        and len(span) == 2
        and all(isinstance(offset, int) for offset in span)
        and 0 <= span[0] < span[1]
        and answer[span[0] : span[1]] == figure.get("text")
    )


def _read(sample: SampleResult, passages: _Passages) -> list[dict[str, Any]]:
    """Return the passages read, by number."""
    gold = sample.gold.all
    return [
        {
            "passage": passages.setdefault(
                (passage.chunk_id, passage.prefix, " ".join(passage.text[:_SNIPPET].split())),
                len(passages),
            ),
            "loop": passage.loop,
            "gold": passage.chunk_id in gold,
        }
        for passage in sample.passages
    ]
