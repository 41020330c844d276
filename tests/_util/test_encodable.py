"""Tests of text that cannot be encoded: lone surrogates, control characters, locales."""

import json
import os
import re
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect import scorers
from arag_inspect._util.encodable import drawable, encodable
from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect.benchmarks.advisor import extract_facts
from arag_inspect.benchmarks.perspectives import multi_perspective
from arag_inspect.benchmarks.perspectives import perspectives as perspectives_task
from arag_inspect.cli.main import main
from arag_inspect.corpus.search.dense_index import write_index
from arag_inspect.report import frames, make_report
from arag_inspect.report.chart import as_svg
from arag_inspect.report.page.render import render_page
from arag_inspect.solvers import closed_book, replay
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import Passage, RetrievalTrace
from tests.logs import samples_of, scores_of
from tests.report import material as m
from tests.scripted import STEADY, grounded, run, scripted, speak, tagged

pytestmark = pytest.mark.usefixtures("logs")

OFFLINE = "offline/extractive"
HALF = " \ud83d half"
MENDED = " � half"
REFERENCE = f"Revenue rose 7.5% to $4.2 billion.{HALF}"
TWO_SIDED = {
    "claims": [
        {
            "stance": stance,
            "claim": f"There is a case.{HALF}",
            "perspectives": [{"text": f"The bridge is{HALF} {word}.", "evidence_docs": [number]}],
        }
        for number, stance, word in ((1, "for", "useful"), (2, "against", "dear"))
    ]
}
ANSWERS = [
    f"Revenue rose 7.5% to $4.1 billion.{HALF}",
    json.dumps(TWO_SIDED),  # surrogate halves as escapes
    json.dumps(TWO_SIDED, ensure_ascii=False),
    json.dumps({"clients": [{"name": HALF, "citations": [f"Hello{HALF}"]}]}),
]
ABOUT: dict[str, Any] = {
    "company": f"ABM{HALF}",
    "passages": [REFERENCE],
    "documents": [{"id": i, "content": f"The bridge is useful.{HALF}"} for i in (1, 2)],
    "transcript": f"[00:01] Adviser: Hello{HALF}",
    "doc_ids": [f"a{HALF}"],
    "gold_chunk_ids": [1],
    "nested": [(HALF, {"a": HALF})],
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("whole € 𝛼", "whole € 𝛼"),
        ("\ud835\udefc", "𝛼"),
        ("\udefc\ud835", "��"),
        ({"a\ud800": ["b", ("\udc00", 1, None)]}, {"a�": ["b", ("�", 1, None)]}),
    ],
)
def test_encodable_joins_or_replaces_lone_surrogates(value: Any, expected: Any) -> None:
    assert encodable(value) == expected
    assert (encodable(value) is value) == (value == expected)


def test_encodable_keeps_fields_set_on_pydantic_model() -> None:
    output = ModelOutput.from_content("m", HALF)
    mended = encodable(output)
    assert mended.completion == mended.message.text == MENDED and output.completion == HALF
    assert mended.choices[0].model_fields_set == output.choices[0].model_fields_set
    valid_output = ModelOutput.from_content("m", "€")
    assert encodable(valid_output) is valid_output


