"""Let a model write conversations with an adviser.

It is a task, so that Inspect handles retries, limits and costs.
"""

import re
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple, Self

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, Model, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import BaseModel, Field, ValidationError, model_validator

from arag_inspect._util.errors import InputError, first_error
from arag_inspect.models.run_task import FAILED, results_of, write_samples
from arag_inspect.prompts import fill, load_prompt
from arag_inspect.text.replies import ReplyParseError, read_json

from .conversation import Conversation
from .extract_facts import ask
from .personas import Persona
from .speech import ADVISER, SpokenLine, add_times, count_words, date_of
from .tracked import read_turns, write_turns

WORDS_A_MINUTE = 150
LEAST_SHARE = 0.9
"""Minimum length of a scene, as a share of the requested words."""

_CONTINUATIONS = 3
"""Maximum continuations of a scene that is too short."""

_SHORTEST = 34
_LONGEST = 60
"""Requested minutes; scenes may fall short by a tenth."""

_LINE = re.compile(
    r"\W{0,20}(?:[\d:]{1,12}\W{1,9})?(?P<speaker>\w[^:*\n]{0,60})\W{0,9}:[\s*]*(?P<words>\S.*)"
)
"""A speaker's line, with or without a time or bold letters."""


class Scene(BaseModel):
    """A planned part of the conversation."""

    title: str = Field(min_length=1)
    minutes: float = Field(gt=0, allow_inf_nan=False)
    topics: list[str] = Field(min_length=1)
    returns_to: list[str] = []
    corrections: list[str] = []
    small_talk: str = ""


class Outline(BaseModel):
    """The scenes of a conversation, in order."""

    scenes: list[Scene] = Field(min_length=5, max_length=10)

    @model_validator(mode="after")
    def _check_flow(self) -> Self:
        if not any(scene.returns_to for scene in self.scenes[1:]):
            raise ValueError("no scene returns to a topic of an earlier one")
        if not any(scene.corrections for scene in self.scenes[1:]):
            raise ValueError("in no scene is a figure put right")
        if sum(bool(scene.small_talk.strip()) for scene in self.scenes) < 2:
            raise ValueError("fewer than two scenes have small talk")
        return self


class WrittenTalks(NamedTuple):
    """Conversations written by a model."""

    location: str
    talks: list[Conversation]
    failed: dict[str, str]
    """Households without a conversation, with the reason."""


def write_talks(
    personas: Sequence[Persona], model: str | Model, seed: int = 54321, **options: Any
) -> WrittenTalks:
    """Let a model write a conversation for each household.

    Args:
        personas: Households.
        model: Model that writes.
        seed: Seed of the model, and of the length and date of each conversation.
        options: Further options of `inspect_ai.eval`, e.g. `log_dir`.

    Raises:
        InputError: The run failed, or no conversation is usable.
    """
    samples = [_sample(persona, seed) for persona in personas]
    config = GenerateConfig(seed=seed)
    log = write_samples(
        "adviser_talks", samples, write_talk(), model, "writing talks", config, **options
    )
    texts, failed = results_of(log, _written_talk)
    talks = []
    for persona in personas:
        text = texts.get(persona.id)
        if text is not None:
            day = date_of(Random(f"day {seed} {persona.id}"))
            talks.append(Conversation(persona, day, tuple(read_turns(text))))
    if not talks:
        name, reason = next(iter(failed.items()))
        raise InputError(
            f"{model} wrote no talk that can be used ({name}: {reason}); see {log.location}"
        )
    return WrittenTalks(log.location, talks, failed)


def _written_talk(sample: EvalSample) -> str | None:
    return None if FAILED in sample.store else sample.output.completion


def _sample(persona: Persona, seed: int) -> Sample:
    metadata = {
        "minutes": Random(f"minutes {seed} {persona.id}").randint(_SHORTEST, _LONGEST),
        "names": [client.name for client in persona.clients],
    }
    return Sample(id=persona.id, input=_request(persona), metadata=metadata)


@solver
def write_talk() -> Solver:
    """Let the model write a talk in three stages, with one repair of each reply."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = state.metadata
        lines: list[SpokenLine] = []
        stage = "outline"
        state.messages.clear()
        try:
            await ask(state, state.input_text, lambda portrait: portrait)
            request = fill(load_prompt("extraction/write_outline"), minutes=metadata["minutes"])
            outline = await ask(state, request, _read_outline)
            words = metadata["minutes"] * WORDS_A_MINUTE / sum(s.minutes for s in outline.scenes)
            for number, scene in enumerate(outline.scenes, start=1):
                stage = f"scene {number}"
                position = f"{number} of {len(outline.scenes)}"
                lines += await _scene(state, scene, position, int(words * scene.minutes))
        except ReplyParseError as error:
            state.store.set(FAILED, f"{stage}: {error}")
        state.output.completion = write_turns(add_times(lines, WORDS_A_MINUTE))
        return state

    return solve


async def _scene(state: TaskState, scene: Scene, place: str, words: int) -> list[SpokenLine]:
    """Let the model write a scene, and continue it until it is long enough.

    Raises:
        ReplyParseError: The second reply is unreadable too, or the scene stays too short.
    """
    request = fill(
        load_prompt("extraction/write_conversation_part"),
        place=place,
        title=scene.title,
        words=words,
        topics="; ".join(scene.topics),
        returns_to="; ".join(scene.returns_to) or "nothing",
        corrections="; ".join(scene.corrections) or "nothing",
        small_talk=scene.small_talk or "none",
    )
    parse_lines = partial(_read_lines, (ADVISER, *state.metadata["names"]))
    lines = await ask(state, request, parse_lines)
    for _ in range(_CONTINUATIONS):
        if count_words(lines) >= LEAST_SHARE * words:
            return lines
        prompt = load_prompt("extraction/write_conversation_more")
        request = fill(prompt, written=count_words(lines), words=words)
        lines += await ask(state, request, parse_lines)
    count = count_words(lines)
    if count < LEAST_SHARE * words:
        raise ReplyParseError(f"it has {count} words of about {words}")
    return lines


def _read_outline(output: ModelOutput) -> Outline:
    try:
        return Outline.model_validate(read_json(output.completion))
    except ValidationError as error:
        raise ReplyParseError(first_error(error)) from None


def _read_lines(speakers: Sequence[str], output: ModelOutput) -> list[SpokenLine]:
    """Return the lines of known speakers; other lines continue the previous one."""
    lines: list[SpokenLine] = []
    for text in filter(None, map(str.strip, output.completion.split("\n"))):
        match = _LINE.match(text)
        if match and match["speaker"] in speakers:
            lines.append(SpokenLine(match["speaker"], match["words"]))
        elif lines:
            lines[-1] = SpokenLine(lines[-1].speaker, f"{lines[-1].text} {text}")
    if len({line.speaker for line in lines}) < 2:
        raise ReplyParseError(f"it needs lines `NAME: words` of two of {', '.join(speakers)}")
    return lines


def _request(persona: Persona) -> str:
    clients = "; ".join(
        f"{client.name}, {client.age}, {client.work}, {client.status}, "
        f"dependants: {client.dependants}"
        for client in persona.clients
    )
    holdings = []
    for holding in persona.holdings:
        suffix = " (each of them)" if holding.each else ""
        holdings.append(f"- {holding.label}: {', '.join(holding.fields)}{suffix}")
    return fill(
        load_prompt("extraction/write_conversation"),
        clients=clients,
        about=persona.about,
        manner=persona.manner,
        holdings="\n".join(holdings),
    )
