"""End-to-end tests of scoring a labelled set, on a small copy."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from measurements.agreement import __main__ as command
from measurements.agreement import agreement
from measurements.agreement.agreement import Figure
from measurements.agreement.evaluate import SetAgreement, evaluate_set, notes
from measurements.agreement.evaluate import agreement as agreement_table

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
    """The working directory, with one file of a labelled set and one of scorers."""
    monkeypatch.setattr(agreement, "RESAMPLES", 50)  # test_agreement.py tests the intervals
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
    (tmp_path / "labelling.py").write_text(SCORERS, encoding="utf-8")
    return tmp_path


def evaluate(name: str, *scorers: str, source: Path = Path(), **options: Any) -> SetAgreement:
    return evaluate_set(name, scorers=scorers, source=source, log_dir="logs", **options)


def statistic(result: SetAgreement, measure: str, name: str = "auc") -> Figure:
    return next(row.figures[name] for row in result.agreements if row.measure == measure)


def test_evaluate_runs_scorer_once_and_compares_with_labels(folder: Path) -> None:
    scorers = ("rouge", "labelling:has_figure")
    first = evaluate("summedits", *scorers, split="test")
    logs = sorted(folder.rglob("*.eval"))
    assert statistic(first, "baseline: numbers found").value == 1.0
    assert statistic(first, "has_figure").value == 1.0
    assert "| published: GPT-4 |" in agreement_table(first).as_markdown()
    assert any("(not a recorded file)" in note for note in notes(first))
    assert evaluate("summedits", *scorers, split="test").agreements == first.agreements
    assert sorted(folder.rglob("*.eval")) == logs
    arguments = {"labelling:has_figure": {"wanted": "$99"}}
    other = evaluate("summedits", "labelling:has_figure", arguments=arguments)
    assert statistic(other, "has_figure").value == 0.5


def test_evaluate_reruns_changed_scorer(folder: Path) -> None:
    path = folder / "labelling.py"
    assert statistic(evaluate("summedits", "labelling.py:has_figure"), "has_figure").value == 1
    path.write_text(SCORERS.replace("wanted in", "wanted not in"))
    assert statistic(evaluate("summedits", "labelling.py:has_figure"), "has_figure").value == 0


def test_limit_draws_one_label_per_document_first(folder: Path) -> None:
    units_by_limit = [evaluate("summedits", limit=limit).units for limit in (4, 12, 14)]
    assert [len(units) for units in units_by_limit] == [4, 12, 14]
    assert [units["group"].nunique() for units in units_by_limit] == [4, 12, 12]
    assert {*units_by_limit[0].index} < {*units_by_limit[1].index} < {*units_by_limit[2].index}


@pytest.mark.parametrize(
    ("name", "scorer", "said"),
    [
        ("wice", "rouge", "has no file of wice; expected claim_"),
        ("summedits", "labelling:nosuch", "labelling has no function 'nosuch'; its functions: "),
        (
            "summedits",
            "nowhere_at_all:f",
            r"scorer nowhere_at_all:f cannot be imported \(ModuleNotF",
        ),
        ("summedits", "labelling:no_scorer", "does not return a scorer; decorate it"),
        ("summedits", "labelling:broken", "cannot be made: weights are missing"),
    ],
)
def test_evaluate_rejects_invalid_input_in_one_line(
    folder: Path, name: str, scorer: str, said: str
) -> None:
    with pytest.raises(InputError, match=said) as refused:
        evaluate(name, scorer, limit=1)
    assert "\n" not in str(refused.value)


def test_evaluate_reports_kappa_for_labelled_answers(folder: Path) -> None:
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
    result = evaluate("financebench", "contain_match", source=Path("mine.jsonl"))
    assert statistic(result, "contain_match", "agreement").value == pytest.approx(24 / 36)
    kappa = statistic(result, "contain_match", "kappa")
    assert kappa.value == pytest.approx((24 / 36 - 0.5) / 0.5)
    assert kappa.low is not None and kappa.high is not None
    assert kappa.low < kappa.value < kappa.high


def test_agreement_command_writes_section_per_label_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = folder / "measurements" / "agreement" / "tables.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Tables\n\n<!-- measured -->\n\n### WiCE, all: 3 labels\n\nEarlier.\n")
    (folder / "summedits").mkdir()
    (folder / "summedits_ectsum.json").rename(folder / "summedits" / "summedits_ectsum.json")
    monkeypatch.setattr(sys, "argv", ["agreement", ".", "--quick", "--limit", "4"])
    monkeypatch.setitem(command.SCORERS, "summedits", ("rouge",))
    command.main()
    text = page.read_text(encoding="utf-8")
    assert text.index("### SummEdits, all: 4 labels") < text.index("### WiCE, all: 3 labels")
    assert "| rouge" in text and "Earlier." in text
