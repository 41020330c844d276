"""Command-line tests of `ask` and `doctor`."""

import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tests.commands import call
from tests.serving import Response, serving

pytestmark = pytest.mark.usefixtures("logs")


def test_ask_answers_from_prepared_corpus(synthetic_folder: Path) -> None:
    result = call("ask", synthetic_folder, "What was revenue?", "--system", "naive_rag")
    answer, sources, *_ = result.stdout.split("\n\n")
    assert answer and sources.count("Read: ") == 5
    assert all(len(line) <= 80 for line in sources.splitlines() if line.startswith("Read: "))
    assert re.search(r"^Cost: \$0\.0000, .* [\d.]+ m?s, ", sources, re.MULTILINE)
    assert "Log:  " in sources and ".eval" in sources


def test_ask_prints_summary_of_each_system_in_turn(synthetic_folder: Path) -> None:
    words = "ask --systems naive_rag,stuffing --style summary --words 40 -S top_k=2"
    result = call(words, synthetic_folder, "What was revenue?")
    _, naive, stuffing = result.stdout.split("== ")
    assert naive.startswith("naive_rag ==") and naive.count("Read: ") == 2
    assert stuffing.startswith("stuffing ==") and stuffing.count("Cost: $0.0000, ") == 1
    assert 20 < len(naive.split("\n\n")[1].split()) < 60


def test_ask_counts_chunks_of_documents_read_whole_at_prices_of_the_user(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.yaml"
    price = "{input: 3, output: 15, input_cache_write: 4, input_cache_read: 1}"
    prices.write_text(f"mockllm/priced: {price}")
    words = ("ask", synthetic_folder, "Why?", "--system", "stuffing", "--model", "mockllm/priced")
    printed = call(*words, "--model-cost-config", prices).stdout
    assert re.search(r"^Read: \d+ chunks? of ", printed, re.MULTILINE)
    (dollars,) = re.findall(r"^Cost: \$([\d.]+), ", printed, re.MULTILINE)
    assert float(dollars) > 0


def test_ask_shows_what_a_system_does_not_report_as_unknown(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "rag.py").write_text("def ask(question): return 'Yes.'")
    target = f"target={tmp_path}/rag.py:ask"
    result = call("ask", synthetic_folder, "Why?", "--system", "external", "-S", target)
    assert "Cost: unknown, tokens unknown, " in result.stdout


def test_ask_prepares_folder_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "zorg.txt").write_text("Zorg plc. Revenue of Zorg was $4.2 billion in 2021.\n" * 3)
    (folder / "scan.pdf").write_bytes(b"")
    for _ in range(2):
        result = call("ask", folder, "What was revenue of Zorg?", "-S", "max_loops=3")
        assert "$4.2 billion" in result.stdout
        assert "1 files of" in result.stderr and "scan.pdf: is empty (0 bytes)" in result.stderr
    assert len([path for path in (tmp_path / "cache" / "ask").glob("[!.]*") if path.is_dir()]) == 1


def test_doctor_names_api_keys_without_showing_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-s3cret-value")
    result = call("doctor")
    assert "sk-very" not in result.output
    lines = {line[8:20].strip(): line for line in result.stdout.splitlines() if line[:7].strip()}
    assert lines["keys"].startswith("ok") and "OPENAI_API_KEY set" in lines["keys"]
    assert lines["retrieval"].startswith("ok") and "GPU" in lines


def test_doctor_prints_authorization_option_ready_to_copy() -> None:
    with serving(lambda _: Response(401, b"a 'key' is needed")) as url:
        result = call("doctor", "--system", url, code=1)
    assert "HTTP 401" in result.stderr and "a 'key' is needed" in result.stderr
    assert """-S 'headers={Authorization: "Bearer ${VARIABLE}"}'""" in result.stderr


def test_doctor_fits_one_screen_and_lists_missing_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def version(name: str) -> str:
        if name in {"sentence-transformers", "inspect-ai", "arag-inspect"}:
            return "1.0"
        raise PackageNotFoundError(name)

    monkeypatch.setattr("arag_inspect.run.doctor.version", version)
    lines = call("doctor", code=None).stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    words = [line.split()[:2] for line in lines if line[:7].strip()]
    assert ["missing", "retrieval"] in words and ["note", "report"] in words
    assert [state for state, _ in words].count("missing") == 1
