"""Judges held to a JSON form: people read prose, and quotations are read from the fields."""

import json
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.json_reply import prose
from arag_inspect.report import make_report, read_runs
from arag_inspect.report.render.markdown import to_markdown
from arag_inspect.report.render.page.data import benchmark_data
from arag_inspect.scorers import (
    error_taxonomy,
    factual_consistency,
    geval_coverage,
    geval_faithfulness,
    llm_accuracy,
    severity_judge,
)
from tests.scorers.cases import Case, Ran, run_cases

SOURCE = (
    "Revenue was $4.2 billion, up 7.5%. Costs were $1.1 billion and $0.9 billion in the halves."
)
TRUE, FALSE = "Revenue was $4.2 billion", "profits doubled in Asia"
FAITHFUL, COVERS = "**faithfulness**", "**coverage**"


def _verdict(reasoning: str, score: int = 2, **more: Any) -> str:
    criteria = [{"name": "Figures", "reasoning": reasoning, "score": score}]
    return json.dumps({"criteria": criteria, **more, "final_score": score}, indent=2)


JSON: dict[str, str | list[str]] = {
    FAITHFUL: _verdict(
        f'The source says "{TRUE}",\nbut "{FALSE}" stands nowhere.',
        unsupported=[{"statement": "Costs came to nothing.", "kind": "absent"}],
    ),
    COVERS: f"```json\n{_verdict('Nothing is told.', 1)}\n```",
    "Code X: what earns it": '{"codes": [{"code": "O", "reason": "no \\"guidance for 2022\\""}]}',
    "Worst error: the gravest": json.dumps(
        {
            "errors": [{"severity": 2, "error": "It invents costs."}],
            "worst_error": "invented costs",
            "final_score": 2,
        }
    ),
    "CORRECT, INCORRECT or REFUSAL": '{"reasoning": "It is another figure.", "verdict": "INCORRECT"}',
    "supported, contradicted or not_found": json.dumps(
        {
            "reasoning": "They add up.",
            "quote": "Costs were $1.1 billion and $0.9 billion in the halves.",
            "verdict": "supported",
        }
    ),
}
SHOWN = {
    "geval_faithfulness": (
        "Criteria:\n- Name: Figures\n"
        f'  Reasoning: The source says "{TRUE}",\nbut "{FALSE}" stands nowhere.\n  Score: 2\n'
        "Unsupported:\n- Statement: Costs came to nothing.\n  Kind: absent\nFinal score: 2"
    ),
    "geval_coverage": (
        "Criteria:\n- Name: Figures\n  Reasoning: Nothing is told.\n  Score: 1\nFinal score: 1"
    ),
    "severity_judge": (
        "Errors:\n- Severity: 2\n  Error: It invents costs.\nWorst error: invented costs\n"
        "Final score: 2"
    ),
    "llm_accuracy": "Reasoning: It is another figure.\nVerdict: INCORRECT",
}
"""What people read of each reply."""


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
def test_explanations_are_prose(ran: Ran, scorer: str) -> None:
    explanation = str(ran.score("one", scorer).explanation)
    assert explanation.startswith(SHOWN[scorer])


def test_the_quotations_of_the_fields_are_checked(ran: Ran) -> None:
    score = ran.score("one", "geval_faithfulness")
    (judge,) = (score.metadata or {})["judges"]
    assert judge["quotes"] == [{"text": TRUE, "stands": True}, {"text": FALSE, "stands": False}]
    notes = [line for line in str(score.explanation).split("\n") if line.startswith("Quoted, but")]
    assert notes == [f"Quoted, but not found in the material: “{FALSE}”"]
    assert judge["unsupported"] == [{"statement": "Costs came to nothing.", "kind": "absent"}]
    assert judge["criteria"][0]["name"] == "Figures" and judge["raw"] == [JSON[FAITHFUL]]


def test_the_next_judge_reads_prose(ran: Ran) -> None:
    (prompt,) = ran.prompts("one", "Code X: what earns it")
    assert "Reasoning: Nothing is told." in prompt and '"final_score"' not in prompt
    codes = (ran.score("one", "error_taxonomy").metadata or {})["codes"]
    assert codes == {"O": 'no "guidance for 2022"'}


def test_a_claim_is_settled_by_the_quotation_of_its_field(ran: Ran) -> None:
    (claim,) = (ran.score("one", "factual_consistency").metadata or {})["claims"]
    assert (claim["verdict"], claim["by"]) == ("supported", "judge")


def test_the_report_shows_prose(ran: Ran, folder: Path) -> None:
    report = make_report(read_runs([folder]))
    (one,) = report.benchmarks
    (answer,) = benchmark_data(one.benchmark)["samples"][0]["answers"]
    told = {entry["scorer"]: entry["reasoning"] for entry in answer["judgements"]}
    assert {scorer: told[scorer] for scorer in SHOWN} == SHOWN
    assert "final_score" not in to_markdown(report)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Final score: 4", "Final score: 4"),
        ('The text says {"final_score": 5}.', 'The text says {"final_score": 5}.'),
        ('I weigh.\n```json\n{"final_score": 4,}\n```', "I weigh.\n\nFinal score: 4"),
        ('{"a": {"b": null, "c": [1, "x"]}, "d": [], "e": true}',
         "A:\n- B: none\n  C:\n  - 1\n  - x\nD: none\nE: yes"),
        ('{"a":' * 400 + "1" + "}" * 400, None),
        ("{", "{"),
        ("", ""),
    ],
)  # fmt: skip
def test_prose(reply: str, text: str | None) -> None:
    assert prose(reply) == text or (text is None and prose(reply))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_another_system_are_read(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path))
    says: dict[str, str | list[str]] = {
        FAITHFUL: 'Criterion 1 (Figures): poor. Score: 2\nUnsupported (absent): "Costs came"\nFinal score: 2\n',
        COVERS: "Nothing.\nFinal score: 1\n",
        "Code X: what earns it": "I see one.\nCode O: no guidance\n",
        "Worst error: the gravest": "Worst error: costs\nFinal score: 2\n",
        "CORRECT, INCORRECT or REFUSAL": "Reasoning: no.\nVerdict: INCORRECT\n",
        "supported, contradicted or not_found": (
            "Reasoning: sum.\nQuote: Costs were $1.1 billion and $0.9 billion in the halves.\n"
            "Verdict: supported\n"
        ),
    }
    sent = {phrase: str(reply).replace("\n", end) for phrase, reply in says.items()}
    ran = run_cases(
        {"one": Case(answer="Costs came to $2.0 billion in total.", says=sent, source=SOURCE)},
        [
            geval_faithfulness(criteria="pinned", context="input"),
            geval_coverage(criteria="pinned"),
            error_taxonomy(context="input"),
            severity_judge(context="input"),
            llm_accuracy(),
            factual_consistency(context="input"),
        ],
    )
    assert len(ran.asked["one"]) == 6  # nothing is asked for once more
    faithful = ran.score("one", "geval_faithfulness")
    (judge,) = (faithful.metadata or {})["judges"]
    assert faithful.value == 2 and judge["criteria"][0]["score"] == 2
    assert judge["unsupported"] == [{"statement": "Costs came", "kind": "absent"}]
    assert (ran.score("one", "error_taxonomy").metadata or {})["codes"] == {"O": "no guidance"}
    assert ran.score("one", "severity_judge").value == 0.4
    assert dict(ran.score("one", "llm_accuracy").value)["incorrect"] == 1  # type: ignore[arg-type]
    assert dict(ran.score("one", "factual_consistency").value)["verified"] == 1  # type: ignore[arg-type]
