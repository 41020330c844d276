"""Tests that invalid scorer parameters and files are rejected at creation, in one line."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arag_inspect import scorers
from arag_inspect._util.errors import InputError
from arag_inspect.judge import StrictModel, integer_form, json_form, model_graded
from arag_inspect.scorers import geval
from tests.tables import tables_beside

faithful = partial(geval, dimension="faithfulness")
custom = partial(model_graded, name="x", prompt="{{answer}}")


class Grade(StrictModel):
    faults: list[str]


CASES = tables_beside(__file__)


@pytest.mark.parametrize("name", CASES["options"])
def test_scorers_reject_invalid_parameters(name: str) -> None:
    for options, message in CASES["options"][name]:
        make = faithful if name == "faithful" else getattr(scorers, name)
        with pytest.raises(InputError, match=message):
            make(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"prompt": "{{colour}}", "form": integer_form(1, 5)},
            "unknown fields colour; known are question",
        ),
        ({"form": json_form(Grade, "{}")}, "needs `value`"),
        ({"form": integer_form(1, 5), "context": "web"}, "context 'web' is unknown"),
    ],
)
def test_model_graded_rejects_invalid_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        custom(**options)


@pytest.mark.parametrize("name", CASES["files"])
def test_scorers_reject_unreadable_files(tmp_path: Path, name: str) -> None:
    scorer, option = name.split()
    more = {"dimension": "x"} if scorer == "geval" else {}
    path = tmp_path / "own.md"
    for text, message in CASES["files"][name]:
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            getattr(scorers, scorer)(**more, **{option: str(path)})
