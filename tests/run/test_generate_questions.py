"""Tests of question generation with a Messages API that makes typical model mistakes."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import Model, get_model

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.benchmarks._shared.written_questions import QuestionType
from arag_inspect.corpus import Corpus
from arag_inspect.run.annotate.generate_questions import GeneratedQuestions, generate_questions
from arag_inspect.tasks import custom
from arag_inspect.types.trace import RetrievalTrace
from tests.commands import call
from tests.scripted import STEADY, run, scores
from tests.serving import Request, Response, as_error, as_message, serving

COMPANIES = ("Zorg", "Blim", "Quax")
REGIONS = range(1, 13)
SALE = re.compile(r"(?P<who>\w+) sold (?P<n>\d{4}) pumps in region (?P<region>\d+)")
PASSAGE = re.compile(r"<passage [^>]*>\n(.*?)\n</passage>", re.S)


def sold(company: str, region: int) -> str:
    return str(1000 + 100 * COMPANIES.index(company) + region)


def sentence(company: str, region: int) -> str:
    fact_text = (
        f"{company} sold {sold(company, region)} pumps in region {region} during 2021, which was "
    )
    return fact_text + "a good result for such a small place with so few customers."


class Writer:
    """Writes, answers and judges by rule; its mistake depends on company and region.

    Each document has four passages, which start at regions 1, 4, 7 and 10.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.broken = False
        self.judges = True

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.body)
        self.asked += 1
        if self.broken:
            return as_error(400, "invalid_request_error", "no")
        return as_message(request, self.reply(body["messages"]))

    def reply(self, messages: Sequence[dict[str, Any]]) -> str:
        texts = [
            one["content"] if isinstance(one["content"], str) else one["content"][0]["text"]
            for one in messages
        ]
        asks_for_verdict = "Then give the `verdict`" in texts[0]
        if "You write a test question" in texts[0]:
            draft = self.draft(texts[0], mended=len(messages) > 1)
            return json.dumps({"reasoning": "Here it is.", "verdict": draft})
        if asks_for_verdict:
            verdict = {"reasoning": "Compared.", "verdict": self.verdict(texts[0])}
            return json.dumps(verdict) if self.judges else "Hm."
        return self.answer(texts[0])

    def draft(self, prompt: str, mended: bool) -> dict[str, Any]:
        kind = re.search(r"of the type `(\w+)`", prompt)
        assert kind
        firsts = [match for text in PASSAGE.findall(prompt) if (match := SALE.match(text))]
        who, region = firsts[0]["who"], int(firsts[0]["region"])
        quotes = [sentence(one["who"], int(one["region"])) for one in firsts]
        if kind[1] == "unanswerable":
            return {"question": f"How many boats has {who}?", "answer": "-", "evidence": []}
        if kind[1] == "single":
            if region == 4 or (region == 10 and not mended):
                quotes = [quotes[0].replace("small place", "big place")]
            region = 10 if who == "Blim" and region == 1 else region  # asks the same question twice
        places = " and ".join(f"{one['who']} in region {one['region']}" for one in firsts)
        if kind[1] == "single":
            places = f"{who} in region {region}"
        answer = " and ".join(one["n"] for one in firsts)
        spread = [quote.replace(" ", "  ") for quote in quotes]
        return {"question": f"How many pumps: {places}?", "answer": answer, "evidence": spread}

    def answer(self, request: str) -> str:
        if "boats" in request:
            return "It has 3." if "has Blim" in request else "The documents do not say."
        if "<passage" not in request:
            known = re.search(r"(\w+) in region 7\?", request)
            return sold(known[1], 7) if known else "I do not know."
        if request.endswith("How many pumps: Quax in region 1?"):
            return "Many."
        return " and ".join(match["n"] for match in SALE.finditer(request))

    def verdict(self, prompt: str) -> str:
        gold, answer = (
            re.findall(rf"<{tag}>\n(.*?)\n</{tag}>", prompt)[0] for tag in ("gold", "answer")
        )
        if gold == answer or (
            (wanted := set(re.findall(r"\d+", gold))) and wanted <= set(re.findall(r"\d+", answer))
        ):
            return "CORRECT"
        return "REFUSAL" if "not" in answer else "INCORRECT"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own") / "reports"
    folder.mkdir()
    for company in COMPANIES:
        lines = [sentence(company, region) for region in REGIONS]
        (folder / f"{company}.txt").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def pumps(documents: Path) -> Path:
    """Twelve chunks: four passages of three sentences for each of three companies."""
    questions = documents.with_name("none.jsonl")
    questions.write_text('{"id": "none", "question": "-", "answer": "-"}\n')
    out = documents.with_name("pumps")
    prepare_dataset(
        "custom",
        documents=documents,
        questions=questions,
        name="pumps",
        options=Options(out=out, chunk_tokens=96),
    )
    assert [SALE.match(Corpus.open(out).chunk(i).text)["region"] for i in range(12)] == [  # type: ignore[index]
        "1", "4", "7", "10",
    ] * 3  # fmt: skip
    return out


