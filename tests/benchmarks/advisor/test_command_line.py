"""Command-line tests of the advisor benchmark, including conversations written by a model."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks._shared.fact_bank import read_bank
from arag_inspect.benchmarks.advisor import advisor_facts
from arag_inspect.benchmarks.advisor.personas import choose_personas
from arag_inspect.benchmarks.advisor.schema import load_schema
from arag_inspect.benchmarks.advisor.speech import SpokenLine, count_words
from arag_inspect.benchmarks.advisor.tracked import read_turns
from arag_inspect.benchmarks.advisor.write_conversations import write_talks
from arag_inspect.corpus import read_manifest
from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, run, scripted, speak
from tests.serving import Request, Response, as_message, serving


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("prepared") / "advisor"
    result = call("prepare advisor --limit 2 --digressions 0 --out", out)
    assert "inspect eval arag_inspect/advisor_facts" in result.output
    return out


def test_offline_baseline_is_scored_and_gets_zero_for_facts(talks: Path, logs: Path) -> None:
    assert "[00:00:00] Adviser:" in (talks / "graduate-ava.txt").read_text()
    log = run(
        advisor_facts(corpus=str(talks)), "offline/extractive", model_roles={"grader": STEADY}
    )
    assert log.status == "success", log.error
    assert (log.plan.config.temperature, log.plan.config.seed) == (0, 54321)
    for sample in samples_of(log):
        scores = scores_of(sample)
        strict = scores["fact_match"]
        assert strict.as_dict()["f1"] == 0  # its file has no entry
        assert f"none of {len(sample.metadata['facts'])} gold facts" in str(strict.explanation)
        assert scores["client_file"].as_dict()["valid"] == 1
        assert scores["efficiency"].as_dict()["loops"] == 1


def test_run_compares_models_when_task_has_one_solver(talks: Path, tmp_path: Path) -> None:
    command = f"run advisor_facts -T corpus={talks} -T scorers=client_file --limit 1"
    model = "offline/extractive"
    result = call(command, "--model", model, "--log-dir", tmp_path / "logs")
    assert "--systems is ignored: advisor_facts has a fixed solver" in result.output
    assert "Next: arag-inspect report" in result.output
    (log,) = list_eval_logs(str(tmp_path / "logs"))
    assert read_eval_log(log).eval.model == model


def test_grader_facts_are_added_beside_generator_facts(talks: Path, logs: Path) -> None:
    before = read_bank(talks)
    assert len(before) == read_manifest(talks).counts["facts"] > 30
    assert all(fact.origin == "generator" and fact.chunk_id is not None for fact in before)
    assert before[0].text == "Ava, age: 23 years"
    asked = ["prepare", "facts", str(talks), "--origin", "grader", "--model", STEADY]
    call(*asked)
    bank = read_bank(talks)
    listed = [fact for fact in bank if fact.origin == "grader"]
    assert [fact for fact in bank if fact.origin == "generator"] == before
    assert len(listed) >= 10
    (path,) = (talks / "samples.jsonl",)
    fact_lists = [json.loads(line)["metadata"]["facts"] for line in path.read_text().splitlines()]
    assert [one["id"] for facts in fact_lists for one in facts] == [fact.fact_id for fact in listed]


SCENES = [
    {"title": "Good morning", "minutes": 4, "topics": ["age", "work"], "small_talk": "the rain"},
    {"title": "Pay", "minutes": 8, "topics": ["salary"]},
    {"title": "Spending", "minutes": 8, "topics": ["rent"], "small_talk": "a dog"},
    {"title": "Debts", "minutes": 9, "topics": ["student loan"], "returns_to": ["salary"]},
    {"title": "Good-bye", "minutes": 5, "topics": ["pension"], "corrections": ["rent: 910 to 925"]},
]
WORDS = (
    "Well, about the {topic}, I would say that it is, let me think, {number} pounds a month or so."
)


class Talker:
    """Writes a conversation, in scenes of the length and time given in the request.

    The second scene comes in two halves.
    """

    def __init__(self, client: str = "Ava") -> None:
        self.client, self.asked = client, list[str]()

    def __call__(self, asked: str) -> str:
        self.asked.append(asked)
        if "Stage 1:" in asked:
            figures = "\n".join(f"- holding {n}: £{1000 + 7 * n}, exact" for n in range(20))
            return f"{self.client} is new to all this. {'She worries and jokes. ' * 30}\n{figures}"
        if "Stage 2:" in asked:
            return json.dumps({"scenes": SCENES})
        return self._scene(asked)

    def _scene(self, asked: str) -> str:
        more = asked.startswith("The scene has")
        words = int(re.search(r"[Aa]bout (\d+)", asked)[1])  # type: ignore[index]
        topic = re.search(r"Topics: (.*)", asked)
        number = words // 2 if more or "scene 2 of" in asked else words
        lines: list[SpokenLine] = []
        while count_words(lines) < number:
            sentence = WORDS.format(topic=topic[1] if topic else "rest", number=100 + len(lines))
            speaker = ("Adviser", self.client)[len(lines) % 2]
            lines.append(SpokenLine(speaker, sentence))
        return "\n".join(f"{line.speaker}: {line.text}" for line in lines)


class TalkingAPI:
    """A Messages API whose model writes conversations and extracts one value from them."""

    def __init__(self) -> None:
        self.talker = Talker()
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.body)
        self.requests.append(body)
        content = body["messages"][-1]["content"]
        blocks = [content] if isinstance(content, str) else [one.get("text", "") for one in content]
        asked = "\n".join(blocks)
        fills = "You fill a client's file" in asked
        return as_message(request, self._file(asked) if fills else self.talker(asked))

    def _file(self, asked: str) -> str:
        turn = next(one for one in read_turns(asked) if one.speaker == "Ava")
        value = {
            "value": 101, "call_time": turn.time, "citation": turn.text, "recorded_at": None,
            "is_estimate": True, "value_as_of_date": None, "unit": "GBP per month",
        }  # fmt: skip
        saving = {
            "static": {"label": "Ava's account", "kind": "cash"},
            "dynamic": [{"said_at": turn.time, "balance": value, "contribution": None}],
        }
        names = load_schema().document["properties"]
        return json.dumps({name: [saving] if name == "savings" else [] for name in names})


def test_model_writes_talk_in_three_stages(
    tmp_path: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, out = TalkingAPI(), tmp_path / "advisor"
    with serving(api) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        model = "anthropic/claude-sonnet-4-6"
        asked = ["prepare", "advisor", "--limit", "1", "--model", model, "--out", str(out)]
        call(*asked)
        requests = list(api.talker.asked)
        task = advisor_facts(corpus=str(out), scorers="no_grader")
        log = eval(task, model=model, display="none")[0]
    turns = read_turns((out / "graduate-ava.txt").read_text())
    words = sum(len(turn.text.split()) for turn in turns)
    assert 4_500 <= words <= 9_000
    assert 30 * 60 <= turns[-1].seconds <= 60 * 60
    assert [turn.seconds for turn in turns] == sorted(turn.seconds for turn in turns)
    assert ["Stage 1" in requests[0], "Stage 2" in requests[1]] == [True, True]
    scenes = [text for text in requests if "Stage 3" in text]
    assert len(scenes) == 5 and len(requests) == 2 + 5 + 1  # the second scene was continued
    assert "Small talk: the rain" in scenes[0] and "Comes back to: salary" in scenes[3]
    assert "Put right: rent: 910 to 925" in scenes[4]
    history = json.dumps(api.requests[-2]["messages"])
    assert "Ava is new to all this." in history and "Stage 2" in history
    assert log.status == "success", log.error
    (sample,) = samples_of(log)
    assert scores_of(sample)["client_file"].as_dict()["valid"] == 1
    assert scores_of(sample)["client_file"].as_dict()["at_call_time"] == 1


def without(key: str) -> dict[str, Any]:
    return {"scenes": [{k: v for k, v in scene.items() if k != key} for scene in SCENES]}


@pytest.mark.parametrize(
    ("stage", "reply", "reason"),
    [
        ("Stage 2", "Six scenes.", "outline: Input should be a valid dictionary"),
        ("Stage 2", json.dumps({"scenes": SCENES[:4]}),
         "outline: scenes: List should have at least 5"),
        ("Stage 2", json.dumps(without("returns_to")), "no scene returns to a topic"),
        ("Stage 2", json.dumps(without("corrections")), "in no scene is a figure put right"),
        ("Stage 2", json.dumps(without("small_talk")), "fewer than two scenes have small talk"),
        ("Stage 3", "[00:01] Adviser: Good morning.",
         "scene 1: it needs lines `NAME: words` of two of Adviser, Ava"),
    ],
)  # fmt: skip
def test_write_talks_retries_then_reports_unusable_reply(
    tmp_path: Path, stage: str, reply: str, reason: str
) -> None:
    talker = Talker()
    wrong = []

    def speaking(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        first = next(m.text for m in reversed(messages) if m.role == "user" and "Stage" in m.text)
        if stage not in first:
            return speak(talker(messages[-1].text), 1)
        wrong.append(messages[-1].text)
        return speak(reply, 1)

    with pytest.raises(InputError, match="wrote no talk that can be used") as error:
        write_talks(choose_personas(1), scripted(speaking), display="none", log_dir=str(tmp_path))
    assert reason in str(error.value) and "\n" not in str(error.value)
    assert len(wrong) >= 2 and any("could not be used" in text for text in wrong)


def test_write_talks_drops_short_talk_and_keeps_others(tmp_path: Path) -> None:
    talkers = {"Ava": Talker("Ava"), "Imani": Talker("Imani")}

    def speaking(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        name = "Imani" if "Imani" in messages[0].text else "Ava"
        text = talkers[name](messages[-1].text)
        scene = "Stage 3" in messages[-1].text or "The scene has" in messages[-1].text
        if name == "Imani" and scene:
            text = "\n".join(text.splitlines()[:8])
        return speak(text, 1)

    result = write_talks(
        choose_personas(2), scripted(speaking), display="none", log_dir=str(tmp_path)
    )
    (talk,) = result.talks
    assert talk.persona.id == "graduate-ava" and not talk.disclosures and talk.target == ""
    assert "words of about" in result.failed["professional-imani"]


def test_advisor_facts_validates_against_custom_schema(
    talks: Path, logs: Path, tmp_path: Path
) -> None:
    path = tmp_path / "own.json"
    path.write_text(
        '{"type": "object", "required": ["owner"], "properties": '
        '{"owner": {"type": "string", "pattern": "^[A-Z]{2}$"}}}'
    )
    log = run(
        advisor_facts(corpus=str(talks), schema=str(path), scorers="client_file"),
        "offline/extractive",
    )
    assert (log.eval.metadata or {})["files_sha256"][str(path)] and log.samples
    for sample in log.samples:
        score = scores_of(sample)["client_file"]
        assert score.as_dict()["valid"] == 0
        assert "owner" in (score.explanation or "")


def test_gold_client_file_gets_full_marks(talks: Path, logs: Path) -> None:
    lines = map(json.loads, (talks / "samples.jsonl").read_text().splitlines())
    gold = {line["input"]: line["target"] for line in lines}

    def extract(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        return speak(next(gold[text] for text in gold if text in messages[0].text), 1)

    log = run(advisor_facts(corpus=str(talks), scorers="no_grader"), scripted(extract))
    assert log.status == "success" and log.samples
    for sample in log.samples:
        scores = scores_of(sample)
        marks = scores["client_file"].as_dict()
        names = ("earlier", "latest", "in_order", "valid", "flags", "at_call_time")
        assert [marks[name] for name in names] == [1] * len(names)
