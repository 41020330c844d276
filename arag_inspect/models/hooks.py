"""Registration of this package's hooks, when they are first needed."""

from functools import cache

from inspect_ai.hooks import Hooks, hooks
from inspect_ai.model import get_model


@cache
def register(hook: type[Hooks], name: str, description: str) -> None:
    """Register hooks once; evaluations without this package do not run them."""
    get_model("none")  # Inspect's banner lists the hooks that exist before its first model
    hooks(f"arag_inspect/{name}", description)(hook)
