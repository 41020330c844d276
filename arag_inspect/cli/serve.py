"""`arag-inspect corpus serve`: a corpus over HTTP, for agents on other machines."""

from functools import partial
from typing import Annotated, Any, Literal

import click

from ._command import command
from ._options import AT_LEAST_1


@command()
def serve(
    corpus: str,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, click.IntRange(1, 65535)] = 8000,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    replicas: Annotated[int, AT_LEAST_1] = 1,
    allow_host: Annotated[tuple[str, ...], "NAME"] = (),
    token_env: Annotated[str | None, "NAME"] = None,
    with_samples: bool = False,
) -> None:
    """Serve a prepared folder, so that agents elsewhere search it by `-T corpus=http://HOST:PORT`.

    With a token that is -T 'corpus=http://${ARAG_TOKEN}@HOST:PORT'.

    Args:
        corpus: Name, path or address.
        host: Address to listen on.
        port: Port to listen on.
        engine: Serve from this process, or by Ray Serve.
        address: Ray cluster to serve on. [default: Ray on this machine]
        replicas: Processes that search, with --engine ray.
        allow_host: Name under which clients ask; repeatable. [default: those of this machine]
        token_env: Environment variable with the token that clients must send; needed where other
            machines reach the address.
        with_samples: Give samples, facts and gold answers too, as tasks need them: to every client.
    """
    from ..workflows._access import make_access
    from ..workflows.serve_corpus import serve_here, serve_on_ray

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
