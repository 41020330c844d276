"""Tests of reading token usage from logs of several Inspect versions."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

from arag_inspect.report import frames
from tests.conftest import SHARED_CASES
from tests.report import material as m

_REPORTED = SHARED_CASES / "responses" / "usage.jsonl"
ROWS: list[dict[str, Any]] = (
    [json.loads(line) for line in _REPORTED.read_text("utf-8").splitlines()]
    if _REPORTED.exists()
    else []
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']} {row['inspect_ai']}")
def test_tokens_are_those_that_were_read_and_written(row: dict[str, Any], tmp_path: Path) -> None:
    answered = m.sample(0, {"match": Score(value=1)}, store={})
    answered.model_usage = {row["model"]: ModelUsage(**row["usage"])}
    log = m.log([answered], model=row["model"], task="stranger")
    log.plan.steps[0].solver = "generate"
    log.eval.packages = {"inspect_ai": row["inspect_ai"]}
    (answer,) = frames(m.write(tmp_path, log)).answers.to_dict("records")
    tokens = {name: answer[name] for name in row["expect"]}
    counts = {name: None if math.isnan(count) else count for name, count in tokens.items()}
    assert counts == row["expect"]
