"""Assembling calls: who speaks, about what, in which order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any

from ...corpus.document import Document, Section
from ...types.fact import Fact
from .amounts import Measure
from .companies import Analyst, coin_target, company_count, found
from .measures import Report
from .simulation import simulate
from .summaries import Summary, summarize
from .templates import Bank, Phrase, load_bank, load_table, parse_bank
from .writer import Filling, Writer, facts

_CHIEF = "Chief Executive Officer"
_FINANCE = "Chief Financial Officer"


@dataclass(frozen=True, slots=True)
class SyntheticCall:
    """An earnings call of a fictional company, with all that is true of it."""

    document: Document
    quarter: str
    """Fiscal quarter, e.g. `Q3`."""
    year: int
    summary: str
    """Reference summary, in line with the facts."""
    key_sentences: tuple[str, ...]
    """Sentences of the document that hold the figures of the summary."""
    facts: tuple[Fact, ...]
    """Every figure that the call states."""
    key_facts: tuple[str, ...]
    """Ids of the facts that the summary states, each figure once."""


def generate_calls(
    documents: int = 40, seed: int = 7, per_company: int | None = None
) -> Iterator[SyntheticCall]:
    """Generate earnings calls of fictional companies, several consecutive quarters each.

    Args:
        documents: Number of calls. A smaller number gives the beginning of the same sequence.
        seed: Seed of the sequence.
        per_company: At most so many calls of each company, its first ones.

    Raises:
        ValueError: More companies would be needed than there are names.
    """
    return islice(
        (call for index in count() for call in islice(_calls_of(index, seed), per_company)),
        documents,
    )


def _calls_of(index: int, seed: int) -> Iterator[SyntheticCall]:
    """Generate the calls of the company of that index."""
    if index >= company_count():
        raise ValueError(f"no more than {company_count()} companies can be named")
    company = found(index, seed)
    history = simulate(company, seed)
    for offset in range(company.calls):
        report = Report(history, history.first + offset)
        yield _Call(report, Random(f"{seed}:call:{company.ticker}:{report.period}")).hold()


@dataclass(frozen=True, slots=True)
class _Topic:
    """A question that analysts may ask."""

    needs: frozenset[str]
    finance: bool
    question: str
    answer: tuple[str, ...]
    """Keys of the sentences of the answer."""


@cache
def _topics(table: str) -> tuple[Mapping[str, _Topic], Bank]:
    """Load a table of questions and answers, as topics and as phrases."""
    topics: dict[str, _Topic] = {}
    phrases: dict[str, list[str]] = {}
    for name, row in load_table(table).items():
        keys = [_answer_key(f"{table}.{name}", *item) for item in enumerate(row["answer"])]
        phrases |= {
            key: [text] for key, text in zip(keys, row["answer"], strict=True) if text[0] != "%"
        }
        phrases[f"{table}.{name}"] = row["question"]
        needs, finance = frozenset(row.get("when", ())), row.get("finance", False)
        topics[name] = _Topic(needs, finance, f"{table}.{name}", tuple(keys))
    return topics, parse_bank(phrases)


def _answer_key(topic: str, number: int, text: str) -> str:
    """Name a sentence of an answer; `%price` stands for the statement of that key."""
    return text[1:] if text[0] == "%" else f"{topic}.{number}"


@cache
def _event_bank(kind: str) -> Bank:
    row: dict[str, Any] = load_table("events")[kind]
    return parse_bank(
        {f"event.{key}": row[key] for key in ("chief", "colour", "finance", "question", "answer")}
    )


@cache
def _summary_bank(kind: str) -> Bank:
    event: tuple[Phrase, ...] = (
        tuple(map(Phrase.parse, load_table("events")[kind]["summary"])) if kind else ()
    )
    return {**load_bank("summary"), "event": event}


class _Call:
    """One call in the making."""

    def __init__(self, report: Report, rng: Random):
        company = report.history.company
        self.report = report
        self.rng = rng
        self.company = company
        self.measures = report.measures()
        self.segments = report.segments()
        self.indicators = report.indicators()
        rng.shuffle(self.indicators)
        self.kind = report.event.kind if report.event else ""
        self.fillings = self._fillings()
        self.tags = report.tags()
        banks = [
            load_bank("statements"),
            load_bank("remarks"),
            company.industry.phrases,
            *(_topics(table)[1] for table in ("questions", "follow_ups")),
        ]
        if self.kind:
            banks.append(_event_bank(self.kind))
        self.writer = Writer(rng, self.tags, self.fillings, *banks)
        self.say, self.several = self.writer.say, self.writer.several
        self.lines: list[str] = []
        self.follow_ups = list(_topics("follow_ups")[0].values())

    def _fillings(self) -> dict[str, Filling]:
        company, rng = self.company, self.rng
        people = {
            "chief": self.report.chief,
            "finance": company.finance,
            "relations": company.relations,
        }
        fillings: dict[str, Filling] = {
            **company.industry.words,
            **self.report.calendar(),
            **people,
            **{f"{role}_first": name.split()[0] for role, name in people.items()},
            "company": company.name,
            "successor": company.successor,
            "target": coin_target(rng),
            "event_site": rng.choice(company.industry.words["site"]),
            "segment_a.name": self.segments[0].name,
            "segment_b.name": self.segments[-1].name,
        }
        for key, measure in self.measures.items():
            fillings.update(measure.slots(key))
        return fillings

    def hold(self) -> SyntheticCall:
        """Hold the call from the operator's welcome to the last words."""
        prepared, answered = self._prepared_remarks(), self._questions()
        company, quarter, period = self.company, self.report.quarter, self.report.period
        doc_id = f"{company.ticker}_{period.lower()}"
        prefix = f"[COMPANY: {company.ticker} | TYPE: EARNINGS_CALL | PERIOD: {period}]"
        sections = (
            Section("Prepared Remarks", prepared, prefix),
            Section("Questions and Answers", answered, prefix),
        )
        summary, stated = self._summary(), facts(doc_id, self.writer.statements)
        return SyntheticCall(
            document=Document(doc_id, company.ticker, period, sections),
            quarter=f"Q{quarter.quarter}",
            year=quarter.year,
            summary=summary.text,
            key_sentences=summary.sentences,
            facts=stated,
            key_facts=summary.key_facts(stated),
        )

    def _summary(self) -> Summary:
        style = self.rng.choice(("wire", "prose"))
        writer = Writer(self.rng, self.tags | {style}, self.fillings, _summary_bank(self.kind))
        writer.bind("segment", self.rng.choice(self.segments))
        writer.bind("kpi", self.indicators[self.rng.choice((0, -1, -1))])
        return summarize(writer, self.writer.statements, bool(self.kind))

    def _speaker(self, name: str, role: str = "") -> None:
        self.lines.append(f"{name} -- {role}" if role else name)

    def _paragraph(self, *sentences: str) -> None:
        text = " ".join(filter(None, sentences))
        if text:
            self.lines.append(text)

    def _close_section(self) -> str:
        text = "\n".join(self.lines)
        self.lines.clear()
        return text

    def _prepared_remarks(self) -> str:
        self._speaker("Operator")
        self._paragraph(self.say("operator_opening"))
        self._speaker(self.company.relations, "Investor Relations")
        self._paragraph(self.say("safe_harbour"))
        self._chief()
        self._finance()
        self._outlook()
        self._closing()
        return self._close_section()

    def _chief(self) -> None:
        self.writer.part = "chief"
        self._speaker(self.report.chief, _CHIEF)
        self._paragraph(self.say("welcome"), self.say("headline"), self.say("headline_more"))
        self._paragraph(
            self.say("revenue"), self.say("versus_guidance"), self._maybe("adjusted_eps", 0.5)
        )
        self._demand()
        for segment in self.segments[:2]:
            self._segment(segment)
        self._paragraph(self._indicator(self.indicators[0]), self.say("story"))
        for topic in self._themes():
            self._paragraph(self.several(topic, 2))
        if self.kind:
            self._paragraph(self.say("event.chief"), self.several("event.colour", 2))
        self._paragraph(self.say("thanks"), self.say("handoff"))

    def _maybe(self, key: str, chance: float) -> str:
        return self.say(key) if self.rng.random() < chance else ""

    def _demand(self) -> None:
        mood = "down" if "bad" in self.tags else "up"
        self._paragraph(
            self.say("demand_intro"), self.several(mood, self.rng.choice((2, 3))), self.say("macro")
        )
        if "mixed" in self.tags:
            self._paragraph(self.say("down"), self.say("macro"))
        elif self.rng.random() < 0.6:
            self._paragraph(self.several("macro", 2))

    def _segment(self, segment: Measure) -> None:
        self.writer.bind("segment", segment)
        rising = segment.change and segment.change.direction == "up"
        self._paragraph(
            self.say("segment"), self.several("segment_good" if rising else "segment_bad", 2)
        )

    def _indicator(self, indicator: Measure) -> str:
        self.writer.bind("kpi", indicator)
        return self.say("kpi" if indicator.level.unit != "percent" else "kpi_percent")

    def _themes(self) -> list[str]:
        own = "supply" if "goods" in self.tags else "service_theme"
        return self.rng.sample(
            ["hiring", "pricing", own, "strategy", "theme"], self.rng.choice((3, 4, 4))
        )

    def _finance(self) -> None:
        self.writer.part = "finance"
        self._speaker(self.company.finance, _FINANCE)
        self._paragraph(self.say("finance_opening"), self.say("finance_intro"))
        self._paragraph(self.say("revenue"), self._indicator(self.indicators[1]))
        for segment in self.segments[2:]:
            self._segment(segment)
        if "margins" in self.tags:
            self._paragraph(self.say("gross_margin"), self.several("gross_margin_why", 2))
        self._paragraph(self.say("operating"), self.say("costs"))
        self._paragraph(self.say("tax_rate"), self.say("adjusted_eps"), self.say("gaap_eps"))
        if self.kind:
            self._paragraph(self.say("event.finance"))
        stated = [key for key in ("full_revenue", "full_eps") if key in self.measures]
        self._paragraph(*map(self.say, stated))
        self._capital()

    def _capital(self) -> None:
        quarter = self.report.quarter
        if "margins" in self.tags:
            self._paragraph(
                self.say("cash_flow"),
                self._maybe("free_cash_flow_change", 0.5),
                self.say("cash_colour"),
            )
            self._paragraph(self.say("balance_sheet"), self._maybe("cash_colour", 0.5))
        self._paragraph(
            self.say("buyback") if quarter.buyback else "",
            self.say("dividend") if quarter.dividend else "",
        )

    def _outlook(self) -> None:
        self.writer.part = "outlook"
        self._paragraph(self.say("outlook_intro"), self.say("fy_revenue"), self.say("fy_eps"))
        self._paragraph(self.several("outlook_assumptions", 3))
        self._paragraph(self.say("next_quarter"), self.say("finance_handoff"))

    def _closing(self) -> None:
        self._speaker(self.report.chief, _CHIEF)
        self._paragraph(
            self.say("chief_close"), self.say("closing_outlook"), self.several("closing_more", 2)
        )
        self._paragraph(self.say("to_questions"))

    def _questions(self) -> str:
        self.writer.part = "questions"
        topics = self._asked()
        analysts = self.rng.sample(self.company.analysts, len(topics))
        self.rng.shuffle(self.follow_ups)
        for place, (topic, analyst) in enumerate(zip(topics, analysts, strict=True)):
            self._ask(topic, analyst, first=place == 0)
        self._speaker("Operator")
        self._paragraph(self.say("operator_close"))
        self._speaker(self.report.chief, _CHIEF)
        self._paragraph(self.say("final_words"))
        return self._close_section()

    def _asked(self) -> list[_Topic]:
        """Choose what analysts ask: the outlook, an indicator nobody mentioned, the event, and more."""
        topics, _ = _topics("questions")
        chosen = [topics["outlook"], topics["indicator"]]
        if self.kind:
            chosen.append(
                _Topic(frozenset(), False, "event.question", ("event.answer", "event.answer"))
            )
        others = [
            topic for topic in topics.values() if topic not in chosen and topic.needs <= self.tags
        ]
        chosen += self.rng.sample(others, self.rng.randint(3, 6))
        self.rng.shuffle(chosen)
        return chosen

    def _ask(self, topic: _Topic, analyst: Analyst, first: bool) -> None:
        self.writer.fillings |= {
            "analyst": analyst.name,
            "analyst_first": analyst.name.split()[0],
            "broker": analyst.broker,
        }
        self.writer.bind("kpi", self.indicators[-1])
        self._speaker("Operator")
        self._paragraph(self.say("operator_first" if first else "operator_next"))
        self._speaker(analyst.name, f"{analyst.broker} -- Analyst")
        self._paragraph(self.say("greeting"), self.say(topic.question))
        self._answer(topic)
        if self.rng.random() < 0.5 and self.follow_ups:
            self._follow_up(analyst, topic.finance)
        self._speaker(analyst.name, f"{analyst.broker} -- Analyst")
        self._paragraph(self.say("analyst_thanks"))

    def _answer(self, topic: _Topic) -> None:
        self._answering(topic.finance)
        spoken = [
            self._indicator(self.indicators[-1]) if key == "kpi" else self.say(key)
            for key in topic.answer
        ]
        self._paragraph(self.say("answer_opening"), *spoken, self._maybe("answer_filler", 0.8))

    def _answering(self, finance: bool) -> None:
        if finance:
            self._speaker(self.company.finance, _FINANCE)
        else:
            self._speaker(self.report.chief, _CHIEF)

    def _follow_up(self, analyst: Analyst, finance: bool) -> None:
        topic = self.follow_ups.pop()
        self._speaker(analyst.name, f"{analyst.broker} -- Analyst")
        self._paragraph(self.say(topic.question))
        self._answering(finance)
        self._paragraph(*map(self.say, topic.answer))
