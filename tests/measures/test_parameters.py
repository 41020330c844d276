"""Tests that invalid scorer parameters and files are rejected at creation, in one line."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.judge import StrictModel, integer_form, json_form, model_graded
from arag_inspect.scorers import (
    bertscore,
    embedding_coverage,
    error_taxonomy,
    fact_match,
    factual_consistency,
    geval,
    geval_coverage,
    geval_faithfulness,
    numeric_match,
    severity_judge,
)

faithful = partial(geval, dimension="faithfulness")
custom = partial(model_graded, name="x", prompt="{{answer}}")
NAN = float("nan")
PINNED = "pinned criteria are written for a scale from 1 to 5"


class Grade(StrictModel):
    faults: list[str]


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (bertscore, {"num_layers": -1}, "scorer bertscore: num_layers: Input should be greater"),
        (fact_match, {"batch": True}, "batch: Input should be a valid integer"),
        (numeric_match, {"tolerance": 1.5}, "tolerance: Input should be less"),
        (embedding_coverage, {"treshold": 1}, "has no parameter 'treshold'; choose from threshold"),
        (error_taxonomy, {"taxonomy": "medical"}, "not one of the built-in taxonomies"),
        *((error_taxonomy, {"threshold": t}, "threshold: Input should be") for t in (0, 7, NAN)),
        (fact_match, {"profile": "harsh"},
         "'harsh' is not one of the built-in profiles .lenient, strict."),
        (fact_match, {"gold": "web"}, "gold: String should match"),
        (fact_match, {"predicted": "web"}, "predicted: Input should be 'auto', 'grader'"),
        (factual_consistency, {"context": "web"},
         "'web' is unknown; choose from auto, document, passages"),
        (geval, {}, "scorer geval: dimension: required; give it: -S dimension=VALUE"),
        (geval, {"dimension": "charm"}, "there are no built-in criteria for 'charm'"),
        (geval, {"dimension": "x", "criteria": "nowhere.md"}, "cannot be read"),
        (geval_faithfulness, {"criteria": "pinned", "scale": (0, 10)}, PINNED),
        (geval_coverage, {"criteria": "pinned", "scale": ["0", "10"]}, PINNED),
        (faithful, {"scale": 5}, "scale must be two whole numbers"),
        (faithful, {"scale": (5, 1)}, "scale must rise"),
        (faithful, {"against": "web"}, "against: Input should be 'context'"),
        (faithful, {"weighted": True, "samples": "many"},
         "samples: Input should be a valid integer"),
        (custom, {"prompt": "{{colour}}", "form": integer_form(1, 5)},
         "unknown fields colour; known are question"),
        (custom, {"form": json_form(Grade, "{}")}, "needs `value`"),
        (custom, {"form": integer_form(1, 5), "context": "web"}, "context 'web' is unknown"),
    ],
)  # fmt: skip
def test_scorers_reject_invalid_parameters(
    make: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make(**options)


@pytest.mark.parametrize(
    ("make", "option", "text", "message"),
    [
        (error_taxonomy, "taxonomy", "- **R** rude: x", "no front matter"),
        (error_taxonomy, "taxonomy", "---\na: [\n---\n- **R** rude: x", "cannot be read"),
        (error_taxonomy, "taxonomy", "---\na: b\n---\nnothing", "needs a list of errors"),
        (error_taxonomy, "taxonomy", "---\na: b\n---\n- **R** rude: x\n- **r** raw: y",
         "needs a list of errors"),
        (error_taxonomy, "taxonomy", "---\na: b\n---\n- **any** rude: x", "needs a list of errors"),
        (error_taxonomy, "taxonomy", "---\nrules: {length: V}\n---\n- **R** rude: x",
         "unknown codes: V"),
        (error_taxonomy, "taxonomy", "---\nrules: {smell: R}\n---\n- **R** rude: x", "rules.smell"),
        (error_taxonomy, "taxonomy", "---\nrules: R\n---\n- **R** rude: x", "rules: "),
        (error_taxonomy, "taxonomy", "---\nseverity: 3\n---\n- **R** rude: x", "severity: "),
        (error_taxonomy, "taxonomy", "---\nseverity: haiku\n---\n- **R** rude: x",
         "not one of the built-in rubrics"),
        (geval, "criteria", "no front matter", "no front matter"),
        (geval, "criteria", "---\ndimension: x\n---\n1. **A.** b", "no text `definition`"),
        (geval, "criteria", "---\ndimension: x\ndefinition: y\nmaterial: z\n---\n1. **A.** b",
         "material 'z'"),
        (geval, "criteria", "---\ndimension: x\ndefinition: y\n---\nnothing", "has no criteria"),
        (severity_judge, "rubric", "---\npersona: you\n---\n- **5** perfect: x", r"it has \[5\]"),
        (severity_judge, "rubric", "---\nname: x\n---\n- **5** perfect: x", "no text `persona`"),
        (fact_match, "profile", "no front", "own.md has no front matter"),
        (fact_match, "profile", "---\nsize: 1\n---\n", "own.md: size: Extra inputs"),
        (fact_match, "profile", "---\nnumeric_tolerance_percent: -1\n---\n",
         "numeric_tolerance_percent: Input should be"),
        (fact_match, "profile", "---\na: [\n---\n", "own.md cannot be read"),
    ],
)  # fmt: skip
def test_scorers_reject_unreadable_files(
    tmp_path: Path, make: Callable[..., Any], option: str, text: str, message: str
) -> None:
    path = tmp_path / "own.md"
    path.write_text(text)
    more = {"dimension": "x"} if make is geval else {}
    with pytest.raises(InputError, match=message):
        make(**more, **{option: str(path)})
