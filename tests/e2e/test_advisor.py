"""Talks with an adviser from the command line to the scores, and talks that a model writes."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.model import ChatMessage, ModelOutput

from arag_inspect._util.errors import InputError
from arag_inspect.cli.main import main
from arag_inspect.corpus import read_manifest
from arag_inspect.datasets.advisor.personas import choose_personas
from arag_inspect.datasets.fact_bank.bank import read_bank
from arag_inspect.tasks import advisor_facts
from arag_inspect.types.client_file.schema import load_schema
from arag_inspect.types.client_file.transcript import Turn, clock, seconds_of, write_turns
from arag_inspect.workflows.write_conversations import write_talks
from tests.scripted import run, scripted, speak


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("prepared") / "advisor"
    done = CliRunner().invoke(
        main, ["prepare", "advisor", "--limit", "2", "--digressions", "0", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "inspect eval arag_inspect/advisor_facts" in done.output
    return out


def test_the_offline_baseline_gets_every_score_and_none_for_free(talks: Path, logs: Path) -> None:
    assert "[00:00:03] Adviser:" in (talks / "graduate-ava.txt").read_text()
    log = run(
        advisor_facts(
            corpus=str(talks),
        ),
        "offline/extractive",
    )
    assert log.status == "success", log.error
    for sample in log.samples or []:
        scores = sample.scores or {}
        strict, lenient = scores["fact_match"], scores["fact_match_lenient"]
        assert strict.as_dict()["f1"] == 0  # its file has no entry
        assert (strict.metadata or {})["gold_facts"] == len(sample.metadata["facts"])
        assert "profile:" in (lenient.metadata or {})["signature"]
        assert (lenient.metadata or {})["signature"] != (strict.metadata or {})["signature"]
        assert scores["schema_validity"].as_dict()["valid"] == 1
        assert scores["efficiency"].as_dict()["loops"] == 1


def test_gold_facts_of_the_generator_and_of_a_grader_stand_side_by_side(
    talks: Path, logs: Path
) -> None:
    before = read_bank(talks)
    assert len(before) == read_manifest(talks).counts["facts"] > 30
    assert all(fact.origin == "generator" and fact.chunk_id is not None for fact in before)
    assert before[0].text == "Ava, age: 23 years"
    asked = ["facts", str(talks), "--origin", "grader", "--model", "offline/extractive"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    bank = read_bank(talks)
    listed = [fact for fact in bank if fact.origin == "grader"]
    assert [fact for fact in bank if fact.origin == "generator"] == before
    assert len(listed) > 20
    (path,) = (talks / "samples.jsonl",)
    held = [json.loads(line)["metadata"]["facts"] for line in path.read_text().splitlines()]
    assert [one["id"] for facts in held for one in facts] == [fact.fact_id for fact in listed]


class Author:
    """Writes parts of talks; the second household's talk never has times."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, messages: list[ChatMessage], *_: Any) -> ModelOutput:
        self.asked += 1
        request = messages[-1].text
        if "Imani" in messages[0].text:
            return speak("Adviser: Good morning.\nImani: Good morning.", self.asked)
        if "from 00:00:00" in request:  # goes back in time, and is asked again
            return speak("\n".join([lines(600), lines(0)]), self.asked)
        start = request.partition("from ")[2][:8] if " from " in request else "00:00:00"
        return speak(lines(seconds_of(start) or 0), self.asked)


def lines(start: int) -> str:
    return write_turns(
        Turn(start + 9 * n, "Adviser" if n % 2 else "Ava", f"{clock(start + n)}.") for n in range(8)
    )


def test_a_model_writes_talks_part_by_part(tmp_path: Path) -> None:
    author, personas = Author(), choose_personas(2)
    written = write_talks(personas, scripted(author), display="none", log_dir=str(tmp_path))
    (talk,) = written.talks
    assert author.asked == 5 + 2
    assert talk.persona.id == "graduate-ava" and not talk.disclosures and talk.target == ""
    assert len(talk.turns) == 4 * 8
    assert [turn.seconds for turn in talk.turns] == sorted(turn.seconds for turn in talk.turns)
    assert "0 lines with time and speaker" in written.failed["professional-imani"]
    with pytest.raises(InputError, match="wrote no talk that can be used"):
        write_talks(personas[1:], scripted(author), display="none", log_dir=str(tmp_path))


def test_a_schema_of_ones_own_is_asked_for_and_held_to(
    talks: Path, logs: Path, tmp_path: Path
) -> None:
    path = tmp_path / "own.json"
    path.write_text(
        '{"type": "object", "required": ["owner"], "properties": {"owner": {"type": "object"}}}'
    )
    log = run(
        advisor_facts(corpus=str(talks), schema=str(path), scorers="schema_validity"),
        "offline/extractive",
    )
    assert (log.eval.metadata or {})["schema"] == load_schema(str(path)).digest
    for sample in log.samples or []:
        score = (sample.scores or {})["schema_validity"]
        assert score.as_dict()["valid"] == 0
        assert "owner" in (score.explanation or "")


def test_a_file_that_keeps_every_state_gets_full_marks_and_one_that_forgets_does_not(
    talks: Path, logs: Path
) -> None:
    lines = (talks / "samples.jsonl").read_text().splitlines()
    gold = {json.loads(line)["id"]: json.loads(json.loads(line)["target"]) for line in lines}

    def extract(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        ava = "Talk with Ava," in messages[0].text
        record = gold["graduate-ava" if ava else "professional-imani"]
        if not ava:  # only what was said first
            for row in (row for rows in record.values() for row in rows):
                del row["dynamic"][1:]
        return speak(json.dumps(record), 1)

    task = advisor_facts(corpus=str(talks), scorers="no_grader")
    log = run(task, scripted(extract))
    assert log.status == "success", log.error
    scores = {str(sample.id): sample.scores or {} for sample in log.samples or []}
    kept, forgot = scores["graduate-ava"], scores["professional-imani"]
    assert kept["value_history"].value == {"earlier": 1, "latest": 1, "in_order": 1}
    assert forgot["value_history"].value == {"earlier": 0, "latest": 0, "in_order": 0}
    for one in (kept, forgot):
        assert one["schema_validity"].as_dict()["valid"] == 1
        assert one["citation_check"].as_dict()["at_call_time"] == 1
