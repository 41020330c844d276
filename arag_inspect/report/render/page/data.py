"""Samples of the page as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...load.records import Benchmark, Judgement, Run, SampleResult
from ...tables.sections import parts_of

_SNIPPET = 240
"""Characters shown of a passage; the log has the rest."""


def benchmark_data(benchmark: Benchmark) -> dict[str, Any]:
    """Return a benchmark's samples with every system's answer as JSON values.

    Measures are numbered, so that fifteen hundred samples stay small.
    """
    measures = [measure for measure in benchmark.specs if measure.family != "cost"]
    numbers = {measure.key: number for number, measure in enumerate(measures)}
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
        "samples": [_sample(benchmark, one, numbers) for one in benchmark.sample_ids],
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


def _sample(benchmark: Benchmark, sample_id: str, numbers: Mapping[str, int]) -> dict[str, Any]:
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
        "answers": [_answer(place, sample, numbers) for place, sample in answers],
    }


def _answer(place: int, sample: SampleResult, numbers: Mapping[str, int]) -> dict[str, Any]:
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
        "read": _read(sample),
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
    """Split the answer at its unsupported figures: pieces of text, with their faults."""
    pieces: list[dict[str, Any]] = []
    end = 0
    for claim in _doubtful(sample):
        start, stop = claim["figure"]["span"]
        if start < end:
            continue
        pieces.append({"text": sample.answer[end:start]})
        pieces.append(
            {
                "text": sample.answer[start:stop],
                "verdict": claim["verdict"],
                "source": claim.get("source"),
                "differs": list(claim.get("differs") or []),
            }
        )
        end = stop
    return [*pieces, {"text": sample.answer[end:]}]


def _doubtful(sample: SampleResult) -> list[Mapping[str, Any]]:
    """Return unsupported claims whose figure is at its position, in order."""
    scoring = sample.scorings.get("factual_consistency")
    listed = scoring.metadata.get("claims") if scoring else None
    found = [
        claim
        for claim in (listed if isinstance(listed, Sequence) else [])
        if isinstance(claim, Mapping) and claim.get("verdict") != "supported"
        if _stands(sample.answer, claim.get("figure"))
    ]
    return sorted(found, key=lambda claim: int(claim["figure"]["span"][0]))


def _stands(answer: str, figure: object) -> bool:
    span = figure.get("span") if isinstance(figure, Mapping) else None
    return (
        isinstance(figure, Mapping)
        and isinstance(span, Sequence)
        and len(span) == 2
        and all(isinstance(place, int) for place in span)
        and answer[span[0] : span[1]] == figure.get("text")
    )


def _read(sample: SampleResult) -> list[dict[str, Any]]:
    """Return passages by chunk, with their section."""
    gold = set(sample.gold_chunk_ids)
    return [
        {
            "chunk": passage.chunk_id,
            "prefix": passage.prefix,
            "loop": passage.loop,
            "gold": passage.chunk_id in gold,
            "snippet": " ".join(passage.text[:_SNIPPET].split()),
        }
        for passage in sample.passages
    ]
