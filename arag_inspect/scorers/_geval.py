"""The engine of G-Eval: parameters, materials, the panel of judges, and the score."""

import re
from collections.abc import Sequence
from statistics import fmean
from typing import Any, Literal, NamedTuple, get_args

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from .._util.encodable import encodable
from .._util.errors import InputError
from ..judge._concurrency import collect_all
from ..judge.criteria import (
    Criteria,
    NoCriteriaError,
    generated_criteria,
    pinned_criteria,
    read_criteria,
)
from ..judge.dimension import DimensionVerdict, JudgedAgainst, judge_dimension
from ..judge.grounding import GroundingError, faults
from ..judge.judge import graders, no_verdict, panel_names
from ..judge.signature import signature
from ..prompts import load_prompt
from ..types.scale import USUAL, Scale
from ._shared.context import Context, check_context, resolve_context, whole_document
from ._shared.unscored import no_reference, unscored_if_skipped

Against = Literal["read", "both", "reference", "none"]

_SCALE = "arag_scale"

_PINNED = {"pinned": "", "legal": "legal"}
"""Domain of the criteria of the package, by the parameter's value."""


class _Setting(NamedTuple):
    base: Criteria
    criteria: str
    scale: Scale
    against: Against
    samples: int
    """Replies to average where there are no log-probabilities; 0 where the integer is wanted."""

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
        _scale(scale, criteria),
        _against(against, base),
        _count("samples", samples, least=0),
        max_source_tokens and _count("max_source_tokens", max_source_tokens, least=100),
    )
    remade: set[str] = set()

    async def score(state: TaskState, target: Target) -> Score:
        found = await judged(state, target)
        found.metadata = {**(found.metadata or {}), "scale": list(setting.scale)}
        return found

    async def judged(state: TaskState, target: Target) -> Score:
        if (unscored := unscored_if_skipped(state)) is not None:
            return unscored
        answer = state.output.completion
        if not answer.strip():
            worst = setting.scale.low
            return Score(value=worst, answer=answer, explanation="The answer is empty.")
        held = await _held(state, target, setting.against, context)
        if isinstance(held, Score):
            return held
        asking, panel = [], graders()
        for grader in panel:
            again = regenerate and str(grader) not in remade
            remade.add(str(grader))
            asking.append(_ask(grader, setting, again, held, answer))
        found = await collect_all(*asking)
        for rulings, name in zip(found, panel_names(panel), strict=True):
            for ruling in rulings.values():
                ruling.judgement.grader = name
        origin = f":{held['read'].origin}" if setting.against == "read" else ""
        return _score(found, setting, answer, setting.against + origin)

    setattr(score, _SCALE, setting.scale)
    return score


def scale_of_scorer(scorer: Scorer) -> Scale:
    """The scale that a scorer grades on."""
    found: Scale = getattr(scorer, _SCALE, USUAL)
    return found


def _base_criteria(dimension: str, definition: str | None, criteria: str) -> Criteria:
    if criteria not in ("generated", *_PINNED):
        return read_criteria(criteria)
    domain = _PINNED.get(criteria, "")
    pinned = pinned_criteria(dimension, domain) if re.fullmatch(r"\w+", dimension) else None
    if pinned is None and (criteria in _PINNED or definition is None):
        raise InputError(
            f"no criteria ship for {dimension!r}; give `definition` and criteria=generated, or "
            "criteria=PATH"
        )
    if pinned is None:
        return Criteria(dimension, str(definition), "source", "")
    return pinned._replace(definition=definition or pinned.definition)


def _scale(scale: Sequence[int], criteria: str) -> Scale:
    ends = re.findall(r"-?\d+", scale) if isinstance(scale, str) else scale
    if (
        not isinstance(ends, Sequence)
        or len(ends) != 2
        or not all(str(end).lstrip("-").isdecimal() for end in ends)
    ):
        raise InputError(f"scale must be two whole numbers such as 1,5, got {scale!r}")
    found = Scale(int(ends[0]), int(ends[1]))
    if not 0 <= found.low < found.high:
        raise InputError(f"scale must rise from a lowest score of 0 or more, got {scale!r}")
    if criteria in _PINNED and found != USUAL:
        raise InputError("pinned criteria are written for a scale from 1 to 5; drop scale")
    return found


