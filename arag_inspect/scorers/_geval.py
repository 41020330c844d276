"""The engine of G-Eval: parameters, materials, panel of judges, and score."""

import re
from collections.abc import Awaitable, Sequence
from statistics import fmean
from typing import Any, Literal, NamedTuple, get_args

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from .._util.encodable import encodable
from .._util.errors import InputError
from ..judge._concurrency import collect_all
from ..judge.context import Context, check_context, resolve_context, whole_document
from ..judge.criteria import (
    Criteria,
    NoCriteriaError,
    generated_criteria,
    pinned_criteria,
    read_criteria,
)
from ..judge.dimension import DimensionVerdict, JudgedAgainst, judge_dimension
from ..judge.grounding import GroundingError, faults
from ..judge.judge import ask_panel
from ..judge.scorer import Opinion, judged_signature, panel_score
from ..judge.unscored import UnscoredError, no_reference
from ..prompts import load_prompt, prompt_file
from ..types.scale import USUAL, Scale

Against = Literal["context", "both", "reference", "none"]

_SCALE = "arag_scale"


_Verdicts = dict[str, DimensionVerdict]
"""One judge's verdicts, by material; the last one decides."""


class _Setting(NamedTuple):
    base: Criteria
    criteria: str
    scale: Scale
    against: Against
    samples: int
    """Replies to average without log-probabilities; 0 for the integer score."""

    max_source_tokens: int | None


