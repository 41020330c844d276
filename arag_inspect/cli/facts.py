"""`arag-inspect prepare facts`: the fact bank of a prepared folder."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal, cast

from .._util.errors import InputError, echo
from ._command import command
from ._options import MODELS

if TYPE_CHECKING:
    from ..datasets.fact_bank.bank import Origin
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
        if bank.was_edited:
            edits = (f"{len(ids)} {name}" for name, ids in bank.edits._asdict().items() if ids)
            echo(f"facts.jsonl was edited: {', '.join(edits) or 'in form only'}")
        is_asked = origin is not None or not bank.facts
        if is_asked:
            chosen = cast("Origin", _ORIGINS.get(origin or "key_sentences", origin))
            lost = _add(bank, chosen, model, overwrite, log_dir)
        if is_asked or bank.was_edited:
            bank.write()
    for name, count in Counter(fact.origin for fact in bank.facts).items():
        key = sum(fact.key for fact in bank.facts if fact.origin == name)
        suffix = "  <- summaries are scored on these" if name == bank.origin else ""
        vital = sum(fact.importance == "vital" for fact in bank.facts if fact.origin == name)
        nuggets = f", {vital:,} vital" if vital else ""
        echo(f"{name:<13} {count:>7,} facts, {key:,} key{nuggets}{suffix}")
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
    from ..judge.judge import DEFAULT_GRADER
    from ..workflows.list_facts import ask_for_facts

    documents = bank.documents_without(origin, overwrite=overwrite)
    if origin == "generator" and not any(fact.origin == origin for fact in bank.facts):
        raise InputError("only what a generator wrote has facts of origin generator")
    if origin == "grader" and documents:
        MODELS.convert(model or DEFAULT_GRADER, None, None)
        chunks = {doc_id: bank.chunks[doc_id] for doc_id in documents}
        listing = ask_for_facts(chunks, model, style=bank.style, log_dir=log_dir)
        echo(f"Log of the grader: {listing.location}")
        bank.select_origin(origin, listing.facts)
        return listing.failed
    made = bank.of_sentences(origin, documents) if origin in ("key_sentence", "reference") else {}
    if made and len(made) < len(documents):
        echo(f"{len(documents) - len(made)} documents have none")
    bank.select_origin(origin, made)
    return {}
