"""The samples of the page as plain data."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isnan
from typing import Any, NamedTuple

import pandas as pd

from ..._util.names import file_name
from ..._util.wording import milliseconds
from ...measure import MeasureSpec
from ...text.scored_text import scored_offsets
from ...types.evidence_read import evidence_read
from ...types.score_metadata import ClaimRecord, FigureRecord, SentenceRecord
from ...types.trace import Search
from ..cells import Usd, show
from ..comparison.error_codes import coded_by_rules
from ..comparison.leads import largest_lead
from ..comparison.primary import primary_measures
from ..exports import answer_records
from ..frames import Row
from ..labels import in_sentence
from ..reading import parts_of
from ..rows import ScoreRow, VerdictRow
from ..study import Study

_SNIPPET = 160
"""Characters shown of a passage; the log has the rest."""

_Passages = dict[tuple[int, str, str], int]
"""Number of each passage (chunk, prefix, beginning of its text), shared between systems."""

_MEASURE = ("label", "higher_is_better", "low", "high", "tie", "graded")
_SAMPLE = ("id", "company", "period", "question_type", "target")
_ANSWER = ("epoch", "outcome", "error", "stopped_by", "codes", "words", "loops")
"""Columns of the answers' frame, by their names."""

_JUDGEMENT = {
    "scorer": "scorer",
    "grader": "judge",
    "said": "said",
    "reasoning": "text",
    "reason": "reason",
}
"""Columns of the verdicts' frame, by their names on the page."""


class _AnswerPart(NamedTuple):
    """A part of an answer, with details of it."""

    start: int
    end: int
    details: Mapping[str, Any]


def study_data(study: Study) -> dict[str, Any]:
    """Return a benchmark's samples with every system's answer as JSON values.

    Measures are numbered to keep the data of fifteen hundred samples small.
    """
    measures = [spec for spec in study.catalogue.specs if spec.family not in ("cost", "errors")]
    numbers = {measure.key: number for number, measure in enumerate(measures)}
    lead = largest_lead(study)
    first = [lead.measure.key] if lead else []
    main = (*first, *primary_measures(study), *(spec.key for spec in study.catalogue.main))
    order = [numbers[key] for key in dict.fromkeys((*main, *numbers)) if key in numbers]
    declined = numbers.get(study.catalogue.key_of("right refusal"))
    codes = [spec.value_key for spec in study.catalogue.specs if spec.family == "errors"]
    passages: _Passages = {}
    return {
        "systems": [{"name": run.system, "log": file_name(run.location)} for run in study.rows],
        "measures": list(map(_describe_measure, measures)),
        "order": order,
        "declined": declined,
        "code_names": {code: study.catalogue.error_label(code) for code in codes if code != "any"},
        "samples": _samples(study, numbers, passages),
        "passages": [
            {"chunk": chunk, "prefix": prefix, "snippet": snippet}
            for chunk, prefix, snippet in passages
        ],
    }


def _samples(study: Study, numbers: Mapping[str, int], passages: _Passages) -> list[dict[str, Any]]:
    positions = {system: index for index, system in enumerate(study.systems)}
    costs = [spec.scorer for spec in study.catalogue.specs if spec.family == "cost"]
    scores = _by_answer(study.scores[~study.scores["scorer"].isin(costs)])
    verdicts = _by_answer(study.first_verdicts)
    by_rules = coded_by_rules(study)
    samples: dict[str, dict[str, Any]] = {}
    for answer in answer_records(study):
        fields = {name: answer[name] for name in _SAMPLE}
        fields |= {"input": answer["input"][:4000], "evidence": list(answer["evidence"])}
        number = answer["answer"]
        sample = samples.setdefault(answer["id"], {**fields, "answers": []})
        sample["answers"].append(
            {
                "system": positions[answer["system"]],
                **_score_fields(scores[number], verdicts[number], numbers),
                **_annotate_answer(study, answer),
                "by_rules": number in by_rules,
                **{name: answer[name] for name in _ANSWER},
                **_effort_texts(answer),
                **_read(answer, passages),
            }
        )
    return list(samples.values())


def _effort_texts(answer: Row) -> dict[str, str | None]:
    """Return the cost and the time of an answer as text; None if unknown."""
    cost, time = answer["cost_usd"], answer["latency_ms"]
    return {
        "cost": None if cost is None else show(Usd(cost)),
        "time": None if time is None else milliseconds(time),
    }


def _by_answer(frame: pd.DataFrame) -> dict[int, list[Any]]:
    """Return the rows of each answer."""
    rows: dict[int, list[Any]] = defaultdict(list)
    for row in frame.itertuples(index=False):
        rows[row.answer].append(row)
    return rows


def _describe_measure(measure: MeasureSpec) -> dict[str, Any]:
    """Return the fields of a measure that the page shows."""
    fields = {name: getattr(measure, name) for name in _MEASURE}
    return {"name": measure.key, "noun": in_sentence(measure), **fields}


