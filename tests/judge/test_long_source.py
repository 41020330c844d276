"""Tests of G-Eval with two kinds of source, in parts, on other scales, and weighted."""

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    Logprob,
    Logprobs,
    Model,
    ModelOutput,
    TopLogprob,
    get_model,
)
from inspect_ai.scorer import Scorer
from inspect_ai.tool import ToolChoice, ToolInfo

from arag_inspect.judge.long_source import split_source
from arag_inspect.judge.unread_verdicts import unread_by_judge
from arag_inspect.measures._geval.expected_score import expectation
from arag_inspect.models.call_monitor import watching
from arag_inspect.scorers import geval, geval_faithfulness
from arag_inspect.text.matching import occurrences, quotations
from tests.scripted import Script, asked_by, grounded, only, run, scripted, speak, tagged
from tests.serving import Request, Response, as_json, serving

pytestmark = pytest.mark.usefixtures("logs")

READ = "Revenue was $4.2 billion. Margin fell to 31 percent on freight."
REST = "The dividend rises to $0.30 a share. We bought Zephyr for $90 million."
ANSWER = (
    "Revenue was $4.2 billion. Margin rose to 31 percent. "
    "The dividend rises to $0.30. The CEO resigned."
)


def dimension_without_list(**options: Any) -> Scorer:
    """A dimension whose judge gives a grade without a list."""
    return geval(dimension="faithfulness", criteria="pinned", against="reference", **options)


def judged(scorer: Scorer, grader: Any, answer: str = ANSWER, document: Any = None) -> EvalLog:
    metadata = {"document": document or [READ, REST]}
    return run(
        Task(dataset=[Sample(input=READ, target=READ, metadata=metadata)], scorer=scorer),
        scripted(Script(answer)),
        model_roles={"grader": grader if isinstance(grader, Model) else scripted(grader)},
    )


