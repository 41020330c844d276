"""Tests of the demo from the command line, and of its output in the README.

To rewrite the frozen scores: `python -m tests.e2e.test_demo LOGS`.
"""

import json
import re
import sys
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.commands import typed
from tests.logs import samples_of, scores_of

_ROOT = Path(__file__).parents[2]
_FROZEN = _ROOT / "tests" / "frozen" / "scores.json"
_OF_THE_MACHINE = ("latency_ms", "wall_ms")


def _scores(log_dir: Path) -> dict[str, object]:
    """Return every score in the logs as `system/sample/scorer.key` with its value."""
    values: dict[str, object] = {}
    for info in list_eval_logs(str(log_dir)):
        log = read_eval_log(info)
        for sample in samples_of(log):
            for scorer, score in scores_of(sample).items():
                keys = score.value if isinstance(score.value, dict) else {"": score.value}
                for key, value in keys.items():
                    if key not in _OF_THE_MACHINE:
                        name = f"{log.eval.task_args['system']}/{sample.id}/{scorer}.{key}"
                        values[name] = None if value != value else value
    return values


def _tables(text: str) -> list[dict[str, dict[str, str]]]:
    """Return each table of systems, by system and measure."""
    tables: list[dict[str, dict[str, str]]] = []
    for block in re.findall(r"^ +arag +naive_rag +stuffing\n.*?\n Skipped .*?$", text, re.M | re.S):
        systems, _, *lines = block.splitlines()
        rows = [re.split(r"  +", line.strip()) for line in lines]
        columns = zip(*(cells for _, *cells in rows), strict=True)
        names = [name for name, *_ in rows]
        pairs = zip(systems.split(), columns, strict=True)
        tables.append({system: dict(zip(names, cells, strict=True)) for system, cells in pairs})
    return tables


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("real_vectors", "painted")
def test_demo_prints_documented_table_and_log_location(tmp_path: Path) -> None:
    printed = typed(tmp_path, "arag-inspect demo", COLUMNS="80")
    for line in printed.splitlines():
        assert len(line) <= 80 or line.startswith(("Open", "With", "Prepared"))
    tables = _tables(printed)
    assert len(tables) == 1
    assert _tables((_ROOT / "README.md").read_text()) == tables
    arag, naive, stuffing = tables[0].values()
    assert float(arag["Recall"]) > 0.2 + float(naive["Recall"]) and stuffing["Recall"] == "-"
    assert float(arag["Coverage (1-5)"]) > float(naive["Coverage (1-5)"])
    assert arag.keys() >= {"Items stated", "Precision", "ROUGE-2", "Loops", "Words"}
    replay = " ".join(printed.split())
    assert (
        "This replays a recording of 2026-11-28, written by claude and judged by claude." in replay
    )
    assert [own["Skipped"] for own in (arag, naive, stuffing)] == ["0", "0", "4"]
    assert [own["Scored"] for own in (arag, naive, stuffing)] == ["12", "12", "8"]
    assert "inspect view --log-dir logs/demo" in printed
    assert "--model anthropic/claude-sonnet-4-6" in printed
    assert "Open the report:   report/demo/report.html" in printed
    charts = [*(tmp_path / "report" / "demo").glob("*/charts/*")]
    starts = {(path.suffix, path.read_bytes()[:4]) for path in charts}
    assert starts == {(".svg", b"<svg"), (".png", b"\x89PNG")} and len(charts) > 10
    markdown = (tmp_path / "report" / "demo" / "summarization_report.md").read_text()
    assert "4 skipped: 8,412 to 9,484 tokens by the corpus's tokenizer" in markdown
    assert "| too long for Stuffing | 8,410 to 9,480 tokens |" in markdown
    assert "but 8 companies are too few to show a difference (9 are needed for" in markdown
    assert "**A-RAG states more of the reference than Naive RAG: 0.823 against 0.336" in markdown
    assert "replays a recording of 2026-11-28" in markdown
    assert len(list((tmp_path / "logs" / "demo").glob("*.eval"))) == 3
    expected = json.loads(_FROZEN.read_text(encoding="utf-8"))
    scores_now = _scores(tmp_path / "logs" / "demo")
    assert len(expected) > 250
    numbers = {name: value for name, value in expected.items() if isinstance(value, float | int)}
    assert {name: scores_now.get(name) for name in numbers} == pytest.approx(numbers, rel=1e-4)
    others = expected.keys() - numbers.keys()
    assert {n: scores_now.get(n, "no score") for n in others} == {n: expected[n] for n in others}


if __name__ == "__main__":
    some = ("CRNTR", "KRVCT", "SRHRN")  # documents with two calls, one and three
    values = {
        name: v for name, v in _scores(Path(sys.argv[1])).items() if any(s in name for s in some)
    }
    _FROZEN.write_text(json.dumps(values, indent=0) + "\n", encoding="utf-8")
