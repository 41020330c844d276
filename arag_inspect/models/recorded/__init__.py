"""`recorded/NAME`: recorded replies of a model, from `NAME.jsonl` in this folder or a path."""

PROVIDER = "recorded"


def is_recorded(model: object) -> bool:
    """Return whether a model replays replies, so that its costs and times are not real."""
    return str(model).startswith(f"{PROVIDER}/")
