"""The table of the matrix."""

from collections.abc import Iterable

from .compare import EMBEDDING, TOLERANCES, changed_vectors
from .runs import Matrix
from .settings import REFERENCE, Setting, describe_processor, is_possible

_HEAD = ("setting", "runs", "what it changes here", "vectors", "other numbers", "figures")


def table(matrix: Matrix, settings: Iterable[Setting]) -> str:
    """Show the settings whose results are in the folder as Markdown, and where they came from."""
    rows = [_row(matrix, setting) for setting in settings]
    lines = [_line(cells) for cells in (_HEAD, ("---",) * len(_HEAD), *rows)]
    counts = matrix.result(REFERENCE)["vectors"]
    about = (
        f"{describe_processor()}; {matrix.result(REFERENCE)['made_with']['calls']}, "
        f"{counts['number']:,} sentences (vectors of {counts['kept']} compared number by number, "
        f"of all by digest), {matrix.searches} searches by meaning and as many by keyword at most."
    )
    return "\n".join([about, "", *lines])


def _row(matrix: Matrix, setting: Setting) -> tuple[str, ...]:
    if not is_possible(setting):
        return (_name(setting), "0", f"not run: the processor has no {setting.needs}", "", "", "")
    repeats = [number for number in (1, 2) if matrix.path(setting, number).exists()]
    if not repeats:
        return (_name(setting), "0", "not run", "", "", "")
    comparisons = [matrix.compare(setting, number) for number in repeats]
    faults = [fault for comparison in comparisons for fault in comparison.faults]
    verdict = f"{len(faults)} differ, the first: {faults[0]}" if faults else "the same"
    return (
        _name(setting),
        str(len(repeats)),
        effect(matrix, setting),
        _vectors(matrix, setting, comparisons[0].largest[EMBEDDING]),
        _numbers(comparisons[0].largest),
        verdict.replace("|", "\\|"),
    )


def effect(matrix: Matrix, setting: Setting) -> str:
    """Describe a setting's effect in its process; empty for the reference."""
    before, here = (matrix.result(one)["observed"][setting.shows] for one in (REFERENCE, setting))
    if setting == REFERENCE:
        return "-"
    if before != here:
        return f"{setting.shows}: {here} instead of {before}"
    if changed_vectors(matrix.result(REFERENCE), matrix.result(setting)):
        return f"last digits of vectors ({setting.shows}: {here}, as in the reference)"
    return f"nothing ({setting.shows}: {here}, as in the reference)"


def _vectors(matrix: Matrix, setting: Setting, largest: float) -> str:
    results = matrix.result(REFERENCE), matrix.result(setting)
    if results[0]["vectors"] == results[1]["vectors"]:
        return "same bits"
    changed, kept = changed_vectors(*results), results[0]["vectors"]["kept"]
    return f"{changed} of {kept} differ, by {largest:.1e} at most"


def _numbers(largest: dict[str, float]) -> str:
    """Show the largest differences of numbers that come from vectors."""
    shown = [
        f"{numbers} {difference:.1e}"
        for numbers, difference in largest.items()
        if difference and numbers != EMBEDDING
    ]
    return ", ".join(shown) or "same bits"


def tolerances() -> str:
    """Show the tolerances as Markdown, as `docs/reproducibility.md` has them."""
    rows = [_line((tolerance.numbers, f"{tolerance.most:g}")) for tolerance in TOLERANCES]
    return "\n".join([_line(("numbers", "at most")), _line(("---", "---:")), *rows])


def _name(setting: Setting) -> str:
    return f"`{setting.name}`"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