def test_against_both_distinguishes_invented_not_retrieved_and_misread() -> None:
    def grader(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        shows_whole_document = REST in messages[0].text
        listed = [
            ("Margin rose to 31 percent", "contradicted"),
            ("The CEO resigned.", "absent"),
            *([] if shows_whole_document else [("The dividend rises to $0.30", "absent")]),
        ]
        return speak(tagged(grounded(3 if shows_whole_document else 2, *listed), messages), 1)

    log = judged(geval_faithfulness(criteria="pinned", context="input", against="both"), grader)
    score = only(log)
    assert score.value == 3 and score.metadata and score.metadata["context"] == 2
    assert score.metadata["faults"] == {
        "Margin rose to 31 percent": "misread",
        "The CEO resigned.": "invented",
        "The dividend rises to $0.30": "not_retrieved",
    }
    assert [judge["input_tokens"] for judge in score.metadata["judges"]] == [200]  # for both
    assert "|against:both|" in score.metadata["signature"] and log.results
    metrics = {n: m.value for scored in log.results.scores for n, m in scored.metrics.items()}
    assert [metrics[n] for n in ("context", "invented", "not_retrieved", "misread")] == [2, 1, 1, 1]


def test_identical_materials_are_judged_once() -> None:
    script = Script(grounded(4))
    scorer = geval_faithfulness(criteria="pinned", context="input", against="both")
    score = only(judged(scorer, script, document=READ))
    assert score.value == 4 and score.metadata and score.metadata["context"] == 4
    assert len(script.asked) == 1


def test_against_both_is_unscored_without_document() -> None:
    script = Script(grounded(4))
    task = Task(
        dataset=[Sample(input=READ)],
        scorer=geval_faithfulness(criteria="pinned", context="input", against="both"),
    )
    score = only(run(task, scripted(Script("x")), model_roles={"grader": scripted(script)}))
    assert score.reason == "no_document" and script.asked == []


def test_source_over_window_is_read_in_parts() -> None:
    pages = [f"Page {n}. Segment {n} earned ${n} million in the quarter. " * 8 for n in range(12)]
    prompts: list[str] = []

    def grader(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        prompt = messages[0].text
        prompts.append(prompt)
        if asked_by(messages).endswith("evidence"):
            sentences = re.findall(r"Segment 7 earned \$7 million in the quarter\.", prompt)
            made_up = {"statement": "s", "quote": "Segment 7 earned nothing at all."}
            quotes = [{"statement": "s", "quote": quote} for quote in sentences[:1]]
            return speak(json.dumps({"evidence": [*quotes, made_up]}), 1)
        return speak(tagged(grounded(5), messages), 1)

    scorer = geval_faithfulness(criteria="pinned", context="document", max_source_tokens=500)
    score = only(judged(scorer, grader, "Segment 7 earned $7 million.", pages))
    assert score.value == 5 and score.metadata
    (judge,) = score.metadata["judges"]
    assert judge["parts"] == len(prompts) - 1 > 2 and judge["input_tokens"] == 100 * len(prompts)
    for page in pages:
        assert any(page.strip() in prompt for prompt in prompts[:-1])
    assert "Segment 7 earned $7 million in the quarter." in prompts[-1]
    assert "nothing at all" not in prompts[-1] and "Page 3" not in prompts[-1]


def test_unreadable_reply_about_source_part_fails_grader() -> None:
    scorer = geval_faithfulness(criteria="pinned", context="document", max_source_tokens=100)
    score = only(judged(scorer, Script("hm"), document="word " * 200))
    assert score.reason == "grader_failed" and score.metadata
    assert re.search(r"part 1 of \d of the source: the last line is not", score.metadata["reason"])


@settings(max_examples=100)
@given(st.lists(st.text("ab \n", max_size=60), max_size=6), st.integers(5, 40))
def test_split_source_loses_no_words(texts: list[str], limit: int) -> None:
    parts = split_source(texts, limit)
    assert all(len(part) <= limit for part in parts)
    assert "".join("".join(parts).split()) == "".join("".join(texts).split())


def test_quotations_missing_from_material_are_reported() -> None:
    reply = (
        'Criterion 1 (Figures): the source says "Revenue was  $4.2 billion" but the summary '
        f'"the CEO resigned." and "profits doubled in Asia". Score: 2\n{grounded(2)}'
    )
    score = only(judged(geval_faithfulness(criteria="pinned", context="input"), Script(reply)))
    assert score.metadata and score.explanation
    quotes = score.metadata["judges"][0]["quotes"]
    assert [quote["stands"] for quote in quotes] == [True, True, False]
    assert score.explanation.endswith("not found in the material: “profits doubled in Asia”")


def test_quotations_are_extracted_and_located_in_texts() -> None:
    assert quotations('He said "up 5%" and “grew by five percent” and "a" "b c d"') == [
        "grew by five percent",
        "b c d",
    ]
    texts = ["Sales — in Europe — grew by 5%, we think, in the second quarter."]
    quotes = ["sales - in europe", "grew by 5% ... second quarter.", "grew by 6%", "it's"]
    assert occurrences(quotes, texts) == [True, True, False, False]
    assert occurrences(["...", "…", "[grew by 5%]", ";", "", "- ..."], texts) == [False] * 6
    assert quotations(
        'It said "... ... ..." and "[some made-up words] up" of "grew by [about] 5%".'
    ) == ["grew by [about] 5%"]


def sure(tokens: dict[str, float]) -> Any:
    """A grader that says 4, with given probabilities for that token."""

    def grader(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        line = tagged("VERDICT: 4", messages)
        output = speak(line, 1)
        tops = [TopLogprob(token=t, logprob=math.log(p)) for t, p in tokens.items()]
        output.choices[0].logprobs = Logprobs(
            content=[
                Logprob(token=line.removesuffix(" 4"), logprob=0.0),
                Logprob(token=" 4", logprob=math.log(tokens[" 4"]), top_logprobs=tops),
            ]
        )
        return output

    return grader


def test_weighted_grade_uses_log_probabilities() -> None:
    scorer = dimension_without_list(weighted=True)
    score = only(judged(scorer, sure({" 4": 0.6, " 5": 0.2, "3": 0.1, " 9": 0.05, "the": 0.05})))
    assert score.value == pytest.approx((4 * 0.6 + 5 * 0.2 + 3 * 0.1) / 0.9) and score.metadata
    assert score.metadata["judges"][0]["weighing"]["by"] == "logprobs"


@pytest.mark.parametrize("unread", [READ, REST, ""])
def test_fault_counts_are_missing_when_reply_is_unreadable(unread: str) -> None:
    """The replies about what was read, about the whole document, and neither, are unreadable."""

    def grader(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        prompt = messages[0].text
        part = REST if REST in prompt else READ
        reply = "Fine!" if unread in ("", part) else grounded(3, ("The CEO resigned.", "absent"))
        return speak(tagged(reply, messages), 1)

    log = judged(geval_faithfulness(criteria="pinned", context="input", against="both"), grader)
    score = only(log)
    assert score.value == 3 if unread == READ else score.reason == "grader_failed"
    assert "faults" not in (score.metadata or {}) and log.results
    assert "invented" not in log.results.scores[0].metrics
    ((reason,),) = unread_by_judge([score.metadata]).values()
    assert reason and "the last line is not" in reason


@pytest.mark.parametrize(
    ("quotes", "value"),
    [
        (["The dividend goes up", "Revenue was good"], None),
        (["The dividend goes up", "The dividend rises to $0.30 a share."], 4),
        ([], 4),
    ],
)
def test_judge_fails_when_no_quotation_occurs_in_source(
    quotes: list[str], value: float | None
) -> None:
    def grader(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        if "You do not judge yet" not in messages[0].text:
            return speak(tagged(grounded(4), messages), 1)
        listed = [{"statement": "s", "quote": quote} for quote in quotes]
        return speak(json.dumps({"evidence": listed}), 1)

    scorer = geval_faithfulness(criteria="pinned", context="document", max_source_tokens=30)
    score = only(judged(scorer, grader))
    assert score.value == value if value else "none of its quotations" in str(score.explanation)


@pytest.mark.parametrize("own", [math.nan, math.inf, 5000.0, -math.inf, -9999.0])
def test_invalid_log_probabilities_fall_back_to_samples(own: float) -> None:
    calls: list[GenerateConfig] = []

    def odd_grader(messages: list[ChatMessage], *others: Any) -> ModelOutput:
        output = sure({" 4": 0.6, " 1": 0.4})(messages)
        calls.append(others[-1])
        assert output.choices[0].logprobs
        for token in output.choices[0].logprobs.content[-1:]:
            assert token.top_logprobs
            token.top_logprobs[0].logprob = own
        return output

    score = only(judged(dimension_without_list(weighted=True, samples=2), odd_grader))
    assert score.value == 4 and score.metadata
    assert score.metadata["judges"][0]["weighing"]["by"] == "samples"
    assert [config.logprobs for config in calls] == [True, None, None]


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (400, "Unsupported parameter: 'logprobs' is not supported with this model."),
        (400, "top_logprobs must be less than or equal to 5"),
        (403, "You are not allowed to request logprobs from this model"),
        (0, "logprob"),
    ],
)
def test_judge_without_log_probabilities_is_asked_without_them(
    status: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def answer(request: Request) -> Response:
        body = json.loads(request.body)
        asked.append("logprobs" in body or "top_logprobs" in body)
        if asked[-1] and status:
            return as_json({"error": {"message": why, "type": "invalid_request_error"}}, status)
        assert "VERDICT" not in body["messages"][0]["content"]
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": '{"reasoning": "", "verdict": 4}'},
        }
        if asked[-1]:
            choice["logprobs"] = {"content": [{"token": "4", why: None, "top_logprobs": []}]}
        return as_json(
            {
                "id": "c",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [choice],
            }
        )

    with serving(answer) as url, watching():
        grader = get_model(f"openai-api/judge/m{status}-{len(why)}", base_url=url, api_key="k")
        score = only(judged(dimension_without_list(weighted=True, samples=2), grader))
    assert score.value == 4
    assert asked[-3:] == [False] * 3 and len(asked) == (4 if status else 5)


@pytest.mark.parametrize(
    ("high", "tokens", "value"),
    [
        (9, {" 4": 0.6, " 9": 0.2}, (4 * 0.6 + 9 * 0.2) / 0.8),
        (10, {" 4": 0.6, " 1": 0.4}, None),  # the 1 is part of 10, or a 1
    ],
)
def test_log_probabilities_are_used_only_for_single_digit_scores(
    high: int, tokens: dict[str, float], value: float | None
) -> None:
    prompt = ChatMessageUser(content="VERDICT abc123: <score>")
    expected = expectation(sure(tokens)([prompt]), 4, 0, high)
    assert (expected and expected.value) == (value and pytest.approx(value))


def structured(*pieces: str) -> tuple[Any, list[int]]:
    """A grader with JSON output; at the final score's token, 5 is as likely as 4."""
    calls: list[int] = []

    def grader(*_: Any) -> ModelOutput:
        calls.append(1)
        output = speak("".join(pieces), 1)
        output.choices[0].logprobs = Logprobs(
            content=[
                Logprob(
                    token=piece,
                    logprob=-0.1,
                    top_logprobs=[
                        TopLogprob(token=piece.replace("4", grade), logprob=math.log(0.5))
                        for grade in ("45" if pieces[index - 1].endswith('"verdict": ') else "41")
                    ],
                )
                for index, piece in enumerate(pieces)
            ]
        )
        return output

    return grader, calls


REASONING = ('"reasoning": "Coverage: \\"verdict\\": ', "4", '"')


@pytest.mark.parametrize(
    "pieces",
    [
        ("{", *REASONING, ', "verdict": ', "4", "}"),
        ("{", *REASONING, ', "verdict": ', "4}"),
        ("{", '"verdict": ', "4", ", ", *REASONING, "}"),
    ],
)
def test_weighted_grade_uses_score_token_in_json(pieces: tuple[str, ...]) -> None:
    grader, calls = structured(*pieces)
    score = only(judged(dimension_without_list(weighted=True), grader))
    assert score.value == pytest.approx(4.5) and len(calls) == 1


def test_score_inside_longer_token_falls_back_to_samples() -> None:
    grader, calls = structured("{", *REASONING, ', "verdict": 4}')
    score = only(judged(dimension_without_list(weighted=True, samples=2), grader))
    assert score.value == 4 and len(calls) == 3


def test_weighted_grade_falls_back_to_samples_without_log_probabilities() -> None:
    scores = iter([4, 5, 5, 2])
    configs: list[tuple[float | None, int | None]] = []

    def grader(
        messages: list[ChatMessage], __: list[ToolInfo], ___: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        configs.append((config.temperature, config.seed))
        return speak(tagged(f"VERDICT: {next(scores)}", messages), 1)

    score = only(judged(dimension_without_list(weighted=True, samples=3), grader))
    assert score.value == 4 and score.metadata
    assert configs == [(0, 54321), *[(1, None)] * 3]  # a shared seed would give identical samples
    weighing = score.metadata["judges"][0]["weighing"]
    assert weighing["by"] == "samples" and sorted(weighing["details"]) == [2, 5, 5]
    assert score.metadata["judges"][0]["input_tokens"] == 400


def test_unreadable_sampled_replies_are_counted() -> None:
    verdicts = iter(["VERDICT: 4", "VERDICT: 5"])

    def grader(messages: list[ChatMessage], *_: object) -> ModelOutput:
        return speak(tagged(next(verdicts, "I cannot say."), messages), 1)

    score = only(judged(dimension_without_list(weighted=True, samples=3), grader))
    assert score.value == 5 and score.metadata and score.explanation
    assert score.metadata["judges"][0]["weighing"]["unread"] == 2
    assert "Sampled replies that could not be read: 2" in score.explanation
