"""The command, end to end, on a small copy in the layout of a set."""

import json
from pathlib import Path

from click.testing import CliRunner

from arag_inspect.cli.main import main


def _copy(folder: Path) -> Path:
    folder.mkdir()
    rows = [
        {
            "id": f"call{call}_{edit}",
            "doc": "Revenue rose 5% to $20 million. Costs fell to $7 million.",
            "summary": "Revenue rose 5% to $20 million."
            if edit % 2
            else f"Revenue rose 5% to ${30 + call} million.",
            "label": edit % 2,
        }
        for call in range(12)
        for edit in range(2)
    ]
    (folder / "summedits_ectsum.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def test_a_scorer_is_held_against_the_labels_once(tmp_path: Path, logs: Path) -> None:
    call = [
        "meta-eval", "human", "summedits", "--source", str(_copy(tmp_path / "copy")),
        "--scorer", "factual_consistency", "-S", "factual_consistency.judge=false",
        "--log-dir", str(logs),
    ]  # fmt: skip
    documents = []
    for name in ("out.json", "again.json", "out.md"):
        ran = CliRunner().invoke(main, [*call, "-o", str(tmp_path / name)], catch_exceptions=False)
        assert ran.exit_code == 0, ran.output
        documents.append((tmp_path / name).read_text(encoding="utf-8"))
        if name == "out.json":
            written = sorted(logs.rglob("*.eval"))
    first, again, markdown = documents
    found = {one["measure"]: one for one in json.loads(first)["agreements"]}
    assert found["baseline: numbers found"]["figures"]["auc"][0] == 1.0
    assert found["factual_consistency.numerical_precision"]["figures"]["auc"][0] == 1.0
    assert "published: GPT-4 |" in markdown
    assert json.loads(again) == json.loads(first)
    assert sorted(logs.rglob("*.eval")) == written


def test_an_unknown_set_is_refused_in_one_line(tmp_path: Path) -> None:
    ran = CliRunner().invoke(main, ["meta-eval", "human", "nosuch", "--source", str(tmp_path)])
    assert ran.exit_code == 1
    assert ran.stderr.splitlines()[-1].startswith("Error: set 'nosuch' is unknown; choose from")
