"""What the columns of tables mean, for the reader who points at a heading."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ..._util.yaml_text import parse_yaml
from ...stats.estimates import Estimate
from ..benchmark import Benchmark
from ..labels import counted
from ..table import Over, Table


@cache
def _definitions() -> dict[str, str]:
    text = files(__package__).joinpath("columns.yaml").read_text(encoding="utf-8")
    return {str(name): str(about) for name, about in parse_yaml(text).items()}


def words_of(benchmark: Benchmark) -> dict[str, str]:
    """Return what the names of measures and systems in headings mean."""
    runs = {run.system: f"{run.system}, written by {run.model}" for run in benchmark.rows}
    return {spec.label: spec.description or spec.label for spec in benchmark.specs} | runs


def explain(table: Table, column: int, words: Mapping[str, str]) -> str:
    """Return definition, n and kind of interval of a column, for its heading."""
    name = table.columns[column]
    own = {**_definitions(), **words}
    about = own.get(name) or own.get(name.split(" (")[0]) or own.get(name.split(",")[0]) or name
    cells = [row[column] for row in table.rows]
    counts = sorted({cell.n for cell in cells if isinstance(cell, Estimate | Over)})
    several = f"{counts[0]:,} to {counts[-1]:,}" if len(counts) > 1 else "".join(map(str, counts))
    n = f" n {several}." if counts else f" {counted(len(cells), 'row')}."
    kind = " Mean with its 95 % interval." if any(isinstance(c, Estimate) for c in cells) else ""
    return f"{about.rstrip('.')}.{kind}{n}"
