"""Tests of G-Eval with scripted judges: readable replies, retries and unscored samples."""

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage
from inspect_ai.scorer import Scorer

from arag_inspect.report import frames, studies
from arag_inspect.report.comparison.effort import judge_cost
from arag_inspect.scorers import geval, geval_coverage, geval_faithfulness
from tests.logs import metrics_of
from tests.scripted import Script, graded, grounded, only, recorded, run, scripted, speak, tagged

pytestmark = pytest.mark.usefixtures("logs", "cache")

SOURCE = "Revenue was $4.2 billion, up 7.5%. We expect revenue of $17 billion for fiscal 2022."
REASONING = "Figures: 'up 7.5%' stands in the source. 5 of 5."
GOOD = f"{REASONING}\n{grounded(4)}"


def judged(
    scorer: Scorer,
    grader: Any,
    answer: str = "Revenue grew.",
    target: str = "Revenue grew 7.5%.",
    n: int = 1,
) -> EvalLog:
    samples = [Sample(id=str(i), input=SOURCE, target=target) for i in range(n)]
    return run(
        Task(dataset=samples, scorer=scorer),
        scripted(Script(answer)),
        model_roles={"grader": grader},
    )


def pinned() -> Scorer:
    return geval_faithfulness(criteria="pinned", context="input")


def test_geval_returns_grade_reasoning_and_metrics() -> None:
    script = Script(GOOD)
    log = judged(pinned(), scripted(script))
    score = only(log)
    assert score.value == 4 and score.metadata
    assert score.explanation == f"{REASONING}\nStatements: none\nScore: 4"
    assert score.metadata["judges"][0]["input_tokens"] == 100
    assert "judge:mockllm/model" in score.metadata["signature"]
    metrics = metrics_of(log, "geval_faithfulness")
    assert metrics["mean"] == 4 and metrics["share_at_least"] == 1 and metrics["4"] == 1
    prompt = script.asked[0][0].text
    assert f'<source origin="input">\n{SOURCE}\n</source>' in prompt
    order = [prompt.index(part) for part in ("Attribution", "<source", "<summary>\nRevenue grew.")]
    assert order == sorted(order)
    assert script.configs[0].temperature == 0
    assert script.configs[0].response_schema is not None


@pytest.mark.parametrize(
    ("scorer", "target", "reason"),
    [
        (geval_coverage(criteria="pinned"), "", "no_reference"),
        (geval_faithfulness(criteria="pinned", context="tools"), "x", "no_passages"),
        (geval_faithfulness(criteria="pinned", context="metadata:none"), "x", "no_passages"),
    ],
)
def test_geval_is_unscored_without_material(scorer: Scorer, target: str, reason: str) -> None:
    script = Script(GOOD)
    score = only(judged(scorer, scripted(script), target=target))
    assert score.value != score.value and score.reason == reason and script.asked == []


def test_numeric_metadata_is_shown_as_digits() -> None:
    script = Script(GOOD)
    scorer = geval_faithfulness(criteria="pinned", context="metadata:revenue")
    task = Task(
        dataset=[Sample("Summarize.", target="x", metadata={"revenue": 4711})],
        scorer=scorer,
    )
    log = run(task, scripted(Script("Sales.")), model_roles={"grader": scripted(script)})
    assert log.status == "success" and "4711" in script.asked[0][-1].text


def five(name: str = "One") -> str:
    rest = {"checks": "c", "low": "l", "middle": "m", "high": "h"}
    return json.dumps({"criteria": [{"name": f"{name} {i}", **rest} for i in range(5)]})


class Grader:
    """Writes criteria when asked for them, and judges otherwise; counts both."""

    def __init__(self, criteria: str | None = None) -> None:
        self.criteria, self.generated, self.judged = criteria or five(), 0, 0
        self.requests: list[str] = []
        self.prompts: list[str] = []

    def __call__(self, messages: Any, *_: Any) -> ModelOutput:
        if any("Write exactly five criteria" in message.text for message in messages):
            self.generated += 1
            self.requests.append(messages[0].text)
            return speak(self.criteria, 1)
        self.judged += 1
        self.prompts.append("\n".join(message.text for message in messages))
        return speak(tagged(graded(3, messages[0].text), messages), 1)


def test_criteria_are_generated_once_for_concurrent_samples(cache: Path) -> None:
    grader = Grader()
    log = judged(geval_faithfulness(context="input"), scripted(grader), n=24)
    assert log.status == "success" and (grader.generated, grader.judged) == (1, 24)
    second_grader = Grader()
    judged(geval_faithfulness(context="input"), scripted(second_grader))
    assert second_grader.generated == 0


@pytest.mark.parametrize(
    "styles", [["qa"] * 5, ["summary"] * 5, ["qa", "qa", "summary", "summary"]]
)
def test_all_samples_of_a_run_are_graded_by_its_regenerated_criteria(
    cache: Path, styles: list[str]
) -> None:
    for name, regenerate in (("One", False), ("Two", True)):
        grader = Grader(five(name))
        samples = [Sample(SOURCE, target="Up.", metadata={"style": style}) for style in styles]
        scorer = geval_faithfulness(context="input", regenerate_criteria=regenerate)
        task = Task(dataset=samples, scorer=scorer)
        run(task, scripted(Script("Up 7.5%.")), model_roles={"grader": scripted(grader)})
        assert grader.generated == len(set(styles))
        assert all(f"**{name} 0." in prompt for prompt in grader.prompts)


