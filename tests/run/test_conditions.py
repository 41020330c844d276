"""Tests that answers are reused only under the conditions they were made under."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.scorer import includes

import arag_inspect.benchmark.build
import arag_inspect.prompts
import arag_inspect.systems.tracing
from arag_inspect.corpus import read_manifest
from arag_inspect.models.pricing import known_price
from arag_inspect.report import frames
from arag_inspect.solvers import external
from arag_inspect.tasks import custom
from tests.commands import call, typed
from tests.faulty import FaultyAPI
from tests.logs import samples_of
from tests.report import material as m
from tests.serving import serving

pytestmark = pytest.mark.usefixtures("logs")

MODEL = "anthropic/claude-sonnet-4-6"
QUESTION = '{{"id": "q{n}", "question": "What was revenue {n}?", "answer": "{n} million"}}\n'
RUN = "run custom --systems naive_rag,closed_book --model offline/extractive --log-dir logs/run"
PARAMETERS = ("-T", "scorers=efficiency", "-T", "corpus=corpus", "-T")
PROMPT = 'system_args={"prompt": "prompt.md"}'

Change = Callable[[pytest.MonkeyPatch], list[str]]
"""Makes a change and returns the task parameters to run with."""


def prepare(documents: int = 2, questions: int = 2, verb: str = "rose", more: str = "") -> None:
    folder = Path("documents")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for n in range(documents):
        (folder / f"{n}.txt").write_text(f"Revenue {n} was {n} million. Sales of {n} {verb}.")
    Path("questions.jsonl").write_text("".join(QUESTION.format(n=n) for n in range(questions)))
    options = "--documents documents --questions questions.jsonl --out corpus --force"
    call(f"prepare custom {options} {more}")


@pytest.fixture(scope="module")
def prepared_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two documents, two questions, a prompt, and a complete run on them."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("prompt.md").write_text("Answer in one sentence.")
        prepare()
        run([PROMPT])
    return folder


@pytest.fixture(autouse=True)
def project_here(prepared_project: Path, logs: Path) -> None:
    """A copy of that folder as the working directory."""
    shutil.copytree(prepared_project, Path.cwd(), dirs_exist_ok=True)


def run(parameters: list[str], *, folder: str = "logs/run", code: int = 0) -> str:
    line = RUN.replace("logs/run", folder)
    words = [word for value in parameters for word in ("-T", value)]
    return call(line, *PARAMETERS[:-1], *words, "--", "--display", "none", code=code).output


def contents(folder: str = "logs/run") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).glob("*.eval")}


def logs_of(folder: str = "logs/run") -> list[EvalLog]:
    return [read_eval_log(log) for log in list_eval_logs(folder)]


def add_documents(patch: pytest.MonkeyPatch) -> list[str]:
    prepare(documents=4)
    return [PROMPT]


def edit_document(patch: pytest.MonkeyPatch) -> list[str]:
    prepare(verb="fell")
    return [PROMPT]


def embed_otherwise(patch: pytest.MonkeyPatch) -> list[str]:
    prepare(more="--build embed_prefix=false")
    return [PROMPT]


def embed_in_bfloat16(patch: pytest.MonkeyPatch) -> list[str]:
    prepare(more="--build dtype=bfloat16")
    return [PROMPT]


def edit_embedding_model(patch: pytest.MonkeyPatch) -> list[str]:
    path = Path("corpus/manifest.json")
    manifest = json.loads(path.read_text())
    manifest["embedding"]["model"] = "intfloat/e5-small-v2"
    path.write_text(json.dumps(manifest))
    return [PROMPT]


def edit_prompt(patch: pytest.MonkeyPatch) -> list[str]:
    Path("prompt.md").write_text("Answer in two sentences.")
    return [PROMPT]


def edit_package_prompt(patch: pytest.MonkeyPatch) -> list[str]:
    folder = Path("more-prompts")
    folder.mkdir()
    (folder / "another.md").write_text("Another prompt.")
    folders = (*arag_inspect.prompts.folders(), folder)
    patch.setattr(arag_inspect.prompts, "folders", lambda: folders)
    arag_inspect.prompts.prompts_digest.cache_clear()
    return [PROMPT]


def edit_question(patch: pytest.MonkeyPatch) -> list[str]:
    return _edit_questions("What was revenue 1?", "How was revenue 1?")


def edit_reference(patch: pytest.MonkeyPatch) -> list[str]:
    return _edit_questions('"answer": "1 million"', '"answer": "2 million"')


def _edit_questions(old: str, new: str) -> list[str]:
    text = Path("questions.jsonl").read_text()
    Path("questions.jsonl").write_text(text.replace(old, new))
    call("prepare custom --documents documents --questions questions.jsonl --out corpus --force")
    return [PROMPT]


def change_parameter_of_system(patch: pytest.MonkeyPatch) -> list[str]:
    return ['system_args={"prompt": "prompt.md", "top_k": 2}']


def change_parameter_of_task(patch: pytest.MonkeyPatch) -> list[str]:
    return [PROMPT, "target_length=50"]


def change_version(patch: pytest.MonkeyPatch) -> list[str]:
    for module in (arag_inspect.benchmark.build, arag_inspect.systems.tracing):
        patch.setattr(module, "version", lambda _: "99.0")
    return [PROMPT]


CHANGES: dict[str, tuple[Change, str]] = {
    "documents": (add_documents, "corpus ("),
    "document": (edit_document, "corpus ("),
    "prefix": (embed_otherwise, "embedding prefix_embedded (true → false)"),
    "dtype": (embed_in_bfloat16, "embedding dtype (float32 → bfloat16)"),
    "model": (edit_embedding_model, "embedding model (sentence-transformers/all-MiniLM-L6-v2 → "),
    "prompt": (edit_prompt, "file prompt.md ("),
    "package prompt": (edit_package_prompt, "prompts of the package ("),
    "question": (edit_question, "samples (1, e.g. q1)"),
    "reference": (edit_reference, "references (1, e.g. q1)"),
    "system": (change_parameter_of_system, 'parameters of naive_rag ({"prompt": "prompt.md"} → '),
    "task": (change_parameter_of_task, "target_length (150 → 50)"),
    "version": (change_version, "package version (0."),
}


@pytest.fixture
def fresh_prompts() -> Iterator[None]:
    yield
    arag_inspect.prompts.prompts_digest.cache_clear()


@pytest.mark.usefixtures("fresh_prompts")
@pytest.mark.parametrize("kind", CHANGES)
def test_run_is_rejected_without_loss_when_condition_changed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents()
    change, name = CHANGES[kind]
    parameters = change(monkeypatch)
    refused = run(parameters, code=1)
    (line,) = refused.strip().splitlines()
    assert line.startswith("Error: logs/run contains answers made under different conditions (")
    assert name in line and line.endswith("; nothing was run. Use another --log-dir")
    assert contents() == before


def test_run_resumes_when_conditions_are_unchanged_or_extended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = contents()
    run([PROMPT])
    assert contents() == before
    answers = {sample.uuid for log in logs_of() for sample in samples_of(log)}
    prepare(questions=3)
    monkeypatch.setattr("tests.run.test_conditions.RUN", RUN.replace("_rag", "_rag,oracle"))
    run([PROMPT])
    after = {sample.uuid for log in logs_of() for sample in samples_of(log)}
    assert len(answers) == 4 and answers < after and len(after) == 9


HELPER = "def ending():\n    return ' in all'\n"
SYSTEM = """
def ask(question):
    from helper import ending
    return "1 million" + ending()

