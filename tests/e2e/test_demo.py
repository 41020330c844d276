"""The demo, from the command line."""

import os
import re
import subprocess
import sys
from pathlib import Path


def test_demo_prints_the_table_and_says_where_the_logs_are(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "arag-inspect"),
            "demo",
            "--documents",
            "6",
            "--limit",
            "2",
        ],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    rows = {
        line.split()[0]: line.split()[1:]
        for line in done.stdout.splitlines()
        if re.match(r"\s*(arag|naive_rag|stuffing)\s+[-\d]", line)
    }
    assert set(rows) == {"arag", "naive_rag", "stuffing"}
    assert rows["stuffing"][:2] == ["-", "-"] and float(rows["arag"][0]) > 0.9
    assert all(row[-2:] == ["2", "0"] for row in rows.values())
    assert "inspect view --log-dir logs/demo" in done.stdout
    assert "--model anthropic/claude-sonnet-4-6" in done.stdout
    assert len(list((tmp_path / "logs" / "demo").glob("*.eval"))) == 3
