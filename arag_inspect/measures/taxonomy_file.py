"""Error taxonomies: kinds of error with their codes, read from Markdown files."""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from pydantic import BaseModel, ValidationError

from arag_inspect._util.errors import InputError, first_error
from arag_inspect._util.files import digest
from arag_inspect.measures._taxonomy import RULES, SampleEvidence
from arag_inspect.prompts import load_doc

_ITEM = re.compile(
    r"^[-*]\s+\*\*(?P<code>[A-Za-z][A-Za-z0-9_]*)\*\*\s+(?P<name>[^:\n]+):\s+(?P<definition>.+?)"
    r"(?=\n[-*]\s|\Z)",
    re.MULTILINE | re.DOTALL,
)
_RESERVED = ("any", "none")


class Code(NamedTuple):
    """One kind of error."""

    name: str
    definition: str


class Taxonomy(NamedTuple):
    """Kinds of error by code."""

    name: str
    codes: dict[str, Code]

    rules: dict[str, str]
    """Code of each rule of `code_by_rules`, used if no judge gives one."""

    severity: str | None = None
    """Rubric of the severity judge, whose errors get codes whatever the grades."""

    @property
    def digest(self) -> str:
        """Digest that identifies the taxonomy."""
        severity = [self.severity] if self.severity else []
        return digest(list_codes(self.codes), str(self.rules), *severity)

    def applicable_codes(self, evidence: SampleEvidence) -> dict[str, Code]:
        """Return the codes that a judge may give to a summary.

        A system that reads once by design cannot have ended too early. Retrieval is judged only if
        it took place and the record has the passages.
        """
        left_out = set()
        if evidence.ends_by_design:
            left_out.add(self.rules.get("ending"))
        if not (evidence.is_retriever and evidence.trace.passages):
            left_out.add(self.rules.get("retrieval"))
        return {code: kind for code, kind in self.codes.items() if code not in left_out}


def list_codes(codes: Mapping[str, Code]) -> str:
    """Return codes as a Markdown list, for a prompt."""
    return "\n".join(f"- **{code}** {kind.name}: {kind.definition}" for code, kind in codes.items())


class _FrontMatter(BaseModel):
    rules: dict[Literal[tuple(RULES)], str] = {}  # type: ignore[valid-type]
    severity: str | None = None


def load_taxonomy(taxonomy: str) -> Taxonomy:
    """Read a taxonomy.

    A Markdown file whose list has one line per kind, `- **H** hallucination: definition`, and whose
    front matter may map under `rules` each rule of `RULES` to a code, and name under `severity` the
    rubric with which `severity_judge` looks for errors too.

    Args:
        taxonomy: `financial`, `legal`, or the path of a file.

    Raises:
        InputError: The file is unreadable, has no kinds, has a code twice, or names an unknown
            rule or code.
    """
    document = load_doc("taxonomies", taxonomy)
    items = list(_ITEM.finditer(document.body))
    codes = {
        match["code"]: Code(match["name"].strip(), " ".join(match["definition"].split()))
        for match in items
    }
    if not codes or len({code.lower() for code in codes} - {*_RESERVED}) < len(items):
        raise InputError(
            f"{document.name} needs a list of errors with distinct codes other than "
            f"{' and '.join(_RESERVED)}, in lines such as `- **H** hallucination: ...`"
        )
    try:
        front = _FrontMatter.model_validate(document.front)
    except ValidationError as error:
        raise InputError(f"{document.name}: {first_error(error)}") from None
    unknown = {*front.rules.values()} - {*codes}
    if unknown:
        raise InputError(f"{document.name}: `rules` names unknown codes: {', '.join(unknown)}")
    return Taxonomy(document.name, codes, front.rules, front.severity)
