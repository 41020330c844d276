"""Tests of the fact bank: built with the corpus, rebuilt from other origins, edited by hand."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from inspect_ai.dataset import json_dataset
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.benchmarks._shared.fact_bank import FactRecord, describe_fact, read_bank
from arag_inspect.benchmarks.synthetic import generate_calls
from arag_inspect.corpus import Corpus, open_revision, read_manifest
from arag_inspect.figures import extract_quantities
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.text.sentences import sentences
from arag_inspect.types.sample import SampleMetadata
from tests.benchmarks.ectsum.source import CALLS, KEY, write_source
from tests.commands import call
from tests.logs import samples_of
from tests.scripted import speak, tagged


@pytest.fixture(scope="module")
def ectsum_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("bank")
    out = base / "ectsum-test"
    return prepare_dataset(
        "ectsum", split="test", source=write_source(base / "E"), options=Options(out=out)
    ).folder


@pytest.fixture
def folder(ectsum_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ectsum_folder, tmp_path / "c"))


@pytest.fixture
def synthetic(synthetic_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(synthetic_folder, tmp_path / "s"))


def facts(*arguments: object) -> Result:
    return call("prepare facts", *arguments, code=None)


def facts_by_sample(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return the key facts of each sample."""
    return {
        str(sample.id): [
            fact.model_dump(include={"id", "text"})
            for fact in SampleMetadata.model_validate(sample.metadata).facts
        ]
        for sample in json_dataset(str(folder / "samples.jsonl"))
    }


def rewrite(folder: Path, change: Any) -> None:
    path = folder / "facts.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in change(lines)))


def test_ectsum_key_sentences_become_key_facts(ectsum_folder: Path) -> None:
    bank = {fact.fact_id: fact for fact in read_bank(ectsum_folder)}
    assert list(bank) == [
        "ACME_q1_2021#k01",
        "ACME_q1_2021#k02",
        "ZORG_q4_2020#k01",
        "ZORG_q4_2020#k02",
    ]
    first = bank["ACME_q1_2021#k01"]
    assert first.text == first.sentence == KEY["ACME_q1_2021"][0]
    assert (first.chunk_id, first.origin, first.key) == (0, "key_sentence", True)
    assert [(r["text"], r["unit"], r["metric"]) for r in first.readings] == [
        ("$1.5 billion", "currency", "revenue"),
        ("7.5%", "percent", "revenue"),
    ]
    assert bank["ZORG_q4_2020#k01"].chunk_id == 2 and bank["ZORG_q4_2020#k02"].chunk_id is None
    manifest = read_manifest(ectsum_folder)
    assert manifest.counts["facts"] == manifest.counts["key_facts"] == 4
    assert "facts.jsonl" in manifest.files
    assert [fact["id"] for fact in facts_by_sample(ectsum_folder)["ACME_q1_2021"]] == list(bank)[:2]
    assert facts_by_sample(ectsum_folder)["NOKEY_q2_2020"] == []


def test_synthetic_facts_have_one_reading_and_key_facts_match_reference(
    synthetic_folder: Path,
) -> None:
    bank = read_bank(synthetic_folder)
    corpus = Corpus.open(synthetic_folder)
    samples = {str(s.id): s for s in json_dataset(str(synthetic_folder / "samples.jsonl"))}
    for fact in bank:
        assert fact.origin == "generator" and len(fact.readings) == 1
        assert fact.chunk_id is not None and fact.sentence in corpus.chunk(fact.chunk_id).text
    for doc_id, key_facts in facts_by_sample(synthetic_folder).items():
        own = {fact.fact_id: fact for fact in bank if fact.doc_id == doc_id}
        assert 5 <= len(key_facts) < len(own)
        for key_fact in key_facts:
            number = own[key_fact["id"]].readings[0]["value"]
            assert f"{number:g}" in str(samples[doc_id].target).replace(",", "")


def test_quantities_extracted_from_fact_text_match_typed_facts() -> None:
    unlike: Counter[str] = Counter()
    total = 0
    for spoken in generate_calls(12, 3):
        metrics = {fact.metric for fact in spoken.facts}
        for fact in spoken.facts:
            total += 1
            (quantity,) = (
                f for f in extract_quantities(describe_fact(fact, metrics)) if f.unit != "year"
            )
            unit = {"usd": "currency", "usd_per_share": "per_share"}.get(fact.unit or "", fact.unit)
            assert (quantity.value, quantity.value_high) == (fact.value, fact.value_high)
            assert (quantity.scale, quantity.unit, quantity.basis) == (fact.scale, unit, fact.basis)
            unlike["status"] += (quantity.status or "actual") != fact.status
            unlike["period"] += str(quantity.period) != fact.period.replace("_", " ")
            unlike["direction"] += quantity.direction != fact.direction
    assert unlike["status"] == 0 and unlike.total() < 0.05 * total


