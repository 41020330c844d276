"""What went wrong with a weak summary, as codes that can be counted."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect.judge.context import Context, check_context, resolve_context
from arag_inspect.judge.judge import Judgement, judge_by_all
from arag_inspect.judge.parsing import labels_form
from arag_inspect.judge.scorer import judged_signature
from arag_inspect.judge.unscored import unscored_if_skipped
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.quantities import verify_claims
from arag_inspect.scorers._error_taxonomy.labels import agreed_codes
from arag_inspect.scorers._error_taxonomy.rules import RESTS_ON, SampleEvidence, code_by_rules
from arag_inspect.scorers._error_taxonomy.taxonomy import Taxonomy, load_taxonomy
from arag_inspect.scorers._shared.border import scorer
from arag_inspect.scorers._shared.metrics import estimates
from arag_inspect.scorers._shared.score_reuse import ComponentScore, reuse_or_compute
from arag_inspect.scorers.geval import geval_coverage, geval_faithfulness
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import known_metadata
from arag_inspect.types.scale import scale_of
from arag_inspect.types.trace import recorded


class _Coded(NamedTuple):
    """The codes of a summary, and how they came about."""

    codes: dict[str, str]
    """Reason by code; empty where a judge gave it, whose reasoning explains all of its codes."""

    by: Literal["judge", "rules", "nobody"]
    judges: list[Judgement[list[str]]]


MEASURES = measures(
    MeasureSpec(
        "error_taxonomy.any",
        "Any error",
        "Errors",
        "Share of answers that are weak in faithfulness or coverage.",
        role="secondary",
    ),
    MeasureSpec(
        "error_taxonomy.*", "Error *", "*", "Share of answers with this error of the taxonomy."
    ),
    family="errors",
    higher_is_better=False,
    signature=("context", "judge", "prompt", "taxonomy", "threshold"),
)


@scorer(metrics={"*": estimates()}, measures=MEASURES)
def error_taxonomy(
    *, threshold: float = 3, taxonomy: str = "financial", context: Context = "auto"
) -> Scorer:
    """Name the errors of a summary that is weak in faithfulness or coverage.

    1. A summary is weak when its `geval_faithfulness` or its `geval_coverage` is below the threshold; a grade equal to it is not. A grade on another scale than 1 to 5 is first brought onto that one. Scores that the sample already has are taken over; a missing one is computed. One that cannot be had (no reference, no passages, a judge that failed) leaves the other to decide, and the codes that rest on it (by the rules below: H and N on faithfulness, O on coverage) are unscored, not 0; without both the sample is unscored.
    2. A summary that is not weak has no code, and no judge is asked.
    3. For a weak one the judge sees the summary, the reference, the reasonings behind both grades and the record of the run (loops, how it ended, searches, chunks read, length, contradicted figures), and gives one or more codes with a reason each.
    4. With several graders, a code counts when at least half of those with a verdict gave it, or, where none is given so often, when no other was given more often.
    5. Where no judge gives a code, or none can be read, rules do: length beyond 1.5 times what was asked for (V), a limit reached or an early end with evidence unread (P), fewer than half of the gold chunks read or fewer than one in five chunks read gold (IR), figures that a program found contradicted (N), low coverage (O), and low faithfulness that no figure explains (H). The metadata then says `coded_by: rules`.

    The value has a flag 0 or 1 for every code, NaN where its grade is missing, and `any`
    for whether the summary is weak in what was graded; their means are frequencies.
    Codes of the taxonomy `financial`: H hallucination, N numerical error, O omission,
    P premature termination, IR irrelevant retrieval, IC incoherence, V verbosity.

    Model Roles:
        grader: Who judges. Default claude-haiku-4-5.

    Args:
        threshold: Grade below which a summary is weak, on a scale from 1 to 5.
        taxonomy: `financial`, `legal`, or the path of a Markdown file, see `_error_taxonomy.taxonomy`.
        context: Where to find what the summary was written from, see `judge.context`.

    Raises:
        InputError: The threshold is no number from 1 to 5, or the taxonomy cannot be read.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        raise InputError(f"threshold of error_taxonomy must be a number, got {threshold!r}")
    if not 1 <= threshold <= 5:
        raise InputError(
            f"threshold of error_taxonomy is on a scale from 1 to 5, also for grades on another "
            f"one; got {threshold:g}"
        )
    check_context(context)
    kinds = load_taxonomy(taxonomy)

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := unscored_if_skipped(state)) is not None:
            return unscored
        answer = state.output.completion
        parts = {
            "faithfulness": await reuse_or_compute(
                state, target, "geval_faithfulness", partial(geval_faithfulness, context=context)
            ),
            "coverage": await reuse_or_compute(state, target, "geval_coverage", geval_coverage),
        }
        grades = {name: part.number for name, part in parts.items() if part}
        known = {name: grade for name, grade in grades.items() if grade is not None}
        if not known:
            return _no_grades(answer, parts)
        coded = _Coded({}, "nobody", [])
        read_from = await resolve_context(state, context)
        case = _case(state, known, parts, threshold)
        weak = any(case.low(name) for name in known)
        if weak:
            claims = await anyio.to_thread.run_sync(verify_claims, answer, read_from.texts)
            case = replace(case, claims=claims)
            coded = await _code(case, kinds, parts, target)
        metadata = {
            "signature": _signature(kinds, threshold, read_from.origin),
            "coded_by": coded.by,
            "codes": coded.codes,
            "grades": known,
            "judges": [{**one.as_dict(), "verdict": one.verdict} for one in coded.judges]
            + [one for name, part in parts.items() if part for one in part.paid(name)],
        }
        if weak and not coded.codes:
            return _no_code(answer, coded, metadata)
        missing = [name for name in parts if name not in known]
        ungraded = {kinds.rules.get(rule) for name in missing for rule in RESTS_ON[name]}
        flags = {
            code: math.nan if code in ungraded else float(code in coded.codes)
            for code in kinds.codes
        }
        return Score(
            value={**flags, "any": float(weak)},
            answer=answer,
            explanation=_explanation(kinds, coded, case),
            reason=f"no_{missing[0]}" if missing else None,
            metadata=metadata,
        )

    return score


