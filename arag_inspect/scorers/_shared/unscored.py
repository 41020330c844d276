"""Where scorers find `judge.unscored`."""

from ...judge.unscored import no_reference, unscored_if_skipped

__all__ = ["no_reference", "unscored_if_skipped"]
