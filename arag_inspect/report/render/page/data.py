"""Samples of the page as plain data."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...load.records import Benchmark, Judgement, Run, SampleResult
from ...tables.sections import parts_of

_SNIPPET = 160
"""Characters shown of a passage; the log has the rest."""

_Passages = dict[tuple[int, str, str], int]
"""Number of each passage (chunk, prefix, beginning of its text): systems read the same ones."""

_Span = tuple[int, int, Mapping[str, Any]]
"""Start and end in an answer, and what is known of that part."""


def benchmark_data(benchmark: Benchmark) -> dict[str, Any]:
    """Return a benchmark's samples with every system's answer as JSON values.

    Measures are numbered, so that fifteen hundred samples stay small.
    """
    measures = [measure for measure in benchmark.specs if measure.family != "cost"]
    numbers = {measure.key: number for number, measure in enumerate(measures)}
    passages: _Passages = {}
    samples = [_sample(benchmark, one, numbers, passages) for one in benchmark.sample_ids]
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
            }
            for measure in measures
        ],
        "main": next((numbers[one.key] for one in benchmark.main), 0),
        "codes": _codes(benchmark),
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
        (place, sample)
        for place, run in enumerate(benchmark.runs)
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
        "answers": [_answer(place, sample, numbers, passages) for place, sample in answers],
    }


def _answer(
    place: int, sample: SampleResult, numbers: Mapping[str, int], passages: _Passages
) -> dict[str, Any]:
    marks = {numbers[m]: mark for m, mark in sample.marks.items() if m in numbers}
    return {
        "system": place,
        "epoch": sample.epoch,
        "pieces": _pieces(sample),
        "outcome": sample.outcome,
        "error": sample.error,
        "stopped": sample.stopped_by,
        "marks": {n: round(m.value, 4) for n, m in marks.items() if m.value is not None},
        "why": {n: m.reason or m.status for n, m in marks.items() if m.value is None},
        "codes": None if sample.codes is None else list(sample.codes),
        "words": sample.word_count,
        "loops": sample.loops,
        "cost": sample.cost_usd,
        "latency": sample.latency_ms,
        "tokens": [sample.input_tokens, sample.output_tokens],
        "judgements": [_judgement(one) for one in sample.judgements if one.repeat == 0],
        "explanations": _explanations(sample),
        "read": _read(sample, passages),
        "parts": [one._asdict() for one in parts_of(sample)],
        "missed": list(sample.missed),
        "gold": len(sample.gold_chunk_ids),
        "searches": [
            {"tool": one.tool, "query": one.query, "loop": one.loop, "found": len(one.chunk_ids)}
            for one in sample.searches
        ],
    }


def _judgement(one: Judgement) -> dict[str, Any]:
    return {
        "scorer": one.scorer,
        "grader": one.grader,
        "verdict": one.verdict,
        "reasoning": one.reasoning,
        "reason": one.reason,
    }


def _explanations(sample: SampleResult) -> dict[str, str]:
    """Return the explanations of scorers without a judge."""
    judged = {one.scorer for one in sample.judgements}
    return {
        scorer: scoring.explanation
        for scorer, scoring in sample.scorings.items()
        if scoring.explanation and scorer not in judged and scorer != "efficiency"
    }


def _pieces(sample: SampleResult) -> list[dict[str, Any]]:
    """Split the answer: figures that were checked, with verdict and source, and the sentences
    around them, with the nearest sentence of the text that was read.
    """
    known = (*_figures(sample), *_sentences(sample))
    cuts = {0, len(sample.answer), *(end for start, stop, _ in known for end in (start, stop))}
    return [
        {"text": sample.answer[start:stop], **_at(start, known)}
        for start, stop in pairwise(sorted(cuts))
    ]


def _at(place: int, known: Iterable[_Span]) -> Mapping[str, Any]:
    return next((found for start, stop, found in known if start <= place < stop), {})


def _figures(sample: SampleResult) -> list[_Span]:
    """Return the figures that `factual_consistency` checked, in order; of overlapping ones the
    first.
    """
    found: list[_Span] = []
    claims = [one for one in _listed(sample, "factual_consistency", "claims") if "figure" in one]
    placed = (one for one in claims if _stands(sample.answer, one["figure"]))
    for claim in sorted(placed, key=lambda one: int(one["figure"]["span"][0])):
        start, stop = claim["figure"]["span"]
        if not found or start >= found[-1][1]:
            differs = list(claim.get("differs") or [])
            about = {"verdict": str(claim.get("verdict")), "source": claim.get("source")}
            found.append((start, stop, {**about, "differs": differs}))
    return found


def _sentences(sample: SampleResult) -> list[_Span]:
    """Return the sentences that the scorer `support` compared, in order."""
    found: list[_Span] = []
    end = 0
    for one in _listed(sample, "support", "sentences"):
        sentence = str(one.get("sentence"))
        start = sample.answer.find(sentence, end)
        if start >= 0:
            end = start + len(sentence)
            found.append((start, end, {"source": one.get("nearest")}))
    return found


def _listed(sample: SampleResult, scorer: str, name: str) -> list[Mapping[str, Any]]:
    """Return the entries of a list in a scorer's metadata; none if it is something else."""
    scoring = sample.scorings.get(scorer)
    listed = scoring.metadata.get(name) if scoring else None
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def _stands(answer: str, figure: object) -> bool:
    span = figure.get("span") if isinstance(figure, Mapping) else None
    return (
        isinstance(figure, Mapping)
        and isinstance(span, Sequence)
        and len(span) == 2
        and all(isinstance(place, int) for place in span)
        and 0 <= span[0] < span[1]
        and answer[span[0] : span[1]] == figure.get("text")
    )


def _read(sample: SampleResult, passages: _Passages) -> list[dict[str, Any]]:
    """Return the passages read, by number."""
    gold = set(sample.gold_chunk_ids)
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
