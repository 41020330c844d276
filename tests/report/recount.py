"""Works out every figure of a report again, from the logs and by other code than the report's.

Reads logs with Inspect, tables out of the Markdown, and computes with pandas,
scipy, scikit-learn and statsmodels; imports nothing of `arag_inspect.report`.
`Recount.check` goes through the Markdown line by line: a table it does not know,
a row or column too many, and a number in the text that it did not work out are
errors, so that no figure goes unchecked.
"""

import html
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, EvalSample
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

RESAMPLES = 4_999
SIGMAS = 5
"""How far two honest simulations may be apart."""

GRADES = {"Faithfulness (1-5)": "geval_faithfulness", "Coverage (1-5)": "geval_coverage"}
FACTS = {
    "Figures verified": "factual_consistency.verified",
    "Figures contradicted": "factual_consistency.contradicted",
    "Num-Prec": "factual_consistency.numerical_precision",
    "Facts told": "fact_coverage.fact_coverage",
    "Figures told": "fact_coverage.figure_coverage",
}
RETRIEVAL = {
    "Recall": "retrieval_pr.recall",
    "Precision": "retrieval_pr.precision",
    "Found recall": "retrieval_pr.search_recall",
}
OVERLAP = {
    "ROUGE-1": "rouge.rouge1",
    "ROUGE-2": "rouge.rouge2",
    "ROUGE-L": "rouge.rougeL",
    "ROUGE-Lsum": "rouge.rougeLsum",
}
ERRORS = {
    **{f"Error {code}": f"error_taxonomy.{code}" for code in ("H", "N", "O", "P", "IR", "IC", "V")},
    "Any error": "error_taxonomy.any",
}
HUMAN = {"Human": "human"}
EFFORT = {
    "Cost, USD": "efficiency.cost_usd",
    "Latency, ms": "efficiency.latency_ms",
    "Loops": "efficiency.loops",
    "Words": "efficiency.word_count",
    "Tokens in": "efficiency.input_tokens",
    "Tokens out": "efficiency.output_tokens",
}
QUALITY = {**GRADES, **FACTS, **RETRIEVAL, **OVERLAP, **ERRORS, **HUMAN}
LOW = {"Figures contradicted", *ERRORS}
MAIN = (
    "Coverage (1-5)",
    "Faithfulness (1-5)",
    "Figures verified",
    "Facts told",
    "ROUGE-2",
    "Recall",
)
QUESTIONS = (("arag", "stuffing"), ("arag", "naive_rag"), ("naive_rag", "stuffing"))
ORDER = ("arag", "naive_rag", "stuffing")

PROSE = (
    r"95 %",
    r"p is below 0\.05",
    r"80 % at p < 0\.05",
    r"\(1: perfect, 0: chance\)",
    r"\(1-5\)",
    r"ROUGE-[12]",
    r"version 1\b",
    r"\S+\.eval\b",
)
"""Numbers in the text that are no figures: levels, scales and names."""


class Between(NamedTuple):
    """Where a simulated figure has to lie."""

    low: float
    high: float


class Interval(NamedTuple):
    """A mean and where the ends of its interval have to lie."""

    mean: float
    low: Between
    high: Between


class Near(NamedTuple):
    """A figure, give or take so much."""

    value: float
    slack: float


class Listed(NamedTuple):
    """Figures with their names, in one cell."""

    figures: dict[str, Near]


class Counted(NamedTuple):
    """A figure, and the number of answers that it is over."""

    value: float
    n: int


Expected = str | int | float | Between | Interval | Near | Listed | Counted | None
Row = dict[str, Expected]
Keyed = dict[tuple[str, ...], Row]


# Reading


def read_logs(logs: Sequence[EvalLog], human: Sequence[Mapping[str, Any]] = ()) -> pd.DataFrame:
    """One row an answer: scores by measure, verdicts by judge, what it cost and what was read."""
    marks = {(one["system"], one["id"]): one["value"] for one in human}
    rows = []
    for log in logs:
        for sample in log.samples or []:
            row = _row(log, sample)
            row["human"] = marks.get((row["system"], row["id"]), math.nan)
            rows.append(row)
    return pd.DataFrame(rows).sort_values(["system", "id"]).reset_index(drop=True)


