"""An estimate of costs as text."""

from collections.abc import Sequence

from ..._util.names import short_name
from ...report import Table
from ...report.cells import Cell, Usd
from .cost_estimate import CostLine, total
from .extrapolation import Amount


def cost_text(lines: Sequence[CostLine], systems: Sequence[str] = ()) -> str:
    """Format an estimate for a terminal of 80 columns, with models below their system.

    Args:
        lines: The estimate.
        systems: Systems of the run; the text lists those whose model calls are unknown.
    """
    answering = {line.system for line in lines if not line.judge}
    missing = "calls no model of this run; its own cost is not estimated"
    unknown = [f"{system}: {missing}" for system in systems if system not in answering]
    if not lines:
        return "\n".join(unknown)
    rows: list[tuple[Cell, ...]] = []
    for system in dict.fromkeys(line.system for line in lines):
        if system in systems and system not in answering:
            rows.append((system, *(None,) * 6))
        is_run = system in answering or system in systems
        rows += [_row(line, is_run=is_run) for line in lines if line.system == system]
    rows.append(("all", *map(sum, zip(*map(_counts, lines), strict=True)), *_usd(total(lines))))
    columns = ("", "calls", "tokens in", "out", "USD", "from", "to")
    sources = dict.fromkeys(f"{line.system}: {line.source}" for line in lines)
    table = Table("cost", "", "", columns, tuple(rows)).as_text()
    return "\n".join([table, *sources, *unknown])


def _row(line: CostLine, *, is_run: bool) -> tuple[Cell, ...]:
    """Return the row of a model, named after its system, or indented as its judge."""
    model = short_name(line.model)
    name = f"  its judge\n    {model}" if line.judge and is_run else f"{line.system}\n  {model}"
    return (name, *_counts(line), *_usd(line.dollars))


def _counts(line: CostLine) -> tuple[int, int, int]:
    """Return the calls, input tokens and output tokens of a model."""
    amounts = (line.calls, line.input_tokens, line.output_tokens)
    calls, input_tokens, output_tokens = (round(amount.mean) for amount in amounts)
    return calls, input_tokens, output_tokens


def _usd(amount: Amount | None) -> tuple[Usd | None, ...]:
    return (None,) * 3 if amount is None else (Usd(amount.mean), Usd(amount.low), Usd(amount.high))
