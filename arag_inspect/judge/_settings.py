"""Settings that a judge's server may refuse: they are left out, and it is said once."""

import re
from collections.abc import Sequence
from logging import getLogger

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

from .._util.errors import one_line, printable
from ..models import context_window
from ..models.provider_faults import CallError

_log = getLogger(__name__)

_NAMES = {
    "response_schema": re.compile(
        r"response.?format|json.?schema|response.?schema|output.?(?:format|config|schema)"
        r"|structured.?output|guided|grammar",
        re.IGNORECASE,
    ),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
}
"""Names that servers have for a setting."""

_STATUS = re.compile(r"\(status (?:400|404|415|422|501)\)")
_refused: dict[str, set[str]] = {}
"""By model and address, the settings that are no longer sent."""


async def generate(
    grader: Model,
    messages: Sequence[ChatMessage],
    config: GenerateConfig,
    broken: list[ModelOutput],
) -> ModelOutput:
    """Ask like `context_window.generate`, without the settings that the server refused before.

    A call that is refused because of the JSON schema, the seed or the temperature is repeated
    without it, and so are all later calls. The verdict is then read from the reply's last line.

    Raises:
        CallError: The call is refused for another reason.
    """
    refused = _refused.setdefault(f"{grader} {grader.api.base_url}", set())
    while True:
        sent = config.model_copy(update=dict.fromkeys(refused))
        try:
            return await context_window.generate(grader, messages, config=sent, broken=broken)
        except CallError as error:
            text = one_line(error)
            named = {name for name, pattern in _NAMES.items() if pattern.search(text)}
            new = {name for name in named - refused if getattr(sent, name) is not None}
            if not new or _STATUS.search(text) is None:
                raise
            refused |= new
            why = printable(text, 300)
            _log.warning("%s is asked without %s from now on: %s", grader, " and ".join(new), why)
