"""Compute the figures of one setting, in a separate process.

    python -m measurements.matrix.work OUT [--ectsum DIR] [--calls N] [--searches N]
        [--connections N] [--options="OPTIONS OF inspect eval-set"]

Without `--ectsum` the calls are synthetic. OUT is a JSON file.
"""

import argparse
import base64
import hashlib
import json
import re
import shlex
import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
import numpy as np
from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log

from arag_inspect.corpus import Corpus
from arag_inspect.corpus.prepared.manifest import INDEX
from arag_inspect.corpus.search.dense_index import read_index
from arag_inspect.corpus.search.ranking import Hit
from arag_inspect.types.trace import RetrievalTrace

from ..freeze import command
from ..report_figures import Figures, read_report
from .observe import observe

_SYSTEMS = "arag,naive_rag"
_MODEL = "offline/extractive"
_SCORERS = "rouge,bertscore,embedding_coverage,retrieval_pr,factual_consistency"
_TOP_K = 5
_VECTORS_KEPT = 500
_KEYWORDS = 3


def main() -> None:
    """Compute the figures and write them to a file."""
    parser = argparse.ArgumentParser(prog="python -m measurements.matrix.work")
    parser.add_argument("out", type=Path)
    parser.add_argument("--ectsum", type=Path, metavar="DIR")
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--searches", type=int, default=400)
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--options", type=shlex.split, default=[])
    given = parser.parse_args()
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = compute(Path(folder), given)
    result["seconds"] = round(perf_counter() - start, 1)
    given.out.write_text(json.dumps(result, sort_keys=True), encoding="utf-8")


def compute(work: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Prepare calls, search them, run two systems on them and report the scores.

    Returns:
        `observed`, `vectors` and `figures`, which have no times.
    """
    folder = work / "corpus"
    _succeed(work, *_prepare_words(given), "--out", folder)
    corpus = Corpus.open(folder)
    searches = anyio.run(partial(_search, corpus, given.searches, given.connections))
    task = "ectsum" if given.ectsum else "earnings_synthetic"
    parameters = [f"corpus={folder}", f"scorers={_SCORERS}"]
    parameters += ["split=val"] if given.ectsum else []
    words = ["run", task, "--systems", _SYSTEMS, "--model", _MODEL, "--log-dir", "logs"]
    words += [word for parameter in parameters for word in ("-T", parameter)]
    printed = _succeed(work, *words, "--", *given.options)
    samples = _samples(work / "logs")
    figures: Figures = {
        "searches": searches,
        "samples": {f"{task} {one.id}": _figures_of(one) for task, one in samples},
        "printed": _table_lines(printed),
    }
    if given.ectsum:
        _succeed(work, "report", "logs", "-o", "report")
        hidden = (str(work / "logs"), str(work))
        figures["report"] = read_report(work / "report", hidden)
    observed = observe() | _concurrency([one for _, one in samples])
    observed["searches at once"] = str(given.connections)
    return {"observed": observed, "vectors": _vectors(folder), "figures": figures}


def _prepare_words(given: argparse.Namespace) -> list[object]:
    if given.ectsum is None:
        return ["prepare", "synthetic", "--documents", given.calls, "--chunk-tokens", 250]
    return ["prepare", "ectsum", "--split", "val", "--limit", given.calls, "--source", given.ectsum]


def _succeed(work: Path, *words: object) -> str:
    done = command(work, *words)
    if done.code:
        raise SystemExit(f"arag-inspect {' '.join(map(str, words))}:\n{done.printed}")
    return done.printed


async def _search(corpus: Corpus, number: int, connections: int) -> Figures:
    """Search for the sentences of the references by meaning, and for their first words."""
    lines = (corpus.path / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    targets = "\n".join(json.loads(line)["target"] for line in lines)
    queries = list(islice(dict.fromkeys(targets.splitlines()), number))
    figures: Figures = {}
    limiter = anyio.CapacityLimiter(connections)

    async def search(query: str) -> None:
        async with limiter:
            by_meaning = await corpus.semantic_search(query, _TOP_K)
            by_keyword = await corpus.keyword_search(query.split()[:_KEYWORDS], _TOP_K)
        figures[query] = {"meaning": _list(by_meaning), "keywords": _list(by_keyword)}

    async with anyio.create_task_group() as group:
        for query in queries:
            group.start_soon(search, query)
    return figures


def _list(hits: Sequence[Hit]) -> dict[str, Any]:
    """Return the hits in their order, and their scores apart."""
    ranking = " ".join(f"{hit.chunk_id}:{','.join(map(str, hit.sentences))}" for hit in hits)
    return {"found": ranking, "scores": {str(n): float(hit.score) for n, hit in enumerate(hits)}}


def _samples(logs: Path) -> list[tuple[str, EvalSample]]:
    """Return the samples of all logs with their systems, in the order in which they began."""
    samples = []
    for info in list_eval_logs(str(logs)):
        log = read_eval_log(info)
        system = str(log.eval.task_args["system"])
        samples += [(system, sample) for sample in log.samples or []]
    return sorted(samples, key=lambda pair: pair[1].started_at or "")


def _figures_of(sample: EvalSample) -> Figures:
    """Return the answer to a sample, what was read for it, and its scores."""
    trace = sample.store_as(RetrievalTrace)
    scores = sample.scores or {}
    return {
        "answer": sample.output.completion,
        "searches": json.dumps([[one.tool, one.query, one.chunk_ids] for one in trace.searches]),
        "passages": " ".join(str(passage.chunk_id) for passage in trace.passages),
        "loops": trace.loops,
        "tokens": trace.input_tokens + trace.output_tokens,
        "scores": {name: scores[name].value for name in sorted(scores)},
    }


def _table_lines(printed: str) -> dict[str, str]:
    """Return the lines of the table that `run` prints, which begin with one space."""
    lines = [line.rstrip() for line in printed.splitlines() if re.match(r" \S", line)]
    return {f"{number:03}": line for number, line in enumerate(lines, 1)}


def _concurrency(samples: Sequence[EvalSample]) -> dict[str, str]:
    """Return which samples of a log came first, and the maximum number run concurrently."""
    changes = [(sample.started_at or "", 1) for sample in samples]
    changes += [(sample.completed_at or "", -1) for sample in samples]
    under_way = np.cumsum([change for _, change in sorted(changes)])
    first = ", ".join(str(sample.id) for sample in samples[:3])
    return {"samples at once": str(under_way.max()), "first samples": first}


def _vectors(folder: Path) -> dict[str, Any]:
    """Return a digest of the vectors of all sentences, and some of them evenly spread."""
    index = read_index(folder / INDEX)
    vectors = np.asarray(index.reconstruct_n(0, index.ntotal), "<f4")
    spread = vectors[:: -(-len(vectors) // _VECTORS_KEPT)]
    return {
        "number": len(vectors),
        "kept": len(spread),
        "sha256": hashlib.sha256(vectors.tobytes()).hexdigest(),
        "spread": base64.b64encode(spread.tobytes()).decode(),
    }


if __name__ == "__main__":
    main()
