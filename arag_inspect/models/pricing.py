"""Prices of models, and aliases of model names."""

import logging
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

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

_CATALOGUES = {
    name: {"grok": "x-ai", "moonshot": "moonshotai"}.get(name, name)
    for name in (
        *("anthropic", "deepseek", "fireworks", "google", "grok", "groq", "mistral"),
        *("moonshot", "openai", "openrouter", "perplexity", "together"),
    )
}
"""Providers of Inspect whose models `genai-prices` lists, and their names there."""
_LONGEST = 150_000
"""Tokens of the longest prompt for which a model needs one price: Inspect's tables hold no other."""
_BATCH = {"anthropic": 0.5, "openai": 0.5, "google": 0.5}
"""Share of the list price that providers charge in batch mode."""

_log = logging.getLogger(__name__)
_warned: set[str] = set()


def known_price(model: Model | str) -> ModelCost | None:
    """Give Inspect the price of a model that has none, and return the price that holds.

    In order: the user's (`--model-cost-config`), that of `prices.yaml`, and that of
    `genai-prices` for exactly this name, or for a name that either states to be the same model.
    Nothing is downloaded.
    """
    info = get_model_info(model)
    if info is not None and info.cost is not None:
        return info.cost
    names = [model] if isinstance(model, str) else [str(model), model.canonical_name()]
    price = next(filter(None, map(_list_price, names)), None)
    if price is not None:
        set_model_info(names[0], (info or ModelInfo()).model_copy(update={"cost": price}))
    return price


def price_run() -> list[Model]:
    """Give Inspect the prices of the current run's models, and return these."""
    try:
        models = [get_model()]
    except Exception:  # no model, or an invalid one: Inspect reports both
        return []
    for bound in model_roles().values():
        models += bound if isinstance(bound, list) else [bound]
    for model in models:
        known_price(model)
    return models


def set_prices(config: str | Mapping[str, ModelCost] | None) -> None:
    """Give Inspect the user's prices, which win over all others, before a run begins.

    Args:
        config: Value of `--model-cost-config`: a YAML or JSON file, or prices by model.

    Raises:
        InputError: The file cannot be read, or has another format.
    """
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
    return _file().aliases.get(name, name)


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
    warn_of_unknown(price_run())


def warn_of_unknown(models: Iterable[Model]) -> None:
    """Warn, once for each model, that it has no known price."""
    for model in models:
        name = str(model)
        if name in {*_warned, "none/none"} or known_price(model) is not None:
            continue
        _warned.add(name)
        _log.warning(
            "%s has no known price: its dollars will be missing. "
            "Give it one with --model-cost-config FILE.",
            name,
        )


class _File(NamedTuple):
    """Contents of `prices.yaml`."""

    aliases: Mapping[str, str]
    """Canonical name of a model, by each of its other names."""

    prices: Mapping[str, ModelCost]
    """Prices that `genai-prices` lacks under these names."""


@cache
def _file() -> _File:
    text = files(__package__).joinpath("prices.yaml").read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    prices = TypeAdapter(dict[str, ModelCost]).validate_python(content["prices"])
    return _File(content["aliases"], prices)


@cache
def _list_price(name: str) -> ModelCost | None:
    """Return the provider's price for a model, or for an alias of it."""
    first = same_model(name)
    aliases = [alias for alias, target in _file().aliases.items() if target == first]
    for same in dict.fromkeys((name, first, *aliases)):
        if price := _file().prices.get(same) or _catalogue_price(same):
            return price
    return None


def _catalogue_price(name: str) -> ModelCost | None:
    """Look up a price in `genai-prices`; None if one table cannot hold it."""
    provider, _, own_name = name.lower().partition("/")
    if provider not in _CATALOGUES:
        return None
    from genai_prices.data_snapshot import get_snapshot  # takes 0.3 s
    from genai_prices.types import StartDateConstraint, TieredPrices

    providers = {provider.id: provider.models for provider in get_snapshot().providers}
    listed = providers[_CATALOGUES[provider]]
    entries = [entry for entry in listed if entry.id.lower() == own_name]
    entries += [entry for entry in listed if _states(entry.match, entry.id, own_name)]
    conditions = entries[0].prices if entries and isinstance(entries[0].prices, list) else []
    if not entries or not all(
        isinstance(condition.constraint, StartDateConstraint | None) for condition in conditions
    ):  # the others go by the time of day
        return None
    price = entries[0].get_prices(datetime.now(UTC))
    values: list[float | None] = []
    for kind in ("input", "output", "cache_write", "cache_read"):
        value = getattr(price, f"{kind}_mtok")
        if isinstance(value, TieredPrices):
            if any(tier.start < _LONGEST for tier in value.tiers):
                return None
            value = value.base
        values.append(None if value is None else float(value))
    paid, output, write, read = values
    if paid is None or output is None:
        return None
    return ModelCost(
        input=paid,
        output=output,
        input_cache_write=max(write or paid, paid),  # less is a surcharge, for keeping
        input_cache_read=paid if read is None else read,
    )


def _states(clause: Any, model: str, name: str) -> bool:
    """Return whether a rule of `genai-prices` names a dated or latest version of a model.

    Other names that its rules match can be other models (`minimax-m2.1` for `MiniMax-M2`).
    """
    from genai_prices.types import ClauseEquals, ClauseOr

    if isinstance(clause, ClauseOr):
        return any(_states(part, model, name) for part in clause.or_)
    version = re.escape(model.lower()) + r"-(latest|\d{8}|\d{4}-\d{2}-\d{2})"
    return (
        isinstance(clause, ClauseEquals)
        and clause.equals.lower() == name
        and re.fullmatch(version, name) is not None
    )
