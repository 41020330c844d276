"""Generate and test questions; keep a balanced set without duplicates."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple, TypeVar, get_args

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from .._util.errors import InputError, check_choice
from .._util.hashing import digest
from .._util.progress import bar
from ..corpus import Chunk, Corpus
from ..corpus.evidence import figures_agree
from ..datasets.generated_questions import (
    Candidate,
    QuestionType,
    read_candidates,
    read_rejected,
    write_candidates,
)
from ..datasets.spot_check import make_folder
from ..prompts import load_prompt
from ._prepared_folder import locate_or_prepare
from ._question_writer import CANDIDATE, write_question
from ._run_task import results_of, write_samples

_ROUND = 25
"""Questions per Inspect run; each run is written to disk before the next begins."""

_ATTEMPTS = 3
"""Candidates per wanted question before a type is given up."""

_DUPLICATE = 0.9
"""Cosine above which two questions about one document with the same figures are duplicates."""

_FEWEST_WORDS = 30
"""Fewest words of a chunk for a question."""

_SUMMARY_CHUNKS = 3
"""Most neighbouring chunks of a section for one summary."""

_PROMPTS = (
    "questions/write", "questions/single", "questions/multi", "questions/summary",
    "questions/comparison", "questions/unanswerable", "judge/accuracy",
)  # fmt: skip


T = TypeVar("T")


class Slot(NamedTuple):
    """The passages of a possible question."""

    id: str
    question_type: QuestionType
    chunk_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """Result of a run."""

    folder: Path
    wanted: Mapping[QuestionType, int]
    outcomes: Mapping[QuestionType, Mapping[str, int]]
    """Candidates of each type by outcome; `rejected` are those an annotator rejected."""

    kept: int
    """Questions in the set, of all types in the folder."""

    failed: Mapping[str, str]
    """Candidates without a reply, and why; the next run writes them again."""


def generate_questions(
    corpus: str,
    model: str | Model,
    *,
    n: int = 50,
    types: Sequence[QuestionType],
    out: Path | None = None,
    seed: int = 7,
    log_dir: str = "logs/questions",
) -> Generated:
    """Write questions until there are enough, or no more can be made.

    Candidates of an earlier run in the same folder count; questions that an annotator has
    rejected are replaced.

    Args:
        corpus: Prepared corpus, or a folder of documents.
        model: Model that writes, answers and judges.
        n: Questions wanted, in equal parts of the types.
        types: Kinds of question.
        out: Folder to write to; None for `CORPUS-questions` beside the corpus.
        seed: Seed of the passages, and of the tenth for an annotator to check.
        log_dir: Folder of Inspect's logs.

    Raises:
        InputError: The corpus or the files of an earlier run cannot be read, or no model call
            succeeded.
    """
    corpus_folder = locate_or_prepare(corpus)
    opened = Corpus.open(corpus_folder)
    path = Path(corpus).expanduser().absolute()
    source = path if path.is_dir() else corpus_folder
    folder = out or source.with_name(f"{source.name}-questions")
    counts = {name: n // len(types) + (i < n % len(types)) for i, name in enumerate(types)}
    prompts, chunks = digest(*map(load_prompt, _PROMPTS)), opened.manifest.chunks_sha256
    settings = digest(str(model), prompts, chunks, str(seed))
    make_folder(folder)
    candidates = read_candidates(folder, settings)
    progress = _Progress(
        counts,
        {name: _slots(opened, name, seed) for name in counts},
        candidates,
        read_rejected(folder, candidates),
    )
    with bar("Questions")(n) as advance:
        drawn = 0
        while todo := list(islice(progress.missing(), _ROUND)):
            log = _write_questions(todo, opened, model, settings, log_dir)
            written, lost = results_of(log, lambda sample: sample.store.get(CANDIDATE))
            new = [Candidate.model_validate(fields) for fields in written.values()]
            progress.failed |= lost
            candidates |= _without_duplicates(new, candidates, opened)
            write_candidates(folder, list(candidates.values()), seed=seed)
            if not candidates:
                name, reason = next(iter(lost.items()))
                raise InputError(f"no reply for {name} ({reason}); see {log.location}")
            if not new:  # the provider fails: the next run continues
                break
            kept = sum(progress.outcomes()[name]["kept"] for name in counts)
            for _ in range(kept - drawn):
                advance()
            drawn = kept
    write_candidates(folder, list(candidates.values()), seed=seed)
    outcomes = progress.outcomes()
    kept = sum(outcome["kept"] for outcome in outcomes.values())
    own = {name: outcomes[name] for name in counts}
    return Generated(folder, counts, own, kept, progress.failed)


@dataclass
class _Progress:
    """What is wanted, and what was written so far."""

    counts: Mapping[QuestionType, int]
    slots: Mapping[QuestionType, Sequence[Slot]]
    candidates: Mapping[str, Candidate]
    rejected: Collection[str]
    failed: dict[str, str] = field(default_factory=dict)

    def outcomes(self) -> dict[QuestionType, Counter[str]]:
        """Count the candidates of each type by outcome."""
        counts: dict[QuestionType, Counter[str]] = {
            name: Counter() for name in get_args(QuestionType)
        }
        for candidate in self.candidates.values():
            is_rejected = candidate.id in self.rejected
            counts[candidate.question_type]["rejected" if is_rejected else candidate.outcome] += 1
        return counts

    def missing(self) -> Iterator[Slot]:
        """Yield the next candidates to write."""
        outcomes, tried = self.outcomes(), {*self.candidates, *self.failed}
        for name, count in self.counts.items():
            lacking, left = count - outcomes[name]["kept"], count * _ATTEMPTS
            most = min(lacking, left - outcomes[name].total())
            new = (slot for slot in self.slots[name] if slot.id not in tried)
            yield from islice(new, max(0, most))


def question_types(names: Sequence[str]) -> list[QuestionType]:
    """Return the types of some names, each once.

    Raises:
        InputError: A name is unknown, or `names` is empty.
    """
    choices = get_args(QuestionType)
    for name in names or [""]:
        check_choice("type", name, choices)
    return [name for name in choices if name in names]


def _write_questions(
    slots: Sequence[Slot], corpus: Corpus, model: str | Model, settings: str, log_dir: str
) -> EvalLog:
    """Let the model write and test a question for each slot."""
    samples = [
        Sample(
            id=slot.id,
            input=slot.id,
            metadata={"question_type": slot.question_type, "chunk_ids": list(slot.chunk_ids)},
        )
        for slot in slots
    ]
    return write_samples(
        "generate_questions",
        samples,
        write_question(str(corpus.path), settings),
        model,
        "generating questions (run it again to continue)",
        GenerateConfig(temperature=0),
        log_dir=log_dir,
        display="none",
    )


def _without_duplicates(
    new: Sequence[Candidate], before: Mapping[str, Candidate], corpus: Corpus
) -> dict[str, Candidate]:
    """Return new candidates by id; those that repeat an earlier one are marked as duplicates."""
    model = corpus.embedding_model()
    seen = [candidate for candidate in before.values() if candidate.outcome == "kept"]
    vectors = list(model.encode([candidate.question for candidate in seen]))
    new_vectors = model.encode([candidate.question for candidate in new])
    checked: dict[str, Candidate] = {}
    for candidate, vector in zip(new, new_vectors, strict=True):
        checked[candidate.id] = candidate
        if candidate.outcome != "kept":
            continue
        repeated = [
            earlier.id
            for earlier, other_vector in zip(seen, vectors, strict=True)
            if float(vector @ other_vector) >= _DUPLICATE and _same_matter(candidate, earlier)
        ]
        if repeated:
            marks = {"outcome": "duplicate", "reason": f"asks what {repeated[0]} asks"}
            checked[candidate.id] = candidate.model_copy(update=marks)
        else:
            seen.append(candidate)
            vectors.append(vector)
    return checked


def _same_matter(left: Candidate, right: Candidate) -> bool:
    """Return whether two questions are about one document and have the same figures."""
    if left.question.casefold() == right.question.casefold():
        return True
    figures = figures_agree(left.question, right.question) and figures_agree(
        right.question, left.question
    )
    return figures and not set(left.doc_ids).isdisjoint(right.doc_ids)


def _slots(corpus: Corpus, question_type: QuestionType, seed: int) -> list[Slot]:
    """List the possible questions of a type for a corpus.

    Documents take turns, and within a document its sections; the first chunk of a section
    is chosen by the seed. Two chunks of one document for `multi`, neighbours of one section for
    `summary`, else one (for `comparison` the writer finds the other).

    Args:
        corpus: Corpus with the passages.
        question_type: Kind of question.
        seed: Seed of the order.
    """
    key = f"{seed}:{question_type}"
    documents = [_in_turn(corpus, doc_id, key) for doc_id in _drawn(corpus.doc_ids, key)]
    if question_type == "comparison" and sum(map(bool, documents)) < 2:
        return []
    groups = _interleaved([_groups(corpus, chunks, question_type) for chunks in documents])
    distinct = dict.fromkeys(tuple(sorted(group)) for group in groups)
    return [
        Slot(f"{question_type}-{number:04}", question_type, group)
        for number, group in enumerate(distinct, start=1)
    ]


def _groups(
    corpus: Corpus, chunks: Sequence[Chunk], question_type: QuestionType
) -> list[tuple[int, ...]]:
    """Return the chunks of each question about one document."""
    if question_type == "multi":
        pairs = zip(chunks, [*chunks[1:], *chunks[:1]], strict=True)
        return [(chunk.chunk_id, other.chunk_id) for chunk, other in pairs if chunk is not other]
    if question_type == "summary":
        return [_neighbours(corpus, chunk) for chunk in chunks]
    return [(chunk.chunk_id,) for chunk in chunks]


def _neighbours(corpus: Corpus, chunk: Chunk) -> tuple[int, ...]:
    end = min(chunk.chunk_id + _SUMMARY_CHUNKS, len(corpus))
    following = (corpus.chunk(chunk_id) for chunk_id in range(chunk.chunk_id, end))
    section = (chunk.doc_id, chunk.section)
    return tuple(other.chunk_id for other in following if (other.doc_id, other.section) == section)


def _in_turn(corpus: Corpus, doc_id: str, key: str) -> list[Chunk]:
    """Return the chunks of a document, its sections in turn."""
    sections: dict[str, list[Chunk]] = {}
    for chunk in corpus.document_chunks([doc_id]):
        if len(chunk.text.split()) >= _FEWEST_WORDS:
            sections.setdefault(chunk.section, []).append(chunk)
    names = _drawn(list(sections), f"{key}:{doc_id}")
    return _interleaved(
        [
            sorted(sections[name], key=lambda chunk: digest(key, str(chunk.chunk_id)))
            for name in names
        ]
    )


def _drawn(names: Sequence[str], key: str) -> list[str]:
    return sorted(names, key=lambda name: digest(key, name))


def _interleaved(lists: Sequence[Sequence[T]]) -> list[T]:
    """Return the first of each list, then the second of each, and so on."""
    return [item for row in zip_longest(*lists) for item in row if item is not None]
