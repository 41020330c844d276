"""Judge calls made concurrently: settings that servers refuse, and unreadable replies."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import TypeVar
from weakref import WeakKeyDictionary

from inspect_ai.hooks import Hooks, RunStart
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelName, ModelOutput
from inspect_ai.util import collect

from .._util.errors import one_line, printable
from ..models import context_window
from ..models.dry import DryGrader
from ..models.hooks import register
from ..models.provider_faults import CallError
from ..models.recorded.keys import asking_together
from ..models.recorded.provider import Recorded

T = TypeVar("T")


async def collect_all(*tasks: Awaitable[T]) -> list[T]:
    """Run coroutines concurrently; raise the first error unwrapped.

    An exception group would hide the cause from Inspect and the log. A single call gets no span in
    the log.
    """
    if len(tasks) == 1:
        return [await tasks[0]]
    try:
        placed_tasks = [_run_at_position(task, position) for position, task in enumerate(tasks, 1)]
        return await collect(*placed_tasks)
    except ExceptionGroup as group:
        raise group.exceptions[0] from group


async def _run_at_position(task: Awaitable[T], position: int) -> T:
    with asking_together(position):
        return await task


_log = getLogger(__name__)

_LOGPROBS = re.compile(r"log[ _-]?prob", re.IGNORECASE)
_NAMES = {
    "response_schema": re.compile(
        r"response.?format|json.?schema|response.?schema|output.?(?:format|config|schema)"
        r"|structured.?output|guided|grammar",
        re.IGNORECASE,
    ),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "logprobs": _LOGPROBS,
    "top_logprobs": _LOGPROBS,
}
"""Names by which servers refer to a setting."""

_STATUS = re.compile(r"\(status (?:400|403|404|415|422|501)\)|validation errors? for Logprobs")
_refused: WeakKeyDictionary[Model, set[str]] = WeakKeyDictionary()
"""Settings no longer sent, by model."""


_STRUCTURED = frozenset(
    ("anthropic", "google", "grok", "groq", "mistral", "openai", "openai-api", "sglang", "vllm")
)
"""Providers documented by Inspect to enforce a JSON schema, or that pass the schema on."""


async def generate(
    grader: Model,
    messages: Callable[[bool], Sequence[ChatMessage]],
    config: GenerateConfig,
    broken: list[ModelOutput],
) -> ModelOutput:
    """Call `context_window.generate` without the settings that the server has refused.

    Args:
        grader: The judge.
        messages: Returns the conversation; its argument is whether the reply is held to the schema.
        config: Settings of the call.
        broken: Receives replies that broke off.

    A call that is refused because of the JSON schema, the seed, the temperature or the
    log-probabilities is repeated without it, and so are all later calls. Without a schema the
    verdict is requested as the reply's last line.

    Raises:
        CallError: The call is refused for another reason.
    """
    refused_settings = _refused.setdefault(grader, set())
    while True:
        sent_config = config.model_copy(update=dict.fromkeys(refused_settings))
        is_held = sent_config.response_schema is not None and _enforces_schema(grader)
        try:
            conversation = messages(is_held)
            return await context_window.generate(
                grader, conversation, config=sent_config, broken=broken
            )
        except CallError as error:
            text = one_line(error)
            settings = {name for name, pattern in _NAMES.items() if pattern.search(text)}
            in_call = {name for name in settings if getattr(sent_config, name) is not None}
            if not in_call or _STATUS.search(text) is None:
                raise
            newly_refused = in_call - refused_settings
            if not newly_refused:  # a concurrent call was refused for the same settings
                continue
            refused_settings |= newly_refused
            why = printable(text, 300)
            _log.warning(
                "%s is asked without %s from now on: %s", grader, " and ".join(newly_refused), why
            )


def _enforces_schema(grader: Model) -> bool:
    if isinstance(grader.api, Recorded | DryGrader):
        return grader.api.as_json
    return ModelName(grader).api in _STRUCTURED


MOST_UNREADABLE = 20
"""Consecutive unreadable replies after which a judge gets no more questions of the kind."""


@dataclass
class Streak:
    """A judge's replies to questions of one kind in this run."""

    unreadable: int = 0
    """Unreadable replies since the last readable one."""

    reason: str = ""
    """Why the last one was unreadable."""

    @property
    def ended(self) -> str | None:
        """Why the judge is not asked; None if it is."""
        if self.unreadable < MOST_UNREADABLE:
            return None
        return (
            f"stopped asking after {MOST_UNREADABLE} unreadable replies in a row, the last: "
            f"{self.reason}"
        )

    def add(self, reason: str | None) -> None:
        """Count a reply.

        Args:
            reason: Why it is unreadable; None if it is not.
        """
        self.unreadable, self.reason = (self.unreadable + 1, reason) if reason else (0, "")


def streak_of(grader: Model, prompt: str, shape: str) -> Streak:
    """Return the replies of a judge to questions of the same kind.

    They share the prompt text before the first piece of data, and the shape of the verdict.
    """
    register(_NewRun, "judges", "Asks every judge again in a new run.")
    kind = prompt.partition("<")[0], shape
    return _streaks.setdefault(grader, {}).setdefault(kind, Streak())


_streaks: WeakKeyDictionary[Model, dict[tuple[str, str], Streak]] = WeakKeyDictionary()


class _NewRun(Hooks):
    """Forgets the replies of earlier runs in this process."""

    def enabled(self) -> bool:
        """Active once a judge was asked."""
        return bool(_streaks)

    async def on_run_start(self, data: RunStart) -> None:
        """Forget all replies."""
        _streaks.clear()