def _against(against: Against | None, base: Criteria) -> Against:
    if against is None:
        kinds: dict[str, Against] = {"reference": "reference", "none": "none"}
        return kinds.get(base.material, "read")
    if against not in get_args(Against):
        known = ", ".join(get_args(Against))
        raise InputError(f"against {against!r} is unknown; choose from {known}")
    return against


def _count(name: str, value: int, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return value


async def _held(
    state: TaskState, target: Target, against: Against, context: Context
) -> dict[str, JudgedAgainst] | Score:
    """What the answer is held against, by name; or why there is nothing."""
    if against == "none":
        return {"none": JudgedAgainst("none")}
    if against == "reference":
        reference = "\n".join(text for text in target if text.strip())
        if not reference:
            return no_reference(state)
        return {"reference": JudgedAgainst("reference", "", [reference])}
    read = await resolve_context(state, context)
    found = {"read": JudgedAgainst("source", *read)} if read.texts else {}
    if against == "both":
        whole = await whole_document(state)
        if not whole.texts:
            return Score.unscored(
                reason="no_document",
                explanation="The whole document is neither in the log nor in a prepared corpus.",
            )
        found["source"] = JudgedAgainst("source", *whole)
    if not found:
        return Score.unscored(
            reason="no_passages", explanation="There is nothing to judge the answer against."
        )
    return found


async def _ask(
    grader: Model, setting: _Setting, regenerate: bool, held: dict[str, JudgedAgainst], answer: str
) -> dict[str, DimensionVerdict]:
    """One judge's ruling against each material; the same text is not judged twice."""
    used = setting.base
    if setting.criteria == "generated":
        try:
            used = await generated_criteria(grader, used, *setting.scale, regenerate)
        except NoCriteriaError as error:
            failed = DimensionVerdict(error.asked.lost(str(error)), used, None)
            return dict.fromkeys(held, failed)
    texts = {"\n\n".join(one.texts): one for one in held.values()}
    rulings = await collect_all(
        *(
            judge_dimension(
                grader,
                used,
                setting.scale,
                one,
                answer,
                samples=setting.samples,
                max_source_tokens=setting.max_source_tokens,
            )
            for one in texts.values()
        )
    )
    by_text = dict(zip(texts, rulings, strict=True))
    return {name: by_text["\n\n".join(one.texts)] for name, one in held.items()}


def _score(
    found: Sequence[dict[str, DimensionVerdict]], setting: _Setting, answer: str, against: str
) -> Score:
    deciding = [list(rulings.values())[-1] for rulings in found]
    judged = [one for one in deciding if one.value is not None]
    if not judged:
        return no_verdict([one.judgement for one in deciding], answer)
    several = len(judged) > 1
    return Score(
        value=fmean(one.value for one in judged if one.value is not None),
        answer=answer,
        explanation="\n\n".join(
            f"## {one.judgement.grader}\n\n{one.explanation()}" if several else one.explanation()
            for one in judged
        ),
        metadata={
            "signature": _signature(deciding, setting, against),
            "verdicts": {one.judgement.grader: one.value for one in judged},
            "judges": [one.as_dict() for one in deciding],
            **(_grounding(found) if setting.against == "both" else {}),
        },
    )


def _grounding(found: Sequence[dict[str, DimensionVerdict]]) -> dict[str, Any]:
    """What two materials tell that one does not: the value against what was read, and each statement's fault."""
    shown: dict[str, Any] = {}
    whole = [rulings for rulings in found if all(one.value is not None for one in rulings.values())]
    values = [float(rulings["read"].value or 0) for rulings in whole if "read" in rulings]
    if values:
        shown["read"] = fmean(values)
    shown["judges_read"] = [rulings["read"].as_dict() for rulings in found if "read" in rulings]
    listed: dict[str, GroundingError] = {}
    for rulings in whole:
        read = rulings["read"].unsupported if "read" in rulings else rulings["source"].unsupported
        listed |= faults(read, rulings["source"].unsupported)
    return {**shown, "faults": listed}


def _signature(deciding: Sequence[DimensionVerdict], setting: _Setting, against: str) -> str:
    digests = "+".join(sorted({one.criteria.digest for one in deciding}))
    return signature(
        f"geval_{setting.base.dimension}",
        judge="+".join(one.judgement.grader for one in deciding),
        criteria=f"{setting.criteria}:{digests}",
        against=against,
        scale=setting.scale,
        weighted=setting.samples > 0,
        prompt=Criteria("", "", "", load_prompt("judge/geval")).digest,
    )
