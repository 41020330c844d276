"""Tests of prices: exact model names only, and user-defined prices take precedence."""

import logging

import pytest
from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ModelCost,
    ModelOutput,
    ModelUsage,
    compute_model_cost,
    get_model,
    get_model_info,
    set_model_info,
)
from inspect_ai.solver import generate

from arag_inspect import scorers
from arag_inspect.judge.signature import signature
from arag_inspect.models import pricing
from arag_inspect.models.pricing import known_price, same_model, set_prices, warn_of_unknown
from tests.tables import tables_beside

TABLES = tables_beside(__file__)


def test_known_price_covers_every_kind_of_token() -> None:
    price = known_price("anthropic/claude-sonnet-4-6")
    info = get_model_info("anthropic/claude-sonnet-4-6")
    assert price is not None and info is not None and info.cost == price and info.context_length
    usage = ModelUsage(
        input_tokens=1_000_000,
        output_tokens=100_000,
        input_tokens_cache_write=1_000_000,
        input_tokens_cache_read=1_000_000,
    )
    assert compute_model_cost(price, usage) == pytest.approx(3.00 + 1.50 + 3.75 + 0.30)


@pytest.mark.parametrize(("dated", "undated"), TABLES["dated"])
def test_dated_and_undated_names_share_price_and_signature(dated: str, undated: str) -> None:
    prices = [known_price(name) for name in (dated, undated)]
    assert prices[0] and prices[0] == prices[1]
    assert same_model(undated) == same_model(dated) == dated
    assert signature("m", judge=f"{undated}#2+a/b") == signature("m", judge=f"{dated}#2+a/b")


def test_snapshots_with_same_price_are_distinct_models() -> None:
    names = ["openai/gpt-4o", "openai/gpt-4o-2024-08-06", "openai/gpt-4o-2024-11-20"]
    assert [same_model(name) for name in names] == [names[1], names[1], names[2]]
    assert len({str(known_price(name)) for name in names}) == 1
    assert same_model("some/model-20250101") == "some/model-20250101"


@pytest.mark.parametrize(("name", "price"), TABLES["prices"])
def test_models_in_use_have_expected_prices(name: str, price: list[float]) -> None:
    router = name.startswith("openrouter/")
    listed = known_price(get_model(name, api_key="none") if router else name)
    assert listed
    kinds = (listed.input, listed.output, listed.input_cache_write, listed.input_cache_read)
    assert list(kinds) == price


@pytest.mark.parametrize(
    "maker", ["meta-llama/llama-4-maverick", "meta-llama/llama-3.3-70b-instruct"]
)
def test_open_models_have_price_on_openrouter_only(maker: str) -> None:
    listed = known_price(get_model(f"openrouter/{maker}", api_key="none"))
    assert listed and 0.01 < listed.input < 2 and listed.input < listed.output < 5
    assert known_price(f"together/{maker}") is None


@pytest.mark.parametrize("name", TABLES["unknown"])
def test_similar_model_names_have_no_known_price(name: str) -> None:
    assert known_price(name) is None


def test_unknown_price_warning_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    models = [get_model(f"mockllm/{name}") for name in ("unpriced", "free", "unpriced")]
    with caplog.at_level(logging.WARNING):
        warn_of_unknown([*models, get_model("offline/extractive"), get_model("none")])
        warn_of_unknown(models)
    starts = [record.message.partition(":")[0] for record in caplog.records]
    assert starts == ["mockllm/unpriced has no known price", "mockllm/free has no known price"]
    assert all(
        "and `score` need `set_model_info` instead" in record.message for record in caplog.records
    )


def test_user_price_overrides_known_price() -> None:
    user_price = ModelCost(input=1, output=2, input_cache_write=3, input_cache_read=4)
    name = "anthropic/claude-opus-4-5"
    before = get_model_info(name)
    assert before
    try:
        set_prices({name: user_price})
        assert known_price(name) == user_price
    finally:
        set_model_info(name, before)


@task
def priced_suite() -> Task:
    sample = Sample(input="How was revenue?", target="Revenue rose.")
    return Task(dataset=[sample], solver=generate(), scorer=scorers.contain_match())


@pytest.mark.usefixtures("logs")
def test_foreign_task_suite_uses_known_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    price = ModelCost(input=1e6, output=0, input_cache_write=0, input_cache_read=0)
    prices = {"mockllm/foreign": price}
    monkeypatch.setattr(pricing, "_list_price", prices.get)
    output = ModelOutput.from_content("foreign", "Revenue rose.")
    output.usage = ModelUsage(input_tokens=3)
    model = get_model("mockllm/foreign", custom_outputs=[output])
    (log,) = eval(priced_suite, model=model, display="none")
    assert log.stats.model_usage["mockllm/foreign"].total_cost == 3
