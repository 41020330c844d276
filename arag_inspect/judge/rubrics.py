"""Rubrics of judges: a persona, and a description of each grade."""

import re
from typing import NamedTuple

from .._util.errors import InputError
from .._util.files import digest
from ..prompts import load_doc

BUCKETS = (1, 2, 3, 4, 5)
_BUCKET = re.compile(r"^[-*]\s+\*\*(?P<grade>\d+)\b", re.MULTILINE)


class Rubric(NamedTuple):
    """Persona and grades of a judge."""

    name: str
    persona: str
    buckets: str
    """The grades from 5 to 1, each with its description."""

    @property
    def digest(self) -> str:
        """Digest of persona and buckets."""
        return digest(self.persona, self.buckets)


def load_rubric(rubric: str) -> Rubric:
    """Read a rubric.

    A Markdown file with `persona` in its front matter and a list of buckets, `- **5** perfect: ...`
    to `- **1** ...`.

    Args:
        rubric: `financial`, `legal`, `legal_partner`, or the path of a file.

    Raises:
        InputError: The file is unreadable, or lacks the persona or a bucket.
    """
    document = load_doc("rubrics", rubric)
    persona = document.front.get("persona")
    if not isinstance(persona, str) or not persona.strip():
        raise InputError(f"{document.name}: front matter has no text `persona`")
    grades = sorted(int(match["grade"]) for match in _BUCKET.finditer(document.body))
    if grades != list(BUCKETS):
        raise InputError(
            f"{document.name} must have one bucket for each of 5, 4, 3, 2 and 1, in lines such as "
            f"`- **5** perfect: ...`; it has {grades}"
        )
    return Rubric(document.name, persona.strip(), document.body)
