"""Default local model of a scorer."""

from typing import NamedTuple

from ...judge.judge import OFFLINE, judged_by_rule


class Chosen(NamedTuple):
    """A model to score with."""

    name: str

    note: str = ""
    """One sentence if it is not the published default; else empty."""


def choose_model(given: str | None, published: str, offline: str) -> Chosen:
    """Return the named model, else the published one; without a real judge, one without hub
    weights.

    A run whose judge is `offline/extractive` may have no weights
    either, and does not measure quality: only then a substitute
    is used. Called when scoring, because roles are bound then.

    Args:
        given: Model named by the user; always used.
        published: The default.
        offline: Its substitute.
    """
    if given is not None:
        return Chosen(given)
    if not judged_by_rule():
        return Chosen(published)
    return Chosen(offline, f"{offline} stands in for {published}, as {OFFLINE} judges.")