def _row(log: EvalLog, sample: EvalSample) -> dict[str, Any]:
    kept = {k.removeprefix("RetrievalTrace:"): v for k, v in sample.store.items()}
    row: dict[str, Any] = {
        "system": kept["system"],
        "model": log.eval.model,
        "id": str(sample.id),
        "company": sample.metadata["company"],
        "gold": set(sample.metadata["gold_chunk_ids"]),
        "answer": sample.output.completion,
        "target": sample.target,
        "words": len(sample.output.completion.split()),
        "passages": kept["passages"],
        "loops": kept["loops"] or math.nan,
        "cost": math.nan if kept["cost_usd"] is None else kept["cost_usd"],
        "latency": math.nan if kept["latency_ms"] is None else kept["latency_ms"],
        "in": kept["input_tokens"] or math.nan,
        "out": kept["output_tokens"] or math.nan,
        "limited": kept["stopped_by"] in ("max_loops", "token_budget"),
        "skipped": kept["skipped"],
        "judge cost": math.nan,
        "status": {},
        "verdicts": {},
        "said": {},
        "again": {},
        "signatures": {},
    }
    spent: list[float | None] = []
    assert sample.scores is not None
    for name, score in sample.scores.items():
        metadata = score.metadata or {}
        if (repeated := re.fullmatch(r"(\w+?)-?1", name)) and repeated[1] in sample.scores:
            row["again"][repeated[1]] = score.value
            continue
        keys = [k for k in {**QUALITY, **EFFORT}.values() if k.split(".")[0] == name]
        for key in keys:
            value: Any = score.value
            if "." in key:
                value = value[key.split(".")[1]] if isinstance(value, dict) else math.nan
            row[key] = float(value)
            unscored = "skipped" if score.reason == "skipped" else "unscored"
            row["status"][key] = (
                "scored" if math.isfinite(row[key]) else unscored,
                score.reason or "no_value",
            )
        row["signatures"][name] = metadata.get("signature")
        for judge in metadata.get("judges") or []:
            spent.append(judge.get("cost_usd"))
            row["said"].setdefault(name, []).append((judge["grader"], judge["raw"][-1]))
            if isinstance(judge.get("verdict"), int | float):
                row["verdicts"][name, judge["grader"]] = float(judge["verdict"])
    if spent and None not in spent:
        row["judge cost"] = sum(one for one in spent if one is not None)
    return row


