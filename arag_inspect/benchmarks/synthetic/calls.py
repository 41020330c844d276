"""Assemble calls from speakers and topics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, count, islice
from random import Random
from typing import Any

from arag_inspect.corpus.chunking import Document, Section

from .._shared.summary_set import SummarizedDocument, earnings_call
from .._shared.templates import Bank, parse_bank
from .figures import CallReport, Measure, company_count, reports_of
from .phrase_files import load_bank, load_table
from .writer import Filling, Writer, facts, summarize


def generate_calls(
    documents: int = 40, seed: int = 7, earlier: int | None = None
) -> Iterator[SummarizedDocument]:
    """Generate earnings calls of fictional companies.

    Args:
        documents: Number of documents. A smaller number gives a prefix of the same sequence.
        seed: Seed of the sequence.
        earlier: One call per company, followed in its document by 0 to `earlier` calls of preceding
            quarters. None: four or five quarterly calls per company, one document each.

    Raises:
        ValueError: More companies are needed than there are names.
    """
    if earlier is None:
        calls: Iterator[SummarizedDocument] = chain.from_iterable(
            _calls_of(index, seed) for index in count()
        )
    else:
        parts = (islice(_calls_of(i, seed), i % (earlier + 1) + 1) for i in count())
        calls = (_append_earlier_calls(tuple(part)) for part in parts)
    return islice(calls, documents)


def _append_earlier_calls(calls: Sequence[SummarizedDocument]) -> SummarizedDocument:
    """Append the earlier calls to the last call's document, newest first, each with its period."""
    *before, last = calls
    document = last.document
    sections = []
    for call in reversed(before):
        period = call.document.period
        for section in call.document.sections:
            sections.append(replace(section, title=f"{period} {section.title}", period=period))
    return replace(
        last,
        document=replace(document, sections=(*document.sections, *sections)),
        facts=tuple(chain.from_iterable(call.facts for call in reversed(calls))),
    )


def _calls_of(index: int, seed: int) -> Iterator[SummarizedDocument]:
    if index >= company_count():
        raise ValueError(f"at most {company_count()} companies can be named")
    for report in reports_of(index, seed):
        rng = Random(f"{seed}:call:{report.ticker}:{report.period}")
        yield _CallWriter(report, rng).generate()


@cache
def _topics(table: str) -> tuple[Mapping[str, Any], Bank]:
    """Load questions with their answers, and give each sentence a key."""
    topics = {
        name: {"when": [], "finance": False, "key": f"{table}.{name}", **row}
        for name, row in load_table(table).items()
    }
    phrases = {topic["key"]: topic["question"] for topic in topics.values()}
    for topic in topics.values():
        phrases |= {text: [text] for text in topic["answer"] if text[0] != "%"}
        # %price: a statement
        topic["answer"] = [text.removeprefix("%") for text in topic["answer"]]
    return topics, parse_bank(phrases)


@cache
def _event_bank(kind: str) -> Bank:
    row: dict[str, Any] = load_table("events").get(kind, {})
    phrases = {f"event.{key}": texts for key, texts in row.items() if isinstance(texts, list)}
    return parse_bank({**phrases, "event": row.get("summary", [])})


