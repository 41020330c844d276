"""Errors of a summary as codes that can be counted."""

import math
from collections.abc import Callable, Mapping
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
from arag_inspect.judge.rubric import BUCKETS, load_rubric
from arag_inspect.judge.scorer import judged_signature
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.quantities import verify_claims
from arag_inspect.scorers._error_taxonomy.labels import agreed_codes
from arag_inspect.scorers._error_taxonomy.rules import RESTS_ON, SampleEvidence, code_by_rules
from arag_inspect.scorers._error_taxonomy.taxonomy import Taxonomy, load_taxonomy
from arag_inspect.scorers._metrics import estimates, failures
from arag_inspect.scorers._score_reuse import ComponentScore, reuse_or_compute
from arag_inspect.scorers._scorer import scorer
from arag_inspect.scorers.geval import geval_coverage, geval_faithfulness
from arag_inspect.scorers.severity_judge import severity_judge
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import known_metadata
from arag_inspect.types.scale import scale_of
from arag_inspect.types.trace import recorded


class _Coded(NamedTuple):
    """The codes of a summary, and their origin."""

    codes: dict[str, str]
    """Reason by code; empty if a judge gave it, whose reasoning explains all of its codes."""

    by: Literal["judge", "rules", "nobody"]
    judges: list[Judgement[list[str]]]


MEASURES = measures(
    MeasureSpec(
        "error_taxonomy.any",
        "Any error",
        "Errors",
        "Share of answers that are weak in faithfulness or coverage, or have another named error.",
        role="secondary",
        noun="errors",
    ),
    MeasureSpec(
        "error_taxonomy.*", "Error *", "*", "Share of answers with this error of the taxonomy."
    ),
    family="errors",
    higher_is_better=False,
    signature=("context", "judge", "prompt", "taxonomy", "threshold"),
)


@scorer(MEASURES, metrics=[{"*": estimates()}, failures()])
def error_taxonomy(
    *, threshold: float = 3, taxonomy: str = "financial", context: Context = "auto"
) -> Scorer:
    """Name the errors of a summary that is weak or in which an error was named.

    1. A summary is weak when its `geval_faithfulness` or its `geval_coverage` is below the
       threshold; a grade equal to it is not. A grade on another scale than 1 to 5 is first
       converted. Existing scores of the sample are reused; a missing one is computed. If one is
       unavailable (no reference, no passages, a judge that failed), the other decides, and the
       codes that rest on it (by the rules below: H and N on faithfulness, O on coverage) are
       unscored, not 0; without both the sample is unscored.
    2. If the taxonomy names a rubric (`legal` does), `severity_judge` looks for errors too,
       reused or computed in the same way. Every error that it names gets its code, for any grades.
       Then no code rests on a grade alone; without its grade, a summary that is not weak is
       unscored.
    3. A summary that is not weak, and in which no error was named, has no code, and no judge is
       asked.
    4. For any other the judge sees the summary, the reference, the reasonings behind the grades and
       the record of the run (loops, how it ended, searches, chunks read, length, contradicted
       figures), and gives one or more codes with a reason each. It may find that no code fits an
       error of a summary that is not weak.
    5. With several graders, a code counts when at least half of those with a verdict gave it, or,
       if no code is given that often, when no other was given more often.
    6. If no judge gives a code to a weak summary, or no reply can be parsed, rules do: length over
       1.5 times the requested one (V), a limit reached or an early end with evidence unread (P),
       fewer than half of the gold chunks read or fewer than one in five chunks read gold (IR),
       figures that a program found contradicted (N), low coverage (O), and low faithfulness that no
       figure explains (H). The metadata then says `coded_by: rules`.

    The value has a flag 0 or 1 for every code, NaN if its grade is missing, and `any`
    for whether it has an error; their means are shares of answers. Without a code, `any` is
    NaN if faithfulness, or coverage of a reference, could not be graded: errors of that kind
    were not looked for. The metric `failures`
    counts the codes and gives the share of each in all of them; an answer counts once for
    a code.
    Codes of the taxonomy `financial`: H hallucination, N numerical error, O omission,
    P premature termination, IR irrelevant retrieval, IC incoherence, V verbosity, HE hedging.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        threshold: Grade below which a summary is weak, on a scale from 1 to 5.
        taxonomy: `financial`, `legal`, or the path of a Markdown file, see
            `_error_taxonomy.taxonomy`.
        context: Texts from which the summary was written, see `judge.context`.

    Raises:
        InputError: The threshold is not a number from 1 to 5, or the taxonomy or its rubric cannot
            be read.
    """
    _check_threshold(threshold)
    check_context(context)
    kinds = load_taxonomy(taxonomy)
    sources: dict[str, tuple[str, Callable[[], Scorer]]] = {
        "faithfulness": ("geval_faithfulness", partial(geval_faithfulness, context=context)),
        "coverage": ("geval_coverage", geval_coverage),
    }
    if kinds.severity is not None:
        load_rubric(kinds.severity)
        judge_errors = partial(severity_judge, rubric=kinds.severity, context=context)
        sources["severity"] = ("severity_judge", judge_errors)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        parts = {
            part: await reuse_or_compute(state, target, name, make)
            for part, (name, make) in sources.items()
        }
        grades = _grades(parts)
        if not grades:
            raise _no_grades(parts)
        coded = _Coded({}, "nobody", [])
        read_from = await resolve_context(state, context)
        case = _case(state, grades, parts, threshold)
        if case.weak or case.error_named:
            claims = await anyio.to_thread.run_sync(verify_claims, answer, read_from.texts)
            case = replace(case, claims=claims)
            coded = await _code(case, kinds, parts, target)
        elif "severity" in parts and "severity" not in grades:
            raise _no_grades({"severity": parts["severity"]})
        metadata = {
            "signature": _signature(kinds, threshold, read_from.origin),
            "coded_by": coded.by,
            "codes": coded.codes,
            "names": {code: kind.name for code, kind in kinds.codes.items()},
            "grades": grades,
            "judges": [
                {**judgement.as_dict(), "verdict": judgement.verdict} for judgement in coded.judges
            ]
            + [entry for name, part in parts.items() if part for entry in part.paid(name)],
        }
        if not coded.codes and coded.by == "rules":
            return _no_code(answer, coded, metadata)
        looked = grades if "severity" not in grades else RESTS_ON
        missing = [name for name in RESTS_ON if name not in looked]
        ungraded = {kinds.rules.get(rule) for name in missing for rule in RESTS_ON[name]}
        flags = {
            code: math.nan if code in ungraded else float(code in coded.codes)
            for code in kinds.codes
        }
        has_reference = any(text.strip() for text in target)
        unjudged = "faithfulness" in missing or (has_reference and "coverage" in missing)
        return Score(
            value={**flags, "any": 1.0 if coded.codes else math.nan if unjudged else 0.0},
            answer=answer,
            explanation=_explanation(kinds, coded, case),
            reason=f"no_{missing[0]}" if missing else None,
            metadata=metadata,
        )

    return score