def find(metric: str) -> str:
    \"\"\"Find a metric.

    Args:
        metric: Its name.
    \"\"\"
    return metric
"""
PROGRAM = "import sys\nprint('1 million', len(sys.stdin.read()))\n"

USER_CODE: dict[str, tuple[str, str, str, str]] = {
    "file": ("external", '{target: "mysystem.py:ask"}', "mysystem.py", "mysystem.py"),
    "import": ("external", '{target: "mysystem.py:ask"}', "helper.py", "mysystem.py"),
    "module": (
        "external",
        '{target: "mypackage.system:ask"}',
        "mypackage/system.py",
        "mypackage.system",
    ),
    "package": (
        *("external", '{target: "mypackage.system:ask"}'),
        *("mypackage/__init__.py", "mypackage.system"),
    ),
    "program": (
        "external",
        f'{{target: "$ {sys.executable} HERE/program.py"}}',
        "program.py",
        "HERE/program.py",
    ),
    "tool": ("arag", '{tools: [chunk_read, "mysystem.py:find"]}', "mysystem.py", "mysystem.py"),
    "tools": ("arag", '{tools: "chunk_read, mysystem.py:find"}', "mysystem.py", "mysystem.py"),
}
"""System, its parameters, the file that is edited, and the name of its code."""


def run_user_code(system: str, arguments: str, folder: str = "logs/user", code: int = 0) -> str:
    model = "none" if system == "external" else "offline/extractive"
    line = f"run custom --systems {system} --model {model} --log-dir {folder}"
    values = ("-T", "scorers=rouge", "-T", "corpus=corpus", "-T", f"system_args={arguments}")
    return call(line, *values, "--", "--display", "none", code=code).output


@pytest.mark.parametrize("kind", USER_CODE)
def test_run_is_rejected_when_code_of_user_changed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    for module in ("helper", "mypackage", "mypackage.system"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    here = str(Path.cwd())
    system, arguments, edited, name = (text.replace("HERE", here) for text in USER_CODE[kind])
    Path("mypackage").mkdir()
    Path("mypackage/__init__.py").write_text("")
    for file, text in (
        ("helper.py", HELPER),
        ("mysystem.py", SYSTEM),
        ("mypackage/system.py", SYSTEM),
        ("program.py", PROGRAM),
    ):
        Path(file).write_text(text)
    run_user_code(system, arguments)
    before = contents("logs/user")
    Path(edited).write_text(Path(edited).read_text() + "# edited\n")
    (refused,) = run_user_code(system, arguments, code=1).strip().splitlines()
    assert f"made under different conditions (code of {name} (" in refused
    assert contents("logs/user") == before
    run_user_code(system, arguments, "logs/edited")
    assert f"code of {name}: " in m.changed(frames("logs/user"), frames("logs/edited"))


def test_compare_names_edited_code_of_system_given_as_solver(tmp_path: Path) -> None:
    target = tmp_path / "rag.py"
    for side in ("base", "new"):
        target.write_text(f"def ask(question):\n    return 'Sales rose.'  # {side}\n")
        samples = [Sample(id=1, input="How did sales move?", target="They rose.")]
        task = Task(samples, scorer=includes(), name="user_suite")
        eval(task, model="none", solver=external(target=f"{target}:ask"), log_dir=f"logs/{side}")
    assert f"code of {target}: " in m.changed(frames("logs/base"), frames("logs/new"))


def test_log_records_code_of_programs_and_installed_modules_and_weights(tmp_path: Path) -> None:
    Path("server.py").write_text("import json\n")
    Path("reranker").mkdir()
    Path("reranker/model.safetensors").write_bytes(b"weights")

    def metadata(**arguments: Any) -> dict[str, Any]:
        system = "external" if "target" in arguments else "naive_rag"
        system = "arag" if "mcp" in arguments else system
        task = custom(corpus="corpus", system=system, system_args=arguments, scorers="rouge")
        return task.metadata or {}

    assert [*metadata(mcp="python server.py")["code_sha256"]] == ["server.py"]
    of_package = metadata(target="json.decoder:JSONDecodeError")["code_sha256"]
    assert [*of_package] == ["json.decoder"]
    assert [*metadata(rerank="reranker")["files_sha256"]] == ["reranker"]
    assert "code_sha256" not in metadata(target="http://localhost:1/ask")


def test_run_counts_what_it_kept() -> None:
    assert "ept 2" not in run([PROMPT], folder="logs/new")
    notice = "Nothing ran; kept 2 complete runs: to repeat them, use a new --log-dir\n"
    assert notice in run([PROMPT])
    prepare(questions=3)
    assert "Kept 4 finished samples: to repeat them, use a new" in run([PROMPT])


def test_run_folder_with_unreadable_conditions_file_is_rejected() -> None:
    path = Path("logs/run/conditions.json")
    path.write_text('{"custom": {"corpus": ')
    assert "conditions.json cannot be read" in run([PROMPT], code=1)


def test_run_folder_without_logs_accepts_any_conditions() -> None:
    for log in list_eval_logs("logs/run"):
        Path(log.name.removeprefix("file://")).unlink()
    prepare(documents=3)
    run([PROMPT])


def test_report_excludes_log_that_mixes_corpora() -> None:
    digest = read_manifest(Path("corpus")).chunks_sha256
    of_logs: dict[str, EvalLog] = {}
    for log in logs_of():
        assert log.samples and len(log.samples) == 2
        assert {sample.store["RetrievalTrace:corpus_sha256"] for sample in log.samples} == {digest}
        of_logs[log.eval.task_args["system"]] = log
    mixed = of_logs["naive_rag"]
    assert mixed.samples
    mixed.samples[0].store["RetrievalTrace:corpus_sha256"] = "b" * 64
    write_eval_log(mixed, mixed.location)
    report_text = call("report logs/run").output
    assert (
        f"mixes corpora and is left out: it holds answers from 1 of corpus {'b' * 12}"
        in report_text
    )
    assert f"1 of corpus {digest[:12]}" in report_text
    other = of_logs["closed_book"]
    for sample in samples_of(other):
        sample.store["RetrievalTrace:corpus_sha256"] = "c" * 64
    write_eval_log(other, other.location)
    refused = call("report logs/run", code=1).output
    assert (
        refused.startswith("Error: no log to report in logs/run: ") and "mixes corpora" in refused
    )


def nothing(patch: pytest.MonkeyPatch) -> list[str]:
    return [PROMPT]


CACHED: dict[str, Change] = {
    "nothing": nothing,
    "documents": add_documents,
    "dtype": embed_in_bfloat16,
    "package prompt": edit_package_prompt,
    "version": change_version,
}
"""Changes that do not affect the messages of a system without passages."""


@pytest.mark.usefixtures("fresh_prompts")
@pytest.mark.parametrize("kind", CACHED)
def test_cached_replies_are_reused_only_under_same_conditions(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(Path("cache").absolute()))
    known_price(MODEL)
    api = FaultyAPI(0.0)
    line = f"inspect eval arag_inspect/custom --model {MODEL} --cache --display none -T system="
    with serving(api) as url:
        env: dict[str, Any] = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}

        def ask(parameters: list[str]) -> int:
            before = len(api.bodies)
            values = [value.replace(" ", "") for value in parameters]
            words = " ".join(f"-T {value}" for value in ("corpus=corpus", *values))
            typed(Path.cwd(), f"{line}closed_book -T scorers=efficiency {words}", **env)
            return len(api.bodies) - before

        assert ask([PROMPT]) == 2
        assert ask(CACHED[kind](monkeypatch)) == (0 if kind == "nothing" else 2)
