"""`arag-inspect serve`: a corpus over HTTP, for agents on other machines."""

from functools import partial

import click


@click.command
@click.argument("corpus")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Serve from this process, or by Ray Serve.",
)
@click.option("--address", help="Ray cluster to serve on. [default: Ray on this machine]")
@click.option(
    "--replicas",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes that search, with --engine ray.",
)
def serve(
    corpus: str, host: str, port: int, engine: str, address: str | None, replicas: int
) -> None:
    """Serve a prepared folder, so that agents elsewhere search it by `-T corpus=http://HOST:PORT`.

    Whoever reaches the address can read the corpus: there is no password.
    """
    from ..workflows.serve_corpus import serve_here, serve_on_ray

    if engine == "local" and (address or replicas > 1):
        raise click.UsageError("--address and --replicas go with --engine ray")
    url = f"http://{host}:{port}"
    ready = partial(click.echo, f"{corpus} is served at {url}; Ctrl-C ends it")
    if engine == "local":
        serve_here(corpus, host, port, ready)
    else:
        serve_on_ray(corpus, host=host, port=port, replicas=replicas, address=address, ready=ready)
