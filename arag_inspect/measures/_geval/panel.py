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

from arag_inspect.judge.concurrency import collect_all
from arag_inspect.judge.context import Context, no_source, resolve_context, whole_document
from arag_inspect.judge.judgement import JudgingCost
from arag_inspect.judge.material import GradingMaterial
from arag_inspect.judge.model_graded import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.unscored import UnscoredError, no_reference
from arag_inspect.measure import Scale
from arag_inspect.measures._geval.criteria import (
    Criteria,
    Judged,
    Regenerated,
    generated_criteria,
)
from arag_inspect.measures._geval.grade import (
    DimensionGrade,
    GroundingClass,
    faults,
    judge_dimension,
)
from arag_inspect.measures._geval.statement_lists import STATEMENTS, ListKind, list_kind
from arag_inspect.measures._references import reference_of
from arag_inspect.prompts import load_prompt

Against = Literal["context", "both", "reference", "none"]
"""Material to grade against: the text read, this text and the document, the reference or none."""

_LISTS = ("lists/statements", "lists/items", "grades/statements", "grades/items", "grades/mean")
"""Prompts that ask for the lists and say how a grade follows from them."""

_PROMPTS = ("geval", "geval_source", "geval_reference", *_LISTS)


class Materials(NamedTuple):
    """Materials that an answer is graded against."""

    deciding: GradingMaterial
    """The material whose grade is the score."""

    read: GradingMaterial | None = None
    """The text read, if the answer is graded against that too."""


class JudgeGrades(NamedTuple):
    """The grades that one judge gives an answer."""

    deciding: DimensionGrade
    """The grade that is the score; includes the cost of the other one."""

    read: DimensionGrade | None = None
    """The grade against the text read, if the answer is graded against that too."""

    @property
    def is_complete(self) -> bool:
        """Whether the judge graded against each material."""
        return self.deciding.value is not None and (
            self.read is None or self.read.value is not None
        )


async def materials_of(
    state: TaskState, target: Target, against: Against, context: Context
) -> Materials:
    """Return the materials to grade against.

    Raises:
        UnscoredError: There is nothing to judge the answer against.
    """
    if against == "none":
        return Materials(GradingMaterial("none"))
    if against == "reference":
        return Materials(await _reference_material(state, target))
    source = await resolve_context(state, context)
    if against == "both":
        return Materials(await _document_material(state), source if source.texts else None)
    if not source.texts:
        raise no_source(source.origin, "The sample has no material to judge the answer against.")
    return Materials(source)


async def _reference_material(state: TaskState, target: Target) -> GradingMaterial:
    reference = await anyio.to_thread.run_sync(reference_of, list(target))
    if not reference.text:
        raise no_reference(state)
    return GradingMaterial("reference", texts=[reference.text], left_out=reference.left_out)


async def _document_material(state: TaskState) -> GradingMaterial:
    document = await whole_document(state)
    if not document.texts:
        reason = "The whole document is neither in the log nor in a prepared corpus."
        raise UnscoredError("no_document", reason)
    return document


