"""Commands that are killed (SIGKILL) at random moments, and typed again."""

import csv
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

from inspect_ai.log import list_eval_logs, read_eval_log

from arag_inspect.cli.main import main
from arag_inspect.corpus import Corpus

from .row import Row, forked, prepared, status

_EDIT = "revenue was $9 million, by hand"
_DOCUMENTS = 4


def kills(quick: bool, folder: Path) -> Row:
    """Kill `run`, `prepare`, `facts`, `report` and `rejudge`; then type each again."""
    row = Row("kill -9 of `run`, `prepare`, `facts`, `report`, `rejudge` at random moments")
    random_moments = random.Random(17)
    corpus = folder / "corpus"
    prepared(corpus)
    _type_whole(_run(corpus, folder / "logs"))
    commands: list[tuple[list[str], Path, Callable[[Path], object]]] = [
        (_run(corpus, folder / "w" / "logs"), folder / "w" / "logs", _scores),
        (_prepared(folder / "w" / "c"), folder / "w" / "c", _files),
        (["facts", str(folder / "w" / "edited")], folder / "w" / "edited", _edited),
        (
            ["report", str(folder / "logs"), "-o", str(folder / "w" / "r")],
            folder / "w" / "r",
            _rows,
        ),
        (_rejudge(folder), folder / "w" / "again.eval", _rejudged),
    ]
    for words, place, state in commands:
        _reset(folder, corpus)
        started = time.perf_counter()
        _type_whole(words)
        seconds = time.perf_counter() - started
        expected = state(place)
        for _ in range(1 if quick else 10):
            _reset(folder, corpus)
            child = forked(lambda words=words: main(words))  # type: ignore[misc]
            time.sleep(random_moments.uniform(0, seconds))
            os.kill(child, signal.SIGKILL)
            status(child)
            code = status(forked(lambda words=words: main(words)))  # type: ignore[misc]
            found = state(place) if code == 0 else None
            row.count(lost=found is None, wrong=found != expected)
    return row


def _type_whole(words: list[str]) -> None:
    if code := status(forked(lambda: main(words))):
        raise SystemExit(f"{words}: exit status {code}")


def _reset(folder: Path, corpus: Path) -> None:
    """Begin without outputs, and with a prepared folder that a person has edited."""
    shutil.rmtree(folder / "w", ignore_errors=True)
    (folder / "w").mkdir()
    edited = Path(shutil.copytree(corpus, folder / "w" / "edited"))
    lines = (edited / "facts.jsonl").read_text("utf-8").splitlines()
    lines[0] = json.dumps(json.loads(lines[0]) | {"text": _EDIT})
    (edited / "facts.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _prepared(out: Path) -> list[str]:
    return ["prepare", "synthetic", "--documents", str(_DOCUMENTS), "--out", str(out)]


def _run(corpus: Path, logs: Path) -> list[str]:
    words = ["run", "earnings_synthetic", "--systems", "stuffing", "--model", "offline/extractive"]
    words += ["--grader", "offline/extractive", "-T", f"corpus={corpus}"]
    return [*words, "-T", "scorers=rouge,geval_coverage,efficiency", "--log-dir", str(logs)]


def _rejudge(folder: Path) -> list[str]:
    return ["rejudge", _log(folder / "logs"), "-o", str(folder / "w" / "again.eval")]


def _log(folder: Path) -> str:
    return list_eval_logs(str(folder))[0].name


def _scores(logs: Path) -> object:
    """Every score by rule, each sample once, of the one log that counts."""
    found = [read_eval_log(info) for info in list_eval_logs(str(logs))]
    done = [log for log in found if log.status == "success"]
    samples = [sample for log in done for sample in log.samples or []]
    return sorted(
        (str(one.id), str((one.scores or {})[name].value))
        for one in samples
        for name in ("rouge", "geval_coverage")
    )


def _files(folder: Path) -> object:
    names = sorted(path.name for path in folder.iterdir())
    beside = [path.name for path in folder.parent.glob(f".{folder.name}.*") if path.is_dir()]
    return names, sorted(Corpus.open(folder).manifest.files.items()), beside


def _edited(folder: Path) -> object:
    return _EDIT in (folder / "facts.jsonl").read_text("utf-8"), _files(folder)


def _rows(report: Path) -> object:
    with (report / "evaluation_log.csv").open(encoding="utf-8") as file:
        logged = len(list(csv.DictReader(file)))
    page = (report / "report.html").read_text("utf-8").rstrip().endswith("</html>")
    return (report / "scores.csv").read_text("utf-8"), logged, page


def _rejudged(path: Path) -> object:
    return [sorted(sample.scores or {}) for sample in read_eval_log(str(path)).samples or []]
