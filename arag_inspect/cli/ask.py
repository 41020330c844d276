"""`arag-inspect ask`: one question to a corpus."""

from collections import Counter
from collections.abc import Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Literal

from .._util.errors import echo
from .._util.wording import format_count, milliseconds
from ._command import (
    AT_LEAST_1,
    MODELS,
    Assignments,
    command,
    parse_assignments,
    split_names,
)

if TYPE_CHECKING:
    from ..run.ask import Answer
    from ..types.trace import RetrievalTrace

_LONGEST_ANSWER = 50_000
"""Characters shown of an answer; the log has the whole answer."""


@command()
def ask(
    corpus: str,
    question: str,
    *,
    systems: Annotated[str, "--systems --system"] = "arag",
    model: Annotated[str, MODELS] = "offline/extractive",
    style: Literal["qa", "summary"] = "qa",
    words: Annotated[int, AT_LEAST_1] = 150,
    parameters: Annotated[Assignments, "-S"] = (),
    prices: Annotated[str | None, "FILE", "--model-cost-config"] = None,
    log_dir: str = "logs/ask",
) -> None:
    """Answer a question from a corpus or a folder of files.

    CORPUS is a prepared corpus, or a folder of documents.

    Args:
        corpus: Prepared corpus, or folder of files.
        question: The question.
        systems: Systems that answer, one after the other, separated by commas.
        model: Model that answers.
        style: An answer, or a summary that answers the question.
        words: Approximate length of a summary.
        parameters: Parameters of the systems; each system gets those that it accepts.
        prices: Prices of the models, as for Inspect.
        log_dir: Folder of the log.
    """
    from ..models.pricing import set_prices
    from ..run.ask import ask as answer_question
    from ..run.experiment import parameters_by_system
    from ..solvers import system_solver

    set_prices(prices)
    arguments = {"system_args": parse_assignments("-S", parameters)}
    length = words if style == "summary" else None
    system_parameters = parameters_by_system(split_names(systems), arguments)
    for (
        system,
        system_options,
    ) in system_parameters.items():  # wrong parameters are refused before any call
        system_solver(system, system_options["system_args"])
    for system, system_options in system_parameters.items():
        if len(system_parameters) > 1:
            echo(f"== {system} ==\n")
        answer = answer_question(
            corpus,
            question,
            model=model,
            system=system,
            system_args=system_options["system_args"],
            words=length,
            log_dir=log_dir,
        )
        _show(answer)


def _show(answer: "Answer") -> None:
    trace = answer.trace
    echo(f"{answer.text.strip()}\n", longest=_LONGEST_ANSWER)
    for text in _describe_passages(trace):
        echo(shorten(f"Read: {text}", 80, placeholder="…"))
    cost = "unknown" if trace.cost_usd is None else f"${trace.cost_usd:.4f}"
    tokens = "tokens unknown"
    if trace.input_tokens or trace.output_tokens:
        tokens = f"{trace.input_tokens:,} + {trace.output_tokens:,} tokens"
    loops = format_count(trace.loops, "loop")
    time = "time unknown" if trace.latency_ms is None else milliseconds(trace.latency_ms)
    echo(f"Cost: {cost}, {tokens}, {loops}, {time}, {len(answer.text.split())} words")
    echo(f"Log:  {answer.log}\n")


def _describe_passages(trace: "RetrievalTrace") -> Iterator[str]:
    """Yield a line for each passage read, or for each document that was read whole."""
    if trace.context == "document":
        for document, count in Counter(passage.doc_id for passage in trace.passages).items():
            yield f"{format_count(count, 'chunk')} of {document}"
        return
    for passage in trace.passages:
        yield f"{passage.chunk_id} {passage.prefix or passage.doc_id} {passage.text[:200]}"