@pytest.fixture(scope="module")
def writer() -> Writer:
    return Writer()


@pytest.fixture(scope="module")
def model(writer: Writer) -> Iterator[Model]:
    with serving(writer) as url:
        yield get_model("anthropic/claude-sonnet-4-6", base_url=url, api_key="none", memoize=False)


def generate(
    pumps: Path, model: Model | str, out: Path, n: int, *types: QuestionType, **more: Any
) -> GeneratedQuestions:
    log_dir = str(out.with_name("logs"))
    return generate_questions(str(pumps), model, n=n, types=types, out=out, log_dir=log_dir, **more)


def rows(folder: Path, name: str = "questions.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_invalid_questions_are_dropped_and_counted(
    pumps: Path, model: Model, writer: Writer, tmp_path: Path
) -> None:
    result = generate(pumps, model, tmp_path / "q", 12, "single")
    assert result.outcomes == {
        "single": {"kept": 4, "not_verbatim": 3, "known": 3, "not_answered": 1, "duplicate": 1}
    }
    kept = rows(tmp_path / "q")
    assert {row["answer"] for row in kept} >= {sold("Zorg", 1), sold("Zorg", 10), sold("Quax", 10)}
    assert len(kept) == result.kept == 4
    for row in kept:  # the model's extra spaces are removed
        assert row["evidence"][0] in (pumps.with_name("reports") / row["doc_ids"][0]).read_text()
    asked = writer.asked
    regenerated = generate(pumps, model, tmp_path / "q", 12, "single")
    assert writer.asked == asked and regenerated.outcomes == result.outcomes


@pytest.mark.parametrize("kind", ["single", "summary", "unanswerable"])
def test_question_is_unusable_when_answer_cannot_be_judged(
    kind: QuestionType, pumps: Path, tmp_path: Path
) -> None:
    silent = Writer()
    silent.judges = False
    with serving(silent) as url:
        own = get_model("anthropic/claude-sonnet-4-6", base_url=url, api_key="k", memoize=False)
        result = generate(pumps, own, tmp_path / "q", 1, kind)
    assert result.outcomes[kind].keys() <= {"unusable", "not_verbatim"}
    reasons = [row["reason"] for row in rows(tmp_path / "q", "candidates.jsonl")]
    assert any("could not be judged: " in reason for reason in reasons), reasons


