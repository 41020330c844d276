"""The command, end to end, on a small copy in the layout of a set."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arag_inspect.cli.main import main
from arag_inspect.meta_evaluation.human import agreement
from tests.serving import Request, Response, as_message, serving


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are tested in test_agreement.py."""
    monkeypatch.setattr(agreement, "RESAMPLES", 50)


def _copy(folder: Path) -> Path:
    folder.mkdir()
    rows = [
        {
            "id": f"call{call}_{edit}",
            "doc": "Revenue rose 5% to $20 million. Costs fell to $7 million.",
            "summary": "Revenue rose 5% to $20 million."
            if edit % 2
            else f"Revenue rose 5% to ${30 + call} million.",
            "label": edit % 2,
        }
        for call in range(12)
        for edit in range(2)
    ]
    (folder / "summedits_ectsum.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def test_a_scorer_is_held_against_the_labels_once(tmp_path: Path, logs: Path) -> None:
    call = [
        "meta-eval", "human", "summedits", "--source", str(_copy(tmp_path / "copy")),
        "--scorer", "factual_consistency", "-S", "factual_consistency.judge=false",
        "--log-dir", str(logs),
    ]  # fmt: skip
    documents = []
    for name in ("out.json", "again.json", "out.md"):
        ran = CliRunner().invoke(main, [*call, "-o", str(tmp_path / name)], catch_exceptions=False)
        assert ran.exit_code == 0, ran.output
        documents.append((tmp_path / name).read_text(encoding="utf-8"))
        if name == "out.json":
            written = sorted(logs.rglob("*.eval"))
    first, again, markdown = documents
    found = {one["measure"]: one for one in json.loads(first)["agreements"]}
    assert found["baseline: numbers found"]["figures"]["auc"][0] == 1.0
    assert found["factual_consistency.numerical_precision"]["figures"]["auc"][0] == 1.0
    assert "published: GPT-4 |" in markdown and "(not a recorded file)" in markdown
    assert json.loads(again) == json.loads(first)
    assert sorted(logs.rglob("*.eval")) == written


def test_a_limit_takes_labels_of_every_document_before_a_second_of_any(
    tmp_path: Path, logs: Path
) -> None:
    _copy(tmp_path / "copy")
    taken = []
    for limit in ("4", "12", "14"):
        _run(tmp_path, logs, "--limit", limit, "--split", "all")
        document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
        taken.append(document["values"]["baseline: numbers found"])
    assert [len(values) for values in taken] == [4, 12, 14]
    assert [len({row[2] for row in values.values()}) for values in taken] == [4, 12, 12]
    assert taken[0].keys() < taken[1].keys() < taken[2].keys()


def _judge(request: Request) -> Response:
    """Speak the Messages API, and give the best grade to summaries with the source's figure."""
    asked = str(json.loads(request.body)["messages"])
    code = re.findall(r"VERDICT ([0-9a-f]{6}):", asked)[-1]
    grade = 5 if "$20 million" in asked.rpartition("<summary>")[2] else 1
    return as_message(request, f"I compared.\nVERDICT {code}: {grade}")


def test_a_judge_over_the_messages_api_is_held_against_the_labels(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _copy(tmp_path / "copy")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    with serving(_judge) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        call = ["--scorer", "severity_judge", "--limit", "4", "--split", "all"]
        found = _run(tmp_path, logs, *call, "--grader", "anthropic/claude-haiku-4-5")
    assert found["severity_judge"] == 1.0
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    # four answers at 1,000 tokens in and 100 out, of $1 and $5 a million
    assert document["dollars"]["severity_judge"] == pytest.approx(4 * 0.0015)


_SCORER = """
from inspect_ai.scorer import Score, mean, scorer

@scorer(metrics=[mean()], name="{name}")
def has(*, wanted="$20"):
    async def score(state, target):
        return Score(value=float(wanted in state.output.completion))
    return score

def no_scorer():
    return 3

@scorer(metrics=[mean()])
def broken():
    raise RuntimeError("weights are missing")
"""


def _run(tmp_path: Path, logs: Path, *more: str) -> Any:
    out = tmp_path / "out.json"
    call = ["meta-eval", "human", "summedits", "--source", str(tmp_path / "copy"), "-o", str(out)]
    ran = CliRunner().invoke(main, [*call, "--log-dir", str(logs), *more])
    assert ran.exit_code == 0, ran.output
    agreements = json.loads(out.read_text(encoding="utf-8"))["agreements"]
    return {one["measure"]: one["figures"]["auc"][0] for one in agreements}


def test_a_scorer_of_any_file_is_taken(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _copy(tmp_path / "copy")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    mine = Path("strangers_scorers.py")
    mine.write_text(_SCORER.format(name="has_figure"), encoding="utf-8")
    function = "strangers_scorers:has"
    assert _run(tmp_path, logs, "--scorer", function)["has_figure"] == 1.0
    found = _run(tmp_path, logs, "--scorer", function, "-S", f"{function}.wanted=$99")
    assert found["has_figure"] == 0.5
    # a file that was changed is scored again
    mine.write_text(_SCORER.format(name="has_figure").replace("wanted in", "wanted not in"))
    file = f"{mine}:has"
    assert _run(tmp_path, logs, "--scorer", file)["has_figure"] == 0.0


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        ("", "set 'nosuch' is unknown; choose from"),
        ("other_scorers:nosuch", "scorer other_scorers:nosuch: other_scorers has no nosuch"),
        ("nowhere_at_all:f", "scorer nowhere_at_all:f cannot be imported (ModuleNotFoundError"),
        ("other_scorers:no_scorer", "other_scorers:no_scorer makes no scorer; put Inspect's @scorer"),
        ("other_scorers:broken", "cannot be made: weights are missing"),
    ],
)  # fmt: skip
def test_what_is_no_scorer_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scorer: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("other_scorers.py").write_text(_SCORER.format(name="other"), encoding="utf-8")
    call = [
        "meta-eval",
        "human",
        "summedits" if scorer else "nosuch",
        "--source",
        str(_copy(tmp_path / "copy")),
    ]
    ran = CliRunner().invoke(main, [*call, "--scorer", scorer])
    assert ran.exit_code == 1
    assert said in ran.stderr.splitlines()[-1]


def _answers(path: Path) -> Path:
    """Write 36 marked answers, of six kinds."""
    kinds = [
        ("It was 1577.", "Correct Answer"), ("It was 1577.", "Correct Answer"),
        ("About 1.6 billion.", "Correct Answer"), ("It was 12.", "Incorrect Answer"),
        ("1577, or not.", "Incorrect Answer"), ("I cannot say.", "Refusal"),
    ]  # fmt: skip
    rows = [
        {
            "id": f"q{n}",
            "question": "How much?",
            "answer": 1577,
            "model_answer": said,
            "label": label,
        }
        for n, (said, label) in enumerate(kinds * 6)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_of_marked_answers_has_kappa(tmp_path: Path, logs: Path) -> None:
    out = tmp_path / "out.json"
    call = [
        "meta-eval",
        "human",
        "financebench",
        "--source",
        str(_answers(tmp_path / "mine.jsonl")),
    ]
    more = ["--scorer", "contain_match", "--split", "all", "--log-dir", str(logs), "-o", str(out)]
    ran = CliRunner().invoke(main, [*call, *more])
    assert ran.exit_code == 0, ran.output
    agreements = {one["measure"]: one for one in json.loads(out.read_text())["agreements"]}
    found = agreements["contain_match"]
    assert found["figures"]["agreement"][0] == pytest.approx(24 / 36)
    kappa, low, high = found["figures"]["kappa"]
    assert low < kappa < high and kappa == pytest.approx((24 / 36 - 0.5) / 0.5)


def test_the_old_command_names_the_new_one() -> None:
    ran = CliRunner().invoke(main, ["judge-agreement", "results.jsonl"])
    assert ran.exit_code == 1
    assert ran.output.startswith("Error: judge-agreement is now: arag-inspect meta-eval human")
    assert ran.output.count("\n") == 1


_SHEET = """
title: Marks of our desk
origin: our desk
licence: ours
kind: graded
rule: good is 1, fair 0.5, bad 0
files: ["*.csv"]
columns:
  id: "{no}"
  answer: "{text}"
  label: "{mark}"
  labels: {good: 1, fair: 0.5, bad: 0}
  source: "{call}"
"""


def test_a_set_of_ones_own_is_a_file_of_columns(tmp_path: Path, logs: Path) -> None:
    sheet = tmp_path / "desk.yaml"
    sheet.write_text(_SHEET, encoding="utf-8")
    marks = ["good", "fair", "bad", "Good"]
    texts = [
        "Sales rose to $5.",
        "Sales rose to $5 and $6.",
        "It rained on $9.",
        "Sales rose to $5.",
    ]
    rows = [
        f"{n},{text},{mark},Call {n}: sales rose to $5."
        for n, (text, mark) in enumerate(zip(texts, marks, strict=True))
    ]
    (tmp_path / "marks.csv").write_text("\n".join(["no,text,mark,call", *rows]), encoding="utf-8")
    out = tmp_path / "out.json"
    call = ["meta-eval", "human", str(sheet), "--source", str(tmp_path), "--split", "all"]
    ran = CliRunner().invoke(main, [*call, "-o", str(out)])
    assert ran.exit_code == 0, ran.output
    found = json.loads(out.read_text())
    assert (found["set"]["name"], found["labels"]) == ("desk", 4)
    agreements = {one["measure"]: one for one in found["agreements"]}
    assert agreements["baseline: numbers found"]["figures"]["kendall"][0] == pytest.approx(1.0)
    sheet.write_text(_SHEET.replace("kind: graded", "kind: stars"), encoding="utf-8")
    ran = CliRunner().invoke(main, call)
    assert ran.exit_code == 1 and "desk.yaml: kind: Input should be" in ran.output
