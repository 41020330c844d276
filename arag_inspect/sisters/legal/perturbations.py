"""Known errors as edits of summaries."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from arag_inspect._util.errors import InputError

ERRORS_FILE = "damages.jsonl"
"""Name of the file, beside the opinions and summaries."""


class Perturbation(BaseModel):
    """One error to insert into a summary."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    """Number and name, as in the file names: `1 Hargreave v. Port of Linden`."""

    code: str
    """Code of the taxonomy `legal`."""

    find: str
    """Text to replace; it must occur in the summary exactly once."""

    replace: str
    """Replacement; empty for an omission."""

    def apply(self, summary: str) -> str:
        """Return the summary with the error.

        Raises:
            InputError: The summary does not hold the text to replace exactly once.
        """
        if summary.count(self.find) != 1:
            raise InputError(
                f"error {self.code} of {self.case}: {self.find[:60]!r} occurs "
                f"{summary.count(self.find)} times in the summary, not once"
            )
        return summary.replace(self.find, self.replace).strip()


def read_perturbations(path: Path) -> list[Perturbation]:
    """Read a file of errors, one JSON object per line.

    Raises:
        InputError: The file is missing, or a line is invalid.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    perturbations = []
    for number, line in enumerate(lines, start=1):
        try:
            perturbations.append(Perturbation.model_validate_json(line))
        except ValidationError as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{path}, line {number}: {reason}") from error
    return perturbations
