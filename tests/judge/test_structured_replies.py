"""Tests of judges with JSON output: logs show prose, and quotations come from the fields."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ModelOutput, get_model

from arag_inspect.models.call_monitor import watching
from arag_inspect.report import frames, make_report
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.page.data import study_data
from arag_inspect.scorers import (
    error_taxonomy,
    factual_consistency,
    geval_coverage,
    geval_faithfulness,
    llm_accuracy,
    severity_judge,
)
from arag_inspect.text.replies import prose, read_json
from tests.measures.cases import Case, Ran, run_cases
from tests.scripted import Script, run, scores, scripted, speak

SOURCE = (
    "Revenue was $4.2 billion, up 7.5%. Costs were $1.1 billion in the first half. "
    "The second half added $0.9 billion."
)
TRUE, FALSE = "Revenue was $4.2 billion", "profits doubled in Asia"
CODES, CLAIM = "error_taxonomy codes", "factual_consistency figures"


def _verdict(reasoning: str, verdict: Any) -> str:
    return json.dumps({"reasoning": reasoning, "verdict": verdict}, indent=2)


QUOTING = f'The source says "{TRUE}",\nbut "{FALSE}" stands nowhere.'
JSON: dict[str, str | list[str]] = {
    "geval_faithfulness": _verdict(
        QUOTING,
        {"statements": [{"text": "Costs came to nothing.", "verdict": "absent"}], "score": 2},
    ),
    "geval_coverage": _verdict("Nothing is told.", {"items": [], "score": 1}),
    CODES: _verdict('There is no "guidance for 2022".', ["O"]),
    "severity_judge": _verdict("It invents costs.", 2),
    "llm_accuracy": _verdict("It is another figure.", "INCORRECT"),
    CLAIM: _verdict(
        "They add up.",
        {
            "outcome": "supported",
            "quote": "Costs were $1.1 billion in the first half.",
        },
    ),
}
SHOWN = {
    "geval_faithfulness": (
        f"Reasoning: {QUOTING}\nVerdict:\n- Statements:\n  - Text: Costs came to nothing.\n"
        "    Verdict: absent\n  Score: 2"
    ),
    "geval_coverage": "Reasoning: Nothing is told.\nVerdict:\n- Items: none\n  Score: 1",
    "severity_judge": "Reasoning: It invents costs.\nVerdict: 2",
    "llm_accuracy": "Reasoning: It is another figure.\nVerdict: INCORRECT",
}
"""The text shown for each reply."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def ran(folder: Path) -> Ran:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSPECT_LOG_DIR", str(folder))
        scorers = [
            geval_faithfulness(criteria="pinned", context="input"),
            geval_coverage(criteria="pinned"),
            error_taxonomy(context="input"),
            severity_judge(context="input"),
            llm_accuracy(),
            factual_consistency(context="input"),
        ]
        case = Case(answer="Costs came to $2.0 billion in total.", says=JSON, source=SOURCE)
        return run_cases({"one": case}, scorers)


@pytest.mark.parametrize("scorer", SHOWN)
def test_structured_verdict_explanation_is_prose(ran: Ran, scorer: str) -> None:
    explanation = str(ran.score("one", scorer).explanation)
    assert explanation.startswith(SHOWN[scorer])


def test_quotations_in_json_fields_are_checked(ran: Ran) -> None:
    score = ran.score("one", "geval_faithfulness")
    (judge,) = (score.metadata or {})["judges"]
    assert judge["quotes"] == [{"text": TRUE, "stands": True}, {"text": FALSE, "stands": False}]
    notes = [line for line in str(score.explanation).split("\n") if line.startswith("Quoted, but")]
    assert notes == [f"Quoted, but not found in the material: “{FALSE}”"]
    assert judge["statements"] == [{"text": "Costs came to nothing.", "verdict": "absent"}]
    assert judge["raw"] == [JSON["geval_faithfulness"]]


def test_later_judge_is_shown_reasoning_as_prose(ran: Ran) -> None:
    (prompt,) = ran.prompts("one", CODES)
    assert "Reasoning: Nothing is told." in prompt and '"verdict": 1' not in prompt
    score = ran.score("one", "error_taxonomy")
    assert (score.metadata or {})["codes"] == {"O": ""}
    assert str(score.explanation).startswith("O omission\n\nReasoning: There is no")


