"""Models that score: the default, the published preset, and one that cannot be loaded."""

import json
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score, Scorer

from arag_inspect._util.errors import InputError
from arag_inspect.scorers import bertscore, embedding_coverage, nli_contradiction
from arag_inspect.sisters.legal import composite_faithfulness
from arag_inspect.sisters.perspectives import evidence_support
from tests.scorers.cases import answered
from tests.scripted import Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")

OFFLINE = "offline/extractive"
REFERENCE = "Revenue rose 7.5% to $4.2 billion. The judge granted the motion of Acme to dismiss."
SOURCE = (
    '<passage chunk_id="1" source="[X]">\nRevenue rose 7.5% to $4.1 billion. '
    "The judge denied the motion of Acme to dismiss.\n</passage>\n\nSummarise in about 60 words."
)
PERSPECTIVES = {
    "claims": [
        {
            "stance": stance,
            "claim": "There is a case.",
            "perspectives": [{"text": text, "evidence_docs": [number]}],
        }
        for number, stance, text in (
            (1, "for", "The bridge saves commuters an hour."),
            (2, "against", "The bridge ruins the view from the castle."),
        )
    ]
}
DOCUMENTS = [
    {"id": 1, "content": "It was built in 1990. The bridge saves commuters in Linden an hour."},
    {"id": 2, "content": "The bridge costs a billion."},
]
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
PUBLISHED = {
    "bertscore": "ProsusAI/finbert",
    "nli_contradiction": "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli",
}


def scored(scorers: list[Scorer], model: Any = OFFLINE, **roles: Any) -> dict[str, Score]:
    log = run(
        Task(dataset=[Sample(input=SOURCE, target=REFERENCE)], scorer=scorers), model, **roles
    )
    assert log.status == "success" and log.samples
    sample: EvalSample = log.samples[0]
    return sample.scores or {}


def signature(score: Score) -> str:
    return str((score.metadata or {})["signature"])


@pytest.mark.parametrize("roles", [{}, {"model_roles": {"grader": ["mockllm/a", OFFLINE]}}])
def test_the_default_is_the_same_for_every_judge_and_needs_no_download(roles: Any) -> None:
    model = (
        scripted(Script("The judge denied the motion of Acme to dismiss.")) if roles else OFFLINE
    )
    scores = scored([bertscore(), nli_contradiction()], model, **roles)
    assert all(score.reason is None for score in scores.values())
    assert f"|model:{MINILM}|" in signature(scores["bertscore"])
    nli = scores["nli_contradiction"]
    assert "|model:offline/rules|" in signature(nli) and "transformers" not in signature(nli)
    assert "By rule, not by an inference model" in str(nli.explanation)


def test_a_composite_names_the_rule_in_its_signature() -> None:
    score = scored([composite_faithfulness()])["composite_faithfulness"]
    assert score.reason is None and "model:offline/rules;" in signature(score)


def test_the_rule_tells_what_contradicts_what() -> None:
    nli = scored([nli_contradiction()])["nli_contradiction"]
    assert nli.value == 0.5
    reasons = {pair["reference"]: pair["why"] for pair in (nli.metadata or {})["contradictions"]}
    assert reasons == {
        "Revenue rose 7.5% to $4.2 billion.": "$4.1 billion and $4.2 billion: differs in value",
    }


def test_the_published_models_are_asked_for_by_one_word() -> None:
    scores = scored([bertscore(model="published"), nli_contradiction(model="published")])
    for name, published in PUBLISHED.items():
        assert scores[name].reason == "scoring_failed"
        assert f"model '{published}' cannot be loaded" in str(scores[name].explanation)


@pytest.mark.parametrize("make", [bertscore, nli_contradiction, embedding_coverage])
@pytest.mark.parametrize("model", ["/no/such/folder", "./nor/this", "nobody/never-cached"])
def test_without_a_model_or_a_reference_there_is_no_score(make: Any, model: str) -> None:
    *failed, bare = answered(make(model=model), [("Sales rose", "Sales fell")] * 3 + [("x", " ")])
    for score in failed:
        assert score.value != score.value and score.reason == "scoring_failed"
        assert model in str(score.explanation) and "cannot be loaded" in str(score.explanation)
    assert bare.value != bare.value and bare.reason == "no_reference"


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (bertscore, {"batch_size": 0}, "scorer bertscore: batch_size: Input should be greater"),
        (bertscore, {"num_layers": -1}, "num_layers: Input should be greater"),
        (nli_contradiction, {"batch_size": True}, "batch_size: Input should be a valid integer"),
        (nli_contradiction, {"threshold": 2}, "threshold: Input should be less"),
        (embedding_coverage, {"threshold": 1.5}, "threshold: Input should be less"),
        (embedding_coverage, {"treshold": 1}, "has no parameter 'treshold'; choose from threshold"),
    ],
)
def test_parameters_that_cannot_be(make: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(**options)


def test_evidence_by_rule() -> None:
    sample = Sample(input="?", metadata={"documents": DOCUMENTS})
    log = run(
        Task(dataset=[sample], scorer=[evidence_support(method="nli")]),
        scripted(Script(json.dumps(PERSPECTIVES))),
        model_roles={"grader": OFFLINE},
    )
    assert log.samples
    score = (log.samples[0].scores or {})["evidence_support"]
    assert score.value == 0.5 and "|model:offline/rules|" in signature(score)
    first, second = (score.metadata or {})["perspectives"]
    assert first["judged"]["offline/rules"] == {
        "supported": True,
        "quote": DOCUMENTS[0]["content"],
        "probability": 1.0,
    }
    assert second["judged"]["offline/rules"]["supported"] is False
