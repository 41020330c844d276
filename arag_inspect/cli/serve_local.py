"""`arag-inspect serve-local`: a local language model for trying things out."""

import signal
from threading import Event

import click


@click.command("serve-local")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="[default: a free one]")
@click.option(
    "--context",
    type=click.IntRange(256, 8192),
    default=8192,
    show_default=True,
    metavar="TOKENS",
    help="Longest prompt and reply together.",
)
@click.option("--threads", type=click.IntRange(min=1), help="CPU threads. [default: all but one]")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=512,
    show_default=True,
    help="Longest reply in tokens if a request sets none.",
)
def serve_local(port: int, context: int, threads: int | None, max_tokens: int) -> None:
    """Serve SmolLM2-135M on the loopback address, as a model for `inspect eval`.

    A real but weak language model that needs no key: it shows what
    unreadable answers do to a pipeline, not how well a system works.
    """
    from ..models.llama_cpp import NAME, start_server

    server = start_server(port=port, context=context, threads=threads, max_tokens=max_tokens)
    click.echo(
        f"SmolLM2-135M listens on {server.base_url} ({context} tokens, threads: {server.threads}); "
        "Ctrl-C ends it. In another terminal:\n\n"
        f"export SMOLLM2_BASE_URL={server.base_url} SMOLLM2_API_KEY={server.api_key}\n"
        "inspect eval arag_inspect/perspectives --limit 2 --max-connections 1 \\\n"
        f"  --model openai-api/smollm2/{NAME} -M client_timeout=3600 \\\n"
        "  --model-role grader=offline/extractive"
    )
    ended = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
