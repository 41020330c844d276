"""Known errors for summaries, as edits."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ..._util.errors import InputError

DAMAGES = "damages.jsonl"
"""Name of the file, beside the opinions and summaries."""


class Perturbation(BaseModel):
    """One error that can be put into a summary."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    """Number and name, as the files have them: `1 Hargreave v. Port of Linden`."""

    code: str
    """Code of the taxonomy `legal`."""

    find: str
    """What to take out; stands in the summary exactly once."""

    replace: str
    """What to put in its place; empty for an omission."""

    def apply(self, summary: str) -> str:
        """The summary with the error in it.

        Raises:
            InputError: The summary does not hold what is to be taken out, or holds it more than once.
        """
        if summary.count(self.find) != 1:
            raise InputError(
                f"error {self.code} of {self.case}: {self.find[:60]!r} stands "
                f"{summary.count(self.find)} times in the summary, not once"
            )
        return summary.replace(self.find, self.replace).strip()


def read_damages(path: Path) -> list[Perturbation]:
    """Read a file of errors, one JSON object a line.

    Raises:
        InputError: The file is missing, or a line is not as it should be.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(Perturbation.model_validate_json(line))
        except ValidationError as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{path}, line {number}: {reason}") from error
    return found
