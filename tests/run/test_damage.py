"""Tests of damaged corpus copies, and of the cost of damage to a system."""

import json
import re
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arag_inspect.corpus import Chunk, Corpus, read_manifest
from arag_inspect.run.damage.damage import absent_figure
from arag_inspect.run.damage.premises import change_year, mentioned_years
from arag_inspect.run.damage.robustness import DAMAGED, INTACT, robustness_table
from arag_inspect.types.sample import SampleMetadata
from tests.commands import call
from tests.report.material import log, sample, scored, write
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("logs")

DOCUMENTS = {
    "acme": "Acme annual report.\n\nRevenue in 2021 was 412 million.\n\nIt sells anvils worldwide.",
    "globex": "Globex annual report.\n\nStaff in 2019 were 260.\n\nIt sells weather machines.",
}
QUESTIONS: list[dict[str, Any]] = TABLES["questions"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared corpus with one chunk per paragraph; the first two questions have gold."""
    folder = tmp_path_factory.mktemp("made")
    chunks = [text for document in DOCUMENTS.values() for text in document.split("\n\n")]
    (folder / "chunks.json").write_text(json.dumps([f"{n}:{c}" for n, c in enumerate(chunks)]))
    questions = [{k: v for k, v in row.items() if k != "doc_ids"} for row in QUESTIONS]
    (folder / "questions.json").write_text(json.dumps(questions))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        call(
            "prepare custom --chunks chunks.json --questions questions.json --name mine --out mine"
        )
    return folder / "mine"


@pytest.fixture(autouse=True)
def corpus_here(made: Path, logs: Path) -> None:
    """A copy of the corpus in the working directory."""
    shutil.copytree(made, "mine")


def samples(folder: str) -> dict[str, dict[str, Any]]:
    lines = Path(folder, "samples.jsonl").read_text().splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def texts(folder: str) -> list[str]:
    corpus = Corpus.open(Path(folder).absolute())
    return [corpus.chunk(number).text for number in range(len(corpus))]


@pytest.mark.parametrize(
    ("decimals", "form"), [(0, "{:,.0f}"), (1, "{:.1f}"), (2, "{:,.2f}0"), (2, "{:.2f} million")]
)
@pytest.mark.parametrize("longest", [3, 4, 5])
def test_planted_figure_is_no_number_of_the_documents(
    decimals: int, form: str, longest: int
) -> None:
    """The documents have every number of up to so many digits."""
    numbers = [form.format(digits / 10**decimals) for digits in range(10**longest)]
    figure = absent_figure([" ".join(numbers)], Random(7))
    digits = re.sub(r"\D", "", figure)
    assert len(digits) == max(4, longest + 1) and not digits.endswith("0")


@pytest.mark.parametrize(
    ("kind", "ids", "touched", "words"),
    [
        ("typos", "abc", 3, 19),  # one word per question
        ("ocr", "abc", 6, 25),  # one word per chunk
        ("false-premise", "ab", 2, 15),  # the year in each question with a year
        ("missing-evidence", "ab", 11, 25),  # the two sentences of evidence
        ("poisoned", "ab", 34, 25),  # 17 words in each of two chunks
    ],
)
def test_damaged_copy_keeps_ids_and_counts_words(
    kind: str, ids: str, touched: int, words: int
) -> None:
    printed = call(f"prepare damage mine --kind {kind} --share 0.05").output
    manifest, copy = read_manifest(Path(f"mine-{kind}").absolute()), samples(f"mine-{kind}")
    assert "".join(copy) == ids
    counts = {"words": words, "words_touched": touched, "damage_seed": 7}
    assert counts.items() <= manifest.counts.items()
    assert manifest.counts["samples_left_out"] == 3 - len(ids)
    assert re.search(rf"words touched +{touched}\n", printed)
    assert (
        manifest.command == f"arag-inspect prepare damage mine --kind {kind} --seed 7 --share 0.05"
    )
    before, intact = samples("mine"), texts("mine")
    is_of_questions = kind in ("typos", "false-premise")
    assert (texts(f"mine-{kind}") == intact) == is_of_questions
    assert all((copy[n]["input"] != before[n]["input"]) == is_of_questions for n in ids)
    if kind != "false-premise":
        assert all(copy[n]["target"] == before[n]["target"] for n in ids)


def test_missing_evidence_removes_gold_and_marks_questions_unanswerable() -> None:
    call("prepare damage mine --kind missing-evidence -o gone")
    assert texts("gone") == [text for text in texts("mine") if " in 20" not in text]
    metadata = [row["metadata"] for row in samples("gone").values()]
    assert [(m["gold_chunk_ids"], m["question_type"]) for m in metadata] == [
        ([], "unanswerable")
    ] * 2


def test_ocr_damage_keeps_gold_figures() -> None:
    call("prepare damage mine --kind ocr --share 1 -o read")
    text = "\n".join(texts("read"))
    assert "2021" in text and "412" in text and "260." in text
    assert not any(word in text for word in ("Revenue", "million", "sells", "annual"))


def test_damage_is_reproducible_by_seed() -> None:
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        call(f"prepare damage mine --kind typos --share 0.5 --seed {seed} -o {name}")
    questions = [
        [row["input"] for row in samples(name).values()] for name in ("one", "again", "two")
    ]
    assert questions[0] == questions[1] != questions[2]


@pytest.mark.parametrize(
    ("about", "question", "damaged"),
    [  # Acme speaks of 2020 and 2021, Globex of 2019, 2026 and 2028, Initech of 2015
        ("Acme", "What was revenue in 2021?", "What was revenue in 2019?"),
        ("Globex", "How did sales grow from 2018 to 2019?",
         "How did sales grow from 2018 to 2020?"),
        ("Globex", "How large is the plan for 2026 to 2028?",
         "How large is the plan for 2026 to 2029?"),
        ("Acme", "What does Acme sell?", "What does Acme sell?"),
    ],
)  # fmt: skip
def test_false_premise_is_supported_by_no_document(about: str, question: str, damaged: str) -> None:
    spoken = {"Acme": "2021 after FY20", "Globex": "2019, 2026 and 2028", "Initech": "2015"}
    years = mentioned_years(
        Chunk(n, name, name, "", "", "", text, 1, ())
        for n, (name, text) in enumerate(spoken.items())
    )
    assert change_year(question, SampleMetadata(company=about), years).text == damaged


def test_damage_is_rejected_when_corpus_has_no_gold() -> None:
    Path("bare.json").write_text(json.dumps([{"question": "What does Acme sell?"}]))
    call("prepare custom --corpus mine --questions bare.json --name bare --out bare")
    for kind in ("poisoned", "missing-evidence"):
        refused = call(f"prepare damage bare --kind {kind}", code=1).output
        assert f"{kind} needs gold evidence, and no question of corpus bare has any" in refused
        assert not Path(f"bare-{kind}").exists()


def test_damage_does_not_replace_undamaged_corpus() -> None:
    before = samples("mine")
    refused = call("prepare damage mine --kind typos --out mine", code=1).output
    assert "mine is not a damaged copy and would be overwritten; use another --out" in refused
    assert samples("mine") == before


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("poisoned", [("Contains", "0.500", "0.500", "0.000"), ("Obeys", "-", "1.000", "-")]),
        ("missing-evidence", [("Contains", "0.500", "0.000", "-0.500")]),
    ],
)
def test_run_reports_cost_of_damage_per_system(kind: str, rows: list[tuple[str, ...]]) -> None:
    """The rule-based writer quotes all chunks' first figures, which answer one question of two."""
    run = "run custom --systems stuffing --model offline/extractive -T corpus=mine"
    printed = call(f"{run} -T scorers=contain_match --damage {kind}").output
    lines = re.findall(r"Stuffing +(\w+)[ a-z]* +2 +(\S+) +(\S+) +(\S+)", printed)
    assert lines == rows
    folder = f"logs/custom-{kind}"
    assert printed.endswith(f"Next: arag-inspect compare {folder}/intact {folder}/damaged\n")


def test_run_rejects_damage_for_task_without_corpus() -> None:
    run = "run perspectives --model offline/extractive --damage typos"
    printed = call(run, code=1).output
    assert "task perspectives has no prepared corpus to damage" in printed


def test_typos_are_compared_with_undamaged_questions() -> None:
    run = "run custom --systems stuffing --model offline/extractive -T corpus=mine"
    printed = call(f"{run} -T scorers=contain_match --damage typos").output
    assert re.search(r"Stuffing +Contains[ a-z]* +3 .* 0\.000 +", printed)
    compared = call("compare logs/custom-typos/intact logs/custom-typos/damaged").output
    assert "questions: 3 of 3 differ" in compared
    assert "other questions under the same ids" not in compared


def test_false_premise_has_no_right_answer() -> None:
    call("prepare damage mine --kind false-premise")
    assert {row["target"] for row in samples("mine-false-premise").values()} == {"NOT IN DOCUMENTS"}
    run = "run custom --systems stuffing --model offline/extractive -T corpus=mine"
    printed = call(f"{run} -T scorers=answer_match --damage false-premise").output
    assert re.search(r"Stuffing +Right answer +2 +0\.500 \S+ \S+ +- +- +-\n", printed)
    assert printed.endswith("Next: arag-inspect report logs/custom-false-premise/damaged\n")


def test_table_warns_that_damage_may_not_reach_own_service() -> None:
    Path("service.py").write_text("async def answer(question):\n    return '412'\n")
    run = "run custom --systems external --model none -T corpus=mine -T scorers=contain_match"
    own = '-T system_args={"target":"service.py:answer"}'
    for kind, is_warned in (("ocr", True), ("typos", False)):
        printed = call(f"{run} {own} --damage {kind}").output
        assert ("show no damage unless the service searches" in printed) is is_warned


def test_n_of_damage_table_counts_questions_with_both_values(tmp_path: Path) -> None:
    for folder, unscored in ((INTACT, (0, 1, 2)), (DAMAGED, (2, 3))):
        samples = [
            sample(n, {} if n in unscored else {"contain_match": scored(1.0, "contain_match")})
            for n in range(8)
        ]
        write(tmp_path / folder, log(samples))
    (row,) = robustness_table(str(tmp_path)).rows
    assert row[2] == 4