def test_reference_facts_are_scored_and_key_sentences_are_kept(folder: Path) -> None:
    result = facts(folder, "--origin", "reference")
    assert result.exit_code == 0, result.output
    assert "reference           6 facts, 6 key  <- summaries are scored on these" in result.output
    assert [fact["text"] for fact in facts_by_sample(folder)["NOKEY_q2_2020"]] == [
        "q1 revenue $1.5 billion.",
        "eps up.",
    ]
    Corpus.open(folder)  # checks every digest
    before = (folder / "facts.jsonl").read_bytes()
    facts(folder, "--origin", "key_sentences")
    assert facts_by_sample(folder)["ACME_q1_2021"][0]["id"] == "ACME_q1_2021#k01"
    assert (folder / "facts.jsonl").read_bytes() == before
    assert Counter(fact.origin for fact in read_bank(folder)) == {"key_sentence": 4, "reference": 6}


@modelapi(name="lister")
def lister() -> type[ModelAPI]:
    """A grader that lists a text's sentences; those with a figure are vital."""

    class Lister(ModelAPI):
        async def generate(self, input: Any, *args: Any, **kwargs: Any) -> ModelOutput:
            text = re.findall(r"<source>\n(.+?)\n</source>", input[0].text, re.DOTALL)[0]
            facts = [
                {
                    "description": sentence,
                    "type": "",
                    "importance": "vital" if re.search(r"\d", sentence) else "okay",
                }
                for sentence in sentences(text)
            ]
            return speak(tagged("VERDICT: " + json.dumps({"facts": facts}), input), 1)

    return Lister


def test_grader_lists_facts_once_and_retries_failed_documents(folder: Path, logs: Path) -> None:
    result = facts(folder, "--origin", "grader", "--model", "lister/model", "--log-dir", logs)
    assert result.exit_code == 0, result.output
    bank = [fact for fact in read_bank(folder) if fact.origin == "grader"]
    assert {fact.doc_id for fact in bank} == set(CALLS)
    assert all(fact.text in CALLS[fact.doc_id] and fact.chunk_id is not None for fact in bank)
    vital = {fact.text for fact in bank if fact.importance == "vital"}
    assert vital == {fact.text for fact in bank if any(map(str.isdigit, fact.text))}
    assert f"{len(vital)} vital  <- summaries are scored" in result.output
    assert read_manifest(folder).counts["grader_facts"] == len(bank)
    (info,) = list_eval_logs(str(logs))
    log = read_eval_log(info)
    assert log.eval.model == "lister/model" and log.stats.model_usage
    rewrite(folder, lambda lines: [line for line in lines if line["doc_id"] != "ZORG_q4_2020"])
    second_logs = logs / "again"
    facts(folder, "--origin", "grader", "--model", "lister/model", "--log-dir", second_logs)
    (info,) = list_eval_logs(str(second_logs))
    assert [str(sample.id) for sample in samples_of(read_eval_log(info))] == ["ZORG_q4_2020#1"]
    with pytest.raises(InputError, match="entries edited by hand or listed by a grader"):
        source, options = write_source(folder.parent / "E"), Options(out=folder)
        prepare_dataset("ectsum", split="test", source=source, options=options)


def test_unreadable_grader_replies_leave_bank_unchanged_and_are_reported(
    folder: Path, logs: Path
) -> None:
    result = facts(folder, "--origin", "grader", "--model", "mockllm/model", "--log-dir", logs)
    assert result.exit_code == 1
    assert "3 documents without facts (ACME_q1_2021" in result.output
    assert {fact.origin for fact in read_bank(folder)} == {"key_sentence"}


