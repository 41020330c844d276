"""Insert small faults into the package, one at a time, and check whether the tests fail.

    python -m measurements.mutants draw LIST [--count N]   # write N mutants not yet run
    python -m measurements.mutants run LIST [--limit N]    # run those without a result
    python -m measurements.mutants score LIST              # shares caught, by room, and survivors

A mutant is identified by its function and the text of its line, so a list survives renamed
modules. Each runs the tests that mirror its module, then `tests/e2e`, up to the first failure. A
test that also fails without the mutant is inconclusive and is skipped from then on.
"""

import argparse
import ast
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

_PACKAGE = Path("arag_inspect")
_SEED = 20_261_127
_TIMEOUT = 900
"""Seconds after which a mutant counts as caught: its tests hang."""

_AT_LEAST = 4
"""Mutants of each room; the others are drawn in proportion to what a room has."""

ROOMS = {
    "report": ["report/*"],
    "figures": ["quantities/*", "figures/*"],
    "measures": ["scorers/*", "measures/*"],
    "corpus": ["corpus/*"],
    "stats": ["stats/*"],
    "tasks": ["tasks/*"],
    "judge": ["judge/*"],
    "gate": ["*/gate.py", "run/gate_rules.py", "run/_gate_*.py", "run/gate/*"],
    "cli": ["cli/*"],
    "models": ["models/*"],
    "validity": ["meta_evaluation/*", "validity/*"],
    "benchmarks": ["sisters/*", "benchmarks/*"],
}
"""Rooms by name, with the patterns of their modules before and after they are renamed."""

_WITHDRAWN = [
    "models/smollm2.py",
    "models/spending.py",
    "models/provider_faults.py",
    "judge/_calls.py",
    "quantities/trends.py",
    "report/judge_card.py",
    "report/comparison/human.py",
    "report/people/human_marks.py",
    "report/people/review_sheet.py",
]
_WITHDRAWN_FUNCTIONS = re.compile(r"trend|smollm|judge_card")

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}


class Mutant(NamedTuple):
    """A change of one expression."""

    file: str
    function: str
    """Qualified name in its module; empty at module level."""

    line: str
    """Text of its first line."""

    place: int
    """Number among the mutants of this function, line and operator."""

    operator: str
    after: str
    """Text of the changed expression."""

    start: int
    end: int
    """Bytes of the source that `after` replaces."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.function, self.line, self.operator, self.place


def mutants_of(path: Path) -> list[Mutant]:
    """List all mutants of a module, in the order of its source."""
    source = path.read_bytes()
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines))]
    places: Counter[tuple[str, str, str]] = Counter()
    mutants = []
    for function, node, is_condition in _nodes(ast.parse(source), ""):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        line = lines[node.lineno - 1].decode().strip()
        negated = [("condition", f"(not ({ast.unparse(node)}))")]
        for operator, after in negated if is_condition else _changes(node):
            place = places[function, line, operator]
            places[function, line, operator] += 1
            mutants.append(Mutant(str(path), function, line, place, operator, after, start, end))
    return mutants


def _nodes(tree: ast.AST, function: str) -> Iterator[tuple[str, Any, bool]]:
    """Yield what may change, with its function, and whether it is to be negated as a condition.

    Annotations, decorators and f-strings are left alone.
    """
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            inside = function
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inside = f"{function}.{child.name}".lstrip(".")
            if isinstance(child, ast.If | ast.IfExp | ast.While):
                yield inside, child.test, True
            if isinstance(child, ast.Return | ast.Compare | ast.BoolOp | ast.BinOp | ast.Constant):
                yield inside, child, False
            yield from _nodes(child, inside)


def _changes(node: Any) -> Iterator[tuple[str, str]]:
    """Yield each operator that applies to a node, with the text after it."""
    match node:
        case ast.Compare(left, [op, *others], right) if type(op) in _COMPARISONS:
            new = ast.Compare(left, [_COMPARISONS[type(op)](), *others], right)
            yield "comparison", f"({ast.unparse(new)})"
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "boolean", f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.BinOp(left, op, right) if type(op) in _ARITHMETIC:
            changed = ast.BinOp(left, _ARITHMETIC[type(op)](), right)
            yield "arithmetic", f"({ast.unparse(changed)})"
        case ast.Constant(bool() as value):
            yield "constant", str(not value)
        case ast.Constant(int() | float() as value):
            yield "constant", repr(value + 1)
        case ast.Return(value) if value is not None and ast.unparse(value) != "None":
            yield "return", "return None"


def draw(count: int) -> list[dict[str, Any]]:
    """Draw mutants of modules that stay, some of each room, in random order."""
    generator = random.Random(_SEED)
    by_room = {room: _stay(room) for room in ROOMS}
    total = sum(map(len, by_room.values()))
    spare = count - _AT_LEAST * len(by_room)
    shares = {room: spare * len(mutants) / total for room, mutants in by_room.items()}
    quotas = {room: _AT_LEAST + int(share) for room, share in shares.items()}
    by_fraction = sorted(shares, key=lambda room: int(shares[room]) - shares[room])
    for room in by_fraction[: count - sum(quotas.values())]:
        quotas[room] += 1
    drawn = []
    for room, mutants in by_room.items():
        for mutant in generator.sample(mutants, quotas[room]):
            described = {name: getattr(mutant, name) for name in _DESCRIBED}
            drawn.append({"room": room, **described, "result": None})
    generator.shuffle(drawn)
    return drawn


_DESCRIBED = ("file", "function", "line", "place", "operator", "after")


def _stay(room: str) -> list[Mutant]:
    """List the mutants of a room's modules, less those of what is withdrawn."""
    mutants = []
    for path in sorted(_PACKAGE.rglob("*.py")):
        if _fits(path, ROOMS[room]) and not _fits(path, _WITHDRAWN):
            mutants += mutants_of(path)
    return [mutant for mutant in mutants if not _WITHDRAWN_FUNCTIONS.search(mutant.function)]


