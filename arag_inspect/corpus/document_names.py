"""Documents of a corpus, in the spellings that a user or a system may give them."""

from collections.abc import Sequence
from pathlib import Path
from unicodedata import normalize


def plain_name(name: str) -> str:
    """Return a path in NFC with forward slashes, the same on every operating system."""
    return normalize("NFC", name.replace("\\", "/"))


class DocumentNames:
    """Documents by the names that a user or a system may give them."""

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

    def matches(self, name: str) -> list[str]:
        """Return the documents that a name fits: their path or a part of it, ignoring case."""
        name = plain_name(name.strip())
        if name in self.documents:
            return [name]
        return sorted(self._by_alias.get(name.lower(), ()))
