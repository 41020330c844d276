"""Default local model of a scorer."""

from typing import NamedTuple

from ...judge.judge import OFFLINE, judged_by_rule


class Chosen(NamedTuple):
    """A model to score with."""

    name: str

    note: str = ""
    """One sentence if it is not the published default; else empty."""


def choose_model(model: str | None, published: str, offline: str) -> Chosen:
    """Return the named model, else the published one or its offline substitute.

    The substitute is used only if the judge is `offline/extractive`: such a run may
    have no weights from the hub, and does not measure quality. Call this when
    scoring, because roles are bound then.

    Args:
        model: Model named by the user; always used.
        published: The default.
        offline: Its substitute.
    """
    if model is not None:
        return Chosen(model)
    if not judged_by_rule():
        return Chosen(published)
    return Chosen(offline, f"{offline} stands in for {published}, as {OFFLINE} judges.")
