"""Write conversations with an adviser by a model.

It is a task, so that Inspect handles retries, limits and costs.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial
from itertools import accumulate, pairwise
from random import Random
from typing import Any, NamedTuple, TypeVar

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import BaseModel, Field, ValidationError

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_text import ReplyParseError, read_json
from arag_inspect.models import context_window
from arag_inspect.prompts import fill, load_prompt
from arag_inspect.workflows._run_task import FAILED, results_of, write_samples

from .client_file import Turn, clock, read_turns, write_turns
from .conversation import Conversation, Persona

WORDS_A_MINUTE = 150
LEAST_SHARE = 0.9
"""Share of its words that a scene must have."""

_FEWEST = 8
"""Fewest turns of a scene."""

_CONTINUATIONS = 3
"""Most continuations of a scene that is too short."""

_PORTRAIT_WORDS = 100
_PAUSE = 5
"""Seconds of the last turn of a scene."""

_FIGURE = re.compile(r"\d[\d,.]*")

T = TypeVar("T")


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

    def spans(self, minutes: int) -> list[tuple[int, int]]:
        """Return the first and last second of each scene, in proportion to its minutes."""
        ends = list(accumulate(scene.minutes for scene in self.scenes))
        edges = [0, *(int(60 * minutes * end / ends[-1]) for end in ends)]
        return list(pairwise(edges))


class Author:
    """Leads a model through the stages in one conversation."""

    def __init__(self, state: TaskState) -> None:
        self._state = state

    async def portray(self, names: Sequence[str], figures: int) -> str:
        """Let the model describe the clients; the request is the first message.

        Args:
            names: Clients, all of whom the portrait must name.
            figures: Fewest figures.

        Raises:
            ReplyParseError: The second portrait is unusable too.
        """
        return await self._ask(None, partial(_read_portrait, names=names, figures=figures))

    async def outline(self, minutes: int) -> Outline:
        """Let the model plan the conversation.

        Raises:
            ReplyParseError: The second outline is unusable too.
        """
        request = fill(load_prompt("extraction/write_outline"), minutes=minutes)
        return await self._ask(request, _read_outline)

    async def scene(self, outline: Outline, number: int, start: int, end: int) -> list[Turn]:
        """Let the model write a scene, and continue it until it is long enough.

        Args:
            outline: The plan.
            number: Index of the scene, from 0.
            start: First second.
            end: Last second.

        Raises:
            ReplyParseError: The second reply is unreadable too, or the scene stays too short.
        """
        scene, words = outline.scenes[number], (end - start) * WORDS_A_MINUTE // 60
        request = fill(
            load_prompt("extraction/write_conversation_part"),
            part=number + 1,
            parts=len(outline.scenes),
            title=scene.title,
            start=clock(start),
            end=clock(end),
            words=words,
            topics=_listed(scene.topics),
            returns_to=_listed(scene.returns_to),
            corrections=_listed(scene.corrections),
            small_talk=scene.small_talk or "none",
        )
        turns = await self._ask(request, _read_turns)
        for _ in range(_CONTINUATIONS):
            if count_words(turns) >= LEAST_SHARE * words:
                break
            more = fill(
                load_prompt("extraction/write_conversation_more"),
                written=count_words(turns),
                words=words,
                start=turns[-1].time,
            )
            turns += await self._ask(more, partial(_read_turns, fewest=1, after=turns[-1]))
        if (count := count_words(turns)) < LEAST_SHARE * words:
            raise ReplyParseError(f"it has {count} words of about {words}")
        return _fitted(turns, start, end)

    async def _ask(self, request: str | None, read: Callable[[str], T]) -> T:
        if request is not None:
            self._state.messages.append(ChatMessageUser(content=request))
        try:
            return read(await self._reply())
        except ReplyParseError as error:
            repair = fill(load_prompt("extraction/write_conversation_repair"), reason=str(error))
            self._state.messages.append(ChatMessageUser(content=repair))
            return read(await self._reply())

    async def _reply(self) -> str:
        state = self._state
        state.output = await context_window.generate(get_model(), state.messages)
        state.messages.append(state.output.message)
        return state.output.completion


def count_words(turns: Sequence[Turn]) -> int:
    """Count the words spoken."""
    return sum(len(turn.text.split()) for turn in turns)


def _read_portrait(reply: str, names: Sequence[str], figures: int) -> str:
    if (words := len(reply.split())) < _PORTRAIT_WORDS:
        raise ReplyParseError(f"the portrait has {words} words, fewer than {_PORTRAIT_WORDS}")
    if missing := [name for name in names if name not in reply]:
        raise ReplyParseError(f"the portrait does not mention {missing[0]}")
    if (count := len(_FIGURE.findall(reply))) < figures:
        raise ReplyParseError(f"the portrait has {count} figures, fewer than {figures}")
    return reply


def _read_outline(reply: str) -> Outline:
    try:
        outline = Outline.model_validate(read_json(reply))
    except ValidationError as error:
        detail = error.errors()[0]
        location = ".".join(map(str, detail["loc"])) or "the reply"
        raise ReplyParseError(f"{location}: {detail['msg']}") from None
    scenes = outline.scenes
    if not any(scene.returns_to for scene in scenes[1:]):
        raise ReplyParseError("no scene returns to a topic of an earlier one")
    if not any(scene.corrections for scene in scenes[1:]):
        raise ReplyParseError("in no scene is a figure put right")
    if sum(bool(scene.small_talk.strip()) for scene in scenes) < 2:
        raise ReplyParseError("fewer than two scenes have small talk")
    return outline


def _read_turns(reply: str, fewest: int = _FEWEST, after: Turn | None = None) -> list[Turn]:
    turns = read_turns(reply)
    if len(turns) < fewest:
        raise ReplyParseError(
            f"it has {len(turns)} lines with time and speaker, fewer than {fewest}"
        )
    times = [turn.seconds for turn in [*([after] if after else []), *turns]]
    if times != sorted(times):
        raise ReplyParseError("its times do not go forward")
    if after is None and len({turn.speaker for turn in turns}) < 2:
        raise ReplyParseError("only one person speaks")
    return turns


def _fitted(turns: Sequence[Turn], start: int, end: int) -> list[Turn]:
    """Move the turns into the time of their scene, scaling their pauses."""
    first, last = turns[0].seconds, turns[-1].seconds
    scale = (end - _PAUSE - start) / max(1, last - first)
    return [turn._replace(seconds=start + int((turn.seconds - first) * scale)) for turn in turns]


def _listed(texts: Sequence[str]) -> str:
    return "; ".join(texts) or "nothing"


_SHORTEST, _LONGEST = 34, 60
"""Minutes asked for; scenes may fall short by a tenth, and 4,500 words is the least of a talk."""


class WrittenTalks(NamedTuple):
    """Conversations written by a model."""

    location: str
    talks: list[Conversation]
    failed: dict[str, str]
    """Households without a conversation, and why."""


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
    samples = [
        Sample(
            id=persona.id,
            input=_request(persona),
            metadata={
                "minutes": _minutes(persona, seed),
                "names": [client.name for client in persona.clients],
                "figures": len(persona.holdings),
            },
        )
        for persona in personas
    ]
    log = write_samples(
        "adviser_talks",
        samples,
        write_talk(),
        model,
        "writing talks",
        GenerateConfig(seed=seed),
        **options,
    )
    texts, failed = results_of(
        log, lambda sample: None if FAILED in sample.store else sample.output.completion
    )
    talks = [
        Conversation(persona, _conversation_date(persona, seed), tuple(read_turns(text)))
        for persona in personas
        if (text := texts.get(persona.id)) is not None
    ]
    if not talks:
        name, reason = next(iter(failed.items()))
        raise InputError(
            f"{model} wrote no talk that can be used ({name}: {reason}); see {log.location}"
        )
    return WrittenTalks(log.location, talks, failed)


@solver
def write_talk() -> Solver:
    """Let the model write a talk in three stages, with one repair of each reply."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        author, about = Author(state), state.metadata
        turns: list[Turn] = []
        stage = "persona"
        try:
            portrait = await author.portray(about["names"], about["figures"])
            state.store.set("persona", portrait)
            stage = "outline"
            outline = await author.outline(about["minutes"])
            state.store.set("outline", outline.model_dump())
            for number, (start, end) in enumerate(outline.spans(about["minutes"])):
                stage = f"scene {number + 1}"
                turns += await author.scene(outline, number, start, end)
        except ReplyParseError as error:
            state.store.set(FAILED, f"{stage}: {error}")
        state.output.completion = write_turns(turns)
        return state

    return solve


def _request(persona: Persona) -> str:
    clients = "; ".join(
        f"{client.name}, {client.age}, {client.work}, {client.status}, "
        f"dependants: {client.dependants}"
        for client in persona.clients
    )
    holdings = [
        f"- {holding.label}: {', '.join(holding.fields)}{' (each of them)' if holding.each else ''}"
        for holding in persona.holdings
    ]
    return fill(
        load_prompt("extraction/write_conversation"),
        clients=clients,
        about=persona.about,
        manner=persona.manner,
        holdings="\n".join(holdings),
    )


def _minutes(persona: Persona, seed: int) -> int:
    return Random(f"minutes {seed} {persona.id}").randint(_SHORTEST, _LONGEST)


def _conversation_date(persona: Persona, seed: int) -> date:
    """Return the date of a household's conversation."""
    return date(2025, 3, 3) + timedelta(days=Random(f"day {seed} {persona.id}").randint(0, 240))
