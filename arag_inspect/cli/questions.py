"""`arag-inspect prepare questions`: a test set from your own documents."""

import shlex
from pathlib import Path
from typing import Annotated

import click

from .._util.errors import InputError, echo
from ._command import command, forward
from ._options import AT_LEAST_1, FOLDER, MODELS, split_names

_TYPES = "single,multi,summary,comparison,unanswerable"


@command()
def questions(
    corpus: str,
    *,
    model: Annotated[str, MODELS],
    n: Annotated[int, AT_LEAST_1, "-n --n"] = 50,
    types: str = _TYPES,
    seed: int = 7,
    log_dir: str = "logs/questions",
    out: Annotated[Path | None, FOLDER, "-o --out"] = None,
) -> None:
    """Write questions with answers and evidence about CORPUS: a prepared corpus, or a folder of
    documents.

    A question is kept if its evidence occurs in the documents verbatim and the
    model answers it with the evidence and not without. Run it again to continue, or
    to replace questions that you have marked as reject in spot_check.csv.

    Args:
        corpus: Prepared corpus, or folder of files.
        model: Model that writes, answers and judges.
        n: Questions wanted.
        types: Kinds of question, in equal parts.
        seed: Seed of the passages and the spot check.
        log_dir: Folder of the logs.
        out: Folder to write to. [default: CORPUS-questions beside the corpus]
    """
    from ..corpus import Corpus
    from ..corpus.manifest import is_prepared
    from ..workflows.generate_questions import generate_questions

    result = forward(generate_questions, types=split_names(types))
    for name, why in result.failed.items():
        echo(f"no reply for {name}: {why}", err=True)
    for kind, count in result.wanted.items():
        outcomes = result.outcomes[kind]
        listed = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in outcomes.items())
        written = sum(outcomes.values())
        click.echo(f"{kind}: {count} wanted, {written} written: {listed or '-'}")
    if not result.kept:
        raise InputError(
            f"no question was kept; {result.folder / 'candidates.jsonl'} has the reasons"
        )
    prepared = is_prepared(Corpus.locate(corpus))
    origin = f"--{'corpus' if prepared else 'documents'} {shlex.quote(corpus)}"
    file = result.folder / "questions.jsonl"
    click.echo(
        f"""Questions: {file}
To check:  {result.folder / "spot_check.csv"} (write accept or reject under mark)
Next:      arag-inspect prepare custom {origin} --questions {shlex.quote(str(file))} --name mine
           inspect eval arag_inspect/custom -T corpus=mine -T scorers=default,abstention \
--model MODEL"""
    )
