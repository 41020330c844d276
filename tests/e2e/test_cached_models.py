"""Tests that default runs give the same figures whichever published models are cached."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from inspect_ai import eval
from transformers import BertModel, DebertaV2Config, DebertaV2ForSequenceClassification

from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.benchmarks.legal import legal_cases
from arag_inspect.benchmarks.legal.reader import DEMO
from arag_inspect.measures.nli_contradiction import NLI_MODEL
from arag_inspect.tasks import earnings_synthetic
from tests.logs import samples_of, scores_of
from tests.measures.models import save_tiny
from tests.scripted import STEADY

ROOT = Path(__file__).parents[2]
FINBERT = "ProsusAI/finbert"

LABELS = dict(enumerate(("entailment", "neutral", "contradiction")))

PROGRAM = """
import json, sys
from tests.cheaper import embed_by_hashed_words
embed_by_hashed_words()
from tests.e2e.test_cached_models import figures_and_signatures
print(json.dumps(figures_and_signatures(sys.argv[1], sys.argv[2], "logs")))
"""

Figures = dict[str, Any]


def figures_and_signatures(legal: str, synthetic: str, log_dir: str) -> tuple[Figures, Figures]:
    """Score a sample of each of two tasks with every scorer; return values and signatures."""
    tasks = [legal_cases(corpus=legal), earnings_synthetic(corpus=synthetic, scorers="all")]
    logs = eval(
        tasks,
        model="offline/extractive",
        model_roles={"grader": STEADY},
        limit=1,
        display="none",
        log_dir=log_dir,
    )
    figures: Figures = {}
    signatures: Figures = {}
    for log in logs:
        (sample,) = samples_of(log)
        for name, score in scores_of(sample).items():
            signatures[name] = (score.metadata or {}).get("signature")
            values = score.value if isinstance(score.value, dict) else {"": score.value}
            for key, value in values.items():
                figures[f"{log.eval.task} {name}.{key}"] = None if value != value else value
    timeless = {key: value for key, value in figures.items() if " efficiency." not in key}
    return timeless, signatures


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory, synthetic_folder: Path) -> list[str]:
    folder = tmp_path_factory.mktemp("case")
    for path in DEMO.glob("6 *.txt"):
        copy(path, folder)
    legal = prepare_dataset("legal", source=folder, options=Options(out=folder / "corpus"))
    return [str(legal.folder), str(synthetic_folder)]


def _revision(cache: Path, model: str) -> Path:
    """Register a model revision in a hub cache and return the folder for its files."""
    repository = cache / f"models--{model.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    (repository / "snapshots").mkdir()
    return repository / "snapshots" / ("0" * 40)


def _tiny_deberta(config: Any) -> DebertaV2ForSequenceClassification:
    model = DebertaV2ForSequenceClassification(
        DebertaV2Config(
            vocab_size=config.vocab_size,
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=512,
            id2label=LABELS,
            label2id={label: number for number, label in LABELS.items()},
        )
    )
    model.classifier.weight.data.zero_()
    return model


def _published(cache: Path) -> None:
    """Cache both published models, with random weights."""
    save_tiny(_revision(cache, NLI_MODEL), _tiny_deberta, 512)
    save_tiny(_revision(cache, FINBERT), BertModel, 512)


def _figures_with_published(folder: Path, corpora: list[str]) -> tuple[Figures, Figures]:
    """Score in a subprocess, because the library looks for the cache when it is imported."""
    _published(folder / "cache")
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM, *corpora],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"HF_HUB_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)},
        cwd=folder,
    )
    assert process.returncode == 0, process.stderr
    figures, signatures = json.loads(process.stdout.splitlines()[-1])
    return figures, signatures


def test_figures_are_equal_or_unscored_regardless_of_cached_models(
    tmp_path: Path, corpora: list[str]
) -> None:
    """Partly cached models are tested with their scorers."""
    legal, synthetic = corpora
    bare, _ = figures_and_signatures(legal, synthetic, str(tmp_path / "bare"))
    cached, signatures = _figures_with_published(tmp_path, corpora)
    unscored = {key for key, value in bare.items() if value is None and cached[key] is not None}
    assert unscored == {
        "arag_inspect/legal_cases nli_contradiction.",
        "arag_inspect/legal_cases composite_faithfulness.",
        "arag_inspect/earnings_synthetic nli_contradiction.",
    }
    assert bare == {key: None if key in unscored else value for key, value in cached.items()}
    assert f"|model:{NLI_MODEL}|" in signatures["nli_contradiction"]
    assert "|weights:" in signatures["nli_contradiction"]
    assert f"model:{NLI_MODEL};" in signatures["composite_faithfulness"]
    assert FINBERT not in signatures["bertscore"]
