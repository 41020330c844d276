"""Pages made from the code: one for each scorer, from its docstring and the measures it declares."""

import inspect

import arag_inspect._registry  # noqa: F401  # benchmarks add their scorers
from arag_inspect import scorers
from arag_inspect.measure import (MeasureSpec, measures_of)

_DIRECTIONS = {True: "higher", False: "lower", None: "-"}


def scorer_pages() -> dict[str, str]:
    """Return Markdown by path: a page for each scorer and `scorers/index.md`."""
    pages = {f"scorers/{name}.md": _page(name) for name in scorers.__all__}
    return {"scorers/index.md": _index(), **pages}


def _page(name: str) -> str:
    scorer = getattr(scorers, name)
    table = measure_table(measures_of(scorer))
    return f"{api_page(scorer.__module__, name)}\n## Measures\n\n{table}\n"


def api_page(module: str, name: str) -> str:
    """Return a page whose text is the docstring of an object, put in by mkdocstrings."""
    return f"---\ntitle: {name}\n---\n\n::: {module}.{name}\n    options: {{heading_level: 1}}\n"


def _index() -> str:
    rows = [
        f"| [`{name}`]({name}.md) | {_cell(_summary(name))} | "
        f"{', '.join(f'`{spec.value_key}`' for spec in measures_of(getattr(scorers, name)))} |"
        for name in scorers.__all__
    ]
    head = ["# Scorers", "", "| scorer | what it measures | keys |", "|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def measure_table(specs: tuple[MeasureSpec, ...]) -> str:
    """Show measures as a Markdown table."""
    head = ["| key | measure | family | role | range | better | depends on |", "|" + "---|" * 7]
    rows = [
        f"| `{spec.key}` | {_cell(': '.join(filter(None, (spec.label, spec.description))))} | "
        f"{spec.family} | "
        f"{spec.role} | {_range(spec)} | {_DIRECTIONS[spec.higher_is_better]} | "
        f"{', '.join(spec.signature) or '-'} |"
        for spec in specs
    ]
    return "\n".join([*head, *rows])


def _summary(name: str) -> str:
    return (inspect.getdoc(getattr(scorers, name)) or "").partition("\n")[0]


def _range(spec: MeasureSpec) -> str:
    low, high = ("" if end is None else f"{end:g}" for end in (spec.low, spec.high))
    return f"{low} to {high}" if high else f"from {low}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