def test_hand_edits_are_reported_adopted_and_never_overwritten(folder: Path) -> None:
    def edit(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        lines[0] |= {"text": "revenue was $9 million", "importance": "vital"}
        added_by_hand = {
            "fact_id": "mine",
            "doc_id": "NOKEY_q2_2020",
            "text": "a quiet quarter",
            "origin": "key_sentence",
        }
        return [lines[0], lines[1], lines[2], added_by_hand]

    rewrite(folder, edit)
    with pytest.raises(InputError, match="has changed.*settle it with: arag-inspect prepare facts"):
        Corpus.open(folder)
    result = facts(folder)
    assert result.exit_code == 0, result.output
    assert "facts.jsonl was edited: 3 facts" in result.output
    Corpus.open(folder)
    bank = {fact.fact_id: fact for fact in read_bank(folder)}
    assert all(fact.edited for fact in bank.values())
    assert [r["text"] for r in bank["ACME_q1_2021#k01"].readings] == ["$9 million"]
    assert bank["ACME_q1_2021#k01"].sentence == KEY["ACME_q1_2021"][0]
    assert bank["mine"].sentence == "a quiet quarter"
    assert facts_by_sample(folder)["NOKEY_q2_2020"] == [{"id": "mine", "text": "a quiet quarter"}]
    assert facts_by_sample(folder)["ACME_q1_2021"][0]["text"] == "revenue was $9 million"
    assert bank["ACME_q1_2021#k01"].importance == "vital"
    assert '"importance": "vital"' in (folder / "samples.jsonl").read_text()
    assert read_manifest(folder).counts["edited_facts"] == 4
    before = (folder / "facts.jsonl").read_bytes()
    assert facts(folder, "--origin", "key_sentences", "--overwrite").exit_code == 0
    assert (folder / "facts.jsonl").read_bytes() == before
    assert "was edited" not in facts(folder).output


@pytest.mark.parametrize(
    ("damage", "arguments", "message"),
    [
        (lambda f: (f / "facts.jsonl").write_text("\n"), [],
         "has no facts; restore it, or prepare the corpus again"),
        (lambda f: shutil.rmtree(f), [], "no prepared corpus at"),
        (lambda f: _append(f, "{bad"), [], "facts.jsonl is damaged after row 4"),
        (lambda f: _append(f, '{"fact_id": "x"}'), [],
         "row 5: doc_id: Field required; it has fact_id; correct"),
        (lambda f: _append(f, _line("ACME_q1_2021#k01", "ACME_q1_2021")), [],
         "row 5: id 'ACME_q1_2021#k01' occurs twice"),
        (lambda f: _append(f, _line("x", "NOBODY")), [],
         "x is of document 'NOBODY', which the corpus does not have"),
        (lambda f: (f / "samples.jsonl").write_text("{}"), [],
         "samples.jsonl has changed since it was prepared"),
        (lambda f: None, ["--origin", "generator"], "only generated documents"),
        (lambda f: _without_bank(f), ["--origin", "key_sentences"],
         "without facts of key sentences; choose another --origin"),
    ],
)  # fmt: skip
def test_facts_command_reports_bad_input_in_one_line(
    folder: Path, damage: Any, arguments: list[str], message: str
) -> None:
    damage(folder)
    path = folder / "facts.jsonl"
    before = path.read_bytes() if path.is_file() else b""
    result = facts(folder, *arguments)
    assert result.exit_code == 1 and message in result.output
    assert result.output.strip().splitlines()[-1].startswith("Error: ")
    assert not path.is_file() or path.read_bytes() == before


def test_facts_command_rejects_corpus_without_references_or_summaries(folder: Path) -> None:
    _set_sample(folder, lambda sample: sample | {"target": ""})
    assert (
        "has no references; choose another --origin"
        in facts(folder, "--origin", "reference").output
    )
    _set_sample(folder, lambda sample: sample | {"metadata": {**sample["metadata"], "style": "qa"}})
    assert "no samples that summarise a document" in facts(folder).output


def test_task_metadata_has_bank_digest_and_samples_have_facts(synthetic: Path) -> None:
    task = earnings_synthetic(corpus=str(synthetic), scorers="no_grader")
    assert task.metadata is not None
    digest = read_manifest(synthetic).files["facts.jsonl"]
    assert task.metadata["corpus"]["facts_sha256"] == digest
    assert all(len((sample.metadata or {})["facts"]) >= 5 for sample in task.dataset)


def test_prepare_refuses_to_overwrite_edited_fact_bank(synthetic: Path) -> None:
    rewrite(synthetic, lambda lines: lines[1:])
    with pytest.raises(InputError, match="entries edited by hand"):
        prepare_dataset("synthetic", documents=1, options=Options(out=synthetic))


def _without_bank(folder: Path) -> None:
    """Remove the bank, as if the folder had been prepared without one."""
    manifest = read_manifest(folder)
    files = {name: digest for name, digest in manifest.files.items() if name != "facts.jsonl"}
    (folder / "facts.jsonl").unlink()
    (folder / "manifest.json").write_text(
        manifest.model_copy(update={"files": files}).model_dump_json()
    )


def _append(folder: Path, line: str) -> None:
    with (folder / "facts.jsonl").open("a") as file:
        file.write(line + "\n")


def _line(fact_id: str, doc_id: str) -> str:
    fact = FactRecord(fact_id=fact_id, doc_id=doc_id, text="t", origin="key_sentence")
    return fact.model_dump_json(exclude_defaults=True)


def _set_sample(folder: Path, change: Any) -> None:
    """Change the samples, as if the folder had been prepared with them."""
    path = folder / "samples.jsonl"
    lines = [change(json.loads(line)) for line in path.read_text().splitlines()]
    with open_revision(folder) as revision:
        revision.write({"samples.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines)}, {})