def test_claim_is_settled_by_quotation_in_json_field(ran: Ran) -> None:
    (claim,) = (ran.score("one", "factual_consistency").metadata or {})["claims"]
    assert (claim["verdict"], claim["by"]) == ("supported", "judge")


def test_report_shows_structured_reasoning_as_prose(ran: Ran, folder: Path) -> None:
    report = make_report(frames(folder))
    (benchmark,) = report.studies
    (answer,) = study_data(benchmark.study)["samples"][0]["answers"]
    reasoning_by_scorer = {entry["scorer"]: entry["reasoning"] for entry in answer["judgements"]}
    assert {scorer: reasoning_by_scorer[scorer] for scorer in SHOWN} == SHOWN
    assert '"verdict":' not in to_markdown(report)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Final score: 4", "Final score: 4"),
        ('The text says {"final_score": 5}.', 'The text says {"final_score": 5}.'),
        ("I weigh.\nVERDICT 3f9a1c: 4", "I weigh.\nVerdict: 4"),
        ('{"a": {"b": null, "c": [1, "x"]}, "d": [], "e": true}',
         "A:\n- B: none\n  C:\n  - 1\n  - x\nD: none\nE: yes"),
        ('{"a":' * 400 + "1" + "}" * 400, None),
        ("{", "{"),
        ("", ""),
    ],
)  # fmt: skip
def test_prose_renders_json_and_verdict_lines_and_keeps_other_text(
    reply: str, text: str | None
) -> None:
    assert prose(reply) == text or (text is None and prose(reply))


def test_read_json_extracts_object_from_prose() -> None:
    assert read_json('Here: {"a": [1, 2,],} thanks') == {"a": [1, 2]}
    assert read_json("no braces") is None and read_json("} {") is None and read_json("{[}") is None
    assert read_json('{"a":' * 100_000 + "}") is None  # a model that repeats itself


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_replies_with_other_line_endings_are_read(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path))
    claim = 'Sum.\nVERDICT: {"outcome": "supported",\n"quote": "Costs were $1.1 billion in"}\n'
    says = {"llm_accuracy": "Reasoning: no.\nVERDICT: INCORRECT\n", CLAIM: claim}
    sent = {about: reply.replace("\n", end) for about, reply in says.items()}
    case = Case(answer="Costs came to $2.0 billion in total.", says=sent, source=SOURCE)
    ran = run_cases({"one": case}, [llm_accuracy(), factual_consistency(context="input")])
    assert len(ran.asked["one"]) == 2  # no retries
    assert ran.score("one", "llm_accuracy").as_dict()["incorrect"] == 1
    assert ran.score("one", "factual_consistency").as_dict()["supported"] == 1


class RefusedSettingError(Exception):
    status_code = 400


def test_server_rejecting_settings_is_asked_without_them(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    sent_settings: list[tuple[str, ...]] = []

    def server(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        sent = [name for name in ("response_schema", "seed") if getattr(config, name) is not None]
        sent_settings.append(tuple(sent))
        if sent:
            name = {"response_schema": "response_format"}.get(sent[0], sent[0])
            raise RefusedSettingError(f"{name} is not supported by this model")
        code = re.search(r"^VERDICT ([0-9a-f]{6}):", messages[0].text, re.MULTILINE)
        assert code and config.temperature == 0
        return speak(f"Fine.\nVERDICT {code[1]}: CORRECT", len(sent_settings))

    task = Task(
        dataset=[Sample(input=f"{n}?", target="4") for n in range(3)], scorer=llm_accuracy()
    )
    grader = get_model("mockllm/strict", custom_outputs=server)
    with watching():  # as in `arag-inspect run`: no refusal ends the run
        log = run(task, scripted(Script("4")), model_roles={"grader": grader}, max_samples=1)
    assert log.status == "success", log.error
    assert [value["correct"] for value in scores(log, "llm_accuracy")] == [1, 1, 1]
    assert sent_settings == [("response_schema", "seed"), ("seed",), (), (), ()]
    warnings = [
        record.getMessage() for record in caplog.records if "from now on" in record.getMessage()
    ]
    assert len(warnings) == 2 and "mockllm/strict is asked without seed" in warnings[1]