def _check_threshold(threshold: object) -> None:
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        raise InputError(f"threshold of error_taxonomy must be a number, got {threshold!r}")
    if not 1 <= threshold <= 5:
        raise InputError(
            f"threshold of error_taxonomy is on a scale from 1 to 5, also for grades on another "
            f"one; got {threshold:g}"
        )


def _grades(parts: Mapping[str, ComponentScore | None]) -> dict[str, float]:
    """Return the available grades, including severity on a scale from 1 to 5."""
    numbers = {name: part.number for name, part in parts.items() if part}
    return {
        name: number * BUCKETS[-1] if name == "severity" else number
        for name, number in numbers.items()
        if number is not None
    }


def _no_grades(parts: Mapping[str, ComponentScore | None]) -> UnscoredError:
    """Return the error for a sample without a grade: no errors were looked for."""
    reasons = "; ".join(
        f"{name}: {part.score.explanation if part else 'no score'}" for name, part in parts.items()
    )
    return UnscoredError(
        "no_grades" if len(parts) > 1 else f"no_{next(iter(parts))}",
        f"There is no grade of {' or '.join(parts)} ({reasons}).",
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
    """Assign codes by the judges, else by rules."""
    judges = await _ask(case, kinds, parts, target) if case.answer.strip() else []
    codes = agreed_codes(
        [judgement.verdict for judgement in judges if judgement.verdict is not None]
    )
    unfit = not case.weak and any(judgement.verdict is not None for judgement in judges)
    if codes or unfit:
        return _Coded(dict.fromkeys(codes, ""), "judge", judges)
    return _Coded(code_by_rules(case, kinds.rules), "rules", judges)


async def _ask(
    case: SampleEvidence,
    kinds: Taxonomy,
    parts: Mapping[str, ComponentScore | None],
    target: Target,
) -> list[Judgement[list[str]]]:
    reference = "\n".join(text for text in target if text.strip())
    material = [fence("reference", reference)] if reference else []
    material.append(fence("summary", case.answer))
    material += [
        fence("reasoning", part.score.explanation or "", grade=f"{name} {case.grade(name)}")
        for name, part in parts.items()
        if part and name in case.grades
    ]
    material.append(fence("record", _record(case)))
    prompt = fill(
        load_prompt("judge/error_taxonomy"), codes=kinds.text, material="\n\n".join(material)
    )
    return await judge_by_all(prompt, labels_form(tuple(kinds.codes)))


def _record(case: SampleEvidence) -> str:
    """Describe the run in a few lines."""
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
    reasons = "; ".join(
        f"{judgement.grader}: {judgement.reason or 'none applies'}" for judgement in coded.judges
    )
    return Score.unscored(
        reason="no_code",
        answer=answer,
        explanation=f"No judge gave a code ({reasons}), and no rule of the taxonomy does.",
        metadata=metadata,
    )


def _explanation(kinds: Taxonomy, coded: _Coded, case: SampleEvidence) -> str:
    if coded.by == "nobody":
        grades = ", ".join(f"{name} {case.grade(name)}" for name in case.grades)
        return f"No grade is below {case.threshold:g} ({grades})."
    lines = [
        f"{code} {kinds.codes[code].name}{f': {reason}' if reason else ''}"
        for code, reason in coded.codes.items()
    ]
    reasoning = (
        [judgement.text for judgement in coded.judges if judgement.verdict is not None]
        if coded.by == "judge"
        else []
    )
    headline = "\n".join(lines) or "No code fits the error that was named."
    return "\n\n".join([headline, *reasoning])