def _no_grades(answer: str, parts: Mapping[str, ComponentScore | None]) -> Score:
    reasons = "; ".join(
        f"{name}: {part.score.explanation if part else 'no score'}" for name, part in parts.items()
    )
    return Score.unscored(
        reason="no_grades",
        answer=answer,
        explanation=f"There is neither a grade of faithfulness nor of coverage ({reasons}).",
    )


def _case(
    state: TaskState,
    grades: Mapping[str, float],
    parts: Mapping[str, ComponentScore | None],
    threshold: float,
) -> SampleEvidence:
    named = {name: scale_of(part.score.metadata) for name, part in parts.items() if part}
    output = state.output
    return SampleEvidence(
        answer=output.completion,
        cut_off=not output.empty and output.stop_reason in ("max_tokens", "model_length"),
        grades=grades,
        threshold=threshold,
        trace=recorded(state),
        about=known_metadata(state),
        claims=(),
        scales={name: scale for name, scale in named.items() if scale},
    )


async def _code(
    case: SampleEvidence,
    kinds: Taxonomy,
    parts: Mapping[str, ComponentScore | None],
    target: Target,
) -> _Coded:
    """Give codes: the judges, or else the rules."""
    judges = await _ask(case, kinds, parts, target) if case.answer.strip() else []
    codes = agreed_codes([one.verdict for one in judges if one.verdict is not None])
    if codes:
        return _Coded(dict.fromkeys(codes, ""), "judge", judges)
    return _Coded(code_by_rules(case, kinds.rules), "rules", judges)


async def _ask(
    case: SampleEvidence,
    kinds: Taxonomy,
    parts: Mapping[str, ComponentScore | None],
    target: Target,
) -> list[Judgement[list[str]]]:
    reference = "\n".join(text for text in target if text.strip())
    shown = [fence("reference", reference)] if reference else []
    shown.append(fence("summary", case.answer))
    shown += [
        fence("reasoning", part.score.explanation or "", grade=f"{name} {case.grade(name)}")
        for name, part in parts.items()
        if part and name in case.grades
    ]
    shown.append(fence("record", _record(case)))
    prompt = fill(
        load_prompt("judge/error_taxonomy"), codes=kinds.text, material="\n\n".join(shown)
    )
    return await judge_by_all(prompt, labels_form(tuple(kinds.codes)))


def _record(case: SampleEvidence) -> str:
    """How the system came to the summary, in a few lines."""
    trace, about = case.trace, case.about
    lines = [f"words: {case.words}"]
    if about.target_length:
        lines[0] += f" (asked for: about {about.target_length})"
    if trace.loops:
        lines.append(f"loops: {trace.loops}, ended by: {trace.stopped_by or 'unknown'}")
    lines += [
        f"searched: {search.query} ({len(search.chunk_ids)} found)" for search in trace.searches
    ]
    if trace.passages:
        lines.append(f"chunks read: {len(trace.passages)}")
    if case.retrieves:
        gold = len(about.gold_chunk_ids)
        lines.append(f"chunks that hold the evidence: {gold}, read of them: {case.gold_read}")
    lines += [
        f"figure that what was read contradicts: {claim.figure.text} in: {claim.claim}"
        for claim in case.wrong_figures
    ]
    return "\n".join(lines)


def _signature(kinds: Taxonomy, threshold: float, origin: str) -> str:
    return judged_signature(
        "error_taxonomy",
        load_prompt("judge/error_taxonomy"),
        context=origin,
        taxonomy=f"{kinds.name}:{kinds.digest}",
        threshold=f"{threshold:g}",
    )


def _no_code(answer: str, coded: _Coded, metadata: dict[str, Any]) -> Score:
    reasons = "; ".join(f"{one.grader}: {one.reason or 'none applies'}" for one in coded.judges)
    return Score.unscored(
        reason="no_code",
        answer=answer,
        explanation=f"No judge gave a code ({reasons}), and no rule of the taxonomy does.",
        metadata=metadata,
    )


def _explanation(kinds: Taxonomy, coded: _Coded, case: SampleEvidence) -> str:
    if not coded.codes:
        shown = ", ".join(f"{name} {case.grade(name)}" for name in case.grades)
        return f"No grade is below {case.threshold:g} ({shown})."
    lines = [
        f"{code} {kinds.codes[code].name}{f': {reason}' if reason else ''}"
        for code, reason in coded.codes.items()
    ]
    reasoning = [one.text for one in coded.judges if one.verdict] if coded.by == "judge" else []
    return "\n\n".join(["\n".join(lines), *reasoning])
