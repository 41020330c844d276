"""Set up test processes: environment, plugins, and the order of tests."""

import gc
import os
import re
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tests.environment  # noqa: F401  # before anything reads the environment

if "PYTEST_XDIST_WORKER" in os.environ:  # one worker per core: more threads would only wait
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

_HAS_TORCH = find_spec("torch") is not None
_WITHOUT_TORCH = re.compile(
    r"this needs torch|No module named '(?:torch|sentence_transformers|bert_score)"
)

_SHARED = Path(__file__).parents[2] / "shared"
"""A folder beside the repository; tests that need it are skipped if it is missing."""

SHARED_DATA = _SHARED / "data"
SHARED_CASES = _SHARED / "cases"


_FIRST = (
    "command_line cluster notebooks demo page added_benchmark fresh_process qualified_headline "
    "gate stores estimate_cost serve_corpus spending provider_faults settings"
).split()
"""The slowest modules, run first so that all workers finish together.

The first must stay first: Inspect checks for a model's key once per process.
"""


_TORCH = frozenset(
    f"tests/{module}.py"
    for module in (
        "_util/test_encodable benchmarks/_shared/test_every_score "
        "benchmarks/_shared/test_filing_tasks benchmarks/legal/test_composite "
        "benchmarks/legal/test_task benchmarks/perspectives/test_scorers cli/test_ask "
        "corpus/embedding/test_embedding_models corpus/embedding/test_shipped_vectors "
        "corpus/embedding/test_unpadded corpus/prepared/test_provenance e2e/test_demo "
        "measures/test_bertscore measures/test_default_model measures/test_embedding_coverage "
        "measures/test_half_precision measures/test_layouts measures/test_nli_contradiction "
        "measures/test_no_answer run/test_provider_faults run/test_serve_corpus "
        "cli/test_mistyped_commands systems/tools/test_retrieval test_docs"
    ).split()
)
"""Modules that one worker runs, so that only it imports PyTorch, which takes four seconds."""


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, and with them the package, unless other processes run the tests."""
    if config.getoption("dist", "no") == "no":
        import tests.quick  # noqa: F401  # before Inspect

        config.pluginmanager.import_plugin("tests.fixtures")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Distribute tests by module, but those that need PyTorch together."""
    from xdist.scheduler import LoadScopeScheduling

    if config.getoption("dist") != "loadscope":
        return None
    scheduler = LoadScopeScheduling(config, log)
    module_of = scheduler._split_scope

    def split_scope(test: str) -> str:
        module = module_of(test)
        return "torch" if module in _TORCH else module

    scheduler._split_scope = split_scope
    return scheduler


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest modules first."""
    names = {f"test_{name}": place for place, name in enumerate(_FIRST)}
    items.sort(key=lambda item: names.get(item.path.stem, len(names)))


def pytest_collection_finish() -> None:
    """Exclude long-lived objects from garbage collections."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Exclude all objects from the five garbage collections that pytest runs at the end."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip tests that fail only because PyTorch is not installed."""
    report = yield
    if report.failed and not _HAS_TORCH and _WITHOUT_TORCH.search(report.longreprtext):
        report.outcome, report.longrepr = "skipped", (report.nodeid, 0, "Skipped: needs torch")
    return report
