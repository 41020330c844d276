"""Talks with an adviser, written by a model: a task, so that retries, limits and costs are Inspect's."""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from .._util.errors import InputError
from .._util.json_reply import ReplyParseError
from ..datasets.advisor.conversation import Conversation
from ..datasets.advisor.personas import Persona
from ..models import context_window
from ..models.pricing import register_prices
from ..prompts import fill, load_prompt
from ..types.client_file.transcript import Turn, clock, read_turns, write_turns

_PARTS = (
    ("who they are, work and income", ("work",)),
    ("spending, home and possessions", ("spending", "home")),
    ("debts and savings", ("debts", "savings")),
    ("pensions, corrections of what was said before, good-bye", ("pensions",)),
)
_WORDS_A_MINUTE = 120
_FEWEST = 8
"""Turns of a part."""

_FAILED = "reason"


class Written:
    """What a model wrote."""

    def __init__(self, log: EvalLog, personas: Sequence[Persona], seed: int) -> None:
        self.location = log.location
        self.talks: list[Conversation] = []
        self.failed: dict[str, str] = {}
        by_id = {persona.id: persona for persona in personas}
        for sample in log.samples or []:
            persona = by_id[str(sample.id)]
            if sample.error is not None or _FAILED in sample.store:
                reason = sample.error.message if sample.error else sample.store[_FAILED]
                self.failed[persona.id] = " ".join(str(reason).split())
                continue
            turns = read_turns(sample.output.completion)
            self.talks.append(Conversation(persona, _held_on(persona, seed), tuple(turns)))


def write_talks(
    personas: Sequence[Persona], model: str | Model, seed: int = 54321, **options: Any
) -> Written:
    """Let a model write a talk for each household.

    Args:
        personas: Who comes.
        model: Who writes.
        seed: For the model, and for what is drawn here: the length of the talk, its day.
        options: What else `inspect_ai.eval` takes, e.g. `log_dir`.

    Raises:
        InputError: The run failed, or no talk could be used.
    """
    register_prices()
    samples = [
        Sample(
            id=persona.id,
            input=_request(persona, seed),
            metadata={"minutes": _minutes(persona, seed)},
        )
        for persona in personas
    ]
    task = Task(
        name="adviser_talks",
        dataset=MemoryDataset(samples, name="adviser_talks"),
        solver=write_talk(),
        config=GenerateConfig(seed=seed),
        fail_on_error=False,
    )
    (log,) = eval(task, model=model, **options)
    if log.status != "success":
        reason = log.error.message if log.error else log.status
        raise InputError(f"writing talks ended with {reason}; see {log.location}")
    written = Written(log, personas, seed)
    if not written.talks:
        first = next(iter(written.failed.items()))
        raise InputError(
            f"{model} wrote no talk that can be used ({first[0]}: {first[1]}); see {log.location}"
        )
    return written


@solver
def write_talk() -> Solver:
    """Let the model write a talk, part by part; a part that cannot be read is asked for once more."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        minutes = int(state.metadata["minutes"])
        turns: list[Turn] = []
        try:
            for number in range(len(_PARTS)):
                turns += await _part(state, number, minutes, turns)
        except ReplyParseError as error:
            state.store.set(_FAILED, f"part {number + 1}: {error}")
        state.output.completion = write_turns(turns)
        return state

    return solve


async def _part(state: TaskState, number: int, minutes: int, before: Sequence[Turn]) -> list[Turn]:
    """Ask for one part.

    Raises:
        UnreadableError: It cannot be read the second time either.
    """
    share = minutes * 60 // len(_PARTS)
    start, end = number * share, (number + 1) * share
    request = fill(
        load_prompt("extraction/write_conversation_part"),
        part=number + 1,
        parts=len(_PARTS),
        start=clock(start),
        end=clock(end),
        words=share * _WORDS_A_MINUTE // 60,
        topics=_PARTS[number][0],
    )
    state.messages.append(ChatMessageUser(content=request))
    try:
        return _read(await _reply(state), before)
    except ReplyParseError as error:
        repair = fill(load_prompt("extraction/write_conversation_repair"), reason=str(error))
        state.messages.append(ChatMessageUser(content=repair))
        return _read(await _reply(state), before)


async def _reply(state: TaskState) -> str:
    state.output = await context_window.generate(get_model(), state.messages)
    state.messages.append(state.output.message)
    return state.output.completion


def _read(reply: str, before: Sequence[Turn]) -> list[Turn]:
    turns = read_turns(reply)
    if len(turns) < _FEWEST:
        raise ReplyParseError(
            f"it has {len(turns)} lines with time and speaker, fewer than {_FEWEST}"
        )
    times = [turn.seconds for turn in [*before[-1:], *turns]]
    if times != sorted(times):
        raise ReplyParseError("its times do not go forward")
    if len({turn.speaker for turn in turns}) < 2:
        raise ReplyParseError("only one person speaks")
    return turns


def _request(persona: Persona, seed: int) -> str:
    clients = "; ".join(
        f"{one.name}, {one.age}, {one.work}, {one.status}, dependants: {one.dependants}"
        for one in persona.clients
    )
    holdings = [
        f"- {holding.label}: {', '.join(holding.fields)}{' (each of them)' if holding.each else ''}"
        for _, topics in _PARTS
        for holding in persona.holdings
        if holding.topic in topics
    ]
    return fill(
        load_prompt("extraction/write_conversation"),
        clients=clients,
        about=persona.about,
        manner=persona.manner,
        holdings="\n".join(holdings),
        minutes=_minutes(persona, seed),
        parts=len(_PARTS),
    )


def _minutes(persona: Persona, seed: int) -> int:
    return Random(f"minutes {seed} {persona.id}").randint(30, 60)


def _held_on(persona: Persona, seed: int) -> date:
    """Day of a household's talk."""
    return date(2025, 3, 3) + timedelta(days=Random(f"day {seed} {persona.id}").randint(0, 240))