def read_tables(markdown: str) -> dict[str, list[dict[str, str]]]:
    """The tables of a report by their title, cells as text."""
    found: dict[str, list[dict[str, str]]] = {}
    for part in markdown.split("\n#### ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        if lines:
            cells = [[plain(c) for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
            rows = [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]
            found[part.splitlines()[0]] = rows
    return found


def plain(text: str) -> str:
    """Text without what makes it Markdown."""
    return html.unescape(re.sub(r"\\([^A-Za-z0-9\s])", r"\1", text)).strip()


# Comparing


def agrees(text: str, expected: Expected) -> bool:
    """Whether a cell shows a figure, as precisely as it is shown."""
    match expected:
        case None:
            return text == "-"
        case str():
            return text == expected
        case Interval():
            numbers = re.fullmatch(r"(\S+) \[(\S+), (\S+)\]", text)
            return bool(numbers) and all(
                agrees(shown, one)
                for shown, one in zip(numbers.groups(), expected, strict=True)  # type: ignore[union-attr]
            )
        case Counted():
            parts = re.fullmatch(r"(.+) \(n ([\d,]+)\)", text)
            return (
                parts is not None
                and agrees(parts[1], expected.value)
                and agrees(parts[2], expected.n)
            )
        case Listed():
            told = dict(re.findall(r"([\d.]+): ([\d,]+)(?:, |$)", text))
            return set(told) == set(expected.figures) and all(
                agrees(told[name], one) for name, one in expected.figures.items()
            )
        case Between():
            low, high = expected
        case Near():
            low, high = expected.value - expected.slack, expected.value + expected.slack
        case bool() | int():
            return text == f"{expected:,}"
        case _:
            low = high = float(expected)
    if text == "< 0.001":
        return low < 0.001
    number = re.fullmatch(r"[+$]{0,2}(-?[\d,]+(?:\.(\d+))?)( %)?", text)
    if number is None:
        return False
    half = 0.5001 * 10 ** -len(number[2] or "")
    scale = 100 if number[3] else 1
    value = float(number[1].replace(",", ""))
    return scale * low - half <= value <= scale * high + half


def check_table(title: str, rows: Sequence[Mapping[str, str]], expected: Keyed) -> None:
    """Hold every cell of a table against what it should show."""
    assert expected, f"{title}: nothing was expected"
    keys = len(next(iter(expected)))
    shown = {tuple(list(row.values())[:keys]): row for row in rows}
    assert len(shown) == len(rows) and set(shown) == set(expected), (
        f"{title}: rows {set(shown) ^ set(expected)}"
    )
    for key, row in shown.items():
        columns = list(row)[keys:]
        assert set(columns) == set(expected[key]), f"{title}: columns {columns}"
        for column in columns:
            wanted = expected[key][column]
            assert agrees(row[column], wanted), (
                f"{title}, {key}, {column}: {row[column]}, not {wanted}"
            )


# Statistics


@cache
def _bca(sums: tuple[float, ...], counts: tuple[int, ...]) -> tuple[Between, Between]:
    """Where the ends of a BCa interval over clusters lie, whoever simulates it.

    The end of a simulated interval is a quantile of B resampled means, with a
    standard error of sqrt(q (1 - q) / B) in its level q; the correction of bias
    shifts that level by twice the density there, and is itself known to
    sqrt(pi / 2 B). Both simulations err, so the variances add up.
    """
    found = stats.bootstrap(
        (np.array(sums), np.array(counts)),
        lambda s, c, axis: s.sum(axis) / c.sum(axis),
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        method="BCa",
        rng=1,
    )
    drawn = found.bootstrap_distribution
    ends = []
    for end in found.confidence_interval:
        level = float(np.clip((drawn <= end).mean(), 1 / RESAMPLES, 1 - 1 / RESAMPLES))
        shift = 2 * stats.norm.pdf(stats.norm.ppf(level))
        error = math.sqrt(2 * (level * (1 - level) + shift**2 * math.pi / 2) / RESAMPLES)
        levels = np.clip([level - SIGMAS * error, level + SIGMAS * error], 0, 1)
        ends.append(Between(*map(float, np.quantile(drawn, levels))))
    return ends[0], ends[1]


def interval(values: "pd.Series[float]", companies: "pd.Series[str]") -> Expected:
    """A mean with its interval over companies; None without values."""
    kept = values.dropna()
    if kept.empty:
        return None
    mean = float(kept.mean())
    groups = kept.groupby(companies.loc[kept.index])
    if len(groups) < 2:
        return mean
    if np.ptp(kept) == 0:
        return Interval(mean, Between(mean, mean), Between(mean, mean))
    sums, counts = groups.sum(), groups.count()
    return Interval(mean, *_bca(tuple(sums), tuple(map(int, counts))))


@cache
def _p(sums: tuple[float, ...]) -> Near:
    """p of a sum of differences by company, exactly where few companies differ."""
    differ = np.array([one for one in sums if abs(one) > 1e-12])
    if len(differ) < 2:  # no swap, or a single one, changes the size of the sum
        return Near(1.0, 0.0)
    exact = len(differ) <= 12
    p = stats.permutation_test(
        (differ, np.zeros_like(differ)),
        lambda a, b, axis: (a - b).sum(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf if exact else 9_999,
        rng=1,
    ).pvalue
    # ours counts both tails; scipy doubles the smaller one, with twice the variance
    ours = 0.0 if 2 ** len(sums) <= 9_999 else p * (1 - p) / 9_999
    error = math.sqrt(ours + (0.0 if exact else 2 * p * (1 - p / 2) / 9_999))
    return Near(float(p), SIGMAS * error + (3 / 9_999 if error else 0.0))


def krippendorff(units: Sequence[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for ordinal values, from the table of coincidences."""
    pairable = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in pairable for value in unit})
    together = np.zeros((len(values), len(values)))
    for unit in pairable:
        for i, j in ((i, j) for i in range(len(unit)) for j in range(len(unit)) if i != j):
            together[values.index(unit[i]), values.index(unit[j])] += 1 / (len(unit) - 1)
    n = together.sum(axis=1)
    far = np.array(
        [
            [
                (n[min(c, k) : max(c, k) + 1].sum() - (n[c] + n[k]) / 2) ** 2
                for k in range(len(values))
            ]
            for c in range(len(values))
        ]
    )
    expected = (np.outer(n, n) * far).sum()
    return float(1 - (n.sum() - 1) * (together * far).sum() / expected) if expected else None


def quadratic_kappa(a: Any, b: Any) -> float | None:
    first, second = np.rint(a).astype(int), np.rint(b).astype(int)
    if len({*first, *second}) < 2:
        return None
    labels = list(range(1, 6))
    return _finite(cohen_kappa_score(first, second, weights="quadratic", labels=labels))


def tau(a: Any, b: Any) -> float | None:
    return _finite(stats.kendalltau(a, b).statistic) if _vary(a, b, 2) else None


def rho(a: Any, b: Any) -> float | None:
    return _finite(stats.spearmanr(a, b).statistic) if _vary(a, b, 3) else None


def _vary(a: Any, b: Any, least: int) -> bool:
    return len(a) >= least and np.ptp(a) > 1e-12 and np.ptp(b) > 1e-12


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


# The report


class Recount:
    """What each table of a report on one benchmark should hold.

    Args:
        logs: One a system; of a log judged again the new one.
        folder: Of the report, for p-values before they are rounded, which Holm's correction needs.
        human: Marks that people gave.
    """

    def __init__(
        self, logs: Sequence[EvalLog], folder: Path, human: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self.logs = logs
        self.frame = read_logs(logs, human)
        self.systems = [one for one in ORDER if one in set(self.frame.system)]
        self.pairs = list(combinations(self.systems, 2))
        self.labels = {
            label: name
            for label, name in {**QUALITY, **EFFORT}.items()
            if name in self.frame and (name != "human" or human)
        }
        self.of = {one: rows.set_index("id") for one, rows in self.frame.groupby("system")}
        self.companies = self.frame.drop_duplicates("id").set_index("id").company
        (self.tables,) = folder.glob("*/tables")
        self.unrounded = pd.read_csv(self.tables / "comparisons.csv")
        self.compared = self._comparisons()
        self._worked_out: dict[str, Keyed] = {}

    def _present(self, *kinds: Mapping[str, str]) -> list[str]:
        return [label for kind in kinds for label in kind if label in self.labels]

    def values(self, system: str, label: str) -> "pd.Series[float]":
        return self.of[system][self.labels[label]]

    def difference(self, label: str, a: str, b: str) -> "pd.Series[float]":
        return (self.values(a, label) - self.values(b, label)).dropna()

    # tables by title

    def runs(self) -> Keyed:
        found: Keyed = {}
        for log in self.logs:
            assert log.samples is not None
            system = log.samples[0].store["RetrievalTrace:system"]
            roles = (log.eval.model_roles or {}).get("grader") or []
            graders = roles if isinstance(roles, list) else [roles]
            found[(system,)] = {
                "solver": system,
                "model": log.eval.model,
                "graders": ", ".join(one.model for one in graders) or "-",
                "samples": len(log.samples),
                "status": log.status,
                "started": log.eval.created,
                "log": log.location.split("/")[-1],
            }
        return found

    def scores(self) -> Keyed:
        return {
            (label,): {
                "better": "low" if label in LOW else "high",
                **{s: interval(self.values(s, label), self.companies) for s in self.systems},
                "samples": self._counts(label),
            }
            for label in self._present(GRADES, FACTS, RETRIEVAL, OVERLAP, HUMAN)
        }

    def _statuses(self, label: str, system: str) -> Counter[str]:
        name = self.labels[label]
        if name == "human":
            marked = self.values(system, label).notna()
            return Counter("scored" if one else "missing" for one in marked)
        return Counter(one[name][0] for one in self.of[system].status)

    def _counts(self, label: str) -> str:
        counts = [self._statuses(label, system) for system in self.systems]
        told = [
            " / ".join(str(one[s]) for s in ("scored", "unscored", "skipped")) for one in counts
        ]
        return told[0] if len(set(told)) == 1 else "; ".join(told)

    def _comparisons(self) -> Keyed:
        found: Keyed = {}
        for label in self._present(QUALITY):
            for a, b in self.pairs:
                difference = self.difference(label, a, b)
                if difference.empty:
                    continue
                signs = np.sign(difference.where(difference.abs() > 1e-12, 0.0))
                spread = difference.std()
                sums = difference.groupby(self.companies.loc[difference.index]).sum()
                found[label, a, b] = {
                    "n": len(difference),
                    "a - b": interval(difference, self.companies),
                    "p": _p(tuple(sums)),
                    "p (Holm)": None,
                    "d": float(difference.mean() / spread) if spread > 1e-12 else 0.0,
                    "wins/ties/losses": "/".join(str(int((signs == s).sum())) for s in (1, 0, -1)),
                    "verdict": None,
                }
        keys = [tuple(row) for row in self.unrounded[["measure", "a", "b"]].to_numpy()]
        assert set(keys) == set(found)
        for key, p in zip(keys, self.unrounded.p, strict=True):
            wanted = found[key]["p"]
            assert isinstance(wanted, Near) and abs(p - wanted.value) <= wanted.slack + 1e-12
        adjusted = multipletests(self.unrounded.p, method="holm")[1]
        lows, highs = self.unrounded["a - b low"], self.unrounded["a - b high"]
        floors = self._floors()
        for key, p, low, high in zip(keys, adjusted, lows, highs, strict=True):
            found[key]["p (Holm)"] = float(p)
            found[key]["verdict"] = self._verdict(key, p, low, high, floors.get(key[0]))
        return found

    def _verdict(
        self, key: tuple[str, ...], p: float, low: float, high: float, floor: float | None
    ) -> str:
        label, a, b = key
        scorer = self.labels[label].split(".")[0]
        measured = [{one.get(scorer) for one in self.of[s].signatures} - {None} for s in (a, b)]
        difference = self.difference(label, a, b)
        if measured[0] != measured[1]:
            return "not shown: measured differently"
        if (difference.abs() <= 1e-12).all():
            return "not shown: no sample differs"
        if low <= 0 <= high:
            return "not shown: the interval spans zero"
        if p >= 0.05:
            return f"not shown: p is {p:.2f} after Holm's correction"
        if floor is not None and abs(difference.mean()) <= floor:
            return "not shown: the judge's own noise is as large"
        return f"{a if (difference.mean() > 0) == (label not in LOW) else b} is better"

    def equal_budget(self) -> Keyed:
        found: Keyed = {}
        for budget in ("tokens", "dollars"):
            spent = {
                s: own["in"].fillna(0) + own["out"].fillna(0).where(own["in"].notna())
                if budget == "tokens"
                else own.cost
                for s, own in self.of.items()
            }
            for a, b in self.pairs:
                ratio = np.maximum(spent[a], spent[b]) / np.minimum(spent[a], spent[b])
                same = ratio.index[ratio <= 1.25]
                for label in (one for one in MAIN if one in self.labels and one in QUALITY):
                    kept = [one for one in self.difference(label, a, b).index if one in set(same)]
                    if len(kept) < 10:
                        continue
                    difference = self.difference(label, a, b).loc[kept]
                    found[budget, label, a, b] = {
                        "n": len(kept),
                        "mean of a": float(self.values(a, label).loc[kept].mean()),
                        "mean of b": float(self.values(b, label).loc[kept].mean()),
                        "a - b": interval(difference, self.companies),
                    }
        return found

    def power(self) -> Keyed:
        found: Keyed = {}
        for label, a, b in self.compared:
            difference = self.difference(label, a, b)
            steps = (0.1, 0.2, 0.3, 0.5) if label in GRADES else (0.01, 0.02, 0.05, 0.1)
            if label in HUMAN or not difference.std() > 0:
                continue
            n = len(difference)
            sums = (difference - difference.mean()).groupby(self.companies.loc[difference.index])
            k = len(sums)
            spread = k / (k - 1) * (sums.sum() ** 2).sum() / n**2
            design = max(1.0, spread * n / difference.var())
            sd, mean = float(difference.std()), float(difference.mean())
            found[label, a, b] = {
                "n here": n,
                "for the difference seen": _needed(mean / sd, design) if mean else None,
                "for a difference of": Listed({f"{x:g}": _needed(x / sd, design) for x in steps}),
            }
        return found

    def effort(self) -> Keyed:
        found: Keyed = {}
        for system, own in self.of.items():
            answers = _answered(own)
            both = answers.dropna(subset=["cost", *([GRADES["Coverage (1-5)"]])])
            points = both[GRADES["Coverage (1-5)"]].sum()
            times = answers.latency.dropna()
            found[(system,)] = {
                "skipped": len(own) - len(answers),
                "USD a question": _counted(answers.cost),
                "USD in all": float(own.cost.sum()) if own.cost.notna().any() else None,
                "USD a coverage point": Counted(float(both.cost.sum() / points), len(both))
                if points
                else None,
                **{
                    f"p{q} ms": Counted(float(np.percentile(times, q)), len(times))
                    for q in (50, 90, 99)
                },
                "tokens in": _counted(answers["in"]),
                "tokens out": _counted(answers.out),
                "loops": _counted(answers.loops),
                "words": _counted(answers.words),
                "stopped": _counted(answers.limited.astype(float)),
                "judge USD a question": _counted(answers["judge cost"]),
            }
        return found

    def _retrieving(self) -> dict[str, pd.DataFrame]:
        found = {s: self.of[s].dropna(subset=[RETRIEVAL["Recall"]]) for s in self.systems}
        return {system: own for system, own in found.items() if len(own)}

    def retrieval(self) -> Keyed:
        found: Keyed = {}
        for system, own in self._retrieving().items():
            recall, reached = own[RETRIEVAL["Recall"]], own[RETRIEVAL["Found recall"]]
            both = own[own.loops.notna()]
            found[(system,)] = {
                "recall": interval(recall, self.companies),
                "precision": interval(own[RETRIEVAL["Precision"]], self.companies),
                "found recall": interval(reached, self.companies),
                "found, not read": interval(reached - recall, self.companies),
                "chunks read": float(own.passages.map(len).mean()),
                "loops and recall": rho(both.loops, both[RETRIEVAL["Recall"]]),
                "p": float(stats.spearmanr(both.loops, both[RETRIEVAL["Recall"]]).pvalue)
                if _vary(both.loops, both[RETRIEVAL["Recall"]], 3)
                else None,
                "n": len(both),
            }
        return found

    def _grown(self, unit: str, steps: Sequence[int], count: Callable[[Any, int], int]) -> Keyed:
        return {
            (f"{step:,}",): {
                system: float(
                    np.mean(
                        [
                            _share(row.gold, row.passages[: count(row.passages, step)])
                            for row in own.itertuples()
                        ]
                    )
                )
                for system, own in self._retrieving().items()
            }
            for step in steps
        }

    def by_chunks(self) -> Keyed:
        return self._grown("chunks", (1, 2, 3, 5, 8, 10, 15, 20), lambda _, step: step)

    def by_tokens(self) -> Keyed:
        def fitting(passages: Any, step: int) -> int:
            read = 0.0
            for place, one in enumerate(passages):
                read += len(one["text"]) / 4
                if read > step:
                    return place
            return len(passages)

        return self._grown("tokens", (1_000, 2_000, 4_000, 8_000, 16_000, 32_000), fitting)

    def by_loop(self) -> Keyed:
        found: Keyed = {}
        for system, own in self._retrieving().items():
            last, before = int(own.loops.max()), 0.0
            for loop in range(1, last + 1) if last > 1 else ():
                after = float(
                    np.mean(
                        [
                            _share(r.gold, [p for p in r.passages if p["loop"] <= loop])
                            for r in own.itertuples()
                        ]
                    )
                )
                found[system, str(loop)] = {
                    "samples still at work": int((own.loops >= loop).sum()),
                    "recall": after,
                    "added": after - before,
                }
                before = after
        return found

    def errors(self) -> Keyed:
        return {
            (label,): {s: interval(self.values(s, label), self.companies) for s in self.systems}
            for label in self._present(ERRORS)
        }

    def attrition(self) -> Keyed:
        found: Keyed = {}
        for log in self.logs:
            assert log.samples is not None
            system = log.samples[0].store["RetrievalTrace:system"]
            own = self.of[system]
            skipped = int(own.skipped.notna().sum())
            unscored = sum(
                any(status == "unscored" for status, _ in one.values()) for one in own.status
            )
            assert all(s.error is None and s.limit is None for s in log.samples)
            found[(system,)] = {
                "planned": len(log.eval.dataset.sample_ids or []) * (log.eval.config.epochs or 1),
                "run": len(own),
                "answered": int((own.skipped.isna() & (own.words > 0)).sum()),
                **dict.fromkeys(("refused", "truncated", "errored"), 0),
                "empty": int((own.skipped.isna() & (own.words == 0)).sum()),
                "skipped": skipped,
                "unscored": unscored,
            }
        return found

    def stuffable(self) -> Keyed:
        own = self.of["stuffing"]
        skipped = int(own.skipped.notna().sum())
        share = 1 - skipped / len(own)
        return {("stuffing",): {"samples": len(own), "too long": skipped, "stuffable": share}}

    def reasons(self) -> Keyed:
        counts = Counter(
            (system, name.split(".")[0], status, reason)
            for system, own in self.of.items()
            for one in own.status
            for name, (status, reason) in one.items()
            if status != "scored"
        )
        return {key: {"values": count} for key, count in counts.items()}

    def denominators(self) -> Keyed:
        names = ("scored", "unscored", "skipped", "errored", "missing")
        return {
            (label, s): {n: self._statuses(label, s)[n] for n in names}
            for label in self.labels
            for s in self.systems
        }

    # judges and people

    def _verdicts(self, label: str) -> pd.DataFrame:
        name = self.labels[label]
        judges = sorted({judge for one in self.frame.verdicts for n, judge in one if n == name})
        return pd.DataFrame(
            {
                "system": self.frame.system,
                "words": self.frame.words,
                **{
                    judge: [one.get((name, judge), math.nan) for one in self.frame.verdicts]
                    for judge in judges
                },
            }
        )

    def agreement(self) -> Keyed:
        found: Keyed = {}
        for label in self._present(GRADES):
            table = self._verdicts(label)
            for a, b in combinations(list(table)[2:], 2):
                both = table.dropna(subset=[a, b])
                means = both.groupby("system")[[a, b]].mean()
                found[label, f"{a} / {b}"] = {
                    "answers": len(both),
                    "alpha": krippendorff(both[[a, b]].to_numpy().tolist()),
                    "kappa": quadratic_kappa(both[a], both[b]),
                    "tau, answers": tau(both[a], both[b]),
                    "tau, systems": tau(means[a], means[b]),
                }
        return found

    def _changes(self) -> Iterator[tuple[str, str, "pd.Series[float]"]]:
        for label in self._present(QUALITY):
            scorer, _, key = self.labels[label].partition(".")
            for system in self.systems:
                own = self.of[system]
                again = pd.Series(
                    {i: _again(one.get(scorer), key) for i, one in own.again.items()}, dtype=float
                )
                change = (again - self.values(system, label)).dropna()
                if len(change):
                    yield label, system, change

    def _floors(self) -> dict[str, float]:
        """The widest noise floor of a measure, as the report's table has it unrounded."""
        path = self.tables / "self_consistency.csv"
        if not path.exists():
            return {}
        found = pd.read_csv(path).groupby("measure")["noise floor"].max()
        return {str(label): float(floor) for label, floor in found.items()}

    def self_consistency(self) -> Keyed:
        found: Keyed = {}
        for label, system, change in self._changes():
            told = interval(change, self.companies)
            assert isinstance(told, Interval)
            ends = [[abs(x) for x in end] for end in (told.low, told.high)]
            found[label, system] = {
                "answers": len(change),
                "change": told,
                "size of a change": float(change.abs().mean()),
                "same value": float((change.abs() < 1e-9).mean()),
                "noise floor": Between(
                    max(*(min(end) for end in ends), abs(told.mean)),
                    max(*(max(end) for end in ends), abs(told.mean)),
                ),
            }
        return found

    def length_bias(self) -> Keyed:
        found: Keyed = {}
        for label in self._present(GRADES):
            table = self._verdicts(label)
            table = table.dropna(subset=list(table)[2:], how="all")
            for judge in list(table)[2:]:
                found[label, judge] = _length(table[judge], table)
        for label in self._present(FACTS, OVERLAP):
            scored = self.frame.dropna(subset=[self.labels[label]])
            found[label, "-"] = _length(scored[self.labels[label]], scored)
        return found

    def overlap(self) -> Keyed:
        found: Keyed = {}
        for a in self._present(FACTS, OVERLAP):
            for b in self._present(GRADES, HUMAN):
                names = [self.labels[a], self.labels[b]]
                both = self.frame.dropna(subset=names)
                x, y = both[names[0]], both[names[1]]
                means = self.frame.groupby("system")[names].mean().dropna()
                signs = [s for s in _signs(both, *names) if s]
                found[a, b] = {
                    "answers": len(both),
                    "rho": rho(x, y),
                    "tau, answers": tau(x, y),
                    "tau, systems": tau(means[names[0]], means[names[1]]),
                    "ordered alike": float(np.mean([s > 0 for s in signs])) if signs else None,
                }
        return found

    def correlations(self) -> Keyed:
        kept = [
            label
            for label in self._present(QUALITY)
            if np.ptp(self.frame[self.labels[label]].dropna()) > 1e-12
        ]
        found: Keyed = {}
        for a in kept:
            row: Row = {}
            for b in kept:
                x, y = self.frame[self.labels[a]], self.frame[self.labels[b]]
                both = x.notna() & y.notna()
                row[b] = rho(x[both], y[both])
            found[(a,)] = row
        return found

    def human_agreement(self) -> Keyed:
        found: Keyed = {}
        for label in self._present(GRADES, FACTS, RETRIEVAL, OVERLAP, ERRORS):
            both = self.frame.dropna(subset=["human", self.labels[label]])
            marks, taken = both.human, both[self.labels[label]]
            graded = label in GRADES
            found["Human", label] = {
                "answers": len(both),
                "rho": rho(marks, taken),
                "tau": tau(marks, taken),
                "kappa": quadratic_kappa(marks, taken) if graded else None,
                "alpha": krippendorff(np.column_stack([marks, taken]).tolist()) if graded else None,
            }
        return found

    def corrected_means(self) -> Keyed:
        """Prediction-powered inference for a mean, by the formulas of PPI++ (2023), section 6."""
        found: Keyed = {}
        for label in self._present(GRADES):
            for system in self.systems:
                judged = self.of[system].dropna(subset=[self.labels[label]])
                f, marks = judged[self.labels[label]], judged.human
                y, own, rest = marks.dropna(), f[marks.notna()], f[marks.isna()]
                n, unmarked = len(y), len(rest)
                if n < 2:
                    continue
                spread = f.var(ddof=1)
                weight = (
                    np.cov(y, own, ddof=0)[0, 1] / ((1 + n / unmarked) * spread) if spread else 0
                )
                weight = min(1.0, max(0.0, weight))
                mean = (y - weight * own).mean() + weight * rest.mean()
                variance = (y - weight * own).var(ddof=0) / n + weight**2 * rest.var(
                    ddof=0
                ) / unmarked
                low, high = stats.norm.interval(0.95, mean, math.sqrt(variance))
                found["Human", label, system] = {
                    "answers marked": n,
                    "mean of the judge": float(f.mean()),
                    "corrected mean": Interval(mean, Between(low, low), Between(high, high)),
                }
        return found

    # the whole

    def check(self, markdown: str) -> None:
        """Hold every table, every example and every number of the text against the logs."""
        checks: dict[str, Callable[[], Keyed]] = {
            "Runs": self.runs,
            "Scores": self.scores,
            "Which system is better": lambda: self.compared,
            "At equal budget": self.equal_budget,
            "How many samples it takes": self.power,
            "Cost and latency": self.effort,
            "Retrieval": self.retrieval,
            "Recall by number of chunks read": self.by_chunks,
            "Recall by tokens read": self.by_tokens,
            "What each loop adds": self.by_loop,
            "Errors": self.errors,
            "Attrition": self.attrition,
            "Stuffable share": self.stuffable,
            "Why scores have no value": self.reasons,
            "Denominators": self.denominators,
            "Agreement between judges": self.agreement,
            "Agreement of judges with themselves": self.self_consistency,
            "Agreement with people": self.human_agreement,
            "Means corrected by people": self.corrected_means,
            "Length bias": self.length_bias,
            "Overlap and facts against judges": self.overlap,
            "Correlation of the measures": self.correlations,
        }
        tables = read_tables(markdown)
        for title, rows in tables.items():
            if title == "Samples worth reading":  # with the examples, below
                continue
            assert title in checks, f"nobody works out the table {title}"
            if title not in self._worked_out:
                self._worked_out[title] = checks[title]()
            check_table(title, rows, self._worked_out[title])
        self.check_text(_text(markdown))
        self.check_examples(markdown)

    def check_text(self, text: str) -> None:
        """Hold the numbers between the tables against the logs."""
        text = self._check_findings(text)
        count = re.search(r"over all (\d+) comparisons \(Holm\)", text)
        assert count is not None and int(count[1]) == len(self.compared)
        for known in (re.escape(count[0]), *PROSE):
            text = re.sub(known, "", text)
        left = [line for line in text.splitlines() if re.search(r"\d", line)]
        assert not left, f"numbers that nobody worked out: {left}"

    def _check_findings(self, text: str) -> str:
        """Check the sentences of the key findings and return the text without them."""
        label = "|".join(re.escape(one) for one in QUALITY)
        figure = r"[+-]?[\d.,]*\d"
        sentence = re.compile(
            rf"(?P<label>{label}) is (?P<x>{figure}) for (?P<a>\w+) and (?P<y>{figure}) for "
            rf"(?P<b>\w+) on (?P<n>\d+) samples, a difference of (?P<d>{figure} \[.*?\])"
            r"(?: \(p after correction: (?P<p>.*?)\)|: (?P<doubt>[^.;]*(?:\.\d+[^.;]*)?))"
        )
        price = re.compile(
            rf"(?P<what>costs|takes) (?P<ratio>{figure}) times as (?:much|many tokens) with "
            rf"(?P<a>\w+) \(\$?(?P<x>{figure}), (?P<of_a>[^)]*)\) as with "
            rf"(?P<b>\w+) \(\$?(?P<y>{figure}), (?P<of_b>[^)]*)\)"
        )
        told = list(sentence.finditer(text))
        for one in told:
            row = self.compared[one["label"], one["a"], one["b"]]
            both = self.difference(one["label"], one["a"], one["b"]).index
            means = [self.values(s, one["label"]).loc[both].mean() for s in (one["a"], one["b"])]
            assert agrees(one["x"], float(means[0])) and agrees(one["y"], float(means[1]))
            assert agrees(one["n"], row["n"]) and agrees(one["d"], row["a - b"])
            if one["p"]:
                assert agrees(one["p"], row["p (Holm)"]) and "is better" in str(row["verdict"])
            else:
                assert row["verdict"] == f"not shown: {one['doubt']}"
        for first in MAIN[:1]:  # what each finding rests on
            pairs = [(one["a"], one["b"]) for one in told if one["label"] == first]
            assert pairs == [p for p in QUESTIONS if (first, *p) in self.compared]
        for one in price.finditer(text):
            own = [self.of[one[s]] for s in "ab"]
            spent = [
                (rows.cost if one["what"] == "costs" else rows["in"] + rows.out).dropna()
                for rows in map(_answered, own)
            ]
            means = [float(values.mean()) for values in spent]
            assert agrees(one["ratio"], means[0] / means[1])
            assert agrees(one["x"], means[0]) and agrees(one["y"], means[1])
            for rows, values, told_of in zip(own, spent, (one["of_a"], one["of_b"]), strict=True):
                left = len(rows) - len(_answered(rows))
                assert told_of == f"n {len(values)}" + (f", {left} skipped" if left else "")
        return price.sub("", sentence.sub("", text))

    def check_examples(self, markdown: str) -> None:
        """Hold the examples against the rule by which they are chosen, and their texts against the logs."""
        label = MAIN[0]
        table = pd.DataFrame({s: self.values(s, label) for s in self.systems}).sort_index()

        def best(system: str, count: int) -> list[str]:
            others = [s for s in self.systems if s != system]
            lead = (table[system] - table[others].max(axis=1)).sort_values(
                ascending=False, kind="stable"
            )
            return [str(i) for i in lead[lead > 0].index[:count]]

        lowest = str(table.arag.sort_values(kind="stable").index[0])
        wanted = [
            *(("arag: win", one) for one in best("arag", 2)),
            *(("stuffing: win", one) for one in best("stuffing", 1)),
            ("arag: failure", lowest),
        ]
        parts = markdown.split("\n### Examples\n")[1].split("\n#### ")[2:]
        chosen = []
        for part in parts:
            title, _, name = plain(part.splitlines()[0]).rpartition(": ")
            chosen.append((title, name))
            self._check_example(part, name, label)
        assert chosen == wanted
        missing = [s for s, n in (("arag", 2), ("stuffing", 1)) if len(best(s, n)) < n]
        told = read_tables(markdown)["Samples worth reading"]
        assert [(r["example"], r["sample"]) for r in told if r["sample"] != "-"] == wanted
        assert [r["example"] for r in told if r["sample"] == "-"] == [f"{s}: win" for s in missing]
        assert all(f"where {s} leads" in str(told) for s in missing)

    def _check_example(self, part: str, name: str, label: str) -> None:
        said = re.findall(r"^(?!>)(\S[^\n]*):\n\n((?:>[^\n]*\n?)+)", part, re.MULTILINE)
        quoted = iter([(plain(head.replace("*", "")), _unquoted(text)) for head, text in said])
        head, text = next(quoted)
        assert (head, text) == ("Reference", _squeezed(self.of["arag"].loc[name].target))
        for system in self.systems:
            own = self.of[system].loc[name]
            head, text = next(quoted)
            value = re.fullmatch(rf"{system} \({re.escape(label)} (\S+?)(?:, codes (.*))?\)", head)
            codes = [c for c in ERRORS if c != "Any error" and own.get(ERRORS[c], 0) > 0]
            assert value is not None and text == _squeezed(own.answer)
            grade = own[self.labels[label]]
            assert agrees(value[1], float(grade) if math.isfinite(grade) else None)
            told = (value[2] or "").split(", ") if value[2] else []
            assert told == [c.removeprefix("Error ") for c in codes]
            if own.said.get(self.labels[label]):
                grader, raw = own.said[self.labels[label]][0]
                assert next(quoted) == (f"{grader} on {system}", _squeezed(raw))
        assert next(quoted, None) is None


def _share(gold: set[int], passages: Sequence[Mapping[str, Any]]) -> float:
    return len(gold & {one["chunk_id"] for one in passages}) / len(gold) if gold else 0.0


def _again(value: Any, key: str) -> float:
    if isinstance(value, Mapping):
        return float(value.get(key, math.nan))
    return math.nan if value is None or key else float(value)


def _needed(size: float, design: float) -> Near:
    """Samples that show an effect of a size: statsmodels' number, rounded up, and clusters counted in."""
    power = TTestPower()
    if abs(size) > 0.5:
        n = next(n for n in range(2, 100) if power.power(abs(size), n, 0.05) >= 0.8)
    else:
        n = math.ceil(float(np.ravel(power.solve_power(abs(size), alpha=0.05, power=0.8))[0]))
    wanted = math.ceil(n * design)
    return Near(wanted, 0.0 if wanted < 1_000 else 0.002 * wanted)


def _length(scores: "pd.Series[float]", table: pd.DataFrame) -> Row:
    kept = table.assign(score=scores).dropna(subset=["score"])
    mean = kept.groupby("system").score.transform("mean")
    words = kept.words - table.groupby("system").words.transform("mean").loc[kept.index]
    a, b = kept.score - mean, words
    if not _vary(a, b, 4):
        return {"answers": len(kept), "r": None, "p": None}
    found = stats.pearsonr(a, b)
    low, high = found.confidence_interval()
    return {
        "answers": len(kept),
        "r": Interval(float(found.statistic), Between(low, low), Between(high, high)),
        "p": float(found.pvalue),
    }


def _signs(frame: pd.DataFrame, a: str, b: str) -> Iterator[float]:
    for _, group in frame.groupby("id"):
        for one, other in combinations(group[[a, b]].to_numpy(), 2):
            yield float(np.sign(one - other).prod())


def _answered(own: pd.DataFrame) -> pd.DataFrame:
    """Samples that a system took on: what it skipped cost nothing and is no answer."""
    return own[own.skipped.isna()]


def _counted(values: "pd.Series[float]") -> Counted | None:
    known = values.dropna()
    return None if known.empty else Counted(float(known.mean()), len(known))


def _text(markdown: str) -> str:
    """What stands between tables, headings, quotations, pictures and examples."""
    lines = markdown.split("\n### Examples\n")[0].splitlines()
    return plain("\n".join(one for one in lines if not re.match(r"[|#>]|!\[", one)))


def _unquoted(text: str) -> str:
    lines = [line.removeprefix(">").strip().removesuffix("\\") for line in text.splitlines()]
    return _squeezed(plain("\n".join(lines)))


def _squeezed(text: str) -> str:
    return " ".join(text.split())
