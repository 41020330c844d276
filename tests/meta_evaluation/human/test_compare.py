"""Runs side by side: which judge agrees most with people, by how much and at what price."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arag_inspect.cli.main import main

LABELS = [1.0, 0.0] * 12


def _run(path: Path, given: Sequence[float | None], **more: Any) -> Path:
    rows = {
        f"u{n}": [label, value, f"g{n // 4}", "s"]
        for n, (label, value) in enumerate(zip(LABELS, given, strict=True))
    }
    document = {
        "set": {"name": "summedits", "kind": "binary"},
        "grader": f"judge/{path.stem}",
        "dollars": {"severity_judge": 0.048},
        "values": {"severity_judge": rows, "baseline: cosine": rows},
    }
    path.write_text(json.dumps(document | more), encoding="utf-8")
    return path


def _compare(tmp_path: Path, *runs: Path) -> Any:
    out = tmp_path / "out.json"
    ran = CliRunner().invoke(main, ["meta-eval", "compare", *map(str, runs), "-o", str(out)])
    assert ran.exit_code == 0, ran.output
    return json.loads(out.read_text(encoding="utf-8"))["compared"]


def test_the_judge_that_agrees_most_comes_first(tmp_path: Path) -> None:
    blind = _run(tmp_path / "blind.json", [0.5] * 24)
    good = _run(tmp_path / "good.json", [*LABELS[:-2], None, 0.0])
    first, second = _compare(tmp_path, blind, good)
    assert (first["run"], first["value"], first["behind"]) == (str(good), 1.0, None)
    assert (second["run"], second["value"], second["answers"]) == (str(blind), 0.5, 23)
    assert second["behind"] == [0.5, 0.5, 0.5]
    assert second["dollars"] == pytest.approx(2.0)  # 0.048 for 24 labels


def test_two_runs_that_agree_alike_do_not_differ(tmp_path: Path) -> None:
    runs = [_run(tmp_path / f"{name}.json", LABELS) for name in ("a", "b")]
    assert _compare(tmp_path, *runs)[1]["behind"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "at least two files"),
        ({"set": {"name": "wice", "kind": "binary"}}, "of several sets: summedits, wice"),
        ({"values": {}}, "no measure in common"),
        ({"values": None}, "is not a file of arag-inspect meta-eval human -o FILE.json (values: "),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(
    tmp_path: Path, change: dict[str, Any] | None, said: str
) -> None:
    first = _run(tmp_path / "a.json", LABELS)
    runs = [first] if change is None else [first, _run(tmp_path / "b.json", LABELS, **change)]
    ran = CliRunner().invoke(main, ["meta-eval", "compare", *map(str, runs)])
    assert ran.exit_code == 1
    assert said in " ".join(ran.stderr.split())
