"""Tests of the two-sided summary scorers: format, evidence and use of documents."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput
from inspect_ai.scorer import Score

from arag_inspect.benchmarks.perspectives import (
    citation_recall,
    evidence_support,
    perspective_validity,
)
from tests.logs import scores_of
from tests.measures.test_nli_contradiction import make
from tests.scripted import Script, recorded, run, scripted, speak

pytestmark = pytest.mark.usefixtures("logs")

__all__ = ["make"]

URL = "https://example.org/page"
DOCUMENTS = [
    {"id": 1, "content": "The bridge saves an hour. It is wide.", "relevance": "R"},
    {"id": 2, "content": "The bridge costs a billion.", "relevance": "R"},
    {"id": 3, "content": "The cake is sweet.", "relevance": "NR"},
    {"id": URL, "content": "The bridge harms the porpoises."},
]
SAVES = ("The bridge saves an hour.", ["Doc 1"])
COSTS = ("The bridge costs a billion.", [2])
SWEET = ("The cake is sweet.", [3])
NOBODY = ("It is loud.", [99])


def sided(*sides: tuple[str, Sequence[tuple[str, Any]]]) -> str:
    claims = []
    for stance, points in sides:
        listed = [{"text": text, "evidence_docs": ids} for text, ids in points]
        claims.append({"stance": stance, "claim": "So it is.", "perspectives": listed})
    return json.dumps({"claims": claims})


def answer(pro: Sequence[tuple[str, Any]], con: Sequence[tuple[str, Any]]) -> str:
    return sided(("for", pro), ("against", con))


ANSWERS = {
    "good": answer([SAVES], [COSTS]),
    "off topic": answer([SAVES], [SWEET]),
    "invented": answer([SAVES], [NOBODY]),
    "empty": answer([], []),
    "text": "There is much to be said for the bridge.",
}
VERDICTS = [
    {"perspective": 2, "quote": "costs a billion", "supported": True},
    {"perspective": 1, "quote": "", "supported": False},
]
TRUE = {"perspective": 1, "quote": "saves an hour", "supported": True}


def scored_by(grader: Model | list[Model], answers: dict[str, str], scorers: Any) -> EvalLog:
    def model(messages: Any, *_: Any) -> ModelOutput:
        return speak(answers[messages[-1].text], 1)

    samples = [Sample(id=name, input=name, metadata={"documents": DOCUMENTS}) for name in answers]
    samples.append(Sample(id="bare", input=next(iter(answers))))
    log = run(
        Task(dataset=samples, scorer=scorers), scripted(model), model_roles={"grader": grader}
    )
    assert log.status == "success" and log.samples, log.error
    return log


def only(log: EvalLog, name: str, scorer: str) -> Score:
    assert log.samples
    sample = next(sample for sample in log.samples if sample.id == name)
    return scores_of(sample)[scorer]


def supported(grader: Model | list[Model], scorer: Any = None) -> Score:
    """Return the support of the good answer."""
    scorer = scorer or evidence_support()
    return only(scored_by(grader, {"good": ANSWERS["good"]}, scorer), "good", "evidence_support")


@pytest.fixture(scope="module")
def log() -> EvalLog:
    def grader(messages: Any, *_: Any) -> ModelOutput:
        prompt = messages[0].text
        numbers = [n for n in (1, 2) if f'<perspective number="{n}">' in prompt]
        quote = "The cake is sweet" if "cake" in prompt else VERDICTS[0]["quote"]
        verdicts = [TRUE, {**VERDICTS[0], "quote": quote}]
        kept = [verdict for verdict in verdicts if verdict["perspective"] in numbers]
        return speak(json.dumps({"verdicts": kept}), 1)

    scorers = [perspective_validity(), evidence_support(), citation_recall()]
    return scored_by(scripted(grader), ANSWERS, scorers)


EVERY = {"schema", "two_sides", "ids_exist", "each_used_once", "sentence", "word_limit"}
FOR = ("for", [SAVES])
FORMS: list[tuple[str, set[str]]] = [
    (answer([SAVES], [COSTS]), set()),
    (sided(("against", [COSTS]), FOR), set()),
    (sided(("pro", [SAVES]), ("CON", [COSTS])), set()),
    (f"Here it is:\n```json\n{answer([SAVES], [COSTS])}\n```", set()),
    (answer([("It helps.", "Doc 1, 3")], [("It costs.", ["Doc 2", URL])]), set()),
    (sided(FOR), {"two_sides"}),
    (sided(FOR, FOR), {"two_sides", "each_used_once"}),
    (sided(FOR, ("against", [COSTS]), ("against", [SWEET])), {"two_sides"}),
    (answer([SAVES], []), {"schema"}),
    (answer([SAVES], [("It costs.", [])]), {"schema"}),
    (answer([SAVES], [NOBODY]), {"ids_exist"}),
    (answer([SAVES], [("It costs.", ["the second"])]), {"ids_exist"}),
    (answer([SAVES], [("It costs.", [2, "2"])]), {"each_used_once"}),
    (answer([SAVES], [("It costs.", [1])]), {"each_used_once"}),
    (answer([SAVES], [("It costs. It is late.", [2])]), {"sentence"}),
    (answer([SAVES], [("Costs without an end", [2])]), {"sentence"}),
    (answer([SAVES], [("", [2])]), {"sentence"}),
    (answer([SAVES], [("word " * 29 + "end.", [2])]), set()),
    (answer([SAVES], [("word " * 30 + "end.", [2])]), {"word_limit"}),
    ("I cannot help with that.", EVERY),
    ('{"claims": "none"}', EVERY),
    (sided(("perhaps", [])), EVERY),
    (sided(("for", [("Yes.", [{"id": 1}])])), EVERY),
    ('{"claims":' * 5000, EVERY),
]


@pytest.fixture(scope="module")
def forms() -> EvalLog:
    answers = {str(number): text for number, (text, _) in enumerate(FORMS)}
    return scored_by(scripted(Script("-")), answers, perspective_validity())


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_perspective_validity_reports_each_broken_rule(number: int, forms: EvalLog) -> None:
    score, broken = only(forms, str(number), "perspective_validity"), FORMS[number][1]
    kept = score.as_dict()
    assert len(kept) == 7 and kept["all"] == (not broken)
    assert {key for key in EVERY if not kept[key]} == broken
    assert score.metadata
    assert {key for key, faults in score.metadata["faults"].items() if faults} == broken


def test_citation_recall_counts_only_relevant_documents(log: EvalLog) -> None:
    good, off = only(log, "good", "citation_recall"), only(log, "off topic", "citation_recall")
    assert (good.value, off.value) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert good.metadata and good.metadata["unused"] == [URL] and good.metadata["off_topic"] == []
    assert off.metadata and off.metadata["unused"] == [2, URL] and off.metadata["off_topic"] == [3]
    assert only(log, "empty", "citation_recall").value == 0


def test_evidence_support_is_share_of_perspectives_judged_supported(log: EvalLog) -> None:
    assert only(log, "good", "evidence_support").value == 1
    invented = only(log, "invented", "evidence_support")
    assert invented.value == 0.5 and invented.metadata
    supported, unsupported = (
        perspective["judged"]["mockllm/model"] for perspective in invented.metadata["perspectives"]
    )
    assert (supported["supported"], supported["quote"]) == (True, "saves an hour")
    assert (unsupported["supported"], unsupported["quote"]) == (False, "")
    assert "not supported: It is loud." in str(invented.explanation)


def test_perspective_scorers_give_reason_when_unscored(log: EvalLog) -> None:
    assert only(log, "text", "evidence_support").reason == "unreadable_answer"
    assert only(log, "text", "citation_recall").reason == "unreadable_answer"
    assert only(log, "empty", "evidence_support").reason == "no_perspectives"
    for scorer in ("perspective_validity", "evidence_support", "citation_recall"):
        bare = only(log, "bare", scorer)
        assert bare.reason == "no_documents" and "`documents`" in str(bare.explanation)


def test_judge_is_asked_again_for_invented_quote_or_missing_verdict() -> None:
    invented = json.dumps({"verdicts": [{**TRUE, "quote": "saves two hours"}, VERDICTS[0]]})
    missing = json.dumps({"verdicts": [TRUE]})
    right = json.dumps({"verdicts": VERDICTS})
    mended, stubborn = Script(invented, right), Script(missing)
    both = [scripted(mended), scripted(stubborn)]
    score = supported(both)
    assert score.value == 0.5 and score.metadata
    assert "is not in its documents" in mended.asked[1][-1].text
    assert "one verdict for each of the perspectives: 1, 2" in score.metadata["judges"][1]["reason"]
    prompt = mended.asked[0][0].text
    first = '<perspective number="1">\nThe bridge saves an hour.\n</perspective>\n<document id="1">'
    assert first in prompt
    assert "porpoises" not in prompt and "cake" not in prompt


@pytest.mark.parametrize("quote", ["...", "[The bridge saves an hour.]"])
def test_quote_without_words_is_rejected(quote: str) -> None:
    verdicts = [{"perspective": n, "quote": quote, "supported": True} for n in (1, 2)]
    echo = scripted(Script(json.dumps({"verdicts": verdicts})))
    score = supported(echo)
    assert score.reason == "grader_failed" and "is not in its documents" in str(score.explanation)


def test_judge_with_endless_verdicts_fails() -> None:
    endless = scripted(Script(recorded("evidence_support_endless_verdicts")))
    score = supported(endless)
    assert score.reason == "grader_failed" and "last line is not `VERDICT" in str(score.explanation)


def test_nli_evidence_support_uses_most_entailing_premise(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(_: object, label: str, pairs: list[tuple[str, str]]) -> list[float]:
        assert label == "entailment"
        return [0.8 if premise == hypothesis else 0.4 for premise, hypothesis in pairs]

    monkeypatch.setattr("arag_inspect.measures.nli_contradiction.Inference.ask", ask)
    monkeypatch.setattr("arag_inspect.measures.nli_contradiction.Inference.signature", {})
    answers = {"mixed": answer([SAVES], [("The bridge is dear.", [2]), NOBODY])}
    grader = scripted(Script("never asked"))
    score = only(
        scored_by(grader, answers, evidence_support(method="nli")), "mixed", "evidence_support"
    )
    assert score.value == pytest.approx(1 / 3) and score.metadata
    judged = [
        next(iter(perspective["judged"].values())) for perspective in score.metadata["perspectives"]
    ]
    assert [verdict["supported"] for verdict in judged] == [True, False, False]
    assert [verdict["probability"] for verdict in judged] == [0.8, 0.4, 0.0]
    assert judged[0]["quote"] == "The bridge saves an hour."


@pytest.mark.parametrize(("logits", "value"), [((0.0, 0.0, 4.0), 1.0), ((0.0, 4.0, 0.0), 0.0)])
def test_nli_evidence_support_reads_entailment_label_of_real_model(
    logits: tuple[float, ...], value: float, make: Callable[..., str]
) -> None:
    scorer = evidence_support(method="nli", model=make(logits))
    assert supported(scripted(Script("-")), scorer).value == value
