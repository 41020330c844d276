"""Write conversations with an adviser by a model.

It is a task, so that Inspect handles retries, limits and costs.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_reply import ReplyParseError
from arag_inspect.prompts import fill, load_prompt

from .client_file.transcript import Turn, read_turns, write_turns
from .conversation import Conversation
from .conversation_stages import Author
from .personas import Persona

_SHORTEST, _LONGEST = 34, 60
"""Minutes asked for; scenes may fall short by a tenth, and 4,500 words is the least of a talk."""

_FAILED = "reason"


class Written:
    """Conversations written by a model."""

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
            self.talks.append(
                Conversation(persona, _conversation_date(persona, seed), tuple(turns))
            )


def write_talks(
    personas: Sequence[Persona], model: str | Model, seed: int = 54321, **options: Any
) -> Written:
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
    result = Written(log, personas, seed)
    if not result.talks:
        name, reason = next(iter(result.failed.items()))
        raise InputError(
            f"{model} wrote no talk that can be used ({name}: {reason}); see {log.location}"
        )
    return result


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
            state.store.set(_FAILED, f"{stage}: {error}")
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
