"""Commands that fault tests kill and starve, and the results that each must reach."""

import csv
import json
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from inspect_ai import eval, eval_retry
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from arag_inspect.cli.main import main
from arag_inspect.corpus import Corpus
from tests.benchmarks.financebench.source import write_source
from tests.faults.processes import forked, status
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY

_EDIT = "revenue was $9 million, by hand"
_SCORERS = "rouge,geval_coverage,efficiency"
_RULE = "offline/extractive"


COMMANDS = (
    "eval + retry",
    "run",
    "prepare",
    "facts",
    "report",
    "rejudge",
    "references",
    "meta-eval",
)
"""Names of the commands in `Desk.commands`."""


def make_material(folder: Path) -> None:
    """Prepare the shared inputs: two corpora, a log, and references with a reviewer's mark.

    The modules that a command imports are listed too; see `preload`.
    """
    source = write_source(folder / "source", ["Acme_2021_10K", "ACME_2022_10K"])
    words = [
        ["prepare", "synthetic", "--documents", "6", "--out", str(folder / "corpus")],
        ["prepare", "financebench", "--source", str(source), "--out", str(folder / "filings")],
        _run(folder / "corpus", folder / "logs"),
        _references(folder / "filings", folder / "references", ["--limit", "1"]),
        ["report", str(folder / "logs"), "-o", str(folder / "report")],
    ]
    for typed in words:
        if code := status(forked(lambda typed=typed: _type(typed, folder), silent=False)):  # type: ignore[misc]
            raise SystemExit(f"{typed}: exit status {code}")
        preload(folder)
    check = folder / "references" / "spot_check.csv"
    with check.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0]["mark"] = "accept"
    with check.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _type(words: list[str], folder: Path) -> None:
    try:
        main(words)
    finally:
        with (folder / "modules.txt").open("a", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in sys.modules)


def preload(material: Path) -> None:
    """Import the modules that commands use, so that each of many subprocesses starts quickly."""
    names = dict.fromkeys((material / "modules.txt").read_text("utf-8").split())
    for name in names:
        if not name.startswith("__"):
            with suppress(Exception):
                import_module(name)


@dataclass(frozen=True)
class Command:
    """A command as a user runs it."""

    name: str
    type: Callable[[], object]
    """Run it in this process."""

    state: Callable[[], object]
    """Its results, without anything that differs between two runs."""

    def whole(self, limit: Callable[[], object] = lambda: None) -> int:
        """Run it in a subprocess that first calls `limit`; return the exit code."""
        return status(forked(lambda: (limit(), self.type())))

    def found(self) -> str | None:
        """Return its results as JSON; None if they cannot be read."""
        with NamedTemporaryFile() as file:
            out = Path(file.name)
            code = status(forked(lambda: out.write_text(json.dumps(self.state()), "utf-8")))
            return None if code else out.read_text("utf-8")


