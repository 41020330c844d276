"""Tests of the description of how a score was measured."""

import pytest

from arag_inspect.judge.signature import Signature, signature


@pytest.mark.parametrize("text", ["", "rouge", "geval_coverage|scale:(1, 5)", "odd||a:b;c:d"])
def test_signature_keeps_its_text_in_logs(text: str) -> None:
    assert str(Signature.parse(text)) == text


def test_signature_of_composite_names_models_of_its_parts() -> None:
    support = Signature.parse(signature("evidence_support", model="nli", batch=2))
    overlap = Signature.parse(signature("bertscore", model="roberta", weights="model:none"))
    text = signature("composite", nli=support.as_value, overlap=overlap.as_value)
    composite = Signature.parse(text)
    assert composite.measure == "composite"
    assert support.models == ["nli"]
    assert composite.models == ["nli", "roberta"]
