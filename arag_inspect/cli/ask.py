"""`arag-inspect ask`: one question to a corpus."""

import click

from .._util.errors import echo
from ._options import MODELS, parse_assignments

_LONGEST_ANSWER = 50_000
"""Characters shown of an answer; the log has all of it."""


@click.command()
@click.argument("corpus")
@click.argument("question")
@click.option("--system", default="arag", show_default=True, help="System that answers.")
@click.option("--model", type=MODELS, default="offline/extractive", show_default=True)
@click.option(
    "-S", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameters of the system."
)
@click.option("--log-dir", default="logs/ask", show_default=True)
def ask(
    corpus: str,
    question: str,
    system: str,
    model: str,
    parameters: tuple[str, ...],
    log_dir: str,
) -> None:
    """Answer QUESTION from CORPUS: a prepared corpus, or a folder of txt, md, html and pdf files."""
    from ..workflows.ask import ask as answer_question

    answer = answer_question(
        corpus,
        question,
        model=model,
        system=system,
        system_args=parse_assignments("-S", parameters),
        log_dir=log_dir,
    )
    trace = answer.trace
    echo(f"{answer.text.strip()}\n", longest=_LONGEST_ANSWER)
    for passage in trace.passages:
        opening = " ".join(passage.text.split())[:100]
        echo(f"Read: {passage.chunk_id} {passage.prefix or passage.doc_id} {opening}…")
    cost = "unknown" if trace.cost_usd is None else f"${trace.cost_usd:.4f}"
    echo(
        f"Cost: {cost}, {trace.input_tokens:,} + {trace.output_tokens:,} tokens, {trace.loops} loops"
    )
    echo(f"Log:  {answer.log}")
