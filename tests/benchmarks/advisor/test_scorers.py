"""Tests of `client_file` on answers of other systems, against hand-computed scores."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks.advisor import client_file
from arag_inspect.measures.fact_lists import json_facts
from arag_inspect.solvers import replay
from tests.logs import samples_of, scores_of
from tests.scripted import Script, run, scripted
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

TALK = TABLES["talk"]

SECTIONS = ("clients", "assets", "pensions", "incomes", "expenses", "loans", "savings")


def fact(value: Any, time: str, citation: str | None, estimate: Any = False) -> dict[str, Any]:
    return {
        "value": value, "call_time": time, "citation": citation, "recorded_at": "2025-03-03",
        "is_estimate": estimate, "value_as_of_date": None, "unit": "GBP",
    }  # fmt: skip


def file(**sections: Any) -> dict[str, Any]:
    return {**{name: [] for name in SECTIONS}, **sections}


def row(label: str, kind: str, *states: dict[str, Any]) -> dict[str, Any]:
    return {"static": {"label": label, "kind": kind}, "dynamic": list(states)}


def salary(amount: Any) -> dict[str, Any]:
    return row("Ann's salary", "salary", {"said_at": "00:00:20", "amount": amount})


def account(*balances: Any) -> dict[str, Any]:
    states = [{"said_at": b["call_time"], "balance": b, "contribution": None} for b in balances]
    return row("account", "cash", *states)


def mortgage(balance: Any, rate: Any) -> dict[str, Any]:
    state = {"said_at": "00:01:30", "balance": balance, "payment": None, "rate": rate}
    return row("mortgage", "mortgage", state)


FIRST = fact(900, "00:00:31", "there is about £900", True)
RATE = fact(4.5, "00:02:00", "At 4.5 percent.")
OWED = fact(80000, "00:01:30", "I still owe roughly 80 thousand pounds", True)
LOAN = mortgage(OWED, RATE)
EARNED = salary(fact(2150, "00:00:20", "It is £2,150 a month, my salary."))
GOLD = file(incomes=[EARNED], savings=[account(FIRST)], loans=[LOAN])
FLAWED = file(
    # in another line; and a value missing from gold, so its flag does not count
    incomes=[salary(fact(2150, "00:01:30", "It is £2,150 a month, my salary."))],
    # verbatim except for dashes and omitted words; vague, but marked as exact
    savings=[account(fact(900, "00:00:33", "In the account - I looked ... about £900"))],
    loans=[
        mortgage(
            # paraphrased, at the right time; the flag is text
            fact(80000, "00:01:31", "I still owe about 80 thousand pounds on the mortgage", "yes"),
            # two words count only at their time
            fact(4.5, "00:00:05", "4.5 percent"),
        )
    ],
    assets=[row("boat", "boat", {"said_at": "00:00:05", "value": fact(7, "noon", None)})],
)
SECOND = fact(950, "00:01:30", "it is £950")
LAST = fact(940, "00:02:00", "no, £940")
TWICE = row(
    "mortgage",
    "mortgage",
    *LOAN["dynamic"],
    mortgage(fact(79000, "00:02:00", "79"), None)["dynamic"][0] | {"said_at": "00:02:00"},
)
"""A new balance; the rate remains null."""
HISTORIES = {
    # the answer's account and loan states: earlier, latest and in order
    "whole": (account(FIRST, SECOND, LAST), TWICE, (1, 1, 1)),
    "last only": (account(LAST), mortgage(fact(79000, "00:02:00", ""), RATE), (0, 1, 0)),
    "first only": (account(FIRST), LOAN, (0, 0, 0)),
    "no middle": (account(FIRST, LAST), TWICE, (2 / 3, 1, 1 / 2)),
    "wrong order": (account(FIRST, LAST, SECOND), TWICE, (2 / 3, 1 / 2, 1 / 2)),
    "one more": (account(FIRST, fact(5, "00:01:00", "5"), SECOND, LAST), TWICE, (1, 1, 1 / 2)),
}
CHANGED = {
    name: json.dumps(file(savings=[saved], loans=[owed]))
    for name, (saved, owed, _) in HISTORIES.items()
}
ANSWERS = {
    "gold": json.dumps(GOLD),
    "flawed": f"```json\n{json.dumps(FLAWED)}\n```",
    "prose": "Ann earns £2,150 a month.",
    "empty": json.dumps(file()),
    "deep": f'{{"assets": {"[" * 500}{"]" * 500}}}',
    "huge": json.dumps(file(savings=[account(fact(10**400, "00:00:31", "much"))])),
    "untimed": json.dumps(GOLD),
}


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Score]:
    folder = tmp_path_factory.mktemp("advisor")
    answers = ANSWERS | CHANGED
    lines = [json.dumps({"id": name, "predicted": text}) for name, text in answers.items()]
    predictions = folder / "answers.jsonl"
    predictions.write_text("\n".join(lines))
    targets = dict.fromkeys(ANSWERS, json.dumps(GOLD)) | dict.fromkeys(CHANGED, CHANGED["whole"])
    targets["untimed"] = "Ann earns £2,150 a month."
    untimed = {"transcript": TALK.partition("\n\n")[2].replace("[00:", "(at) ")}
    task = Task(
        dataset=[
            Sample(id=n, input=TALK, target=target, metadata=untimed if n == "untimed" else None)
            for n, target in targets.items()
        ],
        solver=replay(predictions=str(predictions)),
        scorer=client_file(),
    )
    log: EvalLog = run(task, scripted(Script("unused")), log_dir=str(folder))
    assert log.status == "success", log.error
    return {str(sample.id): scores_of(sample)["client_file"] for sample in samples_of(log)}


def part(score: Score, *keys: str) -> dict[str, Any]:
    """Return selected keys of a score."""
    return {key: score.as_dict()[key] for key in keys}


FORM = ("valid", "failing_paths")
NOTHING = {"estimates": "nothing_matched", "history": "nothing_changed"}
CITATIONS = ("exact", "fuzzy", "at_call_time")
HISTORY = ("earlier", "latest", "in_order")


def test_client_file_lists_schema_faults_by_path(scored: dict[str, Score]) -> None:
    assert part(scored["gold"], *FORM) == {"valid": 1, "failing_paths": 0}
    flawed = scored["flawed"]
    assert [fault["path"] for fault in (flawed.metadata or {})["faults"]] == [
        "assets.0.dynamic.0.value.call_time",
        "assets.0.dynamic.0.value.citation",
        "assets.0.static.kind",
        "loans.0.dynamic.0.balance.is_estimate",
    ]
    # whole 1, sections 7, rows 4, each with static 3, dynamic and one state 2, and its moment 1;
    # values: incomes 8, savings 8 and an empty one, loans 16 and an empty one, assets 8
    assert part(flawed, *FORM) == {"valid": 0, "failing_paths": pytest.approx(4 / 78)}
    for name in ("prose", "deep"):
        assert part(scored[name], *FORM) == {"valid": 0, "failing_paths": 1}


def test_client_file_checks_citation_text_and_call_time(scored: dict[str, Score]) -> None:
    assert part(scored["gold"], *CITATIONS) == {"exact": 1, "fuzzy": 1, "at_call_time": 1}
    flawed = scored["flawed"]
    results = {
        citation["path"]: (citation["exact"], citation["fuzzy"], citation["at_call_time"])
        for citation in (flawed.metadata or {})["citations"]
    }
    assert results == {
        "incomes.0.dynamic.0.amount": (True, True, False),
        "savings.0.dynamic.0.balance": (True, True, True),
        "loans.0.dynamic.0.balance": (False, True, True),
        "loans.0.dynamic.0.rate": (False, False, False),
        "assets.0.dynamic.0.value": (False, False, False),
    }
    assert part(flawed, *CITATIONS) == {
        "exact": pytest.approx(2 / 5),
        "fuzzy": pytest.approx(3 / 5),
        "at_call_time": pytest.approx(2 / 5),
    }


def test_client_file_scores_flags_of_matched_values_only(scored: dict[str, Score]) -> None:
    assert part(scored["gold"], "flags") == {"flags": 1}
    flawed = scored["flawed"]
    # salary and rate are right; account and mortgage are vague but not marked as such
    assert part(flawed, "flags") == {"flags": 0.5}
    assert (flawed.metadata or {})["matched"] == 4
    assert (flawed.metadata or {})["values"] == 5
    assert (flawed.metadata or {})["wrong"] == [
        "loans.0.dynamic.0.balance",
        "savings.0.dynamic.0.balance",
    ]


@pytest.mark.parametrize(
    ("sample", "reasons"),
    [
        ("prose", {"citations": "no_json", "estimates": "no_json", "history": "no_json"}),
        ("empty", {"citations": "no_values"} | NOTHING),
        ("huge", NOTHING),
        ("untimed", {"estimates": "no_reference", "history": "no_reference"}),
        ("gold", {"history": "nothing_changed"}),
        ("whole", {}),
    ],
)
def test_client_file_gives_reason_for_each_unscored_part(
    scored: dict[str, Score], sample: str, reasons: dict[str, str]
) -> None:
    score = scored[sample]
    keys = {"citations": CITATIONS, "estimates": ("flags",), "history": HISTORY}
    by_key = {key: reason for part, reason in reasons.items() for key in keys[part]}
    assert (score.metadata or {})["unscored"] == by_key
    assert {key for key, value in score.as_dict().items() if math.isnan(float(str(value)))} == {
        *by_key,
        *(("at_call_time",) if sample == "untimed" else ()),
    }


def test_call_time_is_unscored_without_timestamps(scored: dict[str, Score]) -> None:
    value = scored["untimed"].as_dict()
    assert value["exact"] == value["fuzzy"] == 1
    assert math.isnan(float(str(value["at_call_time"])))


def test_client_file_rejects_bad_parameters_at_construction(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tolerance"):
        client_file(tolerance=1.5)
    with pytest.raises(InputError, match="cannot be read"):
        client_file(schema=str(tmp_path / "none.json"))


@pytest.mark.parametrize("case", HISTORIES)
def test_client_file_scores_earlier_and_latest_states_in_order(
    scored: dict[str, Score], case: str
) -> None:
    earlier, latest, in_order = HISTORIES[case][2]
    assert part(scored[case], *HISTORY) == pytest.approx(
        {"earlier": earlier, "latest": latest, "in_order": in_order}
    )


def test_json_facts_lists_each_state_as_own_fact() -> None:
    listed = json_facts(json.dumps(file(savings=[account(FIRST, LAST)])), whole=True)
    assert listed == [
        "savings[account].balance: 900 GBP (estimate, earlier, said at 00:00:31)",
        "savings[account].balance: 940 GBP (latest, said at 00:02:00)",
    ]
