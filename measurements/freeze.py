"""Record every figure that a refactoring must preserve, and report later differences.

    python -m measurements.freeze OUT --ectsum DIR --logs DIR [--logs DIR ...]
    python -m measurements.freeze --compare OLD NEW [--tolerance T] [--except PATTERN ...]

The first runs the demo, 60 earnings calls with every scorer that needs no grader (`--ectsum`, a
copy of the ECTSum repository), and a report of each folder of logs (`--logs`, a folder of such
folders; its `expected.json`, if there, has questions with right answers). OUT gets one JSON file
per subject, without times and paths. `--only SUBJECT` limits it. The second exits with 1 if
anything differs. Everything goes through commands, so modules may move. Values that depend on which
samples are scored together, such as BERTScore's last digits, differ even between two runs of one
commit.
"""

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from fnmatch import fnmatch
from importlib.metadata import entry_points
from io import StringIO
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple
from unittest.mock import patch

from .recount import recount
from .report_figures import Figures, read_report

_CALLS = 60
_SYSTEMS = "arag,naive_rag,stuffing"
_MODEL = "offline/extractive"
_SCORERS = "no_grader,embedding_coverage,bertscore,contain_match"
_NEXT_SCORERS = ("support", "numeric_match")
"""Scorers without a grader that the task of summaries does not have."""


class Typed(NamedTuple):
    """Output and exit status of a command."""

    printed: str
    code: int


