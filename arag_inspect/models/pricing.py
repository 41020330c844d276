"""Prices of models, and aliases of model names."""

import logging
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import fsspec
import yaml
from inspect_ai.model import (
    Model,
    ModelCost,
    ModelInfo,
    ModelUsage,
    get_model,
    get_model_info,
    model_roles,
    set_model_info,
)
from pydantic import TypeAdapter

from .._util.errors import InputError, one_line

_FREE = ("offline/extractive", "local/smollm2", "openai-api/smollm2/smollm2-135m")
_UNLISTED = (
    "anthropic/claude-haiku-4.5",
    "anthropic/claude-3.5-haiku",
    "anthropic/claude-3.7-sonnet",
    "meta-llama/llama-3.1-70b-instruct",
)
"""Names by OpenRouter that Inspect has no entry for: to look them up, it imports `anthropic`."""
_BATCH = {"anthropic": 0.5, "openai": 0.5, "google": 0.5}
"""Share of the list price that providers charge in batch mode."""

_log = logging.getLogger(__name__)
_warned: set[str] = set()


@cache
def register_prices() -> None:
    """Give Inspect the prices of `prices.yaml`, once, for models that have none.

    A price from `--model-cost-config` takes precedence.
    """
    prices = {name: ModelCost(**price) for name, price in _listed().items()}
    free = ModelCost(input=0, output=0, input_cache_write=0, input_cache_read=0)
    prices |= dict.fromkeys(_FREE, free)
    for name in (*_FREE, *_UNLISTED):
        set_model_info(name, ModelInfo())
    for name, price in prices.items():
        info = get_model_info(name) or ModelInfo()
        if info.cost is None:
            set_model_info(name, info.model_copy(update={"cost": price}))


def set_prices(config: str | Mapping[str, ModelCost] | None) -> None:
    """Give Inspect all prices that a run will have, before it begins.

    Args:
        config: Value of `--model-cost-config`: a YAML or JSON file, or prices by model; these
            win over those of `register_prices`.

    Raises:
        InputError: The file cannot be read, or has another format.
    """
    register_prices()
    if isinstance(config, str):
        try:
            with fsspec.open(config, encoding="utf-8", mode="r") as file:
                config = TypeAdapter(dict[str, ModelCost]).validate_python(yaml.safe_load(file))
        except (OSError, ValueError, ImportError, yaml.YAMLError) as error:
            raise InputError(
                f"prices {config} cannot be read: {one_line(error)}; give USD per million tokens: "
                "MODEL: {input: 3, output: 15, input_cache_write: 3.75, input_cache_read: 0.3}"
            ) from None
    for name, price in (config or {}).items():
        info = get_model_info(name) or ModelInfo()
        set_model_info(name, info.model_copy(update={"cost": price}))


def same_model(name: str) -> str:
    """Return one canonical name for a model's aliases, the dated one if it exists."""
    return _first_names().get(name, name)


def dollars(model: str, usage: ModelUsage, *, batch: bool) -> float | None:
    """Price a call; None if the model has no known price.

    Args:
        model: Name, with the provider.
        usage: Usage with Inspect's list price.
        batch: Whether the call was made in batch mode, at a discount.
    """
    if usage.total_cost is None or not batch:
        return usage.total_cost
    return usage.total_cost * _BATCH.get(model.split("/")[0], 1.0)


def warn_of_run() -> None:
    """Warn about models of the current run without a known price."""
    try:
        models = [get_model()]
    except Exception:  # no model, or an invalid one: Inspect reports both
        return
    for bound in model_roles().values():
        models += bound if isinstance(bound, list) else [bound]
    warn_of_unknown(models)


def warn_of_unknown(models: Iterable[Model]) -> None:
    """Warn, once for each model, that it has no known price.

    Inspect finds a model by OpenRouter under the provider's name, but not by a mere
    `openrouter/...`, and then remembers it without a price.
    """
    for model in models:
        name = str(model)
        info = None if name in _warned else get_model_info(model)
        if name in _warned or (info is not None and info.cost is not None):
            continue
        _warned.add(name)
        _log.warning(
            "%s has no known price: its dollars will be missing. "
            "Give it one with --model-cost-config FILE.",
            name,
        )


@cache
def _listed() -> dict[str, dict[str, Any]]:
    text = files(__package__).joinpath("prices.yaml").read_text(encoding="utf-8")
    prices: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return prices


@cache
def _first_names() -> dict[str, str]:
    """Return the first name of each alias: names that are YAML aliases in the file."""
    first: dict[int, str] = {}
    return {name: first.setdefault(id(price), name) for name, price in _listed().items()}
