"""Tests of the documented workflow for a user's own documents."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.pdfs import write_pdf
from tests.serving import Request, Response, as_json, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("own")
    (root / "docs").mkdir()
    (root / "docs" / "zorg.txt").write_text("Zorg makes pumps.")
    (root / "docs" / "bad.txt").write_bytes(b"caf\xe9")
    lost = "A sentence \x1b[31m that stands in none of the documents, however long one looks."
    rows = [
        {"id": 1, "question": "What?", "answer": "pumps", "evidence": ["Zorg makes pumps.", lost]}
    ]
    (root / "q.json").write_text(json.dumps(rows))
    return root


def test_prepared_custom_corpus_can_be_exported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    shown = call("prepare custom --documents docs --questions q.json --name mine", COLUMNS="200")
    assert "Skipped:\n  bad.txt: is not UTF-8 text; save it as UTF-8" in shown.output
    assert "  1: A sentence ␛[31m that stands in none of the documents" in shown.output
    assert "The corpus has only 1 chunk, so a search that returns five" in shown.output
    assert "Next: inspect eval arag_inspect/custom -T corpus=mine --model MODEL" in shown.output
    exported = call("corpus export mine --format arag -o out", COLUMNS="200")
    assert exported.output.startswith("Wrote out\n")
    assert json.loads((folder / "out" / "chunks.json").read_text()) == [
        "0:[DOCUMENT: zorg.txt] Zorg makes pumps."
    ]
    second_export = call("corpus export mine --format arag -o out", code=1)
    assert "exists and is not empty" in second_export.output


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository after the documented workflow has run once, with its log as the baseline."""
    folder = tmp_path_factory.mktemp("workflow")
    prepare, run, _ = _workflow_commands()
    _make_repository(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        call("", *prepare)
        table = call("", *run).output.partition("mean [95 % interval]")[2]
    assert "Rightly declined" in table and "0 of 6" in table
    (log,) = (folder / "logs" / "new").glob("*.eval")
    log.rename(folder / "eval" / "baseline.eval")
    shutil.rmtree(folder / "logs")
    return folder


@pytest.fixture
def repository_here(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the repository as the working directory."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(repository, tmp_path, dirs_exist_ok=True))


def test_workflow_in_docs_gates_against_stored_baseline(repository_here: Path) -> None:
    _, run, gate = _workflow_commands()
    for answer_text, code, verdict in (("pumps", 0, "kept"), ("valves", 1, "broken")):
        source = f"def ask(question):\n    return '{answer_text}'  # edited\n"
        (repository_here / "rag.py").write_text(source)
        summary = repository_here / f"{verdict}.md"
        for step, exit_code in ((run, 0), (gate, code)):
            words = [word.replace("logs/new", f"logs/{verdict}") for word in step]
            call("", *words, code=exit_code, GITHUB_STEP_SUMMARY=str(summary))
        assert f"| {verdict} |" in summary.read_text()
    assert "all 6 samples lost the same" in summary.read_text()


def test_workflow_in_docs_reaches_gate_when_a_question_fails(repository_here: Path) -> None:
    _, run, gate = _workflow_commands()
    (repository_here / "rag.py").write_text(
        "def ask(question, metadata):\n    assert 'firm0.txt' not in metadata['doc_ids']\n"
        "    return 'pumps'\n"
    )
    call("", *run)
    assert "answer_match is missing for 1 sample: 1 errored" in call("", *gate, code=2).output
    call("", *gate, "--allow-missing", "1", "--undecided", "pass")
    end = run.index("--")
    stopping = [*run[:end], "--log-dir", "logs/stopped"]
    call("", *stopping, code=1)
    stopped = [word.replace("logs/new", "logs/stopped") for word in gate]
    cure = "rerun with `-- --no-fail-on-error` to continue past failures"
    assert cure in call("", *stopped, "--allow-missing", "6", code=2).output


def _workflow_commands() -> list[list[str]]:
    """Return the arguments of the commands of the documented workflow, without the installation."""
    page = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
    (workflow,) = re.findall(r"^```yaml\n(name: gate\n.*?)^```", page, re.DOTALL | re.MULTILINE)
    steps = yaml.safe_load(workflow)["jobs"]["gate"]["steps"]
    install, *lines = (step["run"] for step in steps if "run" in step)
    assert install.startswith("pip install ")
    return [shlex.split(line)[1:] for line in lines]


def _make_repository(folder: Path) -> None:
    """Write documents, questions and a service that answers all of them."""
    documents = folder / "eval" / "documents"
    documents.mkdir(parents=True)
    rows = ["id,question,answer,doc_ids"]
    for number in range(6):
        (documents / f"firm{number}.txt").write_text(f"Firm {number} makes pumps.")
        rows.append(f"q{number},What does it make?,pumps,firm{number}.txt")
        rows.append(f"u{number},Who leads it?,NOT IN DOCUMENTS,firm{number}.txt")
    (folder / "eval" / "questions.csv").write_text("\n".join(rows))
    (folder / "rag.py").write_text("def ask(question):\n    return 'pumps'\n")


QUESTIONS = """id,question,answer,doc_ids,group
1,What was revenue of Alder?,$4.2 billion,alder,pumps
2,What does Alder expect?,,alder,pumps
3,What did Birch sell?,its frozen business,birch,
4,How did deposits of Cedar move?,,cedar,
"""


def answer(request: Request) -> Response:
    if request.headers.get("authorization") != "Bearer s3cret":
        return Response(401, b'{"error": "no token"}')
    received_question = json.loads(request.body)["question"]
    sentence = "Revenue of Alder rose 7% to $4.2 billion in 2023."
    reply = {
        "answer": sentence,
        "passages": [sentence],
        "cost_usd": 0.01 * ("Alder" in received_question),
    }
    return as_json(reply)


def test_documented_steps_lead_from_own_documents_to_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Follows `docs/your-own-data.md` and `docs/your-own-system.md`, without a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_KEY", "s3cret")
    docs = tmp_path / "filings"
    docs.mkdir()
    (docs / "alder.txt").write_text(
        "Revenue of Alder rose 7% to $4.2 billion in 2023. For 2024 Alder expects $4.5 billion."
    )
    (docs / "birch.md").write_text(
        "# Birch\n\nBirch sold its frozen business for 220 million euros."
    )
    write_pdf(
        docs / "cedar.pdf", ["Deposits of Cedar fell 2% to $18.2 billion at the end of 2023."]
    )
    (tmp_path / "q.csv").write_text(QUESTIONS)

    def typed(line: str, code: int = 0) -> str:
        return call(*shlex.split(line), code=code, COLUMNS="100").output

    prepared = typed("prepare custom --documents filings --questions q.csv --name mine")
    assert re.search(r"^samples +4$", prepared, re.MULTILINE)
    with serving(answer) as url:
        refused = typed(f"doctor --system {url}/ask --corpus mine", 1)
        assert "401" in refused and "-S 'headers={Authorization" in refused.replace("\\", "")
        headers = 'headers: {Authorization: "Bearer ${RAG_KEY}"}'
        checked = typed(
            f"doctor --system {url}/ask --corpus mine -S '{headers.replace(':', '=', 1)}'"
        )
        assert "1 found in the corpus by their text" in checked and "s3cret" not in checked
        system = f'system_args={{target: "{url}/ask", {headers}}}'
        printed = typed(
            "run custom --systems naive_rag,external --model offline/extractive -T corpus=mine "
            f"-T '{system}' --log-dir logs/custom"
        )
    table = printed[printed.index("mean [95 % interval]") :]
    assert "Naive RAG" in table and "external" in table and "$0.005" in table
    (line,) = (line for line in printed.splitlines() if "answer_match" in line)
    assert "answer_match left 2 samples of each unscored: The sample has no gold answer" in line
    reported = typed("report logs/custom")
    assert "report/report.html" in reported
    log = read_eval_log(list_eval_logs("logs/custom")[0])
    scored = {name for sample in samples_of(log) for name in scores_of(sample)}
    assert {
        "geval_faithfulness",
        "context_relevance",
        "citation_accuracy",
        "llm_accuracy",
    } <= scored
    assert "s3cret" not in log.model_dump_json()
