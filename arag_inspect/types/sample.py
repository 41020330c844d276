"""What every sample of every data set here says of itself."""

from typing import Literal

from inspect_ai.solver import TaskState
from pydantic import BaseModel, ConfigDict, ValidationError

from .._util.errors import InputError

Style = Literal[
    "earnings_call", "section", "query_focused", "comparison", "qa", "client_file", "legal"
]


class SampleFact(BaseModel):
    """A fact that an answer is held to, from the fact bank."""

    model_config = ConfigDict(frozen=True)

    id: str
    text: str


class SampleMetadata(BaseModel):
    """Metadata of a sample; read with `state.metadata_as(SampleMetadata)`."""

    model_config = ConfigDict(frozen=True)

    source: str = ""
    """Data set that the sample is from."""

    corpus: str = ""
    """Prepared corpus to search: its name in the datasets folder, or its path."""

    doc_ids: tuple[str, ...] = ()
    """Documents that the sample is about."""

    company: str = ""
    period: str = ""

    style: Style = "qa"
    """Kind of answer; selects the wording of the prompts."""

    target_length: int | None = None
    """Words that the answer should have, about."""

    question_type: str | None = None
    question_reasoning: str | None = None
    """How the answer is reached, e.g. `Subtraction`."""

    gold_chunk_ids: tuple[int, ...] = ()
    """Chunks that hold the evidence."""

    evidence: tuple[str, ...] = ()
    """Sentences that an answer rests on."""

    facts: tuple[SampleFact, ...] = ()
    """What an answer is held to, the same for every system."""


def sample_metadata(state: TaskState) -> SampleMetadata:
    """Read the metadata of the sample at hand; the defaults where it has none.

    Raises:
        InputError: A field has a value that it cannot have.
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
    """Like `sample_metadata`, for scorers: the defaults where the metadata are of somebody else's making."""
    try:
        return sample_metadata(state)
    except InputError:
        return SampleMetadata()