@solver
def says() -> Solver:
    """Output the answer from the metadata, and a trace with lone surrogates."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", state.metadata["answer"])
        state.messages.append(state.output.message)
        trace = state.store_as(RetrievalTrace)
        trace.system, trace.context, trace.loops = "arag", "retrieved", 1
        trace.passages = [
            Passage(chunk_id=1, doc_id=f"a{HALF}", prefix=HALF, text=REFERENCE, loop=1)
        ]
        return state

    return solve


def test_every_scorer_accepts_lone_surrogates() -> None:
    options = {"geval": {"dimension": "coherence", "definition": f"It reads well.{HALF}"}}
    made_scorers = [getattr(scorers, name)(**options.get(name, {})) for name in scorers.__all__]
    samples = [
        Sample(id=place, input="Sum up.", target=REFERENCE, metadata={**ABOUT, "answer": answer})
        for place, answer in enumerate(ANSWERS)
    ]
    task = Task(dataset=samples, solver=says(), scorer=made_scorers)
    log = run(task, OFFLINE, model_roles={"grader": STEADY})
    assert log.status == "success" and len(samples_of(log)) == len(ANSWERS), log.error
    for sample in samples_of(log):
        assert set(scores_of(sample)) == {*scorers.__all__}


def _surrogate_model(reply: str) -> Any:
    """Return a model that replies with a lone surrogate but rejects one in its input."""

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        for message in messages:
            message.text.encode()
        return speak(tagged(reply, messages), 1)

    return scripted(answer)


@pytest.mark.parametrize(
    ("make", "reply", "score"),
    [
        (closed_book, f"Revenue rose.{HALF}", scorers.rouge),
        (multi_perspective, json.dumps(TWO_SIDED), scorers.perspective_validity),
        (extract_facts, json.dumps({"name": HALF}), scorers.client_file),
    ],
)
def test_solvers_accept_lone_surrogates_and_send_none(make: Any, reply: str, score: Any) -> None:
    sample = Sample(input="Build the bridge?", target=REFERENCE, metadata=ABOUT)
    log = run(Task(dataset=[sample], solver=make(), scorer=score()), _surrogate_model(reply))
    assert log.status == "success", log.error
    (result,) = samples_of(log)
    assert result.scores and MENDED in result.output.completion


def test_judge_prompt_and_reply_are_cleaned_of_lone_surrogates() -> None:
    sample = Sample(input="Sum up.", target=REFERENCE, metadata={**ABOUT, "answer": f"So.{HALF}"})
    judge = _surrogate_model(f"Good.{HALF}\n{grounded(4)}")
    task = Task(
        dataset=[sample], solver=says(), scorer=scorers.geval_faithfulness(criteria="pinned")
    )
    log = run(task, OFFLINE, model_roles={"grader": judge})
    assert log.status == "success", log.error
    score = scores_of(samples_of(log)[0])["geval_faithfulness"]
    assert score.value == 4 and MENDED in str(score.explanation)


def test_replayed_answer_is_cleaned_of_lone_surrogates(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"id": "a", "predicted": f"Sales rose.{HALF}"}))
    samples = [Sample(id="a", input="Sum up.", target="Sales rose.")]
    task = Task(dataset=samples, solver=replay(predictions=str(path)), scorer=scorers.rouge())
    (result,) = samples_of(run(task, OFFLINE))
    assert result.output.completion == f"Sales rose.{MENDED}" and result.scores


def test_lone_surrogate_in_dataset_is_reported_in_one_line(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    folder = _copied(synthetic_folder, tmp_path)
    line = json.loads((folder / "samples.jsonl").read_text().splitlines()[0])
    (folder / "samples.jsonl").write_text(json.dumps({**line, "input": HALF}))
    _update_digests(folder)
    with pytest.raises(
        InputError, match=r"samples.jsonl is damaged after row 0 .text contains a lone surrogate"
    ):
        earnings_synthetic(corpus=str(folder))
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps({"query": HALF, "documents": ABOUT["documents"]}))
    with pytest.raises(InputError, match=r"a lone surrogate \(\\ud83d\)"):
        perspectives_task(path=str(path))


def test_prepare_rejects_id_with_control_character(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps({"id": "q\u0000", "question": "Why?", "answer": "So."}))
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("So it is.")
    result = CliRunner().invoke(
        main,
        ["prepare", "custom", f"--documents={tmp_path}/documents", f"--questions={path}"],
    )
    assert result.exit_code == 1
    assert "row 1: id 'q\\x00' holds a control character" in " ".join(result.output.split())


def test_report_shows_control_characters_as_visible_symbols(tmp_path: Path) -> None:
    sign = "\x01\x0b\ufffe"
    (tmp_path / "logs").mkdir()
    for system in ("arag", "stuffing"):
        samples = []
        for number in range(3):
            sample = m.sample(
                number,
                {"geval_coverage": m.judged(number + 2)},
                system=system,
                answer=f"Sales{sign}",
                metadata={"company": f"ABM{sign}"},
                store=m.trace(system, passages=[{**m.passage(1), "prefix": f"[{sign}]"}]),
            )
            sample.id = f"{sample.id}{sign}"
            samples.append(sample)
        m.write(tmp_path / "logs", m.log(samples, system=system))
    report = make_report(frames(tmp_path / "logs"))
    svg = as_svg(m.chart_of(report.studies[0], "documents"))
    assert "s000␁␋�" in xml.dom.minidom.parseString(svg).toxml()
    page = render_page(report)
    assert "s000␁␋�" in json.dumps(m.data_of(page), ensure_ascii=False)
    assert drawable(("\t\n", 1)) == ("\t\n", 1)


C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


TYPED = """
import sys
import tests.quick
from importlib.metadata import entry_points
from itertools import groupby
from types import SimpleNamespace
import numpy as np
from arag_inspect.corpus.prepared import builder
from arag_inspect.report.output import write
from arag_inspect.report.page import render

