"""Tests of what the first import of the package loads and registers."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEAVY = (
    "torch", "faiss", "transformers", "altair", "sentence_transformers", "anthropic", "openai",
    "genai_prices",
)  # fmt: skip
SLOW = (*HEAVY, "scipy", "pyarrow", "pandas", "sklearn", "requests", "lxml")
"""Packages not needed before scoring."""

PROGRAM = f"""
import hashlib, json, sys
import anyio
import anyio.to_thread
from inspect_ai.model import (
    ModelCost, ModelName, ModelOutput, get_model, get_model_info, set_model_cost
)
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

PRICED = "anthropic/claude-sonnet-4-6"
set_model_cost(PRICED, ModelCost(input=9, output=9, input_cache_write=9, input_cache_read=9))
before = {{*sys.modules}}
from arag_inspect import scorers
assert scorers.MEASURES
found = {{"slow": sorted({{*{SLOW}}} & ({{*sys.modules}} - before))}}
import arag_inspect._registry
from arag_inspect import solvers, tasks, tools
from arag_inspect.models.pricing import known_price
assert known_price("offline/extractive").input == 0
found["heavy"] = sorted({{*{HEAVY}}} & {{*sys.modules}})

async def apply_rouge():
    state = TaskState(model=ModelName("none/none"), sample_id="1", epoch=1, input="", messages=[])
    state.output = ModelOutput.from_content("none/none", "Revenue of the segments rose.")
    assert await scorers.rouge()(state, Target("Revenue rose in two segments."))

async def start_together():
    from arag_inspect.text.content_words import content_stems
    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(apply_rouge)
            group.start_soon(anyio.to_thread.run_sync, content_stems, f"Revenue {{number}}")

found["shared imports"] = "nltk" in sys.modules
anyio.run(start_together)
found["price"] = get_model_info(PRICED).cost.input
some = (solvers.arag, solvers.replay, tasks.ectsum, scorers.rouge, tools.keyword_search)
found["names"] = [registry_info(one).name for one in some]
from arag_inspect.cli import prepare, run
from arag_inspect.corpus import Corpus
assert anyio.run(Corpus.open(sys.argv[1]).keyword_search, ["the"], 2)
found["other stores"] = sorted({{"lance", "ray"}} & {{*sys.modules}})
from arag_inspect.benchmarks.synthetic import generate_calls
found["calls"] = hashlib.sha256(repr([*generate_calls(12, 7, 2)]).encode()).hexdigest()[:12]
print(json.dumps(found))
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.judge.unscored_counts import count_unscored
count_unscored("rouge", UnscoredError("too_long", "Too\\nlong.").score())
get_model("none/none")
"""


@pytest.fixture(scope="module")
def fresh(synthetic_folder: Path) -> Any:
    command = [sys.executable, "-c", PROGRAM, str(synthetic_folder)]
    environment = os.environ | {"PYTHONHASHSEED": "12345"}
    process = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert process.returncode == 0, process.stderr
    result, *banner = process.stdout.splitlines()
    return {**json.loads(result), "banner": banner, "errors": process.stderr}


FOUND = {
    "slow": [],
    "heavy": [],
    "shared imports": False,  # before threads that start together import them
    "other stores": [],
    "banner": [],  # no hook is named in Inspect's
    "names": [f"arag_inspect/{name}" for name in ("arag", "replay", "ectsum", "rouge",
                                                  "keyword_search")],
    "price": 9,  # the user's takes precedence
    "calls": "2f1333f6c4e2",
}  # fmt: skip


@pytest.mark.parametrize(("subject", "expected"), FOUND.items(), ids=FOUND)
def test_fresh_process_has_expected_registry_and_imports(
    fresh: Any, subject: str, expected: object
) -> None:
    assert fresh[subject] == expected


def test_process_exit_reports_unscored_samples(fresh: Any) -> None:
    assert fresh["errors"].strip() == "rouge left 1 sample unscored: Too long."


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["-OO", "-m", "arag_inspect.cli.main", "--version"], {}),
        (["-m", "inspect_ai", "eval", "arag_inspect/ectsum"], {"PYTHONOPTIMIZE": "2"}),
    ],
    ids=["our command", "Inspect's"],
)
def test_process_without_docstrings_exits_in_one_line(
    words: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    command = [sys.executable, *words]
    env = os.environ | {"INSPECT_EVAL_MODEL": "none"} | environment
    process = subprocess.run(
        command, capture_output=True, text=True, check=False, env=env, cwd=tmp_path
    )
    printed = process.stdout + process.stderr
    assert process.returncode == 1 and printed.count("use -O or neither") == 1, printed
    assert "Traceback" not in printed and not list(tmp_path.iterdir())
