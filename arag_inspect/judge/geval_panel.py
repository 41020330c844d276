"""Grade one answer in one dimension by a panel of judges, and combine the grades."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any, Literal, NamedTuple

import anyio.to_thread
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from ..measure import Scale
from ..prompts import load_prompt
from .concurrency import collect_all
from .context import Context, no_source, resolve_context, whole_document
from .criteria import Criteria, generated_criteria
from .geval_grade import DimensionVerdict, GroundingError, faults, judge_dimension
from .judgement import Judgement
from .material import GradingMaterial
from .model_graded import JudgeOpinion, judged_signature, panel_score
from .references import reference_of
from .statement_lists import ListKind, list_kind
from .unscored import UnscoredError, no_reference

Against = Literal["context", "both", "reference", "none"]
"""Material to grade against: the text read, both that and the whole document, the reference or none."""

VerdictsByMaterial = dict[str, DimensionVerdict]
"""One judge's verdicts; the last one decides."""

_LISTS = ("lists/statements", "lists/items", "grades/statements", "grades/items", "grades/mean")
"""Prompts that ask for the lists, and say how a grade follows from them."""

_PROMPTS = ("geval", "geval_source", "geval_reference", *_LISTS)


async def materials_of(
    state: TaskState, target: Target, against: Against, context: Context
) -> dict[str, GradingMaterial]:
    """Return the materials to grade against by name; the last one decides.

    Raises:
        UnscoredError: There is nothing to judge the answer against.
    """
    if against == "none":
        return {"none": GradingMaterial("none")}
    if against == "reference":
        return {"reference": await _reference_material(state, target)}
    source = await resolve_context(state, context)
    materials = {}
    if source.texts:
        materials["context"] = source
    if against == "both":
        materials["source"] = await _document_material(state)
    if not materials:
        raise no_source(source.origin, "There is no material to judge the answer against.")
    return materials


async def _reference_material(state: TaskState, target: Target) -> GradingMaterial:
    reference = await anyio.to_thread.run_sync(reference_of, list(target))
    if not reference.text:
        raise no_reference(state)
    return GradingMaterial("reference", texts=[reference.text], left_out=reference.left_out)


async def _document_material(state: TaskState) -> GradingMaterial:
    document = await whole_document(state)
    if not document.texts:
        why = "The whole document is neither in the log nor in a prepared corpus."
        raise UnscoredError("no_document", why)
    return document