builder.embedding_model = lambda *_: SimpleNamespace(
    name="m", dtype="float32", digest="", prompts={}, fingerprint="", dimension=4, window=100,
    machine=None,
    count_tokens=lambda texts: [1] * len(texts),
    encode=lambda texts: np.ones((len(texts), 4), np.float32),
)  # the real one takes long to load
write.as_svg, write.as_png = lambda chart: "", lambda chart, svg: b""  # so does drawing
render.vega_bundle = str
sys.modules.update(anthropic=None, openai=None)  # nor are their libraries needed
errors = sys.stdout.errors
for is_line, words in groupby(sys.argv[1:], lambda word: word != ";"):
    if is_line:
        sys.argv = [*words]
        sys.stdout.reconfigure(errors=errors)  # as a process of its own begins
        sys.modules.pop("arag_inspect._registry", None)
        (script,) = entry_points(group="console_scripts", name=sys.argv[0])
        try:
            script.load()()
        except SystemExit as ended:
            print(f"\\x1e{ended.code or 0}", file=sys.stderr)
"""


def _in_c_locale(*lines: list[str]) -> tuple[list[tuple[str, str]], str]:
    """Run command lines in turn; return their exit codes and errors, and all output."""
    environment = {**os.environ, **C_LOCALE, "PYTHONPATH": str(Path(__file__).parents[2])}
    environment.pop("PYTHONIOENCODING", None)
    completed = subprocess.run(
        [sys.executable, "-c", TYPED, *(word for line in lines for word in (*line, ";"))],
        capture_output=True,
        text=True,
        encoding="utf-8",  # as click prints in the C locale
        env=environment,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    errors = re.split(r"\x1e(.*)\n", completed.stderr)
    return [*zip(errors[1::2], errors[::2], strict=False)], completed.stdout


def test_c_locale_leaves_results_unchanged(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "Umsätze.txt").write_text("Umsatz: 4 € – mehr als 2023.", encoding="utf-8")
    questions = tmp_path / "questions.jsonl"
    question = {"id": "größe", "question": "Wie viel Umsatz?", "answer": "4 €"}
    questions.write_text(json.dumps(question, ensure_ascii=False), encoding="utf-8")
    out, runs, report = tmp_path / "out", tmp_path / "runs", tmp_path / "report"
    prepare = ["arag-inspect", "prepare", "custom"]
    prepare += [f"--documents={documents}", f"--questions={questions}"]
    evaluate = ["inspect", "eval", "arag_inspect/custom", "-T", f"corpus={out}"]
    evaluate += ["-T", "system=stuffing", "-T", "scorers=contain_match"]
    evaluate += ["--model", OFFLINE, f"--log-dir={runs}", "--display=plain"]
    (*completed, (refused, why)), output = _in_c_locale(
        [*prepare, f"--out={out}"],
        evaluate,
        ["arag-inspect", "report", str(runs), f"--out={report}"],
        [*prepare, f"--out={tmp_path}/Bücher"],
    )
    assert [code for code, _ in completed] == ["0"] * 3, completed
    assert "documents skipped 0" in " ".join(output.split())
    assert "Traceback" not in output and not any("Traceback" in errors for _, errors in completed)
    (sample,) = frames(runs).answers.itertuples()
    assert sample.id == "größe" and sample.passages[0].doc_id == "Umsätze.txt"
    assert "größe" in (report / "scores.csv").read_text(encoding="utf-8")
    assert refused == "1" and "Traceback" not in why
    assert "cannot be encoded; set LC_ALL=C.UTF-8" in " ".join(why.split())


def test_corpus_rejects_index_with_nan_vectors(synthetic_folder: Path, tmp_path: Path) -> None:
    import faiss

    folder = _copied(synthetic_folder, tmp_path)
    index = faiss.read_index(str(folder / "sentences.faiss"))
    vectors = index.reconstruct_n(0, index.ntotal)
    vectors[len(vectors) // 2, 3] = np.nan
    index.reset()
    index.add(vectors)
    write_index(index, folder / "sentences.faiss")
    _update_digests(folder)
    with pytest.raises(InputError, match=r"sentences\.faiss contains vectors that are not numbers"):
        earnings_synthetic(corpus=str(folder))


def _copied(folder: Path, parent: Path) -> Path:
    copy = parent / "copy"
    copy.mkdir()
    for file in folder.iterdir():
        if file.is_file():
            (copy / file.name).write_bytes(file.read_bytes())
    return copy


def _update_digests(folder: Path) -> None:
    """Update the digests in the manifest for changed files."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"] = {name: file_digest(folder / name) for name in manifest["files"]}
    path.write_text(json.dumps(manifest))
