"""Call a model without the settings that its server refuses."""

import re
from collections.abc import Callable, Sequence
from logging import getLogger
from typing import NamedTuple
from weakref import WeakKeyDictionary

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelName, ModelOutput

from .._util.errors import one_line, printable
from ..models.call import call_model
from ..models.dry import DryGrader
from ..models.provider_faults import CallError
from ..models.recorded.provider import Recorded

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
"""Names that servers use for a setting."""

_STATUS = re.compile(r"\(status (?:400|403|404|415|422|501)\)|validation errors? for Logprobs")
_refused: WeakKeyDictionary[Model, set[str]] = WeakKeyDictionary()
"""Settings no longer sent, by model."""

_STRUCTURED = frozenset(
    ("anthropic", "google", "grok", "groq", "mistral", "openai", "openai-api", "sglang", "vllm")
)
"""Providers that enforce a JSON schema, as documented by Inspect, or pass it on."""


class AcceptedCall(NamedTuple):
    """A call that a server has accepted."""

    output: ModelOutput
    is_held: bool
    """Whether the reply is held to the schema."""

    broken_outputs: Sequence[ModelOutput]
    """Interrupted replies before the accepted one."""


async def call_with_accepted_settings(
    grader: Model, messages: Callable[[bool], Sequence[ChatMessage]], config: GenerateConfig
) -> AcceptedCall:
    """Call a model without the settings that its server has refused.

    Args:
        grader: The judge.
        messages: Returns the conversation; its argument is whether the reply is held to the schema.
        config: Settings of the call.

    A call that is refused because of the JSON schema, the seed, the temperature or the
    log-probabilities is repeated without this setting, which all later calls omit too. Without a
    schema the verdict is requested as the reply's last line.

    Raises:
        CallError: The call is refused for another reason.
    """
    broken_outputs: list[ModelOutput] = []
    refused_settings = _refused.setdefault(grader, set())
    while True:
        sent_config = config.model_copy(update=dict.fromkeys(refused_settings))
        is_held = sent_config.response_schema is not None and _enforces_schema(grader)
        try:
            conversation = messages(is_held)
            output = await call_model(
                grader, conversation, config=sent_config, broken=broken_outputs
            )
            return AcceptedCall(output, is_held, broken_outputs)
        except CallError as error:
            text = one_line(error)
            settings = {name for name, pattern in _NAMES.items() if pattern.search(text)}
            call_settings = {name for name in settings if getattr(sent_config, name) is not None}
            if not call_settings or _STATUS.search(text) is None:
                raise
            newly_refused = call_settings - refused_settings
            if not newly_refused:  # a concurrent call was refused for the same settings
                continue
            refused_settings |= newly_refused
            reason = printable(text, 300)
            _log.warning(
                "%s is asked without %s from now on: %s",
                grader,
                " and ".join(newly_refused),
                reason,
            )


def _enforces_schema(grader: Model) -> bool:
    if isinstance(grader.api, Recorded | DryGrader):
        return grader.api.as_json
    return ModelName(grader).api in _STRUCTURED
