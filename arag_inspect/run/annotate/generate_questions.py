"""Generate and test questions, keeping a balanced set without duplicates."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice, pairwise
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, get_args

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from ..._util.errors import InputError, check_choice
from ..._util.files import digest
from ..._util.progress import bar
from ...benchmarks._shared.spot_check import make_folder
from ...benchmarks._shared.written_questions import (
    Candidate,
    QuestionType,
    read_candidates,
    read_rejected,
    write_candidates,
)
from ...corpus import Chunk, Corpus
from ...corpus.evidence import figures_agree
from ...models.run_task import results_of, write_samples
from ...prompts import load_prompt
from ..ask import locate_or_prepare
from .question_writer import CANDIDATE, write_question

_ROUND = 25
"""Questions per Inspect run; each run is written to disk before the next begins."""

_ATTEMPTS = 3
"""Candidates per requested question before giving up on a type."""

_DUPLICATE = 0.9
"""Cosine similarity above which questions on one document with the same figures are duplicates."""

_FEWEST_WORDS = 30
"""Minimum words of a chunk to ask a question about."""

_SUMMARY_CHUNKS = 3
"""Maximum number of neighbouring chunks of a section for one summary."""

_PROMPTS = (
    "questions/write",
    "questions/single",
    "questions/multi",
    "questions/summary",
    "questions/comparison",
    "questions/unanswerable",
    "judge/accuracy",
)
"""Prompts on which questions depend."""


class _Slot(NamedTuple):
    """The passages of a possible question."""

    id: str
    question_type: QuestionType
    chunk_ids: tuple[int, ...]


class GeneratedQuestions(NamedTuple):
    """Questions for a corpus, with counts of their candidates."""

    folder: Path
    wanted: Mapping[QuestionType, int]
    outcomes: Mapping[QuestionType, Mapping[str, int]]
    """Candidates of each type by outcome; `rejected` means by an annotator."""

    failed: Mapping[str, str]
    """Candidates without a reply, and why; the next run writes them again."""

    @property
    def kept(self) -> int:
        """Questions in the set, of these types."""
        return sum(outcomes["kept"] for outcomes in self.outcomes.values())


def generate_questions(
    corpus: str,
    model: str | Model,
    *,
    n: int = 50,
    types: Sequence[str],
    out: Path | None = None,
    seed: int = 7,
    log_dir: str = "logs/questions",
) -> GeneratedQuestions:
    """Write questions until there are enough, or the passages are used up.

    Candidates of an earlier run in the same folder count; questions that an annotator has
    rejected are replaced.

    Args:
        corpus: Prepared corpus, or a folder of documents.
        model: Model that writes, answers and judges.
        n: Number of questions, in equal parts of each type.
        types: Kinds of question.
        out: Folder to write to; None for `CORPUS-questions` next to the corpus.
        seed: Seed for drawing the passages, and the tenth that an annotator checks.
        log_dir: Folder of Inspect's logs.

    Raises:
        InputError: A type is unknown or missing, the corpus or the files of an earlier run cannot
            be read, or no model call succeeded.
    """
    selected = _selected_types(types)
    counts = {name: n // len(selected) + (i < n % len(selected)) for i, name in enumerate(selected)}
    corpus_folder = locate_or_prepare(corpus)
    opened = Corpus.open(corpus_folder)
    folder = out or _folder_beside(corpus, corpus_folder)
    prompts = digest(*map(load_prompt, _PROMPTS))
    settings = digest(str(model), prompts, opened.manifest.chunks_sha256, str(seed))
    make_folder(folder)
    candidates = read_candidates(folder, settings)
    rejected = read_rejected(folder, candidates)
    slots = {name: _slots(opened, name, seed) for name in selected}
    failed: dict[str, str] = {}
    with bar("Questions")(n) as advance:
        while True:
            outcomes = _outcomes(candidates, rejected)
            todo = _next_slots(counts, slots, outcomes, {*candidates, *failed})
            if not todo:
                break
            log = _write_questions(todo, opened, model, settings, log_dir)
            drafts, failures_by_id = results_of(log, lambda sample: sample.store.get(CANDIDATE))
            new = [Candidate.model_validate(fields) for fields in drafts.values()]
            failed |= failures_by_id
            checked = _mark_duplicates(new, candidates, opened)
            candidates |= checked
            write_candidates(folder, list(candidates.values()), seed=seed)
            if not candidates:
                candidate_id, reason = next(iter(failures_by_id.items()))
                raise InputError(f"no reply for {candidate_id} ({reason}); see {log.location}")
            if not new:  # the provider fails: the next run continues
                break
            for item in checked.values():
                if item.outcome == "kept":
                    advance()
    write_candidates(folder, list(candidates.values()), seed=seed)
    outcomes = _outcomes(candidates, rejected)
    return GeneratedQuestions(folder, counts, {name: outcomes[name] for name in counts}, failed)


def _selected_types(types: Sequence[str]) -> list[QuestionType]:
    """Return the requested kinds of question, in their usual order."""
    choices = get_args(QuestionType)
    for name in types or [""]:
        check_choice("type", name, choices)
    return [name for name in choices if name in types]


def _folder_beside(corpus: str, corpus_folder: Path) -> Path:
    """Return the default folder: next to the folder of documents, else next to the corpus."""
    path = Path(corpus).expanduser().absolute()
    source = path if path.is_dir() else corpus_folder
    return source.with_name(f"{source.name}-questions")


def _outcomes(
    candidates: Mapping[str, Candidate], rejected: Collection[str]
) -> dict[QuestionType, Counter[str]]:
    counts: dict[QuestionType, Counter[str]] = defaultdict(Counter)
    for candidate_id, item in candidates.items():
        counts[item.question_type]["rejected" if candidate_id in rejected else item.outcome] += 1
    return counts


def _next_slots(
    counts: Mapping[QuestionType, int],
    slots: Mapping[QuestionType, Sequence[_Slot]],
    outcomes: Mapping[QuestionType, Counter[str]],
    tried_ids: Collection[str],
) -> list[_Slot]:
    """Return the passages for the next round of candidates."""
    missing: list[_Slot] = []
    for name, count in counts.items():
        remaining = min(count - outcomes[name]["kept"], count * _ATTEMPTS - outcomes[name].total())
        new = (slot for slot in slots[name] if slot.id not in tried_ids)
        missing += islice(new, max(0, remaining))
    return missing[:_ROUND]


def _write_questions(
    slots: Sequence[_Slot], corpus: Corpus, model: str | Model, settings: str, log_dir: str
) -> EvalLog:
    """Have the model write and test a question for each slot."""
    samples = []
    for slot in slots:
        metadata = {"question_type": slot.question_type, "chunk_ids": list(slot.chunk_ids)}
        samples.append(Sample(id=slot.id, input=slot.id, metadata=metadata))
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


def _mark_duplicates(
    new: Sequence[Candidate], previous: Mapping[str, Candidate], corpus: Corpus
) -> dict[str, Candidate]:
    """Return new candidates by id, marking those that repeat an earlier one as duplicates."""
    model = corpus.embedding_model()
    kept_candidates = [candidate for candidate in previous.values() if candidate.outcome == "kept"]
    vectors = list(model.encode([candidate.question for candidate in kept_candidates]))
    new_vectors = model.encode([candidate.question for candidate in new])
    checked: dict[str, Candidate] = {}
    for candidate, vector in zip(new, new_vectors, strict=True):
        checked[candidate.id] = candidate
        if candidate.outcome != "kept":
            continue
        repeated = [
            earlier.id
            for earlier, other_vector in zip(kept_candidates, vectors, strict=True)
            if float(vector @ other_vector) >= _DUPLICATE and _is_similar(candidate, earlier)
        ]
        if repeated:
            marks = {"outcome": "duplicate", "reason": f"duplicate of {repeated[0]}"}
            checked[candidate.id] = candidate.model_copy(update=marks)
        else:
            kept_candidates.append(candidate)
            vectors.append(vector)
    return checked


def _is_similar(left: Candidate, right: Candidate) -> bool:
    """Return whether two questions are the same, or about one document with the same figures."""
    if left.question.casefold() == right.question.casefold():
        return True
    if set(left.doc_ids).isdisjoint(right.doc_ids):
        return False
    questions = left.question, right.question
    return figures_agree(*questions) and figures_agree(*reversed(questions))


def _slots(corpus: Corpus, question_type: QuestionType, seed: int) -> list[_Slot]:
    """List the possible questions of a type for a corpus.

    Documents take turns, and within a document its sections, each in an order drawn by the seed. A
    question is about two chunks of one document for `multi`, neighbours in one section for
    `summary`, and one chunk for other types (for `comparison` the writer finds the second).
    """
    if question_type == "comparison" and len(corpus.doc_ids) < 2:
        return []
    chunks = [
        chunk
        for chunk in corpus.document_chunks(corpus.doc_ids)
        if len(chunk.text.split()) >= _FEWEST_WORDS
    ]

    def drawn_order(chunk: Chunk) -> str:
        return digest(str(seed), question_type, str(chunk.chunk_id))

    chunks.sort(key=drawn_order)
    chunks = _interleave(chunks, lambda chunk: (chunk.doc_id, chunk.section))
    chunks = _interleave(chunks, lambda chunk: chunk.doc_id)
    groups: list[tuple[int, ...]] = [(chunk.chunk_id,) for chunk in chunks]
    if question_type == "summary":
        groups = [_neighbours(corpus, chunk) for chunk in chunks]
    elif question_type == "multi":
        partners = _partners(chunks)
        groups = [(first, second) for first, second in partners if first != second]
    distinct = dict.fromkeys(tuple(sorted(group)) for group in groups)
    return [
        _Slot(f"{question_type}-{number:04}", question_type, group)
        for number, group in enumerate(distinct, start=1)
    ]


def _partners(chunks: Sequence[Chunk]) -> list[tuple[int, int]]:
    """Pair each chunk with the next of its document, and the last with the first."""
    chunks_by_document: dict[str, list[int]] = defaultdict(list)
    for chunk in chunks:
        chunks_by_document[chunk.doc_id].append(chunk.chunk_id)
    partner_of: dict[int, int] = {}
    for ids in chunks_by_document.values():
        partner_of.update(pairwise([*ids, ids[0]]))
    return [(chunk.chunk_id, partner_of[chunk.chunk_id]) for chunk in chunks]


def _interleave(chunks: Sequence[Chunk], group: Callable[[Chunk], object]) -> list[Chunk]:
    turns: Counter[object] = Counter()
    turns_and_chunks = []
    for chunk in chunks:
        turns_and_chunks.append((turns[group(chunk)], chunk))
        turns[group(chunk)] += 1
    return [chunk for _, chunk in sorted(turns_and_chunks, key=itemgetter(0))]


def _neighbours(corpus: Corpus, chunk: Chunk) -> tuple[int, ...]:
    end = min(chunk.chunk_id + _SUMMARY_CHUNKS, len(corpus))
    following = (corpus.chunk(chunk_id) for chunk_id in range(chunk.chunk_id, end))
    section = (chunk.doc_id, chunk.section)
    return tuple(other.chunk_id for other in following if (other.doc_id, other.section) == section)
