"""`arag-inspect prepare`: one command per data set, made from its declaration; facts, questions and
references.
"""

import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click
from pydantic import TypeAdapter, ValidationError

from .._util.addresses import hide
from .._util.errors import InputError, check_parameters, echo
from .._util.wording import counted
from ._command import (
    AT_LEAST_1,
    FOLDER,
    JUDGES,
    MODELS,
    Count,
    call_with,
    command,
    forward,
    parameters,
    parse_assignments,
    split_names,
)
from ._outcomes import print_summary
from .damage import damage

if TYPE_CHECKING:
    from ..benchmarks import Dataset
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
    for name, count in Counter(fact.origin for fact in bank.facts).items():
        key = sum(fact.key for fact in bank.facts if fact.origin == name)
        suffix = "  <- summaries are scored on these" if name == bank.origin else ""
        vital_count = sum(fact.importance == "vital" for fact in bank.facts if fact.origin == name)
        nuggets = f", {vital_count:,} vital" if vital_count else ""
        echo(f"{name:<13} {count:>7,} facts, {key:,} key{nuggets}{suffix}")
    if lost:
        examples = "; ".join(f"{doc_id}: {reason}" for doc_id, reason in list(lost.items())[:5])
        raise InputError(
            f"{counted(len(lost), 'document')} without facts ({examples}); run the same command "
            "again to retry"
        )


def _add(
    bank: "FactBank", origin: "Origin", model: str | None, overwrite: bool, log_dir: str
) -> dict[str, str]:
    """Make missing facts; return the documents without facts, with the reason."""
    from ..judge.panel import DEFAULT_GRADER
    from ..run.annotate import ask_for_facts

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
    made = bank.of_references(documents) if origin == "reference" else {}
    if made and len(made) < len(documents):
        echo(f"{counted(len(documents) - len(made), 'document')} without facts")
    bank.select_origin(origin, made)
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

    A question is kept if its evidence occurs in the documents verbatim and the model answers it
    with the evidence and not without. Run it again to continue, or to replace questions that you
    have marked as reject in spot_check.csv.

    Args:
        corpus: Prepared corpus, or folder of files.
        model: Model that writes, answers and judges.
        n: Number of questions.
        types: Kinds of question, in equal parts.
        seed: Seed of the passages and the spot check.
        log_dir: Folder of the logs.
        out: Folder to write to. [default: CORPUS-questions next to the corpus]
    """
    from ..corpus import Corpus
    from ..corpus.prepared.manifest import is_prepared
    from ..run.generate_questions import generate_questions
    from ..scorers import abstention

    result = forward(generate_questions, types=split_names(types))
    for name, why in result.failed.items():
        echo(f"no reply for {name}: {why}", err=True)
    for kind, count in result.wanted.items():
        outcomes = result.outcomes[kind]
        reasons = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in outcomes.items())
        written = sum(outcomes.values())
        click.echo(f"{kind}: {count} wanted, {written} written: {reasons or '-'}")
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
           inspect eval arag_inspect/custom -T corpus=mine -T scorers=default,{abstention.__name__} \
--model MODEL"""
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

    A tenth of them goes to spot_check.csv: write accept or reject into its column `mark`. Rejected
    references are skipped in later calls.

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
    from ..run.annotate import make_references

    result = forward(make_references)
    for name, why in result.failed.items():
        echo(f"no reference for {name}: {why}", err=True)
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


class _DataSets(click.Group):
    """One command per data set that can be prepared, besides the commands added to the group."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from .._util.discovery import own_benchmarks
        from ..benchmarks import dataset_names, get_dataset

        shipped = {name for name in own_benchmarks() if get_dataset(name).read is None}
        return [*(name for name in dataset_names() if name not in shipped), *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from ..benchmarks import dataset_names, get_dataset

        if cmd_name in self.commands or cmd_name not in dataset_names():
            return self.commands.get(cmd_name)
        try:
            spec = get_dataset(cmd_name)
        except InputError as error:
            return _broken_command(cmd_name, error)
        return _command(spec) if spec.read is not None else None


@click.group(cls=_DataSets)
def prepare() -> None:
    """Make a corpus that tasks and tools can search.

    From a data set's source files or your own; also facts, questions and references for it.
    """


for added in (facts, questions, references, damage):
    prepare.add_command(added)


def _broken_command(name: str, error: InputError) -> click.Command:
    """Create a command that reports why the package of a data set cannot be imported."""

    def run() -> None:
        raise error

    return click.Command(name, callback=run, help="Cannot be imported: see arag-inspect doctor.")


def _command(spec: "Dataset") -> click.Command:
    """Create the command of a data set; its options become arguments of the reader."""
    assert spec.read is not None
    shared_parameters = list(parameters(_settings))

    def run(**values: Any) -> None:
        from ..benchmarks import prepare_dataset

        options = call_with(
            _settings,
            {str(option.name): values.pop(str(option.name)) for option in shared_parameters},
        )
        print_summary(prepare_dataset(spec.name, options=options, **values))

    of_reader = parameters(spec.read, only_options=True)
    return click.Command(
        spec.name, callback=run, params=[*of_reader, *shared_parameters], help=spec.summary
    )


_BUILD = ("dtype", "embed_prefix", "engine", "address")
"""Rarely needed settings, by their names in `arag_inspect.Options`."""


def _settings(
    *,
    chunk_tokens: Annotated[int, click.IntRange(min=32)] = 1000,
    embedding_model: Annotated[str, "M"] = "sentence-transformers/all-MiniLM-L6-v2",
    out: Annotated[str | None, "FOLDER"] = None,
    store: Literal["local", "lance"] = "local",
    build: Annotated[tuple[str, ...], "KEY=VALUE"] = (),
    force: bool = False,
) -> Any:
    """Return the settings that data sets share, as `datasets.Options`.

    Args:
        chunk_tokens: Longest chunk, in tokens of the embedding model.
        embedding_model: Sentence-transformers name or local folder.
        out: Folder to make, or address with --store lance (s3://...). [default: $ARAG_DATASETS or
            ./datasets, by name]
        store: Files read into memory, or Lance datasets for more than 50,000 chunks.
        build: dtype=float32|bfloat16, embed_prefix=false (sentences are embedded without company
            and period), engine=ray, address=auto|ray://HOST:PORT.
        force: Replace a corpus that has other settings, or more documents or samples.

    Raises:
        InputError: `--build` has an unknown key or value.
    """
    from ..benchmarks import Options

    values = parse_assignments("--build", build)
    check_parameters("--build", _BUILD, values)
    values |= {"command": shlex.join(map(hide, ["arag-inspect", *sys.argv[1:]]))}
    values |= {"chunk_tokens": chunk_tokens, "embedding_model": embedding_model}
    values |= {"force": force}
    values |= {"store": store, "out": Path(out) if out and "://" not in out else out}
    try:
        return TypeAdapter(Options).validate_python(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise InputError(f"--build {fault['loc'][0]}: {fault['msg']}") from None
