"""Tests of the advisor benchmark's client-file schema, personas and conversation generator."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.util import JSONSchema
from jsonschema import Draft202012Validator

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks.advisor.conversation import Conversation
from arag_inspect.benchmarks.advisor.generator import generate_talks
from arag_inspect.benchmarks.advisor.personas import choose_personas, load_personas
from arag_inspect.benchmarks.advisor.schema import load_schema
from arag_inspect.benchmarks.advisor.speech import count_words
from arag_inspect.benchmarks.advisor.tracked import histories, read_turns, tracked_values
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

SECTIONS = ["clients", "assets", "pensions", "incomes", "expenses", "loans", "savings"]
VAGUE = re.compile(
    r"about|roughly|around|or so|somewhere near|a bit over|a little more|just under|not quite"
    r"|Maybe|something like",
    re.I,
)


@pytest.fixture(scope="module")
def talks() -> list[Conversation]:
    return list(generate_talks(choose_personas(None)))


def _depth(form: JSONSchema) -> int:
    inner = [*(form.anyOf or []), *([form.items] if form.items else [])]
    deepest = 1 + max((_depth(one) for one in (form.properties or {}).values()), default=0)
    return max([deepest, *map(_depth, inner)])


def test_default_schema_is_valid_closed_and_five_levels_deep() -> None:
    schema = load_schema()
    Draft202012Validator.check_schema(schema.document)
    assert list(schema.document["properties"]) == SECTIONS
    assert schema.response is not None and _depth(schema.response) == 5
    definitions = [schema.document, *schema.document["$defs"].values()]
    objects = [definition for definition in definitions if definition.get("type") == "object"]
    assert len(objects) == 9
    assert all(definition["additionalProperties"] is False for definition in objects)
    assert all(part in schema.text for part in ('"$ref"', '"allOf"', '{"type": "null"}'))


def test_response_schema_is_equivalent_without_references(talks: list[Conversation]) -> None:
    response = load_schema().response
    assert response is not None
    text = response.model_dump_json(exclude_none=True)
    assert "$ref" not in text and "allOf" not in text
    plain = Draft202012Validator(json.loads(text))
    record = talks[0].record
    plain.validate(record)
    for row, field, value in ((0, "age", {"value": 30}), (0, "extra", 1)):
        broken = json.loads(json.dumps(record))
        broken["clients"][row]["static"][field] = value
        assert not plain.is_valid(broken)
        assert load_schema().faults(broken)


def row(label: str, kind: str, *states: dict[str, Any]) -> dict[str, Any]:
    return {"static": {"label": label, "kind": kind}, "dynamic": list(states)}


def test_schema_faults_report_json_paths() -> None:
    fact = {
        "value": "a lot", "call_time": "00:01", "citation": "A lot of money.", "unit": None,
        "recorded_at": "last week", "is_estimate": False, "value_as_of_date": None,
    }  # fmt: skip
    empty: dict[str, Any] = {name: [] for name in SECTIONS}
    record = empty | {
        "incomes": [row("pay", "salary", {"said_at": "00:00:01", "amount": fact})],
        "savings": [row("jar", "cash", {"said_at": "00:00:01", "balance": None})],
    }
    del record["loans"]
    assert [fault.path for fault in load_schema().faults(record)] == [
        "",
        "incomes.0.dynamic.0.amount.call_time",
        "incomes.0.dynamic.0.amount.recorded_at",
        "incomes.0.dynamic.0.amount.value",
        "savings.0.dynamic.0",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [*TABLES["bad schemas"], ('{"not": ' * 150 + "{}" + "}" * 150, "nested more than 100 deep")],
)  # fmt: skip
def test_load_schema_rejects_bad_schema(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "schema.json"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        load_schema(str(path))


@pytest.mark.parametrize(
    "document",
    TABLES["valid schemas"],
    ids=["anchor", "into a list", "a property named $ref"],
)  # fmt: skip
def test_load_schema_accepts_valid_schemas(tmp_path: Path, document: object) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(document), encoding="utf-8-sig")
    schema = load_schema(str(path))
    assert schema.response is not None and schema.response.properties is not None
    assert schema.response.properties["n"].type == "integer"
    assert [fault.path for fault in schema.faults({"n": "x"})] == ["n"]


DOUBLING: dict[str, Any] = {
    f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(18)
}
ENDLESS = {
    "properties": {"a": {"$ref": "#/$defs/d0"}},
    "$defs": {**DOUBLING, "d18": {"type": "null"}},
}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (ENDLESS, "refers to itself, or has more than 20,000 parts"),
        ({"type": "object", "properties": {"of": {"$ref": "#"}}}, "refers to itself"),
        ({"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}}, "refers to itself"),
        ({"properties": {"a": {"not": {"$ref": "#/properties/a"}}}}, "refers to itself"),
        ({"prefixItems": [{"$ref": "#"}]}, "refers to itself"),
        ({"$dynamicRef": "#a", "$dynamicAnchor": "a"}, "refers to itself"),
        ({"allOf": [{"$id": "b"}]}, "uses $id in a part"),
        ({"allOf": [{"$schema": "https://json-schema.org/draft/2020-12/schema"}]},
         "uses $schema in a part"),
        ({"properties": {"a": {"pattern": "(?=a)"}}}, "that RE2 does not support: (?=a)"),
        ({"patternProperties": {"(?=a)": {}}}, "that RE2 does not support: (?=a)"),
        ({"patternProperties": {"a": {}}, "unevaluatedProperties": False},
         "uses patternProperties and unevaluated"),
        ({"allOf": [{"patternProperties": {"a": {}}}], "unevaluatedProperties": False},
         "which is not supported"),
    ],
)  # fmt: skip
def test_load_schema_rejects_recursive_or_oversized_schema(
    tmp_path: Path, document: object, message: str
) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=re.escape(message)):
        load_schema(str(path))


@pytest.mark.parametrize("schema", [5, True, {"type": "object"}])
def test_load_schema_rejects_value_that_is_no_path(schema: Any) -> None:
    with pytest.raises(InputError, match="schema must be the path of a JSON file, got"):
        load_schema(schema)


@pytest.mark.parametrize(
    ("schema", "value", "faults"),
    [
        ({"pattern": "^(a+)+$"}, f"{'a' * 5_000}!", 1),
        ({"pattern": "^(a+)+$"}, "a" * 5_000, 0),
        ({"patternProperties": {"^(a+)+$": False}}, {f"{'a' * 5_000}!": 1}, 0),
        ({"patternProperties": {"^(a+)+$": False}}, {"a" * 5_000: 1}, 1),
        ({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
         {f"{'a' * 5_000}!": 1}, 1),
        ({"uniqueItems": True}, [*range(20_000), *map(str, range(20_000))], 0),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1}], 1),
    ],
)  # fmt: skip
@pytest.mark.timeout(100)
def test_schema_faults_returns_for_costly_patterns_and_arrays(
    tmp_path: Path, schema: object, value: object, faults: int
) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps({"properties": {"a": schema}}))
    assert len(load_schema(str(path)).faults({"a": value})) == faults


@pytest.mark.parametrize(("additional", "faults"), TABLES["patterns"])
def test_properties_are_checked_by_pattern_of_their_name(
    tmp_path: Path, additional: object, faults: list[tuple[str, str]]
) -> None:
    document = {
        "properties": {"a": {"type": "integer"}},
        "patternProperties": {"^y": {"type": "integer"}, "1$": {"minimum": 0}},
        "additionalProperties": additional,
    }
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(document))
    reported = load_schema(str(path)).faults({"a": 1, "y1": 2, "y2": "no", "b": 3})
    assert [fault.path for fault in reported] == [name for name, _ in faults]
    assert all(
        fault.message.startswith(text) for fault, (_, text) in zip(reported, faults, strict=True)
    )


def test_personas_cover_34_households_of_17_types() -> None:
    personas = load_personas()
    assert len({persona.id for persona in personas}) == 34
    assert len({persona.type for persona in choose_personas(17)}) == 17
    assert len({persona.type for persona in personas}) == 17


def test_talks_last_30_to_60_minutes_and_cover_several_topics(talks: list[Conversation]) -> None:
    for talk in talks:
        minutes = talk.turns[-1].seconds / 60
        assert 30 <= minutes <= 60
        assert 130 <= count_words(talk.turns) / minutes <= 162
        assert sum(bool(rows) for rows in talk.record.values()) >= 5
        assert [turn.seconds for turn in talk.turns] == sorted(turn.seconds for turn in talk.turns)
        assert not load_schema().faults(talk.record)
    flags = [disclosure.is_estimate for talk in talks for disclosure in talk.disclosures]
    assert 0.15 < sum(flags) / len(flags) < 0.5


def test_disclosures_are_cited_at_their_time_and_estimates_sound_vague(
    talks: list[Conversation],
) -> None:
    for talk in talks:
        lines = {turn.time: turn for turn in read_turns(talk.transcript)}
        values = [(one.section, one.label, one.field, one.state) for one in talk.disclosures]
        assert len(set(values)) == len(values)
        assert len(tracked_values(talk.record)) == len(values)
        for disclosure in talk.disclosures:
            assert disclosure.citation == lines[disclosure.call_time].text
            assert bool(VAGUE.search(disclosure.citation)) == disclosure.is_estimate
            if isinstance(disclosure.value, float) and disclosure.value < 10_000:
                assert f"{disclosure.value:,g}" in disclosure.citation.replace(".00", "")


def test_corrected_values_keep_both_states_and_times(
    talks: list[Conversation],
) -> None:
    changes = [h for talk in talks for h in histories(tracked_values(talk.record)) if len(h) > 1]
    states = sum(disclosure.state for talk in talks for disclosure in talk.disclosures)
    assert len(changes) == states > 20
    for earlier, latest in changes:
        assert earlier.fact["is_estimate"] and not latest.fact["is_estimate"]
        assert earlier.text("call_time") < latest.text("call_time")
    for talk in talks:
        for rows in talk.record.values():
            for states in (row["dynamic"] for row in rows):
                moments = [state["said_at"] for state in states]
                assert moments == sorted(moments)
                for state in states:
                    times = [v["call_time"] for v in state.values() if isinstance(v, dict)]
                    assert state["said_at"] == min(times)


def test_statements_of_changed_values_name_their_state(talks: list[Conversation]) -> None:
    statements = [text for text in talks[0].statements if "said at" in text]
    assert statements == [
        "Ava's credit card: 1,500 GBP (estimate, earlier, said at 00:18:15)",
        "Ava's workplace pension: 190,000 GBP (estimate, earlier, said at 00:28:48)",
        "Ava's credit card: 1,528 GBP (latest, said at 00:34:13)",
        "Ava's workplace pension: 189,610 GBP (latest, said at 00:34:21)",
    ]


def test_generate_talks_is_reproducible_for_same_seed(talks: list[Conversation]) -> None:
    first, other = choose_personas(2)
    assert next(generate_talks([first])) == talks[0]
    assert next(generate_talks([first], seed=1)).turns != talks[0].turns
    short = next(generate_talks([other], digressions=0))
    assert len(short.turns) < 100
    assert not load_schema().faults(short.record)


def test_read_turns_parses_common_timestamp_forms_and_continuation_lines() -> None:
    text = "Notes\n\n[00:05] Adviser: How much?\n01:02:03 - Ann: About £40: no,\nmore.\n"
    first, second = read_turns(text)
    assert (first.time, first.speaker, first.text) == ("00:00:05", "Adviser", "How much?")
    assert (second.time, second.text) == ("01:02:03", "About £40: no, more.")
