"""Samples of the page as plain data."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...text.citations import find_marks, without_marks, without_thoughts
from ..benchmark import Benchmark
from ..frames import Row
from ..primary import primary_measures
from ..tables.sections import parts_of

_SNIPPET = 160
"""Characters shown of a passage; the log has the rest."""

_Passages = dict[tuple[int, str, str], int]
"""Number of each passage (chunk, prefix, beginning of its text): systems read the same ones."""

_Span = tuple[int, int, Mapping[str, Any]]
"""Start and end in an answer, and details of that part."""

_SAMPLE = ("id", "company", "period", "question_type", "target")
_ANSWER = (
    *("epoch", "outcome", "error", "stopped_by", "codes", "words", "loops"),
    *("cost_usd", "latency_ms"),
)
"""Columns of the answers' frame, by their names."""


def benchmark_data(benchmark: Benchmark) -> dict[str, Any]:
    """Return a benchmark's samples with every system's answer as JSON values.

    Measures are numbered, so that fifteen hundred samples stay small.
    """
    measures = [spec for spec in benchmark.specs if spec.family not in ("cost", "errors")]
    numbers = {measure.key: number for number, measure in enumerate(measures)}
    main = (*primary_measures(benchmark), *(spec.key for spec in benchmark.main))
    order = [numbers[key] for key in dict.fromkeys((*main, *numbers)) if key in numbers]
    named = (key.split(".") for key in benchmark.measures if key.startswith("error_taxonomy."))
    codes = [code for _, code in named if code != "any"]
    passages: _Passages = {}
    return {
        "name": benchmark.name,
        "systems": [
            {
                "name": run.system,
                "model": run.model,
                "graders": list(run.graders),
                "log": run.location.split("/")[-1],
            }
            for run in benchmark.rows
        ],
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
        "main": next(iter(order), 0),
        "order": order,
        "codes": codes,
        "code_names": {code: benchmark.error(code) for code in codes},
        "samples": _samples(benchmark, numbers, passages),
        "passages": [
            {"chunk": chunk, "prefix": prefix, "snippet": snippet}
            for chunk, prefix, snippet in passages
        ],
    }


def _samples(
    benchmark: Benchmark, numbers: Mapping[str, int], passages: _Passages
) -> list[dict[str, Any]]:
    positions = {system: index for index, system in enumerate(benchmark.systems)}
    marks: dict[int, dict[int, Any]] = {}
    for row in benchmark.scores.itertuples(index=False):
        if row.measure in numbers:
            marks.setdefault(row.answer, {})[numbers[row.measure]] = row
    verdicts: dict[int, list[Any]] = {}
    for row in benchmark.first_verdicts.itertuples(index=False):
        verdicts.setdefault(row.answer, []).append(row)
    samples: dict[str, dict[str, Any]] = {}
    for answer in benchmark.records:
        sample = samples.setdefault(
            answer["id"],
            {
                **{name: answer[name] for name in _SAMPLE},
                "input": answer["input"][:4000],
                "evidence": list(answer["evidence"]),
                "answers": [],
            },
        )
        number = answer["answer"]
        sample["answers"].append(
            {
                "system": positions[answer["system"]],
                **_scored(benchmark, answer, marks.get(number, {}), verdicts.get(number, [])),
                **{name: answer[name] for name in _ANSWER},
                **_read(answer, passages),
            }
        )
    return list(samples.values())


def _scored(
    benchmark: Benchmark, answer: Row, marks: Mapping[int, Any], verdicts: Sequence[Any]
) -> dict[str, Any]:
    """Return marks, verdicts and explanations of an answer."""
    scorings = {
        scorer: benchmark.scorings[answer["answer"], scorer]
        for scorer in dict.fromkeys(key.split(".")[0] for key in benchmark.measures)
        if (answer["answer"], scorer) in benchmark.scorings
    }
    judged = {verdict.scorer for verdict in verdicts}
    coverage = scorings.get("section_coverage")
    return {
        "marks": {n: round(mark.value, 6) for n, mark in marks.items() if mark.value == mark.value},
        "why": {
            n: mark.reason or mark.status for n, mark in marks.items() if mark.value != mark.value
        },
        "judgements": [
            {
                "scorer": verdict.scorer,
                "grader": verdict.judge,
                "verdict": None if verdict.value != verdict.value else verdict.value,
                "said": verdict.said,
                "reasoning": verdict.text,
                "reason": verdict.reason,
            }
            for verdict in verdicts
        ],
        "explanations": {
            scorer: scoring.text
            for scorer, scoring in scorings.items()
            if scoring.text and scorer not in judged and scorer != "efficiency"
        },
        "parts": parts_of(coverage.details) if coverage else [],
        "pieces": _pieces(
            answer["text"],
            _entries(scorings.get("factual_consistency"), "claims"),
            _entries(scorings.get("support"), "sentences"),
        ),
    }