class Desk:
    """A folder in which commands run, cleared before each run.

    Args:
        material: Folder written by `make_material`.
        work: Folder that is emptied before each try.
    """

    def __init__(self, material: Path, work: Path) -> None:
        self._material, self.work = material, work

    def clear(self) -> None:
        """Remove outputs, but leave an edited prepared folder and unfinished references."""
        self.work.mkdir(exist_ok=True)
        for path in self.work.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self._material / "references", self.work / "references")
        facts = Path(shutil.copytree(self._material / "corpus", self.work / "edited"))
        facts /= "facts.jsonl"
        lines = facts.read_text("utf-8").splitlines()
        lines[0] = json.dumps(json.loads(lines[0]) | {"text": _EDIT})
        facts.write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def commands(self, *names: str) -> list[Command]:
        """Return the commands with these names."""
        work, corpus, logs = self.work, self._material / "corpus", self._material / "logs"
        all_commands = [
            Command("eval + retry", lambda: _evaluate(corpus, work / "l"),
                    lambda: _scores(work / "l")),
            _command("run", _run(corpus, work / "logs"), lambda: _scores(work / "logs")),
            _command("prepare",
                     ["prepare", "synthetic", "--documents", "1", "--out", str(work / "c")],
                     lambda: _files(work / "c")),
            _command("facts", ["prepare", "facts", str(work / "edited")],
                     lambda: _edited(work / "edited")),
            _command("report", ["report", str(logs), "-o", str(work / "report")],
                     lambda: _rows(work / "report")),
            _command("rejudge",
                     ["rejudge", str(next(logs.glob("*.eval"))), "--grader", STEADY, "-o",
                      str(work / "again.eval")], lambda: _rejudged(work / "again.eval")),
            _command("references", _references(self._material / "filings", work / "references"),
                     lambda: _referred(work / "references")),
            _command("meta-eval", _meta_eval(corpus, work),
                     lambda: json.loads((work / "meta.json").read_text("utf-8"))),
        ]  # fmt: skip
        return [one for one in all_commands if one.name in names]


def _command(name: str, words: list[str], state: Callable[[], object]) -> Command:
    return Command(name, lambda: main(words), state)


def _run(corpus: Path, logs: Path) -> list[str]:
    words = ["run", "earnings_synthetic", "--systems", "stuffing", "--model", _RULE]
    words += ["--grader", STEADY, "-T", f"corpus={corpus}"]
    return [*words, "-T", f"scorers={_SCORERS}", "--log-dir", str(logs)]


def _references(corpus: Path, out: Path, more: list[str] | None = None) -> list[str]:
    words = ["prepare", "references", "section_summary", "--model", _RULE, "--corpus", str(corpus)]
    return [*words, "-o", str(out), "--log-dir", f"{out}-logs", *(more or [])]


def _meta_eval(corpus: Path, made: Path) -> list[str]:
    words = ["meta-eval", "audit", str(corpus), "--scorers", "rouge,factual_consistency"]
    words += ["--limit", "2"]
    return [*words, "-o", str(made / "meta.json"), "--log-dir", str(made / "meta-logs")]


def _evaluate(corpus: Path, logs: Path) -> None:
    """Run `inspect eval`, or `inspect eval-retry` if there is an incomplete log."""
    existing_logs = _read(logs)
    if any(log.status == "success" for log in existing_logs):  # killed after its last sample
        return
    if existing_logs:
        found = eval_retry(existing_logs[-1], log_dir=str(logs), display="none")
    else:
        arguments = {"system": "stuffing", "corpus": str(corpus), "scorers": _SCORERS}
        roles: dict[str, Any] = {"grader": STEADY}
        found = eval(
            "arag_inspect/earnings_synthetic", task_args=arguments, model=_RULE, model_roles=roles,
            log_dir=str(logs), display="none",
        )  # fmt: skip
    raise SystemExit(found[0].status != "success")


def _read(logs: Path) -> list[EvalLog]:
    found = sorted(list_eval_logs(str(logs)), key=lambda info: info.name) if logs.is_dir() else []
    return [read_eval_log(info) for info in found]


def _scores(logs: Path) -> object:
    """Return every score of the final log, each sample once."""
    samples = [
        sample for log in _read(logs) if log.status == "success" for sample in samples_of(log)
    ]
    return sorted(
        (str(one.id), str(scores_of(one)[name].value))
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
    return [sorted(scores_of(sample)) for sample in samples_of(read_eval_log(str(path)))]


def _referred(folder: Path) -> object:
    lines = (folder / "references.jsonl").read_text("utf-8").splitlines()
    with (folder / "spot_check.csv").open(encoding="utf-8", newline="") as file:
        marks = [(row["id"], row["mark"]) for row in csv.DictReader(file)]
    references = [(one["id"], one["reference"]) for one in map(json.loads, lines)]
    return references, marks, sorted(path.name for path in folder.iterdir())