class Grading(NamedTuple):
    """How answers are graded."""

    base: Criteria
    """Criteria, or the dimension for which the judge writes them."""

    criteria: str
    """Where the criteria come from, e.g. `generated`."""

    scale: Scale
    against: Against
    samples: int
    """Replies to average without log-probabilities; 0 for the integer score."""

    max_source_tokens: int | None

    @property
    def kind(self) -> ListKind | None:
        """Lists that judges make with their grades."""
        is_source = self.against in ("context", "both")
        return list_kind(self.base.dimension, "source" if is_source else self.against)

    def lowest(self) -> Score:
        """Return the score of an empty answer."""
        metadata: dict[str, Any] = {"signature": None, "scale": list(self.scale)}
        if self.kind is not None:
            metadata["shares"] = {self.kind.measure: 0.0}
        return Score(value=self.scale.low, metadata=metadata)

    async def ask(
        self,
        grader: Model,
        name: str,
        regenerate: bool,
        materials: Mapping[str, GradingMaterial],
        answer: str,
    ) -> VerdictsByMaterial:
        """Let one judge grade against each material; the same text is judged once.

        The deciding verdict includes the cost of the others, and of criteria generated for it.
        """
        criteria = self.base
        writing = None
        if self.criteria == "generated":
            criteria, writing = await generated_criteria(grader, criteria, *self.scale, regenerate)
        if writing is not None and writing.verdict is None:
            failed = DimensionVerdict(replace(writing, grader=name), criteria, None)
            return dict.fromkeys(materials, failed)

        grade = partial(
            judge_dimension,
            grader,
            criteria,
            self.scale,
            answer=answer,
            name=name,
            samples=self.samples,
            max_source_tokens=self.max_source_tokens,
        )
        by_text = {material.joined: material for material in materials.values()}
        verdicts = await collect_all(*map(grade, by_text.values()))
        _merge_costs([verdict.judgement for verdict in verdicts], writing)
        verdict_by_text = dict(zip(by_text, verdicts, strict=True))
        return {key: verdict_by_text[material.joined] for key, material in materials.items()}

    def score(
        self,
        panel: Sequence[VerdictsByMaterial],
        origin: str,
        left_out: Mapping[str, Sequence[str]],
    ) -> Score:
        """Combine the verdicts of all judges.

        Args:
            panel: Verdicts of each judge.
            origin: Origin of the text that was read; empty if it does not matter.
            left_out: Items of the reference that do not count, by reason.
        """
        deciding = [list(verdicts.values())[-1] for verdicts in panel]
        metadata: dict[str, Any] = {"scale": list(self.scale), **self._shares(deciding)}
        if self.against == "both":
            metadata |= _grounding_metadata(panel)
        if left_out:
            metadata["reference_left_out"] = left_out
        opinions = [
            JudgeOpinion(verdict.judgement, verdict.value, verdict.explanation(), verdict.as_dict())
            for verdict in deciding
        ]
        signed = self._signature(deciding, origin)
        return panel_score(opinions, signed=signed, **metadata)

    def _signature(self, deciding: Sequence[DimensionVerdict], origin: str) -> Any:
        digests = sorted({verdict.criteria.digest for verdict in deciding})
        prompts = [load_prompt(f"judge/{name}") for name in _PROMPTS]
        return judged_signature(
            f"geval_{self.base.dimension}",
            *prompts,
            judge="+".join(verdict.judgement.grader for verdict in deciding),
            criteria=f"{self.criteria}:{'+'.join(digests)}",
            against=f"{self.against}:{origin}" if origin else self.against,
            scale=self.scale,
            weighted=self.samples > 0,
        )

    def _shares(self, deciding: Sequence[DimensionVerdict]) -> dict[str, Any]:
        """Return the mean share of the judges' lists, or the reason that it is missing."""
        if self.kind is None:
            return {}
        shares = [verdict.share for verdict in deciding if verdict.share is not None]
        if shares:
            return {"shares": {self.kind.measure: fmean(shares)}}
        return {"unscored": {self.kind.measure: "nothing_listed"}}


def _merge_costs(judgements: Sequence[Judgement[Any]], writing: Judgement[Any] | None) -> None:
    """Add the costs of the other judgements, and of writing criteria, to the last judgement."""
    *others, deciding = judgements
    for judgement in others:
        deciding.add_cost(judgement)
    if writing is not None:
        deciding.add_cost(writing)


def _grounding_metadata(panel: Sequence[VerdictsByMaterial]) -> dict[str, Any]:
    """Return the mean score against the text read, and each unsupported statement's fault."""
    in_context = [verdicts["context"] for verdicts in panel if "context" in verdicts]
    metadata: dict[str, Any] = {"judges_context": [verdict.as_dict() for verdict in in_context]}
    complete = [verdicts for verdicts in panel if _is_complete(verdicts)]
    if not complete:
        return metadata
    grades = [verdicts["context"].value for verdicts in complete if "context" in verdicts]
    if grades:
        metadata["context"] = fmean(grade for grade in grades if grade is not None)
    by_statement: dict[str, GroundingError] = {}
    for verdicts in complete:
        whole = verdicts["source"]
        by_statement |= faults(verdicts.get("context", whole).unsupported, whole.unsupported)
    return metadata | {"faults": by_statement}


def _is_complete(verdicts: VerdictsByMaterial) -> bool:
    return all(verdict.value is not None for verdict in verdicts.values())
