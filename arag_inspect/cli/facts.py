"""`arag-inspect prepare facts`: the fact bank of a prepared folder."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, cast

from .._util.errors import InputError, echo
from ._command import command
from ._options import MODELS

if TYPE_CHECKING:
    from ..datasets.fact_bank.bank import FactRecord, Origin
    from ..datasets.fact_bank.edits import FactBank

_ORIGINS = {"key_sentences": "key_sentence"}


@command()
def facts(
    corpus: Annotated[str, "NAME"],
    *,
    origin: Literal["key_sentences", "reference", "grader", "generator"] | None = None,
    model: Annotated[str | None, MODELS, "M"] = None,
    overwrite: bool = False,
    log_dir: str = "logs/facts",
) -> None:
    """Make or update the facts on which the summaries of corpus NAME are scored.

    They are in NAME/facts.jsonl, which you may edit: run this command afterwards, and
    the edits are adopted. Without --origin it does nothing else; a folder
    without facts gets those of its key sentences.

    Args:
        corpus: Prepared corpus.
        origin: Score summaries on these facts, made if the bank has none yet. [default: those in
            use]
        model: Grader that lists the facts. [default: claude-haiku-4-5]
        overwrite: Make the facts again, except for documents whose facts an annotator has revised.
        log_dir: Folder of the grader's log.
    """
    from ..corpus import FACTS, Corpus, open_revision
    from ..datasets.fact_bank.edits import FactBank

    lost: dict[str, str] = {}
    with open_revision(Corpus.locate(corpus), edited=frozenset([FACTS])) as revision:
        bank = FactBank(revision)
        _print_edits(bank)
        chosen = _ORIGINS.get(origin or "key_sentences", origin)
        if origin is not None or not bank.facts:
            lost = _add(bank, cast("Origin", chosen), model, overwrite, log_dir)
            bank.write()
        elif bank.was_edited:
            bank.write()
    _print_facts(bank)
    if lost:
        examples = "; ".join(f"{doc_id}: {reason}" for doc_id, reason in list(lost.items())[:5])
        raise InputError(
            f"{len(lost)} documents have no facts ({examples}); "
            "the same command asks for them again"
        )


def _add(
    bank: "FactBank", origin: "Origin", model: str | None, overwrite: bool, log_dir: str
) -> dict[str, str]:
    """Make missing facts; return the documents without facts, with the reason."""
    documents = bank.documents_without(origin, overwrite=overwrite)
    made: dict[str, list[FactRecord]] = {}
    lost: dict[str, str] = {}
    if origin == "grader" and documents:
        made, lost = _by_grader(bank, documents, model, log_dir)
    elif origin == "generator" and not any(fact.origin == origin for fact in bank.facts):
        raise InputError("only what a generator wrote has facts of origin generator")
    elif origin in ("key_sentence", "reference"):
        made = bank.of_sentences(origin, documents)
        if empty := [doc_id for doc_id in documents if doc_id not in made]:
            echo(f"{len(empty)} documents have none, e.g. {empty[0]}")
    bank.select_origin(origin, made)
    return lost


def _by_grader(
    bank: "FactBank", documents: Sequence[str], model: str | None, log_dir: str
) -> tuple[dict[str, "list[FactRecord]"], dict[str, str]]:
    from ..datasets.fact_bank.bank import bank_fact, fact_id
    from ..judge.judge import DEFAULT_GRADER
    from ..workflows.list_facts import ask_for_facts

    MODELS.convert(model or DEFAULT_GRADER, None, None)
    listing = ask_for_facts(
        {doc_id: bank.chunks[doc_id] for doc_id in documents},
        model,
        style=bank.style,
        log_dir=log_dir,
    )
    echo(f"Log of the grader: {listing.location}")
    records = {
        doc_id: [
            bank_fact(
                fact_id(doc_id, "grader", number),
                doc_id,
                fact.description,
                "grader",
                bank.chunks[doc_id],
                kind=fact.type,
            )
            for number, fact in enumerate(listed, 1)
        ]
        for doc_id, listed in listing.facts.items()
    }
    return records, listing.failed


def _print_edits(bank: "FactBank") -> None:
    if not bank.was_edited:
        return
    changes = [
        f"{len(ids)} {name} ({ids[0]}{', ...' if len(ids) > 1 else ''})"
        for name, ids in bank.edits._asdict().items()
        if ids
    ]
    echo(f"facts.jsonl was edited: {', '.join(changes) or 'in form only'}")


def _print_facts(bank: "FactBank") -> None:
    """Print the facts in the bank, and those in use."""
    for origin, count in Counter(fact.origin for fact in bank.facts).items():
        key = sum(fact.key for fact in bank.facts if fact.origin == origin)
        suffix = "  <- summaries are scored on these" if origin == bank.origin else ""
        echo(f"{origin:<13} {count:>7,} facts, {key:,} key{suffix}")
