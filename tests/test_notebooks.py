"""Tests that the docs' notebooks run offline and reproduce their outputs."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

nbformat: Any = pytest.importorskip("nbformat")  # its functions are untyped
ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelManager]:
    """One kernel for all notebooks, in a folder where the first prepares the corpus of all."""
    folder = tmp_path_factory.mktemp("notebooks")
    manager = KernelManager(kernel_name="python3", transport="ipc", ip=str(folder / "kernel"))
    environment = {key: value for key, value in os.environ.items() if key != "INSPECT_LOG_DIR"}
    path = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
    manager.start_kernel(cwd=str(folder), env={**environment, "PYTHONPATH": path})
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_reproduces_stored_outputs(path: Path, kernel: KernelManager) -> None:
    book = nbformat.read(path, as_version=4)
    assert 5 <= len(book.cells) <= 8
    outputs_by_cell = [outputs(cell) for cell in book.cells]
    assert sum(map(len, outputs_by_cell)) >= 2
    book.cells.append(nbformat.v4.new_code_cell("%reset -f"))  # isolates the next notebook's names
    book.cells.insert(0, nbformat.v4.new_code_cell("import tests.quick"))
    NotebookClient(book, timeout=None, km=kernel).execute(reset_kc=True)
    assert [outputs(cell) for cell in book.cells[1:-1]] == outputs_by_cell


def outputs(cell: Any) -> list[str]:
    """Return the text and image types that a cell shows, except Inspect's empty display."""
    shown_items = []
    for one in cell.get("outputs", []):
        data = one.get("data", {"text/plain": one.get("text", "")})
        assert one.output_type != "error"
        text = data.get("text/markdown") or data.get("text/plain")
        shown_items.append("a picture" if "image/png" in data else text)
    return [text for text in shown_items if text != "Output()"]
