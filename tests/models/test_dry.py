"""Tests of the dry-run grader: its fixed reply fits every format, and other uses are rejected."""

from typing import Any

import pytest
from inspect_ai.model import get_model

from arag_inspect.judge.parsing import (
    choice_form,
    integer_form,
    json_form,
    labels_form,
    numbers_reply,
)
from arag_inspect.measure import Scale
from arag_inspect.measures._claims import ClaimVerdict
from arag_inspect.measures._fact_pairing import MatchReply
from arag_inspect.measures._geval.criteria import _Generated
from arag_inspect.measures._geval.statement_lists import ITEMS, STATEMENTS, graded_form
from arag_inspect.models.dry import dry_grader
from arag_inspect.models.fixed_reply import fixed_reply

FIVE, TWO = Scale(1, 5), Scale(0, 1)


@pytest.mark.parametrize(
    "form",
    [
        choice_form(("CORRECT", "INCORRECT", "REFUSAL")),
        integer_form(0, 10),
        labels_form(("H", "N")),
        json_form(ClaimVerdict, "{}"),
        json_form(MatchReply, "{}", wrapped=False),
        json_form(numbers_reply("supported", "partial"), "{}"),
        json_form(_Generated, "{}", wrapped=False),
        *(
            graded_form(kind, dimension, scale)
            for kind, dimension in ((STATEMENTS, "faithfulness"), (ITEMS, "coverage"))
            for scale in (FIVE, TWO)
        ),
    ],
)
def test_fixed_reply_is_valid_for_every_form(form: Any) -> None:
    reply = fixed_reply(form.schema.json_schema)
    assert form.read(reply, "3f9a1c", as_json=True) is not None
    assert fixed_reply(form.schema.json_schema) == reply


def test_dry_grader_is_rejected_outside_estimates() -> None:
    dry_grader()
    with pytest.raises(ValueError, match="dry/grader judges nothing: .* name a language model"):
        get_model("dry/grader", memoize=False)
