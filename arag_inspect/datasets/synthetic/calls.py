"""Assemble calls from speakers and topics."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any

from ...corpus.document import Document, Section
from ..earnings_calls import EarningsCall
from .amounts import Measure
from .companies import coin_target, company_count, make_company
from .measures import Report
from .simulation import simulate
from .summaries import summarize
from .templates import Bank, load_bank, load_table, parse_bank
from .writer import Filling, Writer, facts

_CHIEF, _FINANCE = "Chief Executive Officer", "Chief Financial Officer"


def generate_calls(
    documents: int = 40, seed: int = 7, per_company: int | None = None
) -> Iterator[EarningsCall]:
    """Generate earnings calls of fictional companies, of several quarters each.

    Args:
        documents: Number of calls. A smaller number gives the beginning of the same sequence.
        seed: Seed of the sequence.
        per_company: At most so many calls of each company; None for four to eight.

    Raises:
        ValueError: More companies would be needed than there are names.
    """
    return islice(
        (call for index in count() for call in islice(_calls_of(index, seed), per_company)),
        documents,
    )


def _calls_of(index: int, seed: int) -> Iterator[EarningsCall]:
    if index >= company_count():
        raise ValueError(f"no more than {company_count()} companies can be named")
    company = make_company(index, seed)
    quarters = simulate(company, seed)
    for quarter_index in range(company.first, company.first + company.calls):
        report = Report(company, quarters, quarter_index)
        yield _Call(report, Random(f"{seed}:call:{company.ticker}:{report.period}")).hold()


@cache
def _topics(table: str) -> tuple[Mapping[str, Any], Bank]:
    """Load questions with their answers, whose sentences get a key each."""
    topics: dict[str, Any] = {}
    phrases: dict[str, list[str]] = {}
    for name, row in load_table(table).items():
        phrases[question := f"{table}.{name}"] = row["question"]
        answer = []
        for number, text in enumerate(row["answer"]):
            key = text[1:] if text[0] == "%" else f"{question}.{number}"  # %price: a statement
            answer.append(key)
            phrases |= {} if text[0] == "%" else {key: [text]}
        topics[name] = {"when": [], "finance": False, **row, "question": question, "answer": answer}
    return topics, parse_bank(phrases)


@cache
def _event_bank(kind: str) -> Bank:
    row: dict[str, Any] = load_table("events")[kind]
    return parse_bank(
        {f"event.{key}": row[key] for key in ("chief", "colour", "finance", "question", "answer")}
    )


@cache
def _summary_bank(kind: str) -> Bank:
    event = parse_bank({"event": load_table("events")[kind]["summary"] if kind else []})
    return {**load_bank("summary"), **event}


class _Call:
    """One call in the making."""

    def __init__(self, report: Report, rng: Random):
        self.report, self.rng, self.company = report, rng, report.company
        event = report.quarter.event
        self.kind = event.kind if event else ""
        self.segments, self.indicators = report.segments(), report.indicators()
        rng.shuffle(self.indicators)
        self.fillings = self._fillings()
        banks = [load_bank("statements"), load_bank("remarks")]
        banks += [parse_bank(self.company.industry["phrases"])]
        banks += [_topics(table)[1] for table in ("questions", "follow_ups")]
        banks += [_event_bank(self.kind)] if self.kind else []
        self.writer = Writer(rng, report.tags(), self.fillings, *banks)
        self.say = self.writer.say
        self.lines: list[str] = []
        follow_ups = list(_topics("follow_ups")[0].values())
        self.follow_ups = rng.sample(follow_ups, len(follow_ups))

    def _fillings(self) -> dict[str, Filling]:
        company = self.company
        people = {key: getattr(company, key) for key in ("chief", "finance", "relations")}
        fillings: dict[str, Filling] = {
            **company.industry["words"],
            **self.report.calendar(),
            **people,
            **{f"{role}_first": name.split()[0] for role, name in people.items()},
            "company": company.name,
            "target": coin_target(self.rng),
            "event_site": self.rng.choice(company.industry["words"]["site"]),
            "segment_a.name": self.segments[0].name,
            "segment_b.name": self.segments[-1].name,
        }
        for key, measure in self.report.measures().items():
            fillings.update(measure.slots(key))
        return fillings

    def hold(self) -> EarningsCall:
        """Hold the call from the operator's welcome to the last words."""
        remarks, discussion = self._prepared_remarks(), self._questions()
        company, quarter, period = self.company, self.report.quarter, self.report.period
        doc_id = f"{company.ticker}_{period.lower()}"
        prefix = f"[COMPANY: {company.ticker} | TYPE: EARNINGS_CALL | PERIOD: {period}]"
        sections = (
            Section("Prepared Remarks", remarks, prefix),
            Section("Questions and Answers", discussion, prefix),
        )
        style = self.rng.choice(("wire", "prose"))
        tags = self.writer.tags | {style}
        writer = Writer(self.rng, tags, self.fillings, _summary_bank(self.kind))
        writer.bind("segment", self.rng.choice(self.segments))
        writer.bind("kpi", self.indicators[self.rng.choice((0, -1, -1))])
        summary = summarize(writer, self.writer.statements)
        call_facts = facts(doc_id, self.writer.statements)
        return EarningsCall(
            document=Document(doc_id, company.ticker, period, sections),
            quarter=f"Q{quarter.number}",
            year=quarter.year,
            summary=summary.text,
            key_sentences=summary.sentences,
            facts=call_facts,
            key_facts=summary.key_facts(call_facts),
        )

    def _speaker(self, name: str, role: str = "") -> None:
        self.lines.append(f"{name} -- {role}" if role else name)

    def _paragraph(self, *sentences: str) -> None:
        self.lines += [text] if (text := " ".join(filter(None, sentences))) else []

    def _paragraph_of(self, *keys: str) -> None:
        self._paragraph(*map(self.say, keys))

    def _close_section(self) -> str:
        text = "\n".join(self.lines)
        self.lines.clear()
        return text

    def _maybe(self, key: str, chance: float) -> str:
        return self.say(key) if self.rng.random() < chance else ""

    def _prepared_remarks(self) -> str:
        self._speaker("Operator")
        self._paragraph_of("operator_opening")
        self._speaker(self.company.relations, "Investor Relations")
        self._paragraph_of("safe_harbour")
        self._chief()
        self._finance()
        self._paragraph_of("outlook_intro", "fy_revenue", "fy_eps")
        self._paragraph(self.say("outlook_assumptions", 3))
        self._paragraph_of("next_quarter", "finance_handoff")
        self._speaker(self.company.chief, _CHIEF)
        self._paragraph_of("chief_close", "closing_outlook")
        self._paragraph(self.say("closing_more", 2))
        self._paragraph_of("to_questions")
        return self._close_section()

    def _chief(self) -> None:
        tags, say = self.writer.tags, self.say
        self._speaker(self.company.chief, _CHIEF)
        self._paragraph_of("welcome", "headline", "headline_more")
        self._paragraph(say("revenue"), say("versus_guidance"), self._maybe("adjusted_eps", 0.5))
        mood = "down" if "bad" in tags else "up"
        self._paragraph(say("demand_intro"), say(mood, self.rng.choice((2, 3))), say("macro"))
        self._paragraph(say("down") if "mixed" in tags else "", say("macro", 2))
        for segment in self.segments[:2]:
            self._segment(segment)
        self._paragraph(self._indicator(self.indicators[0]), say("story"))
        own = "supply" if "goods" in tags else "service_theme"
        themes = ["hiring", "pricing", own, "strategy", "theme"]
        for theme in self.rng.sample(themes, self.rng.choice((3, 4, 4))):
            self._paragraph(say(theme, 2))
        if self.kind:
            self._paragraph(say("event.chief"), say("event.colour", 2))
        self._paragraph_of("thanks", "handoff")

    def _finance(self) -> None:
        say = self.say
        self._speaker(self.company.finance, _FINANCE)
        self._paragraph_of("finance_opening", "finance_intro")
        self._paragraph(say("revenue"), self._indicator(self.indicators[1]))
        for segment in self.segments[2:]:
            self._segment(segment)
        if "margins" in self.writer.tags:
            self._paragraph(say("gross_margin"), say("gross_margin_why", 2))
        self._paragraph_of("operating", "costs")
        self._paragraph_of("tax_rate", "adjusted_eps", "gaap_eps")
        if self.kind:
            self._paragraph_of("event.finance")
        if "margins" in self.writer.tags:
            change = self._maybe("free_cash_flow_change", 0.5)
            self._paragraph(say("cash_flow"), change, say("cash_colour"))
            self._paragraph(say("balance_sheet"), self._maybe("cash_colour", 0.5))
        self._paragraph_of("buyback", "dividend")

    def _segment(self, segment: Measure) -> None:
        self.writer.bind("segment", segment)
        rising = segment.change and segment.change.direction == "up"
        why = self.say("segment_good" if rising else "segment_bad", 2)
        self._paragraph(self.say("segment"), why)

    def _indicator(self, indicator: Measure) -> str:
        self.writer.bind("kpi", indicator)
        return self.say("kpi_percent" if indicator.level.unit == "percent" else "kpi")

    def _questions(self) -> str:
        topics = self._choose_topics()
        analysts = self.rng.sample(self.company.analysts, len(topics))
        for index, (topic, analyst) in enumerate(zip(topics, analysts, strict=True)):
            self._ask(topic, analyst, "operator_next" if index else "operator_first")
        self._speaker("Operator")
        self._paragraph_of("operator_close")
        self._speaker(self.company.chief, _CHIEF)
        self._paragraph_of("final_words")
        return self._close_section()

    def _choose_topics(self) -> list[Mapping[str, Any]]:
        """Choose the questions: outlook, new indicator, event, and three to six more."""
        topics = dict(_topics("questions")[0])
        chosen = [topics.pop("outlook"), topics.pop("indicator")]
        if self.kind:
            answer = ["event.answer", "event.answer"]
            chosen.append({"finance": False, "question": "event.question", "answer": answer})
        others = [topic for topic in topics.values() if self.writer.tags.issuperset(topic["when"])]
        chosen += self.rng.sample(others, self.rng.randint(3, 6))
        self.rng.shuffle(chosen)
        return chosen

    def _ask(self, topic: Mapping[str, Any], analyst: tuple[str, str], introduction: str) -> None:
        name, broker = analyst
        asking = (name, f"{broker} -- Analyst")
        speaker = (self.company.chief, _CHIEF)
        if topic["finance"]:
            speaker = (self.company.finance, _FINANCE)
        names = {"analyst": name, "analyst_first": name.split()[0], "broker": broker}
        self.writer.fillings |= names
        self.writer.bind("kpi", self.indicators[-1])
        self._speaker("Operator")
        self._paragraph_of(introduction)
        self._speaker(*asking)
        self._paragraph_of("greeting", topic["question"])
        self._speaker(*speaker)
        sentences = [
            self._indicator(self.indicators[-1]) if key == "kpi" else self.say(key)
            for key in topic["answer"]
        ]
        self._paragraph(self.say("answer_opening"), *sentences, self._maybe("answer_filler", 0.8))
        if self.rng.random() < 0.5 and self.follow_ups:
            follow_up = self.follow_ups.pop()
            self._speaker(*asking)
            self._paragraph_of(follow_up["question"])
            self._speaker(*speaker)
            self._paragraph_of(*follow_up["answer"])
        self._speaker(*asking)
        self._paragraph_of("analyst_thanks")
