"""Good summaries to perturb, read from a corpus or a log, with their sources and references."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample, resolve_sample_attachments

from .._util.errors import InputError, unreadable
from .._util.log_files import read_log
from ..benchmark.prepared_files import read_samples
from ..corpus import Corpus
from ..types.sample import UNANSWERABLE
from ..types.system import ContextSource
from ..types.trace import Passage, tool_texts, trace_of

Summaries = Literal["evidence", "reference", "answers", "gold"]
"""Texts that count as good: the key sentences of the source, the references, or the answers of a
log. `gold`: the references, compared with themselves.
"""


@dataclass(frozen=True)
class Case:
    """One good summary."""

    case_id: str
    company: str
    input: str
    """The request."""

    clean: str
    """The good summary."""

    reference: str
    """Text to compare with; it differs from the summary, or overlap would be trivial."""

    passages: list[Passage]
    """Passages from which it was written."""

    context: ContextSource = "document"
    """Kind of passages."""

    metadata: dict[str, Any] = field(default_factory=dict)
    other: str = ""
    """A good summary of another company's document."""

    other_reference: str = ""

    @property
    def source(self) -> str:
        """Passages as one text."""
        return "\n".join(passage.text for passage in self.passages)


def is_log(source: str) -> bool:
    """Return whether a source is an Inspect log, not a corpus."""
    return Path(source).suffix in (".eval", ".json") and not Path(source).is_dir()


def read_cases(
    source: str, summaries: Summaries | None, limit: int | None, seed: int
) -> list[Case]:
    """Read good summaries from a prepared corpus or from a log.

    Args:
        source: Name or path of a corpus, or path of a log.
        summaries: Texts that count as good; by default the evidence of a corpus and the answers of
            a log.
        limit: Maximum number of summaries, sampled at random; None for all.
        seed: Seed of the sample, and of the choice of other companies.

    Raises:
        InputError: The source does not exist, or has no such summaries or only one company's.
    """
    summaries = summaries or ("answers" if is_log(source) else "evidence")
    cases = _log_cases(source, summaries) if is_log(source) else _corpus_cases(source, summaries)
    if not cases:
        raise InputError(
            f"{source} contains no texts for --summaries {summaries}; choose another kind"
        )
    if not any(case.reference.strip() for case in cases):
        raise InputError(f"no sample of {source} has a reference to compare with")
    chance = Random(seed)
    indexes = sorted(chance.sample(range(len(cases)), min(limit or len(cases), len(cases))))
    return [_add_other_case(cases[index], cases, chance) for index in indexes]


def _add_other_case(case: Case, cases: Sequence[Case], chance: Random) -> Case:
    other_cases = [
        candidate
        for candidate in cases
        if candidate.company != case.company and candidate.clean != case.clean
    ]
    if not other_cases:
        raise InputError(
            f"all summaries are about {case.company}; also prepare documents of another company, "
            "which the check needs for comparison"
        )
    other = chance.choice(other_cases)
    return replace(case, other=other.clean, other_reference=other.reference)


def _corpus_cases(name: str, summaries: Summaries) -> list[Case]:
    if summaries == "answers":
        raise InputError(
            f"corpus {name} contains no answers; use an Inspect log, or --summaries evidence"
        )
    corpus = Corpus.open(name)
    cases = []
    for sample in read_samples(corpus.path / "samples.jsonl", corpus.manifest.command):
        metadata = sample.metadata or {}
        chunks = corpus.document_chunks(metadata.get("doc_ids") or [])
        passages = [
            Passage(chunk_id=c.chunk_id, doc_id=c.doc_id, prefix=c.prefix, text=c.text, loop=1)
            for c in chunks
        ]
        cases += _case(sample, metadata, summaries, passages)
    return cases


def _log_cases(path: str, summaries: Summaries) -> list[Case]:
    try:
        cases: list[Case] = []
        for sample in read_log(path).samples or []:
            if sample.epoch == 1 and not sample.error and not trace_of(sample).skipped:
                cases += _answer_cases(sample, summaries)
        return cases
    except Exception as error:  # any error of its readers
        raise InputError(f"{path} cannot be read as a log ({unreadable(error)})") from None


def _answer_cases(sample: EvalSample, summaries: Summaries) -> list[Case]:
    trace = trace_of(sample)
    sample = resolve_sample_attachments(sample)
    texts = tool_texts(sample.messages, sample.events) or [_request(sample.input)]
    passages = trace.passages or [
        Passage(chunk_id=number, doc_id=str(sample.id), prefix="", text=text, loop=1)
        for number, text in enumerate(texts)
        if text.strip()
    ]
    metadata = {name: value for name, value in sample.metadata.items() if name != "corpus"}
    return _case(sample, metadata, summaries, passages, trace.context, sample.output.completion)


def _case(
    sample: Sample | EvalSample,
    metadata: dict[str, Any],
    summaries: Summaries,
    passages: list[Passage],
    context: ContextSource = "document",
    answer: str = "",
) -> list[Case]:
    """Return the good summary of a sample; empty if missing, or if nothing is a right answer."""
    target = sample.target
    reference = target if isinstance(target, str) else next(iter(target), "")
    evidence = "\n".join(dict.fromkeys(map(str, metadata.get("evidence") or [])))
    clean = {"evidence": evidence, "answers": answer}.get(summaries, reference)
    if not clean.strip() or metadata.get("question_type") == UNANSWERABLE:
        return []
    case = Case(
        case_id=str(sample.id),
        company=str(metadata.get("company") or sample.id),
        input=_request(sample.input),
        clean=clean,
        reference=evidence or reference if summaries == "reference" else reference,
        passages=passages,
        context=context,
        metadata=metadata,
    )
    return [case]


def _request(sample_input: Any) -> str:
    if isinstance(sample_input, str):
        return sample_input
    return next((message.text for message in reversed(sample_input) if message.role == "user"), "")
