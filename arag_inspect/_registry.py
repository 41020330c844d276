"""Everything that Inspect finds by name (entry point `inspect_ai`)."""
# ruff: noqa: F401

from importlib import import_module

from . import scorers, solvers, tasks, tools
from ._util.encodable import write_anything
from ._util.network import prepare_clients
from .models import smollm2
from .models.offline import extractive

prepare_clients()
write_anything()  # a locale without UTF-8 would end a run in Inspect's last table

BENCHMARKS = [
    import_module(f".sisters.{name}", __package__)
    for name in (
        "advisor",
        "legal",
        "perspectives",
    )
]
"""Benchmarks in folders of their own, each with what it adds."""
