"""`arag-inspect prepare questions`: a test set from your own documents."""

import shlex
from pathlib import Path

import click

from .._util.errors import InputError, printable
from ._options import MODELS, split_names

_TYPES = "single,multi,summary,comparison,unanswerable"
_COLUMNS = {
    "kept": "kept",
    "not_verbatim": "no such quotation",
    "unusable": "unusable",
    "not_answered": "not answered with evidence",
    "known": "answered without",
    "answered": "answered after all",
    "duplicate": "near-duplicate",
    "rejected": "rejected",
}
"""Headings of the outcomes of candidates."""


@click.command()
@click.argument("corpus")
@click.option("--model", type=MODELS, required=True, help="Model that writes, answers and judges.")
@click.option(
    "-n", "--n", type=click.IntRange(min=1), default=50, show_default=True, help="Questions wanted."
)
@click.option(
    "--types", default=_TYPES, show_default=True, help="Kinds of question, in equal parts."
)
@click.option(
    "--seed",
    type=int,
    default=7,
    show_default=True,
    help="Seed of the passages and the spot check.",
)
@click.option("--log-dir", default="logs/questions", show_default=True)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to. [default: CORPUS-questions beside the corpus]",
)
def questions(
    corpus: str, model: str, n: int, types: str, seed: int, log_dir: str, out: Path | None
) -> None:
    """Write questions with answers and evidence about CORPUS: a prepared corpus, or a folder of
    txt, md, html and pdf files.

    A question is kept if its evidence occurs in the documents verbatim and the
    model answers it with the evidence and not without. Run it again to continue, or
    to replace questions that you have marked as reject in spot_check.csv.
    """
    from ..corpus import Corpus
    from ..corpus.manifest import is_prepared
    from ..workflows.generate_questions import Generated, generate_questions, question_types

    result: Generated = generate_questions(
        corpus,
        model,
        n=n,
        types=question_types(split_names(types)),
        out=out,
        seed=seed,
        log_dir=log_dir,
    )
    for name, why in result.failed.items():
        click.echo(printable(f"no reply for {name}: {why}"), err=True)
    for kind, count in result.wanted.items():
        outcomes = result.outcomes[kind]
        listed = [f"{label} {outcomes[key]}" for key, label in _COLUMNS.items() if outcomes[key]]
        click.echo(
            f"{kind}: {count} wanted, {sum(outcomes.values())} written: {', '.join(listed) or '-'}"
        )
    if not result.kept:
        raise InputError(
            f"no question was kept; {result.folder / 'candidates.jsonl'} has the reasons"
        )
    prepared = is_prepared(Corpus.locate(corpus))
    origin = f"--{'corpus' if prepared else 'documents'} {shlex.quote(corpus)}"
    file = result.folder / "questions.jsonl"
    click.echo(f"Questions: {file}")
    click.echo(f"To check:  {result.folder / 'spot_check.csv'} (write accept or reject under mark)")
    click.echo(
        f"Next:      arag-inspect prepare custom {origin} --questions {shlex.quote(str(file))} --name mine"
    )
    click.echo(
        "           inspect eval arag_inspect/custom -T corpus=mine -T scorers=default,abstention --model MODEL"
    )
