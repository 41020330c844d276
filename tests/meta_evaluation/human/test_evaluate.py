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

pytestmark = pytest.mark.usefixtures("logs")
SCORERS = """
from inspect_ai.scorer import Score, mean, scorer

@scorer(metrics=[mean()])
def has_figure(*, wanted="$20"):
    async def score(state, target):
        return Score(value=float(wanted in state.output.completion))
    return score

def no_scorer():
    return 3

@scorer(metrics=[mean()])
def broken():
    raise RuntimeError("weights are missing")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a file of a set and one of scorers."""
    monkeypatch.setattr(agreement, "RESAMPLES", 50)  # intervals are tested in test_agreement.py
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    rows = [
        {
            "id": f"call{call}_{edit}",
            "doc": "Revenue rose 5% to $20 million. Costs fell to $7 million.",
            "summary": f"Revenue rose 5% to ${20 if edit else 30 + call} million.",
            "label": edit,
        }
        for call in range(12)
        for edit in range(2)
    ]
    (tmp_path / "summedits_ectsum.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "own_scorers.py").write_text(SCORERS, encoding="utf-8")
    return tmp_path


def human(name: str, *more: str, out: str = "out.json") -> dict[str, Any]:
    line = ["meta-eval", "human", name, "--source", ".", "-o", out, "--log-dir", "logs", *more]
    ran = CliRunner().invoke(main, line)
    assert ran.exit_code == 0, ran.output
    text = Path(out).read_text(encoding="utf-8")
    return json.loads(text) if out.endswith(".json") else {"text": text}


def statistic(result: dict[str, Any], measure: str, name: str = "auc") -> list[float]:
    return next(row["figures"][name] for row in result["agreements"] if row["measure"] == measure)


def test_a_scorer_is_compared_with_the_labels_once(folder: Path) -> None:
    call = ("summedits", "--scorer", "rouge", "--scorer", "own_scorers:has_figure")
    first = human(*call)
    written = sorted(folder.rglob("*.eval"))
    assert statistic(first, "baseline: numbers found")[0] == 1.0
    assert statistic(first, "has_figure")[0] == 1.0
    markdown = human(*call, out="out.md")["text"]
    assert "published: GPT-4 |" in markdown and "(not a recorded file)" in markdown
    assert human(*call) == first
    assert sorted(folder.rglob("*.eval")) == written
    other = human("summedits", *call[3:], "-S", "own_scorers:has_figure.wanted=$99")
    assert statistic(other, "has_figure")[0] == 0.5
    # a file that was changed is scored again
    Path("own_scorers.py").write_text(SCORERS.replace("wanted in", "wanted not in"))
    assert (
        statistic(human("summedits", "--scorer", "own_scorers.py:has_figure"), "has_figure")[0] == 0
    )


def test_a_limit_takes_labels_of_every_document_before_a_second_of_any(folder: Path) -> None:
    taken = [
        human("summedits", "--limit", limit, "--split", "all")["values"]["baseline: numbers found"]
        for limit in ("4", "12", "14")
    ]
    assert [len(values) for values in taken] == [4, 12, 14]
    assert [len({row[2] for row in values.values()}) for values in taken] == [4, 12, 12]
    assert taken[0].keys() < taken[1].keys() < taken[2].keys()


def test_a_judge_over_the_messages_api_has_a_price(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(request: Request) -> Response:
        asked = str(json.loads(request.body)["messages"])
        code = re.findall(r"VERDICT ([0-9a-f]{6}):", asked)[-1]
        grade = 5 if "$20 million" in asked.rpartition("<summary>")[2] else 1
        return as_message(request, f"I compared.\nVERDICT {code}: {grade}")

    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    with serving(judge) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        call = ("--scorer", "severity_judge", "--limit", "4", "--split", "all")
        result = human("summedits", *call, "--grader", "anthropic/claude-haiku-4-5")
    assert statistic(result, "severity_judge")[0] == 1.0
    # four answers at 1,000 tokens in and 100 out, of $1 and $5 a million
    assert result["dollars"]["severity_judge"] == pytest.approx(4 * 0.0015)


@pytest.mark.parametrize(
    ("name", "scorer", "said"),
    [
        ("nosuch", "rouge", "set 'nosuch' is unknown; choose from"),
        ("wice", "rouge", "has no file of wice; expected claim_"),
        ("summedits", "own_scorers:nosuch", "module 'own_scorers' has no attribute 'nosuch'"),
        ("summedits", "nowhere_at_all:f", "scorer nowhere_at_all:f cannot be imported (ModuleNotF"),
        ("summedits", "own_scorers:no_scorer", "makes no scorer; put Inspect's @scorer"),
        ("summedits", "own_scorers:broken", "cannot be made: weights are missing"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(
    folder: Path, name: str, scorer: str, said: str
) -> None:
    line = ["meta-eval", "human", name, "--source", ".", "--limit", "1", "--scorer", scorer]
    ran = CliRunner().invoke(main, line)
    assert ran.exit_code == 1
    assert said in ran.stderr.splitlines()[-1]


def test_marked_answers_have_kappa(folder: Path) -> None:
    kinds = {
        "It was 1577.": "Correct Answer", "About 1.6 billion.": "Correct Answer",
        "It was 12.": "Incorrect Answer", "1577, or not.": "Incorrect Answer",
        "I cannot say.": "Refusal", "It was 1,577.": "Correct Answer",
    }  # fmt: skip
    question = {"question": "How much?", "answer": 1577}
    rows = [
        question | {"id": f"q{n}", "model_answer": text, "label": label}
        for n, (text, label) in enumerate([*kinds.items()] * 6)
    ]
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    call = ("--scorer", "contain_match", "--split", "all", "--source", "mine.jsonl")
    result = human("financebench", *call)
    assert statistic(result, "contain_match", "agreement")[0] == pytest.approx(24 / 36)
    kappa, low, high = statistic(result, "contain_match", "kappa")
    assert low < kappa < high and kappa == pytest.approx((24 / 36 - 0.5) / 0.5)


def test_the_old_command_names_the_new_one() -> None:
    ran = CliRunner().invoke(main, ["judge-agreement", "results.jsonl"])
    assert ran.exit_code == 1
    assert ran.output.startswith("Error: judge-agreement is now: arag-inspect meta-eval human")
    assert ran.output.count("\n") == 1


SHEET = """
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


def test_a_set_of_ones_own_is_a_file_of_columns(folder: Path) -> None:
    Path("desk.yaml").write_text(SHEET, encoding="utf-8")
    rows = (
        "no,text,mark,call",
        "1,Sales rose to $5.,good,Call 1: sales rose to $5.",
        "2,Sales rose to $5 and $6.,fair,Call 2: sales rose to $5.",
        "3,It rained on $9.,bad,Call 3: sales rose to $5.",
        "4,Sales rose to $5.,Good,Call 4: sales rose to $5.",
    )
    Path("marks.csv").write_text("\n".join(rows), encoding="utf-8")
    result = human("desk.yaml", "--split", "all")
    assert (result["set"]["name"], result["labels"]) == ("desk", 4)
    kendall = statistic(result, "baseline: numbers found", "kendall")
    assert kendall[0] == pytest.approx(1.0)
    for text, said in (
        (SHEET.replace("graded", "stars"), "desk.yaml: kind: Input should be"),
        (SHEET[: SHEET.index("columns")], "give columns"),
        ("- a list", "desk.yaml cannot be read as a datasheet"),
    ):
        Path("desk.yaml").write_text(text, encoding="utf-8")
        ran = CliRunner().invoke(main, ["meta-eval", "human", "desk.yaml", "--source", "."])
        assert ran.exit_code == 1 and said in ran.output