def judged_by_criteria(
    dimension: str,
    *,
    criteria: str,
    regenerate: bool,
    samples: int,
    definition: str | None = None,
    scale: Sequence[int] = USUAL,
    context: Context = "auto",
    against: Against | None = None,
    max_source_tokens: int | None = None,
) -> Scorer:
    check_context(context)
    base = _base_criteria(dimension, encodable(definition), criteria)
    setting = _Setting(
        base,
        criteria,
        _parse_scale(scale, criteria),
        _resolve_against(against, base),
        _check_count("samples", samples, least=0),
        max_source_tokens and _check_count("max_source_tokens", max_source_tokens, least=100),
    )
    regenerated: set[str] = set()

    async def score(state: TaskState, target: Target) -> Score:
        graded = await grade(state, target)
        graded.metadata = {**(graded.metadata or {}), "scale": list(setting.scale)}
        return graded

    async def grade(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        if not answer.strip():
            worst = setting.scale.low
            return Score(value=worst, metadata={"signature": None})
        materials = await _materials(state, target, setting.against, context)

        def ask(grader: Model, name: str) -> Awaitable[_Verdicts]:
            again = regenerate and str(grader) not in regenerated
            regenerated.add(str(grader))
            return _ask(grader, name, setting, again, materials, answer)

        verdicts = await ask_panel(ask)
        origin = f":{materials['context'].origin}" if setting.against == "context" else ""
        return _score(verdicts, setting, answer, setting.against + origin)

    setattr(score, _SCALE, setting.scale)
    return score


def scale_of_scorer(scorer: Scorer) -> Scale:
    """Return the scale of a scorer."""
    scale: Scale = getattr(scorer, _SCALE, USUAL)
    return scale


def _base_criteria(dimension: str, definition: str | None, criteria: str) -> Criteria:
    if criteria != "generated" and not _is_pinned(criteria):
        return read_criteria(criteria)
    domain = "" if criteria in ("generated", "pinned") else criteria
    pinned = pinned_criteria(dimension, domain) if re.fullmatch(r"\w+", dimension) else None
    if pinned is None and (criteria != "generated" or definition is None):
        raise InputError(
            f"no criteria ship for {dimension!r}; give `definition` and criteria=generated, or "
            "criteria=PATH"
        )
    if pinned is None:
        return Criteria(dimension, str(definition), "source", "")
    return pinned._replace(definition=definition or pinned.definition)


def _is_pinned(criteria: str) -> bool:
    """Return whether criteria are built-in: `pinned`, or the name of a domain."""
    return criteria == "pinned" or bool(
        re.fullmatch(r"\w+", criteria) and prompt_file(f"criteria/{criteria}/faithfulness")
    )


def _parse_scale(scale: Sequence[int], criteria: str) -> Scale:
    ends = re.findall(r"-?\d+", scale) if isinstance(scale, str) else scale
    if (
        not isinstance(ends, Sequence)
        or len(ends) != 2
        or not all(str(end).lstrip("-").isdecimal() for end in ends)
    ):
        raise InputError(f"scale must be two whole numbers such as 1,5, got {scale!r}")
    result = Scale(int(ends[0]), int(ends[1]))
    if not 0 <= result.low < result.high:
        raise InputError(f"scale must rise from a lowest score of 0 or more, got {scale!r}")
    if _is_pinned(criteria) and result != USUAL:
        raise InputError("pinned criteria are written for a scale from 1 to 5; drop scale")
    return result


def _resolve_against(against: Against | None, base: Criteria) -> Against:
    if against is None:
        kinds: dict[str, Against] = {"reference": "reference", "none": "none"}
        return kinds.get(base.material, "context")
    if against not in get_args(Against):
        choices = ", ".join(get_args(Against))
        raise InputError(f"against {against!r} is unknown; choose from {choices}")
    return against


def _check_count(name: str, value: int, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return value


async def _materials(
    state: TaskState, target: Target, against: Against, context: Context
) -> dict[str, JudgedAgainst]:
    """Return the materials of the grading by name."""
    if against == "none":
        return {"none": JudgedAgainst("none")}
    if against == "reference":
        reference = "\n".join(text for text in target if text.strip())
        if not reference:
            raise no_reference(state)
        return {"reference": JudgedAgainst("reference", "", [reference])}
    read = await resolve_context(state, context)
    materials = {"context": JudgedAgainst("source", *read)} if read.texts else {}
    if against == "both":
        document = await whole_document(state)
        if not document.texts:
            why = "The whole document is neither in the log nor in a prepared corpus."
            raise UnscoredError("no_document", why)
        materials["source"] = JudgedAgainst("source", *document)
    if not materials:
        raise UnscoredError("no_passages", "There is no material to judge the answer against.")
    return materials


async def _ask(
    grader: Model,
    name: str,
    setting: _Setting,
    regenerate: bool,
    materials: dict[str, JudgedAgainst],
    answer: str,
) -> _Verdicts:
    """Let one judge grade against each material; the same text is judged once.

    The deciding verdict includes the cost of the others, and of criteria generated for it.
    """
    criteria, criteria_judgement = setting.base, None
    if setting.criteria == "generated":
        try:
            criteria, criteria_judgement = await generated_criteria(
                grader, criteria, *setting.scale, regenerate
            )
        except NoCriteriaError as error:
            failed = error.asked.without_verdict(str(error)).renamed(name)
            return dict.fromkeys(materials, DimensionVerdict(failed, criteria, None))
    by_text = {"\n\n".join(material.texts): material for material in materials.values()}
    verdicts = await collect_all(
        *(
            judge_dimension(
                grader,
                criteria,
                setting.scale,
                material,
                answer,
                name=name,
                samples=setting.samples,
                max_source_tokens=setting.max_source_tokens,
            )
            for material in by_text.values()
        )
    )
    *others, deciding = (verdict.judgement for verdict in verdicts)
    for judgement in (*others, *([criteria_judgement] if criteria_judgement else [])):
        deciding.add_cost(judgement)
    verdict_by_text = dict(zip(by_text, verdicts, strict=True))
    return {
        key: verdict_by_text["\n\n".join(material.texts)] for key, material in materials.items()
    }


def _score(panel: Sequence[_Verdicts], setting: _Setting, answer: str, against: str) -> Score:
    deciding = [list(verdicts.values())[-1] for verdicts in panel]
    opinions = [
        Opinion(verdict.judgement, verdict.value, verdict.explanation(), verdict.as_dict())
        for verdict in deciding
    ]
    grounding = _grounding(panel) if setting.against == "both" else {}
    signed = _signature(deciding, setting, against)
    return panel_score(opinions, answer, signed=signed, **grounding)


def _grounding(panel: Sequence[_Verdicts]) -> dict[str, Any]:
    """Return the score against the text read, and each unsupported statement's fault."""
    metadata: dict[str, Any] = {}
    complete = [
        verdicts for verdicts in panel if all(v.value is not None for v in verdicts.values())
    ]
    values = [
        float(verdicts["context"].value or 0) for verdicts in complete if "context" in verdicts
    ]
    if values:
        metadata["context"] = fmean(values)
    metadata["judges_context"] = [
        verdicts["context"].as_dict() for verdicts in panel if "context" in verdicts
    ]
    by_statement: dict[str, GroundingError] = {}
    for verdicts in complete:
        read = verdicts.get("context", verdicts["source"]).unsupported
        by_statement |= faults(read, verdicts["source"].unsupported)
    return {**metadata, "faults": by_statement}


def _signature(deciding: Sequence[DimensionVerdict], setting: _Setting, against: str) -> str:
    digests = "+".join(sorted({verdict.criteria.digest for verdict in deciding}))
    return judged_signature(
        f"geval_{setting.base.dimension}",
        load_prompt("judge/geval"),
        judge="+".join(verdict.judgement.grader for verdict in deciding),
        criteria=f"{setting.criteria}:{digests}",
        against=against,
        scale=setting.scale,
        weighted=setting.samples > 0,
    )
