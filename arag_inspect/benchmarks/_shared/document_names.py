"""The documents that a question names, in the spellings that a user may give them."""

from collections.abc import Sequence
from pathlib import Path
from unicodedata import normalize

from ...benchmark.rows import SourceRow


def plain_name(name: str) -> str:
    """Return a path in NFC with forward slashes, the same on every operating system."""
    return normalize("NFC", name.replace("\\", "/"))


class DocumentNames:
    """Documents by the names that a user may give them."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.documents = documents
        self._by_alias: dict[str, set[str]] = {}
        for name in documents:
            path = Path(plain_name(name))
            for alias in (str(path), str(path.with_suffix("")), path.name, path.stem):
                self._by_alias.setdefault(alias.lower(), set()).add(name)

    def split(self, text: str) -> list[str]:
        """Return the names in a semicolon-separated text; a name may itself contain semicolons."""
        return [text] if plain_name(text) in self.documents else text.split(";")

    def find(self, name: str, row: SourceRow) -> str:
        """Return the document of a name: its path or an unambiguous part, ignoring case."""
        name = plain_name(name.strip())
        matches = [name] if name in self.documents else sorted(self._by_alias.get(name.lower(), ()))
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise row.error(
                f"document {name!r} is ambiguous: {' or '.join(matches)}; give the whole path"
            )
        first = ", ".join([*self.documents[:5], *(("...",) if len(self.documents) > 5 else ())])
        raise row.error(f"document {name!r} is unknown; choose from {first}")
