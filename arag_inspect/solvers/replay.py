"""Replay: answers that another system gave, so that they can be scored here."""

import json
from pathlib import Path

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arag_inspect._util.encodable import encodable
from arag_inspect._util.errors import InputError
from arag_inspect.types.trace import RetrievalTrace


class Prediction(BaseModel):
    """One answer of an outside system; only `id` and `predicted` are needed."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str
    predicted: str
    loops: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    latency_ms: float | None = Field(default=None, ge=0, allow_inf_nan=False)


@solver
def replay(*, predictions: str | None = None) -> Solver:
    """Answer each sample with what a file holds for its id.

    Args:
        predictions: Needed. JSON Lines with `id` and `predicted` (and, where known, `loops`, `input_tokens`, `output_tokens`, `cost_usd`, `latency_ms`), or a folder of `<id>.txt`.

    Raises:
        InputError: The file or folder is missing, or a line cannot be read.
    """
    if not isinstance(predictions, str):
        raise InputError("replay needs the path of a file or folder: -S predictions=PATH")
    answers = _read(Path(predictions).expanduser())

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trace = state.store_as(RetrievalTrace)
        trace.system, trace.context = "replay", "none"
        answer = answers.get(str(state.sample_id))
        if answer is None:
            trace.stopped_by = "error"
            raise InputError(f"{predictions} has no prediction for sample {state.sample_id!r}")
        trace.loops, trace.stopped_by = answer.loops, "answer"
        trace.input_tokens, trace.output_tokens = answer.input_tokens, answer.output_tokens
        trace.cost_usd, trace.latency_ms = answer.cost_usd, answer.latency_ms
        state.output = ModelOutput.from_content(model=str(state.model), content=answer.predicted)
        state.messages.append(state.output.message)
        return state

    return solve


def _read(path: Path) -> dict[str, Prediction]:
    if path.is_dir():
        found = [
            Prediction(id=file.stem, predicted=_text(file)) for file in sorted(path.glob("*.txt"))
        ]
    elif path.is_file():
        found = [
            _parse(line, f"{path}, line {number}")
            for number, line in enumerate(_text(path).split("\n"), start=1)
            if line.strip()
        ]
    else:
        raise InputError(
            f"predictions {path} not found; give a JSON Lines file or a folder of <id>.txt"
        )
    if not found:
        raise InputError(f"{path} holds no predictions; give JSON Lines or a folder of <id>.txt")
    answers: dict[str, Prediction] = {}
    for prediction in found:
        if prediction.id in answers:
            raise InputError(f"{path} has two predictions for id {prediction.id!r}")
        answers[prediction.id] = prediction
    return answers


def _parse(line: str, place: str) -> Prediction:
    try:
        return encodable(Prediction.model_validate(json.loads(line)))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "line"
        raise InputError(
            f"{place}: {field}: {first['msg']}; each line needs id and predicted"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not JSON: {error}") from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