class Grading(NamedTuple):
    """How answers are graded."""

    criteria: Criteria
    """Criteria, or the dimension for which the judge writes them."""

    criteria_origin: str
    """Origin of the criteria, e.g. `generated`."""

    scale: Scale
    against: Against
    samples: int
    """Replies to average without log-probabilities; 0 for the integer score."""

    max_source_tokens: int | None
    regenerated: Regenerated | None = None
    """Criteria written in this run, if earlier ones are not used."""

    @property
    def kind(self) -> ListKind | None:
        """Lists that judges make with their grades."""
        is_source = self.against in ("context", "both")
        return list_kind(self.criteria.dimension, "source" if is_source else self.against)

    def lowest(self) -> Score:
        """Return the score of an empty answer.

        Raises:
            UnscoredError: Its statements are graded, and it has none.
        """
        metadata: dict[str, Any] = {"signature": None, "scale": list(self.scale)}
        if self.kind is STATEMENTS:
            if self.criteria.dimension == STATEMENTS.dimension:
                raise UnscoredError("no_sentences", "The answer is empty and states nothing.")
            metadata["unscored"] = {STATEMENTS.measure: "no_sentences"}
        elif self.kind is not None:
            metadata["shares"] = {self.kind.measure: 0.0}
        return Score(value=self.scale.low, metadata=metadata)

    async def ask(
        self,
        grader: Model,
        name: str,
        judged: Judged,
        materials: Materials,
        answer: str,
    ) -> JudgeGrades:
        """Let one judge grade against each material; the same text is judged once.

        The deciding grade includes the cost of the other, and of criteria generated for it.
        """
        criteria = self.criteria
        writing = None
        if self.criteria_origin == "generated":
            criteria, writing = await generated_criteria(
                grader, criteria, judged, self.scale, self.regenerated
            )
        if writing is not None and writing.verdict is None:
            failed = DimensionGrade(replace(writing, grader=name), criteria, None)
            return JudgeGrades(failed, None if materials.read is None else failed)

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
        writing_cost = JudgingCost() if writing is None else writing.cost
        if materials.read is None or materials.read.joined == materials.deciding.joined:
            deciding = (await grade(materials.deciding)).with_cost(writing_cost)
            return JudgeGrades(deciding, None if materials.read is None else deciding)
        reading, deciding = await collect_all(grade(materials.read), grade(materials.deciding))
        return JudgeGrades(deciding.with_cost(reading.judgement.cost, writing_cost), reading)

    def score(
        self,
        panel: Sequence[JudgeGrades],
        origin: str,
        left_out: Mapping[str, Sequence[str]],
    ) -> Score:
        """Combine the grades of all judges.

        Args:
            panel: Verdicts of each judge.
            origin: Origin of the text that was read; empty if it does not matter.
            left_out: Items of the reference that do not count, by reason.
        """
        deciding = [grades.deciding for grades in panel]
        metadata: dict[str, Any] = {"scale": list(self.scale), **self._shares(deciding)}
        if self.against == "both":
            metadata |= _grounding_metadata(panel)
        if left_out:
            metadata["reference_left_out"] = left_out
        opinions = [
            JudgeOpinion(grade.judgement, grade.value, grade.explanation(), grade.as_dict())
            for grade in deciding
        ]
        signed = self._signature(deciding, origin)
        return panel_score(opinions, signed=signed, **metadata)

    def _signature(self, deciding: Sequence[DimensionGrade], origin: str) -> Any:
        digests = sorted({grade.criteria.digest for grade in deciding})
        prompts = [load_prompt(f"judge/{name}") for name in _PROMPTS]
        return judged_signature(
            f"geval_{self.criteria.dimension}",
            *prompts,
            judge="+".join(grade.judgement.grader for grade in deciding),
            criteria=f"{self.criteria_origin}:{'+'.join(digests)}",
            against=f"{self.against}:{origin}" if origin else self.against,
            scale=self.scale,
            weighted=self.samples > 0,
        )

    def _shares(self, deciding: Sequence[DimensionGrade]) -> dict[str, Any]:
        """Return the mean share of the judges' lists, or the reason that it is missing."""
        if self.kind is None:
            return {}
        shares = [grade.share for grade in deciding if grade.share is not None]
        if shares:
            return {"shares": {self.kind.measure: fmean(shares)}}
        return {"unscored": {self.kind.measure: "nothing_listed"}}


def _grounding_metadata(panel: Sequence[JudgeGrades]) -> dict[str, Any]:
    """Return the mean score against the text read, and each unsupported statement's fault."""
    read_grades = [grades.read for grades in panel if grades.read is not None]
    metadata: dict[str, Any] = {"judges_context": [grade.as_dict() for grade in read_grades]}
    complete = [grades for grades in panel if grades.is_complete]
    if not complete:
        return metadata
    values = [grades.read.value for grades in complete if grades.read is not None]
    if values:
        metadata["context"] = fmean(value for value in values if value is not None)
    faults_by_statement: dict[str, GroundingClass] = {}
    for grades in complete:
        grade = grades.deciding if grades.read is None else grades.read
        faults_by_statement |= faults(grade.unsupported, grades.deciding.unsupported)
    return metadata | {"faults": faults_by_statement}
