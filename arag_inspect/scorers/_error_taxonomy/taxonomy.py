"""Error taxonomies: kinds of error with their codes, read from Markdown."""

import re
from typing import NamedTuple

from ..._util.errors import InputError
from ..._util.hashing import digest
from ...prompts import load_doc
from .rules import RULES

_ITEM = re.compile(
    r"^[-*]\s+\*\*(?P<code>[A-Za-z][A-Za-z0-9_]*)\*\*\s+(?P<name>[^:\n]+):\s+(?P<definition>.+?)"
    r"(?=\n[-*]\s|\Z)",
    re.MULTILINE | re.DOTALL,
)
_RESERVED = ("any", "none")


class Code(NamedTuple):
    """One kind of error."""

    code: str
    name: str
    definition: str


class Taxonomy(NamedTuple):
    """Kinds of error by code."""

    name: str
    codes: dict[str, Code]

    rules: dict[str, str]
    """Code of each rule of `code_rules`, used if no judge gives one."""

    severity: str | None = None
    """Rubric of the severity judge whose errors get codes for any grades."""

    @property
    def text(self) -> str:
        """Return the kinds as a list, for a prompt."""
        return "\n".join(
            f"- **{kind.code}** {kind.name}: {kind.definition}" for kind in self.codes.values()
        )

    @property
    def digest(self) -> str:
        """Digest that identifies the taxonomy."""
        return digest(self.text, str(self.rules), *([self.severity] if self.severity else []))


def load_taxonomy(taxonomy: str) -> Taxonomy:
    """Read a taxonomy.

    A Markdown file whose list has one line per kind, `- **H** hallucination:
    definition`, and whose front matter may map under `rules` each rule of
    `code_rules.RULES` to a code, and name under `severity` the rubric with which
    `severity_judge` looks for errors too.

    Args:
        taxonomy: `financial`, `legal`, or the path of a file.

    Raises:
        InputError: The file cannot be read, has no kinds, has a code twice, or names an unknown
            rule or no rubric.
    """
    sheet = load_doc("taxonomies", taxonomy)
    kinds = [
        Code(match["code"], match["name"].strip(), " ".join(match["definition"].split()))
        for match in _ITEM.finditer(sheet.body)
    ]
    if not kinds:
        raise InputError(
            f"{sheet.place} has no kinds of error; write lines such as `- **H** hallucination: ...`"
        )
    lowered = [kind.code.lower() for kind in kinds]
    for code in lowered:
        if lowered.count(code) > 1 or code in _RESERVED:
            raise InputError(f"{sheet.place}: code {code!r} occurs twice or has another meaning")
    rules = sheet.front.get("rules") or {}
    codes = {kind.code: kind for kind in kinds}
    if not isinstance(rules, dict) or not all(
        rule in RULES and code in codes for rule, code in rules.items()
    ):
        raise InputError(
            f"{sheet.place}: `rules` must map rules ({', '.join(RULES)}) to codes of the list, "
            f"got {rules!r}"
        )
    severity = sheet.front.get("severity")
    if severity is not None and not isinstance(severity, str):
        raise InputError(f"{sheet.place}: `severity` must name a rubric, got {severity!r}")
    return Taxonomy(sheet.place, codes, rules, severity)
