"""Metadata of a sample, common to all data sets of this package."""

from typing import Literal

from inspect_ai.solver import TaskState
from pydantic import BaseModel, ConfigDict, ValidationError

from .._util.errors import InputError

Style = Literal[
    "earnings_call", "section", "query_focused", "comparison", "qa", "client_file", "legal"
]


class SampleFact(BaseModel):
    """A fact from the fact bank against which an answer is scored."""

    model_config = ConfigDict(frozen=True)

    id: str
    text: str


class SampleMetadata(BaseModel):
    """Metadata of a sample; read with `state.metadata_as(SampleMetadata)`."""

    model_config = ConfigDict(frozen=True)

    source: str = ""
    """Data set of the sample."""

    corpus: str = ""
    """Prepared corpus to search: name in the datasets folder, or path."""

    doc_ids: tuple[str, ...] = ()
    """Documents of the sample."""

    company: str = ""
    period: str = ""

    style: Style = "qa"
    """Kind of answer; selects the wording of the prompts."""

    target_length: int | None = None
    """Approximate length of the answer, in words."""

    question_type: str | None = None
    question_reasoning: str | None = None
    """Operation that gives the answer, e.g. `Subtraction`."""

    gold_chunk_ids: tuple[int, ...] = ()
    """Chunks that hold the evidence."""

    evidence: tuple[str, ...] = ()
    """Sentences that support the answer."""

    facts: tuple[SampleFact, ...] = ()
    """Facts against which answers are scored, equal for every system."""


def sample_metadata(state: TaskState) -> SampleMetadata:
    """Read the metadata of a sample; missing fields have their defaults.

    Raises:
        InputError: A field has an invalid value.
    """
    if not state.metadata:
        return SampleMetadata()
    try:
        return state.metadata_as(SampleMetadata)
    except (ValueError, ValidationError) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"metadata of sample {state.sample_id} cannot be read: {reason}"
        ) from error


def known_metadata(state: TaskState) -> SampleMetadata:
    """Like `sample_metadata`, but returns defaults for metadata that is not ours."""
    try:
        return sample_metadata(state)
    except InputError:
        return SampleMetadata()
