"""Prices of models."""

from functools import cache
from importlib.resources import files

import yaml
from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_cost, set_model_info

_FREE = ("offline/extractive", "local/smollm2", "openai-api/smollm2/smollm2-135m")


@cache
def register_prices() -> None:
    """Give Inspect the prices of `prices.yaml`, once, for models that have none.

    A price that the user gives with `--model-cost-config` wins.
    """
    text = files(__package__).joinpath("prices.yaml").read_text(encoding="utf-8")
    prices = {name: ModelCost(**price) for name, price in yaml.safe_load(text).items()}
    for name in _FREE:
        prices[name] = ModelCost(input=0, output=0, input_cache_write=0, input_cache_read=0)
        set_model_info(name, ModelInfo())
    for name, price in prices.items():
        info = get_model_info(name)
        if info is None:
            set_model_info(name, ModelInfo(cost=price))
        elif info.cost is None:
            set_model_cost(name, price)
