"""A judge held against the labels of people, numbers worked out by hand."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arag_inspect._util.errors import InputError
from arag_inspect.cli.main import main
from arag_inspect.workflows.judge_agreement import measure_agreement

ANSWERS = [
    ("It was $1,577 million.", 1577, "Correct Answer"),
    ("1577", 1577.0, "Correct Answer"),
    ("About 1.6 billion.", "1577", "Correct Answer"),
    ("It was 12.", "1577", "Incorrect Answer"),
    ("I cannot say.", "1577", "Refusal"),
    ("1577, or perhaps not.", "1577", "Incorrect Answer"),
]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results.jsonl"
    _write(path, ANSWERS)
    return path


def _write(path: Path, answers: list[tuple[str, object, str]]) -> None:
    records = [
        {"financebench_id": f"id{n}", "question": "How much?", "gold_answer": gold, "model_answer": said, "label": label}
        for n, (said, gold, label) in enumerate(answers)
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def test_agreement_and_kappa(results: Path) -> None:
    found = measure_agreement(results, measure="contain_match")
    assert (found.answers, found.unscored) == (6, 0)
    assert found.confusion == {
        ("Correct Answer", "correct"): 2,
        ("Correct Answer", "incorrect"): 1,
        ("Incorrect Answer", "correct"): 1,
        ("Incorrect Answer", "incorrect"): 1,
        ("Refusal", "incorrect"): 1,
    }
    assert found.agreement == pytest.approx(4 / 6)
    assert found.kappa == pytest.approx((4 / 6 - 0.5) / 0.5)  # each says correct of 3 in 6
    interval = found.kappa_interval()
    assert interval is not None and interval.low < 1 / 3 < interval.high
    assert interval == found.kappa_interval()


def test_command_prints_the_table(results: Path) -> None:
    done = CliRunner().invoke(main, ["judge-agreement", str(results), "--limit", "5"])
    assert done.exit_code == 0, done.output
    assert "judged by llm_accuracy (offline/extractive): 5 answers" in done.output
    assert "Cohen's kappa" in done.output and "Refusal" in done.output


def test_kappa_of_what_never_varies_is_not_defined(results: Path) -> None:
    _write(results, [("1577", "1577", "Correct Answer"), ("so 1577", "1577", "Correct Answer")])
    found = measure_agreement(results, measure="contain_match")
    assert (found.agreement, found.kappa, found.kappa_interval()) == (1.0, None, None)


def test_unknown_label_is_told(results: Path) -> None:
    _write(results, [("1577", "1577", "Perhaps")])
    with pytest.raises(InputError, match=r"results.jsonl, row 1: label 'Perhaps' is unknown"):
        measure_agreement(results)
