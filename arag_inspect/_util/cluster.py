"""A Ray cluster, or Ray on this machine."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from .errors import InputError, one_line

_PASSED_ON = ("ARAG_", "AWS_", "HF_", "PYTHONPATH", "INSPECT_")
"""Prefixes of the environment variables passed on to workers."""

_SECONDS = 60.0


@contextmanager
def ray_cluster(address: str | None = None) -> Iterator[Any]:
    """Connect to Ray, and yield the module `ray`.

    Args:
        address: `auto`, `ray://host:port` or `host:port`; None starts Ray on this machine, unless
            the process is connected already.

    Raises:
        InputError: Ray is not installed, no cluster answers, or a node lacks this version of the
            package.
    """
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise InputError("Ray is not installed; run: pip install 'arag-inspect[cluster]'") from None
    if ray.is_initialized():
        yield ray
        return
    variables = {k: v for k, v in os.environ.items() if k.startswith(_PASSED_ON)}
    try:
        _check_address(address or "")
        ray.init(
            address=address or "local",
            log_to_driver=False,
            runtime_env={"env_vars": variables},
        )
    except Exception as error:
        cluster_text = (
            f"no Ray cluster at {address}" if address else "Ray cannot start on this machine"
        )
        raise InputError(
            f"{cluster_text} ({one_line(error)[:200]}); check with: ray status"
        ) from error
    try:
        _check_nodes(ray)
        yield ray
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Raise at once if nothing listens at `host:port`: Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


def _check_nodes(ray: Any) -> None:
    """Raise if a node lacks the package, or has another version of it."""
    own_version = version("arag-inspect")

    def installed_version() -> str:  # pickled by value: the node may lack the package
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("arag-inspect")
        except PackageNotFoundError:
            return ""

    ask = ray.remote(num_cpus=0)(installed_version)
    for node in ray.nodes():
        if not node["Alive"]:
            continue
        name = node["NodeName"]
        strategies = ray.util.scheduling_strategies
        strategy = strategies.NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        try:
            reply = ask.options(scheduling_strategy=strategy).remote()
            node_version = ray.get(reply, timeout=_SECONDS)
        except Exception as error:
            raise InputError(f"node {name} does not answer ({one_line(error):.200})") from error
        if node_version != own_version:
            raise InputError(
                f"node {name} has arag-inspect {node_version or '(none)'}, this machine has "
                f"{own_version}; install arag-inspect=={own_version} there"
            )
