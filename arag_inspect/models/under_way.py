"""Calls in progress when a run was killed: their replies are lost, but charged."""

import json
import logging
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .._util.files import replace_file

UNDER_WAY = "under_way.jsonl"
"""File of a log folder with a line for each start and each end of a call."""

_log = logging.getLogger(__name__)


class JsonLines:
    """A file of appended JSON lines; writing ends at an error."""

    def __init__(self, path: Path | None, consequence: str = "") -> None:
        """Write nothing yet.

        Args:
            path: The file; None writes nothing.
            consequence: End of a warning about an error, e.g. `, so spending is not recorded`.
        """
        self._path = path
        self._consequence = consequence

    def append(self, entry: Mapping[str, Any]) -> None:
        """Append a line."""
        if self._path is None:
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        except OSError as error:
            _log.warning("%s cannot be written%s: %s", self._path.name, self._consequence, error)
            self._path = None


class CallsUnderWay:
    """The unfinished calls of a run, in a file that outlives the process."""

    def __init__(self, path: Path | None) -> None:
        """Read which replies earlier starts lost.

        Args:
            path: The file; None keeps none.
        """
        self._file = JsonLines(path)
        self._lost: Counter[str] = Counter()
        if path is not None and path.is_file():
            self._lost = _read_open_calls(path)
            lines = (json.dumps({"begins": question}) + "\n" for question in self._lost.elements())
            replace_file(path, lines)

    def begin(self, question: str) -> None:
        """Note that a call begins.

        Args:
            question: Digest of the question, the same in each start.
        """
        self._file.append({"begins": question})

    def end(self, question: str) -> None:
        """Note that a call ended: it was answered, failed or was cancelled."""
        self._file.append({"ends": question})

    def take_lost(self, question: str) -> int:
        """Return how often earlier starts lost the reply to a question that is now answered."""
        lost_count = self._lost.pop(question, 0)
        for _ in range(lost_count):
            self.end(question)
        return lost_count


def _read_open_calls(path: Path) -> Counter[str]:
    """Return the questions of calls that began and did not end; a half-written line is ignored."""
    open_calls: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        with suppress(ValueError, AttributeError):
            entry = json.loads(line)
            open_calls.update(filter(None, [entry.get("begins")]))
            open_calls.subtract(filter(None, [entry.get("ends")]))
    return +open_calls