def _fits(path: Path, patterns: list[str]) -> bool:
    return any(fnmatch(path.relative_to(_PACKAGE).as_posix(), pattern) for pattern in patterns)


def find(entry: dict[str, Any]) -> Mutant | None:
    """Find a mutant of a list in today's tree: in its file, or else in any module."""
    key = (entry["function"], entry["line"], entry["operator"], entry["place"])
    path = Path(entry["file"])
    places = [path] if path.exists() else []
    places += sorted(_PACKAGE.rglob("*.py"), key=lambda other: other.name != path.name)
    for place in places:
        for mutant in mutants_of(place):
            if mutant.key == key:
                return mutant
    return None


def mirrors(module: Path) -> list[str]:
    """List the test modules that mirror a module: of its name, and those that import it.

    Where there are none, those of its folder, or of the folder above.
    """
    relative = module.relative_to(_PACKAGE).with_suffix("")
    stem = relative.name.lstrip("_")
    if stem == "init__":
        relative = relative.parent
        stem = relative.name
    dotted = ".".join((_PACKAGE.name, *relative.parts))
    imports = re.compile(rf"(from|import) {re.escape(dotted)}\b(?!\.)")
    tests = set(Path("tests").rglob(f"test_{stem}.py"))
    for test in Path("tests").rglob("test_*.py"):
        if imports.search(test.read_text(encoding="utf-8")):
            tests.add(test)
    folder = Path("tests") / relative.parent
    while not tests and folder != Path("tests"):
        tests = set(folder.rglob("test_*.py"))
        folder = folder.parent
    slow = ("tests/e2e", "tests/faults", "tests/cluster", "tests/installed")
    return sorted(str(test) for test in tests if not str(test).startswith(slow))


def run(mutant: Mutant, broken: list[str]) -> tuple[str, str]:
    """Run the tests of a mutant, and put its module back.

    Args:
        mutant: What to change.
        broken: Tests that fail without it; those that turn out to do so are added.

    Returns:
        `caught`, `survived` or `timeout`, and the test that caught it.
    """
    path = Path(mutant.file)
    source = path.read_bytes()
    changed = source[: mutant.start] + mutant.after.encode() + source[mutant.end :]
    for tests in (mirrors(path), ["tests/e2e"]):
        while tests:
            path.write_bytes(changed)
            try:
                failed = _first_failure(tests, broken)
            except subprocess.TimeoutExpired:
                return "timeout", ""
            finally:
                path.write_bytes(source)
            if failed is None:
                break
            if "::" not in failed or _first_failure([failed], []) is None:
                return "caught", failed
            broken.append(failed)
    return "survived", ""


def _first_failure(tests: list[str], left_out: list[str]) -> str | None:
    """Run tests up to the first that fails, and return it; None if all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "--no-header", "-rfE", *tests]
    command += [f"--deselect={test}" for test in left_out]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=_TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode in (0, 5):  # 5: every test is left out
        return None
    names = re.findall(r"^(?:FAILED|ERROR) (\S+?)(?: - .*)?$", output, re.MULTILINE)
    return names[0] if names else output.strip().splitlines()[-1]


def run_list(path: Path, limit: int | None) -> None:
    """Run the mutants of a list that have no result, and write each result at once."""
    listed = json.loads(path.read_text(encoding="utf-8"))
    waiting = [entry for entry in listed["mutants"] if entry["result"] is None]
    for entry in waiting[:limit]:
        mutant = find(entry)
        entry["result"], entry["by"] = (
            ("not found", "") if mutant is None else run(mutant, listed["fail_without"])
        )
        _write(path, listed)
        print(entry["result"], entry["file"], entry["function"], entry["operator"], entry["by"])


def _write(path: Path, listed: dict[str, Any]) -> None:
    path.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def score(path: Path) -> None:
    """Print the shares caught, by room, and the survivors."""
    entries = json.loads(path.read_text(encoding="utf-8"))["mutants"]
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in entries:
        rooms[entry["room"]][entry["result"] or "not run"] += 1
    for room in ROOMS:
        print(f"{room:10}", ", ".join(f"{n} {name}" for name, n in sorted(rooms[room].items())))
    for entry in entries:
        if entry["result"] == "survived":
            change = f"{entry['operator']}: {entry['line']}  ->  {entry['after']}"
            print(f"survived {entry['file']}, {entry['function']}: {change}")


def main() -> None:
    """Draw, run or score a list of mutants."""
    parser = argparse.ArgumentParser(prog="python -m measurements.mutants")
    parser.add_argument("action", choices=["draw", "run", "score"])
    parser.add_argument("list", type=Path)
    parser.add_argument("--count", type=int, default=70)
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    if given.action == "draw":
        _write(given.list, {"seed": _SEED, "fail_without": [], "mutants": draw(given.count)})
    elif given.action == "run":
        run_list(given.list, given.limit)
    else:
        score(given.list)


if __name__ == "__main__":
    main()
