"""Tests of comparing two results of the settings matrix, figure by figure."""

import base64
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from measurements.matrix.compare import compare
from measurements.matrix.runs import Matrix, RunError
from measurements.matrix.settings import REFERENCE
from measurements.matrix.table import tolerances
from measurements.page import DOCS

Change = Callable[[dict[str, Any]], object]


def _result() -> dict[str, Any]:
    vectors = np.full((2, 3), 0.5, "<f4")
    scores = {"bertscore": {"bertscore_f1": 0.75}, "rouge": {"rouge1": 0.5}, "nli": float("nan")}
    return {
        "vectors": {
            "kept": 2,
            "sha256": "0f",
            "spread": base64.b64encode(vectors.tobytes()).decode(),
        },
        "figures": {
            "searches": {"net sales": {"meaning": {"found": "3:0 5:1", "scores": {"0": 0.9}}}},
            "samples": {"arag A": {"answer": "Sales rose.", "loops": 4, "scores": scores}},
        },
    }


def _move_vectors(difference: float) -> Change:
    def change(result: dict[str, Any]) -> None:
        vectors = np.full((2, 3), 0.5 + difference, "<f4")
        result["vectors"] |= {
            "sha256": "1f",
            "spread": base64.b64encode(vectors.tobytes()).decode(),
        }

    return change


def _set_score(scorer: str, value: object) -> Change:
    return lambda result: result["figures"]["samples"]["arag A"]["scores"].update({scorer: value})


def _set_found(found: str) -> Change:
    return lambda result: result["figures"]["searches"]["net sales"]["meaning"].update(found=found)


@pytest.mark.parametrize(
    ("change", "differs", "differs_in_bits"),
    [
        (lambda _: None, "", ""),
        (_move_vectors(1e-7), "", "vectors: other bits"),
        (_move_vectors(1e-6), "embeddings: ", "vectors: other bits"),
        (_set_score("bertscore", {"bertscore_f1": 0.75 + 1e-7}), "", "bertscore_f1: "),
        (_set_score("bertscore", {"bertscore_f1": 0.7501}), "BERTScore: ", "bertscore_f1: "),
        (_set_score("bertscore", {"bertscore_f1": "scoring_failed"}), "bertscore", "bertscore"),
        (_set_score("bertscore", {"bertscore_f1": float("nan")}), "BERTScore: ", "bertscore"),
        (_set_score("rouge", {"rouge1": 0.5 + 1e-9}), "rouge1: ", "rouge1: "),
        (_set_score("nli", 0.5), "nli: 'nan', here '0.5'", "nli: "),
        (_set_found("5:1 3:0"), "found: '3:0 5:1', here '5:1 3:0'", "found: "),
        (lambda result: result["figures"].update(printed={}, samples={}), "nothing", "nothing"),
    ],
)
def test_comparison_names_altered_figure(
    change: Change, differs: str, differs_in_bits: str
) -> None:
    other = deepcopy(_result())
    change(other)
    for expected, same_bits in ((differs, False), (differs_in_bits, True)):
        faults = "\n".join(compare(_result(), other, same_bits=same_bits).faults)
        assert expected in faults and bool(expected) == bool(faults)


def test_matrix_rejects_results_of_other_code(tmp_path: Path) -> None:
    matrix = Matrix(tmp_path, None, 2, 20)
    matrix.path(REFERENCE, 1).write_text('{"made_with": {"package": "other"}}')
    with pytest.raises(RunError, match=r"reference-1\.json was computed by other code"):
        matrix.result(REFERENCE)


def test_reproducibility_page_states_tolerances() -> None:
    assert tolerances() in (DOCS / "reproducibility.md").read_text("utf-8")