def test_question_types_are_balanced_and_run_as_task(
    pumps: Path, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    types: tuple[QuestionType, ...] = ("multi", "summary", "comparison", "unanswerable")
    result = generate(pumps, model, tmp_path / "q", 11, *types)
    assert result.wanted == {"multi": 3, "summary": 3, "comparison": 3, "unanswerable": 2}
    assert {name: found["kept"] for name, found in result.outcomes.items()} == result.wanted
    kept = rows(tmp_path / "q")
    for kind in ("multi", "summary"):  # every document gets a question before any gets a second
        about = Counter(row["doc_ids"][0] for row in kept if row["question_type"] == kind)
        assert set(about.values()) == {1}
    documents = {row["id"]: len(row["doc_ids"]) for row in kept}
    assert all(n == 2 for name, n in documents.items() if name.startswith("comparison"))
    assert {row["doc_ids"][0] for row in kept if not row["evidence"]} == {"Zorg.txt", "Quax.txt"}

    line = f"prepare custom --corpus {pumps} --questions q/questions.jsonl --name mine"
    call(line)
    prepared = Corpus.open(tmp_path / "datasets" / "mine")
    source = Corpus.open(pumps)
    assert [prepared.chunk(i) for i in range(12)] == [source.chunk(i) for i in range(12)]
    counts = prepared.manifest.counts
    assert (
        counts["aligned_exact"] == counts["evidence"] == sum(len(row["evidence"]) for row in kept)
    )
    task = custom(corpus="mine", system="naive_rag", scorers="abstention,retrieval_pr")
    log = run(task, "offline/extractive", model_roles={"grader": STEADY})
    assert log.status == "success" and log.samples
    wrong = [value["wrong"] for value in scores(log, "abstention")]
    assert sum(one == 0 for one in wrong) == 9  # the extractive baseline never abstains
    assert all(sample.store_as(RetrievalTrace).passages for sample in log.samples)


def test_rejected_question_is_replaced(pumps: Path, model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "q"
    generate(pumps, model, folder, 2, "summary")
    table = folder / "spot_check.csv"
    (row,) = csv.DictReader(table.open())
    table.write_text(f"id,mark\n{row['id']},reject\n")
    result = generate(pumps, model, folder, 2, "summary")
    assert result.outcomes == {"summary": {"kept": 2, "rejected": 1}}
    assert len(rows(folder)) == 2 and row["id"] not in {one["id"] for one in rows(folder)}
    assert row["id"] in {
        one["id"] for one in csv.DictReader(table.open()) if one["mark"] == "reject"
    }


def test_failed_generation_keeps_earlier_questions(
    pumps: Path, model: Model, writer: Writer, tmp_path: Path
) -> None:
    folder = tmp_path / "q"
    generate(pumps, model, folder, 2, "summary")
    before = rows(folder, "candidates.jsonl")
    writer.broken = True
    try:
        result = generate(pumps, model, folder, 4, "summary")
        with pytest.raises(InputError, match="no reply for multi-"):
            generate(pumps, model, tmp_path / "new", 2, "multi")
    finally:
        writer.broken = False
    assert result.kept == 2 and result.failed and "400" in next(iter(result.failed.values()))
    assert rows(folder, "candidates.jsonl") == before
    assert generate(pumps, model, folder, 4, "summary").kept == 4


def test_generation_rejects_changed_settings(pumps: Path, model: Model, tmp_path: Path) -> None:
    generate(pumps, model, tmp_path / "q", 1, "single")
    with pytest.raises(InputError, match="another model, corpus, seed"):
        generate(pumps, model, tmp_path / "q", 1, "single", seed=8)


def test_questions_from_folder_are_prepared_by_printed_command(
    documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    line = f"prepare questions {documents} --model anthropic/claude-that-writes-questions -n 2 -o q"
    with serving(Writer()) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        result = call(line, "--types", "single,unanswerable")
    assert "single: 1 wanted, 1 written: kept 1" in result.output
    assert "unanswerable: 1 wanted, " in result.output
    next_line = re.search(r"Next: +(arag-inspect prepare custom .*)", result.output)
    assert next_line
    call(*next_line[1].split()[1:])
    log = run(
        custom(corpus="mine", system="naive_rag", scorers="contain_match"), "offline/extractive"
    )
    assert scores(log, "contain_match")[0] == 1


def test_prepare_questions_fails_when_no_question_is_kept(
    pumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    silent = Writer()
    silent.judges = False
    line = (
        "prepare questions --model anthropic/claude-that-judges-nothing --types unanswerable -n 1"
    )
    with serving(silent) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        assert "no question was kept" in call(line, pumps, "-o", "q", code=1).output
