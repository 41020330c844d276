"""`arag-inspect prepare facts`, `questions` and `references`: additions of a model to a corpus."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import click

from .._util.errors import InputError, echo
from .._util.wording import format_count
from ._command import (
    AT_LEAST_1,
    FOLDER,
    JUDGES,
    MODELS,
    Count,
    command,
    split_names,
)

if TYPE_CHECKING:
    from ..benchmarks._shared.fact_bank import Origin
    from ..benchmarks._shared.fact_edits import FactBank

_ORIGINS = {"key_sentences": "key_sentence"}
_PREPARED = {
    "generator": "only generated documents have facts of origin generator",
    "key_sentence": "the corpus was prepared without facts of key sentences",
}
"""Origins of facts that are made with the corpus, and the error message if they are missing."""


@command()
def facts(
    corpus: Annotated[str, "NAME"],
    *,
    origin: Literal["key_sentences", "reference", "grader", "generator"] | None = None,
    model: Annotated[str | None, JUDGES, "M"] = None,
    overwrite: bool = False,
    log_dir: str = "logs/facts",
) -> None:
    """Make or update the facts on which the summaries of corpus NAME are scored.

    The facts are in NAME/facts.jsonl. You may edit them: run this command afterwards to apply your
    edits. Without --origin it does nothing else.

    Args:
        corpus: Prepared corpus.
        origin: Score summaries on these facts, created if there are none yet. [default: those in
            use]
        model: Grader that lists the facts. [default: claude-haiku-4-5]
        overwrite: Make the facts again, except for documents whose facts an annotator has revised.
        log_dir: Folder of the grader's log.
    """
    from ..benchmarks._shared.fact_edits import FactBank
    from ..corpus import Corpus, open_revision

    lost: dict[str, str] = {}
    with open_revision(Corpus.locate(corpus)) as revision:
        bank = FactBank(revision)
        if bank.was_edited:
            edits = f"{len(bank.edits)} facts" if bank.edits else "in form only"
            echo(f"facts.jsonl was edited: {edits}")
        is_asked = origin is not None or not bank.facts
        if is_asked:
            selected_origin = cast("Origin", _ORIGINS.get(origin or "key_sentences", origin))
            lost = _add(bank, selected_origin, model, overwrite, log_dir)
        if is_asked or bank.was_edited:
            bank.write()
    _print_origins(bank)
    if lost:
        examples = "; ".join(f"{doc_id}: {reason}" for doc_id, reason in list(lost.items())[:5])
        raise InputError(
            f"{format_count(len(lost), 'document')} without facts ({examples}); run the same "
            "command again to retry"
        )


def _print_origins(bank: "FactBank") -> None:
    for origin in dict.fromkeys(fact.origin for fact in bank.facts):
        facts = [fact for fact in bank.facts if fact.origin == origin]
        key = sum(fact.key for fact in facts)
        vital = sum(fact.importance == "vital" for fact in facts)
        nuggets = f", {vital:,} vital" if vital else ""
        suffix = "  <- summaries are scored on these" if origin == bank.origin else ""
        echo(f"{origin:<13} {len(facts):>7,} facts, {key:,} key{nuggets}{suffix}")


def _add(
    bank: "FactBank", origin: "Origin", model: str | None, overwrite: bool, log_dir: str
) -> dict[str, str]:
    """Make missing facts; return the documents without facts, with the reason."""
    from ..judge.panel import DEFAULT_GRADER
    from ..run.annotate.document_facts import ask_for_facts

    documents = bank.documents_without(origin, overwrite=overwrite)
    if origin in _PREPARED and not any(fact.origin == origin for fact in bank.facts):
        raise InputError(f"{_PREPARED[origin]}; choose another --origin")
    if origin == "grader" and documents:
        JUDGES.convert(model or DEFAULT_GRADER, None, None)
        chunks = {doc_id: bank.chunks[doc_id] for doc_id in documents}
        listing = ask_for_facts(chunks, model, style=bank.style, log_dir=log_dir)
        echo(f"Log of the grader: {listing.location}")
        bank.select_origin(origin, listing.facts)
        return listing.failed
    new_facts = bank.facts_of_references(documents) if origin == "reference" else {}
    if new_facts and len(new_facts) < len(documents):
        echo(f"{format_count(len(documents) - len(new_facts), 'document')} without facts")
    bank.select_origin(origin, new_facts)
    return {}


_TYPES = "single,multi,summary,comparison,unanswerable"


@command()
def questions(
    corpus: str,
    *,
    model: Annotated[str, JUDGES],
    n: Annotated[int, AT_LEAST_1, "-n --n"] = 50,
    types: str = _TYPES,
    seed: int = 7,
    log_dir: str = "logs/questions",
    out: Annotated[Path | None, FOLDER, "-o --out"] = None,
) -> None:
    """Write questions with answers and evidence about CORPUS: a prepared corpus, or a folder of
    documents.

    A question is kept if its evidence occurs in the documents verbatim, and the model answers it
    with the evidence but not without. Run the command again to continue, or to replace questions
    that you have marked as reject in spot_check.csv.

    Args:
        corpus: Prepared corpus, or folder of files.
        model: Model that writes, answers and judges.
        n: Number of questions.
        types: Kinds of question, in equal parts.
        seed: Random seed for the passages and the spot check.
        log_dir: Folder of the logs.
        out: Folder to write to. [default: CORPUS-questions next to the corpus]
    """
    from ..corpus import Corpus
    from ..corpus.prepared.manifest import is_prepared
    from ..run.annotate.generate_questions import generate_questions
    from ..scorers import abstention

    result = generate_questions(
        corpus, model, n=n, types=split_names(types), out=out, seed=seed, log_dir=log_dir
    )
    for name, reason in result.failed.items():
        echo(f"no reply for {name}: {reason}", err=True)
    for kind, count in result.wanted.items():
        outcomes = result.outcomes[kind]
        reasons = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in outcomes.items())
        question_count = sum(outcomes.values())
        click.echo(f"{kind}: {count} wanted, {question_count} written: {reasons or '-'}")
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
           inspect eval arag_inspect/custom -T corpus=mine -T \
scorers=default,{abstention.__name__} --model MODEL"""
    )


