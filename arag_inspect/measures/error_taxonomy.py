"""Errors of a summary as codes that can be counted."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean
from inspect_ai.solver import TaskState
from pydantic import Field

from arag_inspect.figures import verify_claims
from arag_inspect.judge.context import Context, resolve_context
from arag_inspect.judge.model_graded import judged_signature
from arag_inspect.judge.rubrics import BUCKETS, load_rubric
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import DEFAULT_SCALE, MeasureSpec, scale_of
from arag_inspect.measures._taxonomy import RULES_OF_GRADE, Grade, SampleEvidence
from arag_inspect.measures._taxonomy_labels import Labels, assign_codes
from arag_inspect.measures.components import ComponentScore, reuse_or_compute
from arag_inspect.measures.geval import geval_coverage, geval_faithfulness
from arag_inspect.measures.guard import ScorerDetails, describe_scorer
from arag_inspect.measures.metrics import estimates
from arag_inspect.measures.scorer import scorer
from arag_inspect.measures.severity_judge import severity_judge
from arag_inspect.measures.taxonomy_file import Taxonomy, load_taxonomy
from arag_inspect.prompts import load_prompt
from arag_inspect.types.sample import sample_metadata_or_default
from arag_inspect.types.trace import read_record

_Parts = Mapping[str, ComponentScore | None]


_ANY = MeasureSpec(
    "any",
    "Any error",
    "Errors",
    "Share of answers with an error.",
    role="secondary",
    aspect="errors",
)


@scorer(
    _ANY,
    MeasureSpec("*", "Error *", "*", "Share of answers with this error of the taxonomy."),
    family="errors",
    judged=True,
    higher_is_better=False,
    signature=("context", "judge", "prompt", "taxonomy", "threshold"),
    metrics={"any": estimates(_ANY, 3), "*": [mean()]},
    sets={"summary": "default"},
)
def error_taxonomy(
    *,
    threshold: Annotated[float, Field(ge=1, le=5)] = 3,
    taxonomy: str = "financial",
    context: Context = "auto",
) -> Scorer:
    """Classify the errors of weak summaries, and of summaries in which a judge found an error.

    1. A summary is weak if its `geval_faithfulness` or its `geval_coverage` is below the
       threshold. Grades on other scales are first converted to 1 to 5. Existing scores of the
       sample are reused; missing ones are computed. If one grade is unavailable (no reference, no
       passages, a failed judge), the other decides, and the codes that depend on the missing grade
       (H and N on faithfulness, O on coverage) are unscored, not 0. Without both, the sample is
       unscored.
    2. If the taxonomy has a rubric, as `legal` does, `severity_judge` looks for errors too, reused
       or computed in the same way. Every error that it lists gets its code, whatever the grades, so
       that no code depends on a grade alone. Without its grade, a summary that is not weak is
       unscored.
    3. A summary that is not weak and has no listed error gets no code, and no judge is asked.
    4. For any other summary the judge sees the summary, the reference, the excerpts of what was
       read that are nearest to their sentences, the reasoning behind each grade, and the record of
       the run (loops, how it ended, searches, chunks read of each source, length, contradicted
       figures), and gives one or more codes, each with a reason. It may decide that no code fits
       the error of a summary that is not weak. The code for an early end is not offered for a
       system that reads once by design, and the code for retrieval is not offered if nothing was
       retrieved or the log does not say what was.
    5. With several graders, a code counts if at least half of the graders with a verdict gave it.
       If no code reaches half, the most frequent ones count.
    6. If no judge gives a code to a weak summary, or no reply can be parsed, rules assign codes:
       more than 1.5 times the requested length (V); a limit reached or an early end with evidence
       unread (P); less than half of the gold chunks read (of the evidence texts, if passages may be
       parts of chunks) or fewer than one gold chunk in five read (IR); figures that a program found
       contradicted (N); low coverage (O); low faithfulness that no figure explains (H). The
       metadata then says `coded_by: rules`. If no reply can be parsed, the codes without a rule are
       unscored (`grader_failed`), not 0.

    The value has a flag, 0 or 1, for every code, and `any` for whether there is an error. Their
    means are shares of answers; an answer counts once for a code. A flag is NaN if its grade is
    missing; the flag of retrieval is NaN if the system does not retrieve. If no code was given,
    `any` is NaN if faithfulness, or coverage of a reference, could not be graded, because errors of
    this kind were not looked for.

    Codes of the taxonomy `financial`: H hallucination, N numerical error, O omission, P premature
    termination, IR irrelevant retrieval, IC incoherence, V verbosity, HE hedging.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        threshold: Grade below which a summary is weak, on a scale from 1 to 5.
        taxonomy: `financial`, `legal`, or the path of a Markdown file, see
            `taxonomy_file.load_taxonomy`.
        context: Texts from which the summary was written, see `judge.context`.

    Raises:
        InputError: The threshold is not a number from 1 to 5, or the taxonomy or its rubric cannot
            be read.
    """
    loaded_taxonomy = load_taxonomy(taxonomy)
    sources: dict[str, tuple[str, Callable[[], Scorer]]] = {
        "faithfulness": ("geval_faithfulness", partial(geval_faithfulness, context=context)),
        "coverage": ("geval_coverage", geval_coverage),
    }
    if loaded_taxonomy.severity is not None:
        load_rubric(loaded_taxonomy.severity)
        judge_errors = partial(severity_judge, rubric=loaded_taxonomy.severity, context=context)
        sources["severity"] = ("severity_judge", judge_errors)

    async def score(state: TaskState, target: Target) -> Score:
        parts = {
            part: await reuse_or_compute(state, target, name, make)
            for part, (name, make) in sources.items()
        }
        evidence = _collect_evidence(state, parts, threshold)
        source = await resolve_context(state, context)
        labels = Labels()
        if evidence.is_weak_summary or evidence.has_named_error:
            claims = await anyio.to_thread.run_sync(
                verify_claims, evidence.answer, source.texts_below_table_heads
            )
            wrong_figures = [claim for claim in claims if claim.verdict == "contradicted"]
            evidence = replace(evidence, wrong_figures=wrong_figures)
            reasonings = _graders_reasonings(parts, evidence)
            labels = await assign_codes(evidence, loaded_taxonomy, reasonings, target, source.texts)
        elif "severity" in parts and "severity" not in evidence.grades:
            raise _missing_grades_error({"severity": parts["severity"]})
        signature = judged_signature(
            "error_taxonomy",
            load_prompt("judge/error_taxonomy"),
            context=source.origin,
            taxonomy=f"{loaded_taxonomy.name}:{loaded_taxonomy.digest}",
            threshold=f"{threshold:g}",
        )
        metadata = {"signature": signature, **_metadata(evidence, loaded_taxonomy, labels, parts)}
        if not labels.codes and labels.source == "rules":
            explanation = _explain_missing_code(labels)
            return Score.unscored(reason="no_code", explanation=explanation, metadata=metadata)
        has_reference = any(text.strip() for text in target)
        return _score_flags(evidence, loaded_taxonomy, labels, has_reference, metadata)

    keys = tuple(f"error_taxonomy.{code}" for code in loaded_taxonomy.codes)
    describe_scorer(score, ScorerDetails(keys=keys))
    return score


def _missing_grades_error(parts: _Parts) -> UnscoredError:
    """Return the error for a sample without a grade, in which errors were not sought."""
    scores = [part.score for part in parts.values() if part]
    if scores and all(score.reason == "no_grader" for score in scores):
        return UnscoredError("no_grader", str(scores[0].explanation))
    explanations = {
        name: part.score.explanation if part else "no score" for name, part in parts.items()
    }
    details = "; ".join(f"{name}: {explanation}" for name, explanation in explanations.items())
    return UnscoredError(
        "no_grades" if len(parts) > 1 else f"no_{next(iter(parts))}",
        f"No grade for {' or '.join(parts)} ({details}).",
    )


def _collect_evidence(state: TaskState, parts: _Parts, threshold: float) -> SampleEvidence:
    """Return the evidence about a sample, with its grades: severity on a scale from 1 to 5.

    Raises:
        UnscoredError: It has no grade.
    """
    grades = {}
    for name, part in parts.items():
        if part and part.number is not None:
            factor = BUCKETS[-1] if name == "severity" else 1
            scale = scale_of(part.score.metadata) or DEFAULT_SCALE
            grades[name] = Grade(part.number * factor, scale)
    if not grades:
        raise _missing_grades_error(parts)
    output = state.output
    return SampleEvidence(
        answer=output.completion,
        cut_off=not output.empty and output.stop_reason in ("max_tokens", "model_length"),
        grades=grades,
        threshold=threshold,
        trace=read_record(state),
        metadata=sample_metadata_or_default(state),
    )


def _graders_reasonings(parts: _Parts, evidence: SampleEvidence) -> dict[str, str]:
    """Return the reasoning behind each available grade."""
    return {
        name: part.score.explanation or ""
        for name, part in parts.items()
        if part and name in evidence.grades
    }


def _metadata(
    evidence: SampleEvidence, taxonomy: Taxonomy, labels: Labels, parts: _Parts
) -> dict[str, Any]:
    judges = [{**opinion.as_dict(), "verdict": opinion.verdict} for opinion in labels.judges]
    for name, part in parts.items():
        judges += part.paid(name) if part else []
    return {
        "coded_by": labels.source,
        "codes": labels.codes,
        "names": {code: kind.name for code, kind in taxonomy.codes.items()},
        "grades": {name: grade.number for name, grade in evidence.grades.items()},
        "judges": judges,
    }


def _score_flags(
    evidence: SampleEvidence,
    taxonomy: Taxonomy,
    labels: Labels,
    has_reference: bool,
    metadata: dict[str, Any],
) -> Score:
    """Return 0 or 1 for each code, and `any`; NaN where errors were not sought."""
    missing_grades = _missing_grades(evidence)
    reasons = [f"no_{name}" for name in missing_grades]
    unchecked_rules: list[str] = []
    for name in missing_grades:
        unchecked_rules += RULES_OF_GRADE[name]
    if not evidence.is_retriever:
        unchecked_rules.append("retrieval")
        reasons.append("no_retrieval")
    flags = {code: float(code in labels.codes) for code in taxonomy.codes}
    if labels.is_unanswered:
        reasons.append("grader_failed")
        flags |= dict.fromkeys(taxonomy.codes.keys() - taxonomy.rules.values(), math.nan)
    for rule in unchecked_rules:
        if rule in taxonomy.rules:
            flags[taxonomy.rules[rule]] = math.nan
    has_error = float(bool(labels.codes))
    is_coverage_missing = has_reference and "coverage" in missing_grades
    if not labels.codes and ("faithfulness" in missing_grades or is_coverage_missing):
        has_error = math.nan
    return Score(
        value={**flags, "any": has_error},
        explanation=_explain_labels(taxonomy, labels, evidence),
        reason=reasons[0] if reasons else None,
        metadata=metadata,
    )


def _missing_grades(evidence: SampleEvidence) -> list[str]:
    """Return the missing grades, without which some errors were not sought."""
    if "severity" in evidence.grades:
        return []
    return [name for name in RULES_OF_GRADE if name not in evidence.grades]


def _explain_missing_code(labels: Labels) -> str:
    reasons = "; ".join(
        f"{judgement.grader}: {judgement.reason or 'none applies'}" for judgement in labels.judges
    )
    return f"No judge gave a code ({reasons}), and no rule of the taxonomy does."


def _explain_labels(taxonomy: Taxonomy, labels: Labels, evidence: SampleEvidence) -> str:
    if labels.source is None:
        grades = ", ".join(f"{name} {grade}" for name, grade in evidence.grades.items())
        return f"No grade is below {evidence.threshold:g} ({grades})."
    lines = []
    for code, reason in labels.codes.items():
        title = f"{code} {taxonomy.codes[code].name}"
        lines.append(f"{title}: {reason}" if reason else title)
    paragraphs = ["\n".join(lines) or "No code fits the error that was named."]
    if labels.source == "judge":
        paragraphs += [
            judgement.text for judgement in labels.judges if judgement.verdict is not None
        ]
    return "\n\n".join(paragraphs)