class _CallWriter:
    """Writer of one call: its speakers, sentences and facts."""

    def __init__(self, report: CallReport, rng: Random):
        self.report = report
        self.rng = rng
        self.segments = report.segment_measures()
        self.indicators = report.indicator_measures()
        rng.shuffle(self.indicators)
        words = report.industry["words"]
        tags = frozenset((*report.industry["tags"], *report.tags))
        self.chief = f"{report.chief} -- Chief Executive Officer"
        self.finance = f"{report.finance} -- Chief Financial Officer"
        people = {key: getattr(report, key) for key in ("chief", "finance", "relations")}
        suffix = rng.choice(("Works", "Labs", "Group", "Partners", "Brothers"))
        self.fillings: dict[str, Filling] = {
            **words,
            **report.calendar(),
            **people,
            **{f"{role}_first": name.split()[0] for role, name in people.items()},
            "company": report.name,
            "target": f"{rng.choice(load_table('names')['last'])} {suffix}",
            "event_site": rng.choice(words["site"]),
            "segment_a.name": self.segments[0].name,
            "segment_b.name": self.segments[-1].name,
        }
        for key, measure in report.measures().items():
            self.fillings.update(measure.slots(key))
        banks = [load_bank("statements"), load_bank("remarks")]
        banks += [parse_bank(report.industry["phrases"]), _event_bank(report.event)]
        banks += [_topics(table)[1] for table in ("questions", "follow_ups")]
        self.writer = Writer(rng, tags, self.fillings, *banks)
        self.say = self.writer.say
        follow_ups = list(_topics("follow_ups")[0].values())
        self.follow_ups = rng.sample(follow_ups, len(follow_ups))

    def generate(self) -> SummarizedDocument:
        """Write the call, from the operator's welcome to the closing words, and its summary."""
        report = self.report
        period = report.period
        doc_id = f"{report.ticker}_{period.lower()}"
        prefix = f"[COMPANY: {report.ticker} | TYPE: EARNINGS_CALL | PERIOD: {period}]"
        sections = (
            Section("Prepared Remarks", "\n".join(filter(None, self._remarks())), prefix),
            Section("Questions and Answers", "\n".join(filter(None, self._questions())), prefix),
        )
        tags = self.writer.tags | {self.rng.choice(("wire", "prose"))}
        bank = {**load_bank("summary"), **_event_bank(report.event)}
        writer = Writer(self.rng, tags, self.writer.fillings, bank)
        writer.bind("segment", self.rng.choice(self.segments))
        writer.bind("kpi", self.indicators[self.rng.choice((0, -1, -1))])
        summary = summarize(writer, self.writer.statements)
        call_facts = facts(doc_id, self.writer.statements)
        return earnings_call(
            document=Document(doc_id, report.ticker, period, sections),
            summary=summary.text,
            key_sentences=summary.sentences,
            facts=call_facts,
            key_facts=summary.key_facts(call_facts),
        )

    def _say_each(self, *keys: str) -> str:
        return _join(*map(self.say, keys))

    def _maybe(self, key: str, chance: float) -> str:
        return self.say(key) if self.rng.random() < chance else ""

    def _segment(self, segment: Measure) -> str:
        self.writer.bind("segment", segment)
        is_rising = segment.change and segment.change.direction == "up"
        reason_text = self.say("segment_good" if is_rising else "segment_bad", 2)
        return _join(self.say("segment"), reason_text)

    def _indicator(self, indicator: Measure) -> str:
        self.writer.bind("kpi", indicator)
        return self.say("kpi_percent" if indicator.level.unit == "percent" else "kpi")

    def _remarks(self) -> Iterator[str]:
        """Yield the prepared remarks: lines of speakers and paragraphs."""
        yield from ("Operator", self._say_each("operator_opening"))
        yield from (
            f"{self.report.relations} -- Investor Relations",
            self._say_each("safe_harbour"),
        )
        yield from (self.chief, *self._chief())
        yield from (self.finance, *self._finance())
        yield self._say_each("outlook_intro", "fy_revenue", "fy_eps")
        yield self.say("outlook_assumptions", 3)
        yield self._say_each("next_quarter", "finance_handoff")
        yield self.chief
        yield self._say_each("chief_close", "closing_outlook")
        yield self.say("closing_more", 2)
        yield self._say_each("to_questions")

    def _chief(self) -> Iterator[str]:
        tags = self.writer.tags
        say = self.say
        yield self._say_each("welcome", "headline", "headline_more")
        yield _join(say("revenue"), say("versus_guidance"), self._maybe("adjusted_eps", 0.5))
        mood = "down" if "bad" in tags else "up"
        yield _join(say("demand_intro"), say(mood, self.rng.choice((2, 3))), say("macro"))
        yield _join(say("down") if "mixed" in tags else "", say("macro", 2))
        yield from map(self._segment, self.segments[:2])
        yield _join(self._indicator(self.indicators[0]), say("story"))
        industry_theme = "supply" if "goods" in tags else "service_theme"
        themes = ["hiring", "pricing", industry_theme, "strategy", "theme"]
        for theme in self.rng.sample(themes, self.rng.choice((3, 4, 4))):
            yield say(theme, 2)
        if self.report.event:
            yield _join(say("event.chief"), say("event.colour", 2))
        yield self._say_each("thanks", "handoff")

    def _finance(self) -> Iterator[str]:
        say = self.say
        has_margins = "margins" in self.writer.tags
        yield self._say_each("finance_opening", "finance_intro")
        yield _join(say("revenue"), self._indicator(self.indicators[1]))
        yield from map(self._segment, self.segments[2:])
        if has_margins:
            yield _join(say("gross_margin"), say("gross_margin_why", 2))
        yield self._say_each("operating", "costs")
        yield self._say_each("tax_rate", "adjusted_eps", "gaap_eps")
        if self.report.event:
            yield say("event.finance")
        if has_margins:
            change = self._maybe("free_cash_flow_change", 0.5)
            yield _join(say("cash_flow"), change, say("cash_colour"))
            yield _join(say("balance_sheet"), self._maybe("cash_colour", 0.5))
        yield self._say_each("buyback", "dividend")

    def _questions(self) -> Iterator[str]:
        topics = self._choose_topics()
        analysts = self.rng.sample(self.report.analysts, len(topics))
        for index, (topic, analyst) in enumerate(zip(topics, analysts, strict=True)):
            yield from self._ask(topic, *analyst, "operator_next" if index else "operator_first")
        yield from ("Operator", self._say_each("operator_close"))
        yield from (self.chief, self._say_each("final_words"))

    def _choose_topics(self) -> list[Mapping[str, Any]]:
        """Choose the questions: outlook, new indicator, event, and three to six more."""
        topics = dict(_topics("questions")[0])
        selected_topics = [topics.pop("outlook"), topics.pop("indicator")]
        if self.report.event:
            answer = ["event.answer", "event.answer"]
            selected_topics.append({"finance": False, "key": "event.question", "answer": answer})
        eligible_topics = [
            topic for topic in topics.values() if self.writer.tags.issuperset(topic["when"])
        ]
        selected_topics += self.rng.sample(eligible_topics, self.rng.randint(3, 6))
        self.rng.shuffle(selected_topics)
        return selected_topics

    def _ask(
        self, topic: Mapping[str, Any], name: str, broker: str, introduction: str
    ) -> Iterator[str]:
        analyst = f"{name} -- {broker} -- Analyst"
        speaker = self.finance if topic["finance"] else self.chief
        names = {"analyst": name, "analyst_first": name.split()[0], "broker": broker}
        self.writer.fillings |= names
        self.writer.bind("kpi", self.indicators[-1])
        yield from ("Operator", self._say_each(introduction))
        yield from (analyst, self._say_each("greeting", topic["key"]), speaker)
        sentences = [
            self._indicator(self.indicators[-1]) if key == "kpi" else self.say(key)
            for key in topic["answer"]
        ]
        yield _join(self.say("answer_opening"), *sentences, self._maybe("answer_filler", 0.8))
        if self.rng.random() < 0.5 and self.follow_ups:
            follow_up = self.follow_ups.pop()
            yield from (analyst, self._say_each(follow_up["key"]))
            yield from (speaker, self._say_each(*follow_up["answer"]))
        yield from (analyst, self._say_each("analyst_thanks"))


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