def _pieces(
    text: str, claims: Sequence[Mapping[str, Any]], sentences: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Split the answer into checked figures and the sentences around them.

    Figures have verdict and source, sentences the nearest sentence of the text read.
    """
    scored, positions = _scored_text(text)
    spans = [
        (positions[start], positions[stop - 1] + 1, details)
        for start, stop, details in (*_figures(scored, claims), *_sentences(scored, sentences))
    ]
    cuts = {0, len(text), *(end for start, stop, _ in spans for end in (start, stop))}
    return [
        {"text": text[start:stop], **_details_at(start, spans)}
        for start, stop in pairwise(sorted(cuts))
    ]


def _details_at(position: int, spans: Iterable[_Span]) -> Mapping[str, Any]:
    return next((details for start, stop, details in spans if start <= position < stop), {})


def _scored_text(answer: str) -> tuple[str, Sequence[int]]:
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


def _figures(text: str, claims: Sequence[Mapping[str, Any]]) -> list[_Span]:
    """Return the figures that `factual_consistency` checked, in order.

    Of overlapping figures, only the first.
    """
    spans: list[_Span] = []
    valid = [claim for claim in claims if _is_span_of(text, claim.get("figure"))]
    for claim in sorted(valid, key=lambda claim: int(claim["figure"]["span"][0])):
        start, stop = claim["figure"]["span"]
        if not spans or start >= spans[-1][1]:
            differs = list(claim.get("differs") or [])
            about = {"verdict": str(claim.get("verdict")), "source": claim.get("source")}
            spans.append((start, stop, {**about, "differs": differs}))
    return spans


def _sentences(text: str, entries: Sequence[Mapping[str, Any]]) -> list[_Span]:
    """Return the sentences that the scorer `support` compared, in order."""
    spans: list[_Span] = []
    end = 0
    for entry in entries:
        sentence = str(entry.get("sentence"))
        start = text.find(sentence, end)
        if start >= 0:
            end = start + len(sentence)
            spans.append((start, end, {"source": entry.get("nearest")}))
    return spans


def _entries(scoring: Any, name: str) -> list[Mapping[str, Any]]:
    """Return the mappings of a list in a scorer's metadata; empty if it is no list."""
    listed = scoring.details.get(name) if scoring and scoring.details else None
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _is_span_of(text: str, figure: object) -> bool:
    span = figure.get("span") if isinstance(figure, Mapping) else None
    return (
        isinstance(figure, Mapping)
        and isinstance(span, Sequence)
        and len(span) == 2
        and all(isinstance(offset, int) for offset in span)
        and 0 <= span[0] < span[1]
        and text[span[0] : span[1]] == figure.get("text")
    )


def _read(answer: Row, passages: _Passages) -> dict[str, Any]:
    """Return searches and the passages read, by number."""
    gold = answer["gold"].all
    return {
        "read": [
            {
                "passage": passages.setdefault(
                    (passage.chunk_id, passage.prefix, " ".join(passage.text[:_SNIPPET].split())),
                    len(passages),
                ),
                "loop": passage.loop,
                "gold": passage.chunk_id in gold,
            }
            for passage in answer["passages"]
        ],
        "missed": list(answer["gold_missed"]),
        "gold": len(answer["gold"].chunk_ids),
        "searches": [
            {
                "tool": search.tool,
                "query": search.query,
                "loop": search.loop,
                "found": len(search.chunk_ids),
            }
            for search in answer["searches"]
        ],
    }