def _annotate_answer(study: Study, answer: Row) -> dict[str, Any]:
    """Return the parts of an answer, and its text with scorers' notes on figures and sentences."""
    number = answer["answer"]
    claims = study.details(number, "figures").claims
    compared_sentences = study.details(number, "sentences").sentences
    parts = parts_of(study.details(number, "sections"))
    return {"parts": parts, "pieces": _pieces(answer["text"], claims, compared_sentences)}


def _score_fields(
    scores: Sequence[ScoreRow], verdicts: Sequence[VerdictRow], numbers: Mapping[str, int]
) -> dict[str, Any]:
    """Return marks, verdicts and explanations of an answer."""
    by_scorer = {score.scorer: score for score in reversed(scores)}
    judged = {verdict.scorer for verdict in verdicts}
    numbered = [(numbers[score.measure], score) for score in scores if score.measure in numbers]
    return {
        "marks": {n: round(score.value, 6) for n, score in numbered if not isnan(score.value)},
        "why": {n: s.reason or s.status for n, s in numbered if isnan(s.value)},
        "judgements": list(map(_verdict_fields, verdicts)),
        "explanations": {
            scorer: score.text
            for scorer, score in reversed(by_scorer.items())
            if score.text and scorer not in judged
        },
    }


def _verdict_fields(verdict: VerdictRow) -> dict[str, Any]:
    """Return the fields of a verdict; None for a missing value."""
    fields = {name: getattr(verdict, column) for name, column in _JUDGEMENT.items()}
    fields["verdict"] = None if isnan(verdict.value) else verdict.value
    return fields


def _pieces(
    text: str, claims: Sequence[ClaimRecord], sentences: Sequence[SentenceRecord]
) -> list[dict[str, Any]]:
    """Split the answer into checked figures and the sentences around them.

    Figures carry a verdict and source, sentences the nearest sentence of the text read.
    """
    scored, positions = scored_offsets(text)
    spans = [
        _AnswerPart(positions[span.start], positions[span.end - 1] + 1, span.details)
        for span in (*_figures(scored, claims), *_sentences(scored, sentences))
    ]
    cuts = {0, len(text)}
    for span in spans:
        cuts |= {span.start, span.end}
    pieces = []
    for start, end in pairwise(sorted(cuts)):
        details = (span.details for span in spans if span.start <= start < span.end)
        pieces.append({"text": text[start:end], **next(details, {})})
    return pieces


def _figures(text: str, claims: Sequence[ClaimRecord]) -> list[_AnswerPart]:
    """Return the checked figures in order, keeping the first of overlapping ones."""
    spans = [_figure(claim) for claim in claims if _is_in(text, claim.figure)]
    figures: list[_AnswerPart] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if not figures or span.start >= figures[-1].end:
            figures.append(span)
    return figures


def _is_in(text: str, figure: FigureRecord) -> bool:
    """Return whether a figure of a log is in a text at the span in the log."""
    start, end = figure.span
    return 0 <= start < end and text[start:end] == figure.text


def _figure(claim: ClaimRecord) -> _AnswerPart:
    """Return the span of a checked figure, with its verdict."""
    details = {
        "verdict": str(claim.verdict),
        "source": claim.source,
        "differs": claim.differs,
    }
    return _AnswerPart(*claim.figure.span, details)


def _sentences(text: str, entries: Sequence[SentenceRecord]) -> list[_AnswerPart]:
    """Return the sentences that were compared with what was read, in order."""
    spans: list[_AnswerPart] = []
    end = 0
    for entry in entries:
        start = text.find(entry.sentence, end)
        if start >= 0:
            end = start + len(entry.sentence)
            spans.append(_AnswerPart(start, end, {"source": entry.nearest}))
    return spans


def _read(answer: Row, passages: _Passages) -> dict[str, Any]:
    """Return searches and the passages read, by number."""
    gold = answer["gold"].all
    evidence = evidence_read(answer["gold"], answer["evidence"], answer["passages"])
    passages_read = []
    for passage in answer["passages"]:
        key = passage.chunk_id, passage.prefix, " ".join(passage.text[:_SNIPPET].split())
        number = passages.setdefault(key, len(passages))
        passages_read.append(
            {"passage": number, "loop": passage.loop, "gold": passage.chunk_id in gold}
        )
    return {
        "read": passages_read,
        "missed": list(evidence.missed),
        "gold": evidence.total,
        "by_text": evidence.unit == "evidence text",
        "searches": list(map(_search, answer["searches"])),
    }


def _search(search: Search) -> dict[str, Any]:
    return {
        "tool": search.tool,
        "query": search.query,
        "loop": search.loop,
        "found": len(search.chunk_ids),
    }