def command(folder: Path, *words: object) -> Typed:
    """Run `arag-inspect` in a folder, in this process."""
    (script,) = entry_points(group="console_scripts", name="arag-inspect")
    printed, code = StringIO(), 0
    arguments = ["arag-inspect", *map(str, words)]
    environment = {"NO_COLOR": "1", "COLUMNS": "200", "HF_HUB_OFFLINE": "1"}
    with (
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", arguments),
        patch.object(sys, "excepthook", sys.excepthook),
        chdir(folder),
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        try:
            script.load()()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Typed(printed.getvalue(), code)


def _succeed(folder: Path, *words: object) -> str:
    done = command(folder, *words)
    if done.code:
        raise SystemExit(f"arag-inspect {' '.join(map(str, words))}:\n{done.printed}")
    return done.printed


def freeze_demo(work: Path) -> Figures:
    """Return the figures of `arag-inspect demo`."""
    printed = _succeed(work, "demo")
    table = [line.rstrip() for line in printed.splitlines() if line.startswith(" ")]
    figures = _with_recount(work, work / "logs" / "demo", work / "report" / "demo")
    kept = [line for line in table if "Latency" not in line]
    return {"printed": dict(_enumerate(kept)), **figures}


def _enumerate(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield lines with their numbers as keys that sort in their order."""
    for number, line in enumerate(lines, 1):
        yield f"{number:03}", line


def freeze_ectsum(work: Path, source: Path) -> Figures:
    """Return the figures of three systems on calls of the val split, without a grader."""
    corpus = work / "ectsum"
    options = ["--split", "val", "--limit", _CALLS, "--build", "dtype=float32"]
    _succeed(work, "prepare", "ectsum", *options, "--source", source, "--out", corpus)
    parameters = [f"corpus={corpus}", "split=val", f"scorers={_SCORERS}"]
    given = [word for parameter in parameters for word in ("-T", parameter)]
    run = ["run", "ectsum", "--systems", _SYSTEMS, "--model", _MODEL, "--log-dir", "logs"]
    _succeed(work, *run, *given)
    _score_again(work / "logs")
    _succeed(work, "report", "logs", "-o", "report")
    return _with_recount(work, work / "logs", work / "report")


def _score_again(folder: Path) -> None:
    """Append the scores of scorers that are not among those of the task."""
    from inspect_ai import score
    from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log

    from arag_inspect import scorers

    makers = [getattr(scorers, name) for name in _NEXT_SCORERS]
    for info in list_eval_logs(str(folder)):
        log = read_eval_log(info)
        made = [make() for make in makers]
        scored = score(log, made, action="append", display="none", copy=False)
        write_eval_log(scored, info.name)


def freeze_logs(work: Path, folder: Path) -> Figures:
    """Return the figures of a report of some logs, or its message if it refuses them."""
    done = command(work, "report", folder, "-o", "report")
    if done.code:
        return {"refused": {"line": _without(done.printed, work, folder)}}
    return _with_recount(work, folder, work / "report")


def _with_recount(work: Path, logs: Path, report: Path) -> Figures:
    figures = read_report(report, hidden=(str(logs), str(work)))
    return {**figures, "recount": recount(logs, report)}


def freeze_answers(work: Path, folder: Path) -> Figures:
    """Answer the questions of `expected.json` with the commands.

    Returns:
        By question: the output, the exit status, the tables, and for each right figure whether
        ours is equal.
    """
    questions = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return {question["id"]: _answer(work, folder, question) for question in questions}


def _answer(work: Path, folder: Path, question: Mapping[str, Any]) -> Figures:
    out = work / question["id"]
    out.mkdir()
    logs = [folder / name for name in question.get("logs") or (question["a"], question["b"])]
    cluster = ["--cluster", question["cluster"]] if "cluster" in question else []
    figures: Figures = {}
    rule = question.get("rule") or question.get("gate", "").partition("--rule ")[2].strip("'")
    if rule:
        against = ["--against", logs[0]] if len(logs) == 2 else []
        gate = command(out, "gate", logs[-1], *against, "--rule", rule)
        figures["gate"] = {"exit": gate.code, "right exit": str(question["exit"])}
        figures["gate"] |= dict(_enumerate(_without(gate.printed, out, folder).splitlines()))
    if question["kind"] == "plan":
        plan = command(out, "plan", *logs, "--effect", "0.3", *cluster)
        figures["plan"] = dict(_enumerate(_without(plan.printed, out, folder).splitlines()))
        return figures
    verb = "compare" if len(logs) == 2 and question["kind"] in ("compare", "refuse") else "report"
    done = command(out, verb, *logs, *cluster, "-o", "report")
    figures["exit"] = done.code
    if done.code:
        figures["refused"] = {"line": _without(done.printed, out, folder)}
        return figures
    report = read_report(out / "report", hidden=(str(folder), str(out)))
    figures |= {name: report[name] for name in ("tables", "markdown")}
    if question["kind"] == "compare":
        figures["right"] = _check_differences(report["tables"], question["figures"])
    if question["kind"] == "report":
        figures["right"] = _check_means(report["tables"], question["figures"])
    return figures


def _check_differences(tables: Figures, expected: Mapping[str, Any]) -> Figures:
    """Return for each measure which expected numbers are among our comparisons."""
    rows = _all_rows(tables, "comparisons")
    checked: Figures = {}
    for measure, figures in expected.items():
        pairs = [(row["n"], abs(row["a - b"])) for row in rows if row["measure"] == measure]
        right = (figures["n"], abs(figures["difference"]))
        equal = any(n == right[0] and abs(size - right[1]) < 1e-6 for n, size in pairs)
        checked[measure] = "equal" if equal else f"{right} is not among {pairs}"
    return checked


def _check_means(tables: Figures, expected: Mapping[str, Any]) -> Figures:
    rows = [*_all_rows(tables, "leaderboard"), *_all_rows(tables, "headline")]
    values = [value for row in rows for value in row.values() if isinstance(value, float)]
    checked: Figures = {}
    for log, measures in expected.items():
        for measure, figures in measures.items():
            equal = any(abs(value - figures["mean"]) < 1e-6 for value in values)
            checked[f"{log} {measure}"] = "equal" if equal else f"{figures['mean']} is not there"
    return checked


def _all_rows(tables: Figures, name: str) -> list[Figures]:
    return [
        row
        for table, rows in tables.items()
        if table.endswith(f"| {name}")
        for row in rows.values()
    ]


def _without(text: str, *folders: Path) -> str:
    """Return a text without the paths of folders."""
    for folder in folders:
        text = text.replace(str(folder), "...")
    return text.strip()


def compare(
    old: Path, new: Path, tolerance: float = 0.0, excepted: Sequence[str] = ()
) -> list[str]:
    """List what differs between two folders of frozen figures, a line for each measure or table.

    Args:
        old: The earlier folder.
        new: The later folder.
        tolerance: Relative and absolute difference of two numbers that count as equal.
        excepted: Patterns of groups that may differ, e.g. `*/scores/rouge.*`.
    """
    lines = []
    names = sorted({path.name for folder in (old, new) for path in folder.glob("*.json")})
    for name in names:
        groups = [_groups(folder / name, Path(name).stem) for folder in (old, new)]
        for group in sorted(groups[0].keys() | groups[1].keys()):
            if any(fnmatch(group, pattern) for pattern in excepted):
                continue
            before, after = (side.get(group, {}) for side in groups)
            if line := _difference(before, after, tolerance):
                lines.append(f"{group}: {line}")
    return lines


def _groups(path: Path, subject: str) -> dict[str, dict[str, Any]]:
    """Return the leaves of a file by the first two levels of their place."""
    if not path.exists():
        return {}
    groups: dict[str, dict[str, Any]] = {}
    for keys, value in leaves(json.loads(path.read_text(encoding="utf-8")), ()):
        group = " / ".join((subject, *keys[:2]))
        groups.setdefault(group, {})[" / ".join(keys[2:])] = value
    return groups


def leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*keys, key))
    else:
        yield keys, value


def _difference(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float) -> str:
    """Describe how two groups differ; empty if they do not."""
    shared = [key for key in old if key in new]
    changed = [key for key in shared if not _equal(old[key], new[key], tolerance)]
    gone = [key for key in old if key not in new]
    added = [key for key in new if key not in old]
    if not (changed or gone or added):
        return ""
    parts = []
    if changed:
        first = changed[0]
        example = f"{first}: {_shown(old[first])} -> {_shown(new[first])}"
        parts.append(f"{len(changed)} of {len(shared)} differ{_means(old, new, shared)}; {example}")
    if gone:
        parts.append(f"{len(gone)} of {len(old)} gone; {gone[0]}: {_shown(old[gone[0]])}")
    if added:
        parts.append(f"{len(added)} new; {added[0]}: {_shown(new[added[0]])}")
    return "; ".join(parts)


def _equal(old: Any, new: Any, tolerance: float) -> bool:
    numbers = isinstance(old, int | float) and isinstance(new, int | float)
    if numbers and tolerance:
        return math.isclose(old, new, rel_tol=tolerance, abs_tol=tolerance)
    return bool(old == new)


def _means(old: Mapping[str, Any], new: Mapping[str, Any], shared: Sequence[str]) -> str:
    """Return the two means where every value is a number."""
    sides = [[side[key] for key in shared] for side in (old, new)]
    if not all(isinstance(value, int | float) for side in sides for value in side):
        return ""
    return f" (mean {fmean(sides[0]):.6g} -> {fmean(sides[1]):.6g})"


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 160 else f"{text[:160]}..."


def freeze(out: Path, ectsum: Path | None, logs: Sequence[Path], only: Sequence[str]) -> None:
    """Write the figures of every subject to a folder."""
    out.mkdir(parents=True, exist_ok=True)
    subjects: dict[str, Any] = {"demo": freeze_demo}
    if ectsum is not None:
        subjects["ectsum"] = lambda work: freeze_ectsum(work, ectsum)
    for root in logs:
        for folder in sorted(path for path in root.iterdir() if path.is_dir()):
            name = f"logs-{root.parent.name}-{folder.name}"
            subjects[name] = lambda work, folder=folder: freeze_logs(work, folder)
        if (root / "expected.json").exists():
            subjects["answers"] = lambda work, root=root: freeze_answers(work, root)
    for name, make in subjects.items():
        if only and name not in only:
            continue
        work = Path(tempfile.mkdtemp(prefix="freeze-"))
        try:
            figures = make(work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        text = json.dumps(figures, indent=1, sort_keys=True, ensure_ascii=False)
        (out / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(name, flush=True)


def main() -> int:
    """Freeze figures, or compare two folders of them."""
    parser = argparse.ArgumentParser(prog="python -m measurements.freeze")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--ectsum", type=Path)
    parser.add_argument("--logs", type=Path, action="append", default=[])
    parser.add_argument("--only", nargs="+", default=[], metavar="SUBJECT")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"))
    parser.add_argument("--tolerance", type=float, default=0.0)
    parser.add_argument("--except", nargs="+", default=[], dest="excepted", metavar="PATTERN")
    given = parser.parse_args()
    if given.compare:
        old, new = given.compare
        lines = compare(old, new, given.tolerance, given.excepted)
        print("\n".join(lines) or "Everything is equal.")
        return int(bool(lines))
    if given.out is None:
        parser.error("give the folder to write to, or --compare OLD NEW")
    paths = [path.resolve() for path in given.logs]
    freeze(given.out, given.ectsum and given.ectsum.resolve(), paths, given.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
