"""Reading what models reply."""

import json
import re
from typing import Any


class UnreadableError(ValueError):
    """A model's reply does not hold what was asked for; the message says why, and is shown to the model."""


def read_json(reply: str) -> dict[str, Any] | None:
    """The JSON object of a reply, with the slips that models make mended; None where there is none."""
    text = re.sub(r"^\s*```(?:json)?|```\s*$", "", reply.strip())
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    for candidate in (text[start : end + 1], re.sub(r",(\s*[}\]])", r"\1", text[start : end + 1])):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else None
    return None
