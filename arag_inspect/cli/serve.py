"""`arag-inspect corpus serve`: a corpus over HTTP, for agents on other machines."""

from functools import partial
from typing import Any

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
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Name under which clients ask; repeatable. [default: those of this machine]",
)
@click.option(
    "--token-env",
    metavar="NAME",
    help="Environment variable with the token that clients must send; needed where other machines "
    "reach the address.",
)
@click.option(
    "--with-samples",
    is_flag=True,
    help="Give samples, facts and gold answers too, as tasks need them: to every client.",
)
def serve(
    corpus: str,
    host: str,
    port: int,
    engine: str,
    address: str | None,
    replicas: int,
    allow_host: tuple[str, ...],
    token_env: str | None,
    with_samples: bool,
) -> None:
    """Serve a prepared folder, so that agents elsewhere search it by `-T corpus=http://HOST:PORT`.

    With a token that is -T 'corpus=http://${ARAG_TOKEN}@HOST:PORT'.
    """
    from ..workflows.serve_corpus import make_access, serve_here, serve_on_ray

    if engine == "local" and (address or replicas > 1):
        raise click.UsageError("--address and --replicas go with --engine ray")
    access = make_access(host, allow_host, token_env, with_samples)
    samples = "given to every client" if with_samples else "not given (--with-samples)"
    ready = partial(
        click.echo,
        f"{corpus} is served at http://{host}:{port}; Ctrl-C ends it\n"
        f"Samples and gold answers are {samples}",
    )
    service: dict[str, Any] = {"host": host, "port": port, "ready": ready, "access": access}
    if engine == "local":
        serve_here(corpus, **service)
    else:
        serve_on_ray(corpus, replicas=replicas, address=address, **service)
