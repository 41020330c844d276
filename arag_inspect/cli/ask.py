"""`arag-inspect ask`: one question to a corpus."""

from typing import Annotated

from .._util.errors import echo
from ._command import command
from ._options import MODELS, Assignments, parse_assignments

_LONGEST_ANSWER = 50_000
"""Characters shown of an answer; the log has all of it."""


@command()
def ask(
    corpus: str,
    question: str,
    *,
    system: str = "arag",
    model: Annotated[str, MODELS] = "offline/extractive",
    parameters: Annotated[Assignments, "-S"] = (),
    log_dir: str = "logs/ask",
) -> None:
    """Answer a question from a corpus or a folder of files.

    CORPUS is a prepared corpus, or a folder of documents.

    Args:
        corpus: Prepared corpus, or folder of files.
        question: The question.
        system: System that answers.
        model: Model that answers.
        parameters: Parameters of the system.
        log_dir: Folder of the log.
    """
    from ..workflows.ask import ask as answer_question

    arguments = parse_assignments("-S", parameters)
    answer = answer_question(
        corpus, question, model=model, system=system, system_args=arguments, log_dir=log_dir
    )
    trace = answer.trace
    echo(f"{answer.text.strip()}\n", longest=_LONGEST_ANSWER)
    for passage in trace.passages:
        opening = " ".join(passage.text.split())[:100]
        echo(f"Read: {passage.chunk_id} {passage.prefix or passage.doc_id} {opening}…")
    cost = "unknown" if trace.cost_usd is None else f"${trace.cost_usd:.4f}"
    tokens = f"{trace.input_tokens:,} + {trace.output_tokens:,} tokens"
    echo(f"Cost: {cost}, {tokens}, {trace.loops} loops")
    echo(f"Log:  {answer.log}")
