"""`arag-inspect demo`: the three systems on a synthetic corpus."""

from ._command import command


@command()
def demo() -> None:
    """Compare three systems offline, on a small synthetic corpus."""
    from ..run.demo import run_demo

    run_demo()