@command()
def references(
    task: Literal["financebench_qfs", "section_summary", "yoy_change"],
    *,
    model: Annotated[str, MODELS],
    corpus: str = "financebench",
    limit: Count = None,
    subset: Literal["seed", "all"] = "seed",
    overwrite: bool = False,
    log_dir: str = "logs/references",
    out: Annotated[Path | None, FOLDER, "-o --out"] = None,
) -> None:
    """Write silver references for TASK with a model that is given all relevant sections.

    spot_check.csv contains a tenth of them: write accept or reject into its column `mark`. Rejected
    references are skipped in later runs.

    Args:
        task: Task whose references are written.
        model: Model that writes, e.g. anthropic/claude-sonnet-4-6.
        corpus: Prepared corpus.
        limit: Write at most N new references.
        subset: financebench_qfs: one fiscal year of each company, or all.
        overwrite: Overwrite existing references.
        log_dir: Folder of the log.
        out: Folder to write to. [default: CORPUS-references/TASK next to the corpus]
    """
    from ..run.annotate.references import make_references

    result = make_references(
        model,
        task=task,
        corpus=corpus,
        subset=subset,
        out=out,
        limit=limit,
        overwrite=overwrite,
        log_dir=log_dir,
    )
    for name, reason in result.failed.items():
        echo(f"no reference for {name}: {reason}", err=True)
    rejected = f" ({result.rejected} rejected)" if result.rejected else ""
    earlier = f"{result.kept} kept{rejected}"
    echo(f"{result.new} references written, {earlier}, {len(result.failed)} failed")
    if result.failed and not result.new:
        raise InputError(f"no reference was written: every sample failed; see {log_dir}")
    if result.sentences:
        share = f"{result.located / result.sentences:.0%}"
        echo(
            f"{result.located} of {result.sentences} sentences located in their passages ({share})"
        )
    echo(f"References: {result.folder / 'references.jsonl'}")
    echo(f"To check: {result.folder / 'spot_check.csv'} (write accept or reject under mark)")
