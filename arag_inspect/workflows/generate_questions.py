"""Generate and test questions; keep a balanced set without duplicates."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import get_args

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from .._util.errors import InputError, check_choice
from .._util.hashing import digest
from .._util.progress import bar
from ..corpus import Corpus
from ..corpus.evidence import figures_agree
from ..datasets.generated_questions import (
    CANDIDATES,
    QUESTIONS,
    Candidate,
    QuestionType,
    read_candidates,
    read_rejected,
    write_candidates,
)
from ..datasets.spot_check import make_folder
from ..prompts import load_prompt
from ._prepared_folder import locate_or_prepare
from ._question_slots import Slot, question_slots
from ._question_writer import CANDIDATE, write_question

_ROUND = 25
"""Questions per Inspect run; each run is written to disk before the next begins."""

_ATTEMPTS = 3
"""Candidates per wanted question before a type is given up."""

_DUPLICATE = 0.9
"""Cosine above which two questions about one document with the same figures are duplicates."""

_PROMPTS = (
    "questions/write", "questions/single", "questions/multi", "questions/summary",
    "questions/comparison", "questions/unanswerable", "judge/accuracy",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Generated:
    """Result of a run."""

    folder: Path
    wanted: Mapping[QuestionType, int]
    outcomes: Mapping[QuestionType, Mapping[str, int]]
    """Candidates of each type by outcome; `rejected` are those a person rejected."""

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

    Candidates of an earlier run in the same folder count; questions that a person has rejected are
    replaced.

    Args:
        corpus: Prepared corpus, or a folder of documents.
        model: Model that writes, answers and judges.
        n: Questions wanted, in equal parts of the types.
        types: Kinds of question.
        out: Folder to write to; None for `CORPUS-questions` beside the corpus.
        seed: Seed of the passages, and of the tenth that a person is to check.
        log_dir: Folder of Inspect's logs.

    Raises:
        InputError: The corpus or the files of an earlier run cannot be read, or no model call
            succeeded.
    """
    corpus_folder = locate_or_prepare(corpus)
    opened = Corpus.open(corpus_folder)
    path = Path(corpus).expanduser().absolute()
    source = path if path.is_dir() else corpus_folder
    run = _Run(
        corpus=opened,
        model=model,
        folder=out or source.with_name(f"{source.name}-questions"),
        seed=seed,
        log_dir=log_dir,
        counts={name: n // len(types) + (i < n % len(types)) for i, name in enumerate(types)},
    )
    return run.finish()


def question_types(names: Sequence[str]) -> list[QuestionType]:
    """Return the types of some names, each once.

    Raises:
        InputError: A name is unknown, or `names` is empty.
    """
    choices = get_args(QuestionType)
    for name in names or [""]:
        check_choice("type", name, choices)
    return [name for name in choices if name in names]


class _Run:
    """One run: existing candidates, and the next ones."""

    def __init__(
        self,
        corpus: Corpus,
        model: str | Model,
        folder: Path,
        seed: int,
        log_dir: str,
        counts: Mapping[QuestionType, int],
    ) -> None:
        self.corpus, self.model, self.folder = corpus, model, folder
        self.seed, self.log_dir, self.counts = seed, log_dir, counts
        prompts = digest(*map(load_prompt, _PROMPTS))
        chunks = corpus.manifest.chunks_sha256
        self.settings = digest(str(model), prompts, chunks, str(seed))
        make_folder(folder, CANDIDATES, QUESTIONS)
        self.candidates = read_candidates(folder, self.settings)
        self.rejected = read_rejected(folder, self.candidates)
        self.failed: dict[str, str] = {}
        self.slots = {name: question_slots(corpus, name, seed) for name in counts}

    def finish(self) -> Generated:
        """Write in rounds until nothing is missing or nothing more can be tried."""
        with bar("Questions")(sum(self.counts.values())) as advance:
            done = 0
            while todo := list(islice(self._missing(), _ROUND)):
                before = len(self.candidates)
                self._run_round(todo)
                if len(self.candidates) == before:  # the provider fails: the next run continues
                    break
                kept = sum(map(self._count_kept, self.counts))
                for _ in range(kept - done):
                    advance()
                done = kept
        self._write()
        kept = sum(map(self._count_kept, get_args(QuestionType)))
        return Generated(self.folder, self.counts, self._outcomes(), kept, self.failed)

    def _missing(self) -> Iterator[Slot]:
        """Yield the next candidates, types in turn."""
        for name, count in self.counts.items():
            missing = count - self._count_kept(name)
            tried = sum(candidate.question_type == name for candidate in self.candidates.values())
            left = [
                slot
                for slot in self.slots[name]
                if slot.id not in self.candidates and slot.id not in self.failed
            ]
            yield from left[: max(0, min(missing, _ATTEMPTS * count - tried))]

    def _count_kept(self, name: QuestionType) -> int:
        return sum(
            candidate.question_type == name
            and candidate.outcome == "kept"
            and candidate.id not in self.rejected
            for candidate in self.candidates.values()
        )

    def _run_round(self, slots: Sequence[Slot]) -> None:
        samples = [
            Sample(
                id=slot.id,
                input=slot.id,
                metadata={"question_type": slot.question_type, "chunk_ids": list(slot.chunk_ids)},
            )
            for slot in slots
        ]
        task = Task(
            name="generate_questions",
            dataset=MemoryDataset(samples, name="generate_questions"),
            solver=write_question(str(self.corpus.path), self.settings),
            config=GenerateConfig(temperature=0),
            fail_on_error=False,
        )
        (log,) = eval(task, model=self.model, log_dir=self.log_dir, display="none")
        self._add_complete(log)
        if log.status != "success":
            reason = log.error.message if log.error else log.status
            raise InputError(
                f"generating questions ended with {reason}; {len(self.candidates)} candidates are "
                f"in {self.folder}, run it again to continue; see {log.location}"
            )
        if not self.candidates:
            sample_id, reason = next(iter(self.failed.items()))
            raise InputError(f"no reply for {sample_id} ({reason}); see {log.location}")

    def _add_complete(self, log: EvalLog) -> None:
        """Keep the complete samples of a run."""
        new = []
        for sample in log.samples or []:
            if sample.error is not None:
                self.failed[str(sample.id)] = " ".join(sample.error.message.split())
            elif CANDIDATE in sample.store:
                new.append(Candidate.model_validate(sample.store[CANDIDATE]))
        before = [
            candidate for candidate in self.candidates.values() if candidate.outcome == "kept"
        ]
        for candidate in _without_duplicates(new, before, self.corpus):
            self.candidates[candidate.id] = candidate
        self._write()

    def _write(self) -> None:
        write_candidates(self.folder, list(self.candidates.values()), seed=self.seed)

    def _outcomes(self) -> dict[QuestionType, Counter[str]]:
        outcomes: dict[QuestionType, Counter[str]] = {name: Counter() for name in self.counts}
        for candidate in self.candidates.values():
            if candidate.question_type in outcomes:
                outcome = "rejected" if candidate.id in self.rejected else candidate.outcome
                outcomes[candidate.question_type][outcome] += 1
        return outcomes


def _without_duplicates(
    new: Sequence[Candidate], before: Sequence[Candidate], corpus: Corpus
) -> Iterator[Candidate]:
    """Yield new candidates; mark those that repeat an earlier one as duplicates."""
    model = corpus.embedding_model()
    seen = list(before)
    vectors = list(model.encode([candidate.question for candidate in seen]))
    new_vectors = model.encode([candidate.question for candidate in new])
    for candidate, vector in zip(new, new_vectors, strict=True):
        repeated = [
            earlier.id
            for earlier, other_vector in zip(seen, vectors, strict=True)
            if float(vector @ other_vector) >= _DUPLICATE and _same_matter(candidate, earlier)
        ]
        if candidate.outcome == "kept" and repeated:
            yield candidate.model_copy(
                update={"outcome": "duplicate", "reason": f"asks what {repeated[0]} asks"}
            )
            continue
        if candidate.outcome == "kept":
            seen.append(candidate)
            vectors.append(vector)
        yield candidate


def _same_matter(left: Candidate, right: Candidate) -> bool:
    """Return whether two questions are about one document and have the same figures."""
    if left.question.casefold() == right.question.casefold():
        return True
    figures = figures_agree(left.question, right.question) and figures_agree(
        right.question, left.question
    )
    return figures and not set(left.doc_ids).isdisjoint(right.doc_ids)
