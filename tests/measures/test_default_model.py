"""Tests of scoring models: the default, and models that fail to load."""

import json
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score, Scorer

from arag_inspect.benchmarks.legal import composite_faithfulness
from arag_inspect.benchmarks.perspectives import evidence_support
from arag_inspect.measures.nli_contradiction import NLI_MODEL
from arag_inspect.scorers import bertscore, embedding_coverage, nli_contradiction
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, Script, run, scripted

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
FETCHED = f"(it is not on this machine); fetch it with: hf download {NLI_MODEL}"


def scored(scorers: list[Scorer], model: Any = OFFLINE, **roles: Any) -> dict[str, Score]:
    log = run(
        Task(dataset=[Sample(input=SOURCE, target=REFERENCE)], scorer=scorers), model, **roles
    )
    assert log.status == "success" and log.samples
    sample: EvalSample = log.samples[0]
    return scores_of(sample)


def signature(score: Score) -> str:
    return str((score.metadata or {})["signature"])


@pytest.fixture(scope="module")
def by_default() -> dict[str, Score]:
    makers = [bertscore(), nli_contradiction(), composite_faithfulness()]
    return scored(makers, model_roles={"grader": STEADY})


def check_default(scores: dict[str, Score]) -> None:
    assert f"|model:{MINILM}|" in signature(scores["bertscore"])
    nli = scores["nli_contradiction"]
    assert nli.reason == "scoring_failed" and nli.value != nli.value
    assert FETCHED in str(nli.explanation)


def test_default_models_do_not_depend_on_judge(by_default: dict[str, Score]) -> None:
    check_default(by_default)
    model = scripted(Script("The judge denied the motion of Acme to dismiss."))
    roles = {"grader": ["mockllm/a", STEADY]}
    check_default(scored([bertscore(), nli_contradiction()], model, model_roles=roles))


def test_composite_without_nli_model_gives_download_command(
    by_default: dict[str, Score],
) -> None:
    composite = by_default["composite_faithfulness"]
    assert composite.reason == "part_unscored" and composite.value != composite.value
    assert FETCHED in str(composite.explanation)
    assert by_default["bertscore"].reason is None


def test_published_model_of_bertscore_is_finbert() -> None:
    score = scored([bertscore(model="published")])["bertscore"]
    assert score.reason == "scoring_failed"
    assert "model 'ProsusAI/finbert' cannot be loaded" in str(score.explanation)
    assert "fetch it with: hf download ProsusAI/finbert" in str(score.explanation)


@pytest.mark.parametrize("model", ["/no/such/folder", "./nor/this", "nobody/never-cached"])
def test_model_scorers_are_unscored_without_model_or_reference(model: str) -> None:
    makers = [make(model=model) for make in (bertscore, nli_contradiction, embedding_coverage)]
    samples = [Sample("?", target=target) for target in ("Sales fell", "Sales fell", " ")]
    log = run(Task(dataset=samples, scorer=makers), scripted(Script("Sales rose")))
    *failed, bare = [scores_of(sample).values() for sample in samples_of(log)]
    for score in (score for scores in failed for score in scores):
        assert score.value != score.value and score.reason == "scoring_failed"
        assert model in str(score.explanation) and "cannot be loaded" in str(score.explanation)
    assert len(failed) == 2 and [score.reason for score in bare] == ["no_reference"] * 3


def test_bertscore_does_not_ask_hub_for_missing_model(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    monkeypatch.setattr("transformers.AutoConfig.from_pretrained", names.append)
    score = scored([bertscore(model="nobody/never-cached")])["bertscore"]
    assert score.reason == "scoring_failed" and names == []
    assert "fetch it with: hf download nobody/never-cached" in str(score.explanation)


def test_evidence_support_is_unscored_without_nli_model() -> None:
    sample = Sample(input="?", metadata={"documents": DOCUMENTS})
    log = run(
        Task(dataset=[sample], scorer=[evidence_support(method="nli")]),
        scripted(Script(json.dumps(PERSPECTIVES))),
        model_roles={"grader": STEADY},
    )
    assert log.samples
    score = scores_of(log.samples[0])["evidence_support"]
    assert score.reason == "scoring_failed" and FETCHED in str(score.explanation)
