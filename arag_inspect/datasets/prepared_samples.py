"""Read the samples of a prepared folder without giving them access to the machine."""

from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample, json_dataset
from pydantic import BaseModel, ConfigDict, ValidationError

from .._util.errors import InputError
from .._util.json_values import check_value


class _Row(BaseModel):
    """A line of the file; without the sandbox, files and setup of Inspect's samples."""

    model_config = ConfigDict(extra="forbid")

    id: str
    input: str
    target: str | list[str] = ""
    metadata: dict[str, Any] = {}


def read_samples(path: Path, remedy: str) -> list[Sample]:
    """Read samples: JSON Lines with `id`, `input`, `target` and `metadata`.

    Args:
        path: JSON Lines.
        remedy: Command that recreates the file.

    Raises:
        InputError: The file is missing, a line cannot be read, or it holds anything else.
    """
    try:
        return list(json_dataset(str(path), sample_fields=_sample)) if path.stat().st_size else []
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except RecursionError:
        reason = "it is nested too deeply"
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())
    raise InputError(f"{path} cannot be read ({reason}); run: {remedy}")


def _sample(record: dict[str, Any]) -> Sample:
    check_value(record)
    return Sample(**_Row.model_validate(record).model_dump())
