"""Which local model a scorer takes where none is named."""

from typing import NamedTuple

from ...judge.judge import OFFLINE, judged_by_rule


class Chosen(NamedTuple):
    """A model to score with."""

    name: str

    note: str = ""
    """One sentence where it is not the published default; else empty."""


def choose_model(given: str | None, published: str, offline: str) -> Chosen:
    """The model that was named, or else the published one; without a real judge, what needs no weights from a hub.

    A run whose judge is `offline/extractive` is one that can have no weights
    either, and says nothing about quality: there, and only there, something
    else stands in. Called when scoring, as roles are bound then.

    Args:
        given: What the user named; always honoured.
        published: The default.
        offline: What stands in for it.
    """
    if given is not None:
        return Chosen(given)
    if not judged_by_rule():
        return Chosen(published)
    return Chosen(offline, f"{offline} stands in for {published}, as {OFFLINE} judges.")
