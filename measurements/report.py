"""A report of 1,485 answers: time, memory, size of the page, first paint, filter.

Run it as `python -m measurements.report`, with Chromium and its driver. The corpus is of the size
of ECTSum's test split, with five chunks a call. Each system searches in 11 loops and reads two
chunks in each of 11 others. Words are drawn at random from the package's own docs, so that the
page compresses no better than prose.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from gzip import compress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from inspect_ai.log import EvalSample

from arag_inspect.report.chart import vega_bundle
from docs.screenshots import chromium
from tests.report.material import judged, log, passage, sample, scored, trace, write

SYSTEMS = ("arag", "naive_rag", "stuffing")
SAMPLES = 495
LOOPS = 22
_CHUNKS = 5
"""Chunks of a document."""

_CODES = ("H", "O", "N", "C", "V", "any")


def write_logs(folder: Path, samples: int = SAMPLES) -> None:
    """Write a log of each system."""
    random = Random(1)
    pages = Path(__file__).parent.parent.joinpath("docs").glob("*.md")
    words = [word for page in sorted(pages) for word in page.read_text("utf-8").split()]

    def prose(count: int) -> str:
        return " ".join(random.choices(words, k=count))

    chunks = [prose(700) for _ in range(samples * _CHUNKS)]
    for place, system in enumerate(SYSTEMS):
        made = [_sample(number, system, place, chunks, random, prose) for number in range(samples)]
        write(folder, log(made, system=system))


def _sample(
    number: int,
    system: str,
    place: int,
    chunks: list[str],
    random: Random,
    prose: Callable[[int], str],
) -> EvalSample:
    own = range(number * _CHUNKS, (number + 1) * _CHUNKS)
    read = [*own, *random.sample(range(len(chunks)), LOOPS - _CHUNKS)]
    answer = f"{prose(60)} 4 % {prose(40)}"
    start = answer.index("4 %")
    claim = {"figure": {"text": "4 %", "span": [start, start + 3]}, "source": prose(25)}
    claim |= {"verdict": random.choice(["supported", "contradicted"]), "differs": ["value"]}
    graded = {
        name: judged(min(5, max(1, round(random.gauss(3.5 - place / 2, 1)))), name=name)
        for name in ("geval_faithfulness", "geval_coverage", "severity_judge")
    }
    for one in graded.values():
        (one.metadata or {})["judges"][0]["raw"] = [prose(70)]
    return sample(
        number,
        {
            **graded,
            "retrieval_pr": scored({"recall": random.random(), "precision": random.random()}),
            "rouge": scored({f"rouge{n}": random.random() for n in ("1", "2", "L")}),
            "error_taxonomy": scored({code: int(random.random() < 0.1) for code in _CODES}),
            "factual_consistency": scored({"supported": random.random()}, claims=[claim]),
        },
        system=system,
        answer=answer,
        metadata={"company": f"C{number // 3}", "gold_chunk_ids": list(own[:2])},
        store=trace(
            system,
            loops=LOOPS,
            searches=[
                {"tool": "semantic_search", "query": f"C{number // 3} Q1 2021 {prose(5)}"}
                | {"chunk_ids": read[loop : loop + 5], "scores": [0.5] * 5, "loop": loop + 1}
                for loop in range(0, LOOPS, 2)
            ],
            passages=[
                passage(chunk, loop=2 + turn // 2 * 2, text=chunks[chunk])
                for turn, chunk in enumerate(dict.fromkeys(read))
            ],
        ),
    )


def make(logs: Path, out: Path) -> Iterator[tuple[str, float, float]]:
    """Make the report in a separate process; yield name, value and upper bound of each figure."""
    start = perf_counter()
    command = [sys.executable, "-m", "arag_inspect.cli.main", "report", str(logs), "-o", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    yield "report, s", perf_counter() - start, 20
    yield "its processor time, s", used.ru_utime + used.ru_stime, 20
    yield "its memory, GB", used.ru_maxrss * 1024 / 1e9, 1
    page = (out / "report.html").stat().st_size / 1e6
    library = len(compress(vega_bundle().encode())) * 4 / 3 / 1e6
    yield "page, MB", page, float("inf")
    yield "page without the library of its charts, MB", page - library, 3


def look(page: Path) -> Iterator[tuple[str, float, float]]:
    """Open the page; yield figures as `make` does."""
    with chromium() as browser:
        browser.get(page.resolve().as_uri())
        found: dict[str, float] = json.loads(browser.execute_async_script(_LOOK))
    yield "first paint, ms", found["paint"], 1000
    yield "ready, ms", found["ready"], float("inf")
    yield "filter by a word, ms", found["search"], 100
    yield "filter by a loss, ms", found["loses"], 100


_LOOK = """
const done = arguments[0];
const filtered = (control, value, event) => {
  const start = performance.now();
  control.value = value;
  control.dispatchEvent(new Event(event));
  document.querySelector(".list").offsetHeight;  // the browser lays out what is shown
  return performance.now() - start;
};
const wait = () => {
  if (!document.documentElement.dataset.ready) return setTimeout(wait, 5);
  const search = document.querySelector(".filters input");
  const show = document.querySelector(".filters label:nth-child(3) select");
  done(JSON.stringify({
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    ready: performance.now(),
    search: filtered(search, "s04", "input"),
    loses: filtered(show, "loses:0", "change"),
  }));
};
wait();
"""


def main() -> None:
    """Print a table in Markdown."""
    with TemporaryDirectory() as folder:
        logs, out = Path(folder) / "logs", Path(folder) / "report"
        write_logs(logs)
        rows = [*make(logs, out), *look(out / "report.html")]
    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(f"{cores} cores, load {load:.1f}\n\n| what | measured | at most |\n|---|---:|---:|")
    for what, measured, most in rows:
        print(f"| {what} | {measured:.3g} | {most:g} |".replace("| inf |", "| - |"))


if __name__ == "__main__":
    main()