def test_failed_regeneration_does_not_grade_by_earlier_criteria(cache: Path) -> None:
    judged(geval_faithfulness(context="input"), scripted(Grader()))
    failing = Grader('{"criteria": []}')
    scorer = geval_faithfulness(context="input", regenerate_criteria=True)
    judged(scorer, scripted(failing), n=2)
    assert failing.generated >= 2 and failing.judged == 0


def test_graders_of_one_name_at_different_addresses_share_no_criteria(cache: Path) -> None:
    generated = []
    for address in ("http://a/v1", "http://b/v1", "http://b/v1?key=K1", "http://b/v1?key=K2"):
        grader = Grader()
        model = scripted(grader)
        model.api.base_url = address
        judged(geval_faithfulness(context="input"), model)
        generated.append(grader.generated)
    assert generated == [1, 1, 1, 0]  # a changed key is the same server


def test_criteria_are_written_for_summaries_and_for_answers_apart(cache: Path) -> None:
    styles = ["qa", "earnings_call", "qa", "summary"]
    samples = [
        Sample(id=str(i), input=SOURCE, target="Up 7.5%.", metadata={"style": style})
        for i, style in enumerate(styles)
    ]
    grader = Grader()
    scorers = [geval_faithfulness(context="input"), geval_coverage()]
    task = Task(dataset=samples, scorer=scorers)
    run(task, scripted(Script("Revenue grew.")), model_roles={"grader": scripted(grader)})
    requests = sorted(request.split("\n")[0] for request in grader.requests)
    judged_texts = [request.partition(" of ")[2].partition(" will ")[0] for request in requests]
    assert judged_texts == 2 * [
        "answers to questions about documents",
        "summaries of financial documents",
    ]
    assert sum("gold answer of the question" in request for request in grader.requests) == 1


def test_judge_cost_includes_criteria_generation(cache: Path) -> None:
    grader = Grader()

    def paid(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        output = grader(messages)
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_cost=0.5)
        return output

    log = judged(geval_faithfulness(context="input"), scripted(paid), n=3)
    (study,) = studies(frames(log.location))
    assert grader.generated == 1 and sorted(judge_cost(study)) == [0.5, 0.5, 1.0]


def test_criteria_are_regenerated_when_cache_is_damaged(cache: Path) -> None:
    judged(geval_faithfulness(context="input"), scripted(Grader()))
    (path,) = (cache / "criteria").glob("*.json")
    path.write_text('{"criteria": [')
    grader = Grader()
    assert only(judged(geval_faithfulness(context="input"), scripted(grader))).value == 3
    assert grader.generated == 1


UNUSABLE = {
    '{"criteria": []}': "at least 5 items",
    json.dumps(
        {"criteria": json.loads(five())["criteria"][:4] + json.loads(five())["criteria"][:1]}
    ): "the same name",
    recorded("geval_three_criteria"): "at least 5 items after validation, not 3",
}


@pytest.mark.parametrize("reply", UNUSABLE)
def test_sample_is_unscored_and_cost_recorded_when_criteria_are_unusable(
    cache: Path, reply: str
) -> None:
    grader = Grader(reply)
    score = only(judged(geval_coverage(), scripted(grader)))
    assert score.value != score.value and score.reason == "grader_failed" and score.metadata
    assert "wrote no usable criteria: " in score.metadata["reason"] and grader.generated == 2
    assert UNUSABLE[reply] in (score.explanation or "")
    (judge,) = score.metadata["judges"]
    assert score.metadata["raw"] == judge["raw"] == [reply, reply]
    assert judge["input_tokens"] == 200 and judge["output_tokens"] == 20
    assert not list((cache / "criteria").glob("*.json"))


def test_geval_accepts_custom_criteria_file_and_new_dimension(tmp_path: Path) -> None:
    path = tmp_path / "tone.md"
    path.write_text(
        "---\ndimension: tone\ndefinition: Neutral.\nmaterial: none\n---\n1. **Calm.** Is it calm?"
    )
    script = Script("VERDICT: 5")
    assert only(judged(geval(dimension="tone", criteria=str(path)), scripted(script))).value == 5
    assert "**Calm.** Is it calm?" in script.asked[0][0].text
    grader = Grader()
    conciseness = geval(dimension="conciseness", definition="No word too many.", against="none")
    assert only(judged(conciseness, scripted(grader))).value == 3 and grader.generated == 1


def test_errors_of_several_judges_are_reported_as_one() -> None:
    def broken(*_: Any) -> ModelOutput:
        raise ConnectionError("the provider is gone")

    log = judged(pinned(), [scripted(broken), scripted(broken)])
    assert log.status == "error" and log.error
    assert "the provider is gone" in log.error.message and "TaskGroup" not in log.error.message
