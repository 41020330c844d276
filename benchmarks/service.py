"""Searches a second through a search service: `python -m benchmarks.service` writes docs/growing.md."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from statistics import median
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from time import perf_counter

import anyio

from arag_inspect.corpus import Corpus, build_corpus

from .material import documents, questions
from .page import machine, write_part

_CLIENTS = (1, 8, 32)
_QUERIES = 256
_TURNS = 5
_DOCUMENTS = 100


def main() -> None:
    """Time searches by meaning in this process and through a service, in turns."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with TemporaryDirectory() as name:
        folder = Path(name) / "corpus"
        calls = documents(_DOCUMENTS)
        build_corpus(calls, folder, dataset="synthetic")
        with _service(folder) as address:
            opened = {"this process": Corpus.open(folder), "a service": Corpus.open(address)}
            asked = questions(_QUERIES, calls)
            rows = [_row(opened, asked, clients) for clients in _CLIENTS]
            size = f"{len(opened['this process']):,} chunks"
    head = [f"| searches by meaning at once ({size}) | {' | '.join(opened)} |", "|---:|---:|---:|"]
    write_part("growing.md", "service", "\n".join([*head, *rows, "", f"{machine()}."]))


def _row(opened: dict[str, Corpus], asked: list[str], clients: int) -> str:
    rates: dict[str, list[float]] = {name: [] for name in opened}
    for turn in range(_TURNS + 1):
        for name, corpus in opened.items():
            rate = anyio.run(_rate, corpus, asked, clients)
            if turn:  # the first loads the model
                rates[name].append(rate)
    cells = [f"{median(r):.0f}/s ({min(r):.0f} to {max(r):.0f})" for r in rates.values()]
    return f"| {clients} | {' | '.join(cells)} |"


async def _rate(corpus: Corpus, asked: list[str], clients: int) -> float:
    waiting = iter(asked)

    async def client() -> None:
        for query in waiting:
            await corpus.semantic_search(query, 5)

    started = perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(clients):
            group.start_soon(client)
    return len(asked) / (perf_counter() - started)


@contextmanager
def _service(folder: Path) -> Iterator[str]:
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "arag_inspect.cli.main", "serve", str(folder), "--port", port]
    with Popen(command, stdout=PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        yield f"http://127.0.0.1:{port}"
        process.terminate()


if __name__ == "__main__":
    main()
