"""Generate questions about a corpus, test each, and keep a balanced set without near-duplicates."""

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
from ..corpus import Corpus, embedding_model
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
from ..models.pricing import register_prices
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
    register_prices()
    place = locate_or_prepare(corpus)
    opened = Corpus.open(place)
    given = Path(corpus).expanduser().absolute()
    beside = given if given.is_dir() else place
    run = _Run(
        corpus=opened,
        model=model,
        folder=out or beside.with_name(f"{beside.name}-questions"),
        seed=seed,
        log_dir=log_dir,
        wanted={name: n // len(types) + (i < n % len(types)) for i, name in enumerate(types)},
    )
    return run.finish()


def question_types(names: Sequence[str]) -> list[QuestionType]:
    """Return the types of some names, each once.

    Raises:
        InputError: A name is unknown, or there is none.
    """
    known = get_args(QuestionType)
    for name in names or [""]:
        check_choice("type", name, known)
    return [name for name in known if name in names]


class _Run:
    """One run: existing candidates, and the next ones."""

    def __init__(
        self,
        corpus: Corpus,
        model: str | Model,
        folder: Path,
        seed: int,
        log_dir: str,
        wanted: Mapping[QuestionType, int],
    ) -> None:
        self.corpus, self.model, self.folder = corpus, model, folder
        self.seed, self.log_dir, self.wanted = seed, log_dir, wanted
        prompts = digest(*map(load_prompt, _PROMPTS))
        chunks = corpus.manifest.chunks_sha256
        self.settings = digest(str(model), prompts, chunks, str(seed))
        make_folder(folder, CANDIDATES, QUESTIONS)
        self.candidates = read_candidates(folder, self.settings)
        self.rejected = read_rejected(folder, self.candidates)
        self.failed: dict[str, str] = {}
        self.slots = {name: question_slots(corpus, name, seed) for name in wanted}

    def finish(self) -> Generated:
        """Write in rounds until nothing is missing or nothing more can be tried."""
        with bar("Questions")(sum(self.wanted.values())) as advance:
            done = 0
            while todo := list(islice(self._missing(), _ROUND)):
                before = len(self.candidates)
                self._round(todo)
                if len(self.candidates) == before:  # the provider fails: the next run continues
                    break
                kept = sum(map(self._kept, self.wanted))
                for _ in range(kept - done):
                    advance()
                done = kept
        self._write()
        kept = sum(map(self._kept, get_args(QuestionType)))
        return Generated(self.folder, self.wanted, self._outcomes(), kept, self.failed)

    def _missing(self) -> Iterator[Slot]:
        """Yield the next candidates, types in turn."""
        for name, wanted in self.wanted.items():
            missing = wanted - self._kept(name)
            tried = sum(one.question_type == name for one in self.candidates.values())
            left = [
                slot
                for slot in self.slots[name]
                if slot.id not in self.candidates and slot.id not in self.failed
            ]
            yield from left[: max(0, min(missing, _ATTEMPTS * wanted - tried))]

    def _kept(self, name: QuestionType) -> int:
        return sum(
            one.question_type == name and one.outcome == "kept" and one.id not in self.rejected
            for one in self.candidates.values()
        )

    def _round(self, slots: Sequence[Slot]) -> None:
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
        self._take(log)
        if log.status != "success":
            reason = log.error.message if log.error else log.status
            raise InputError(
                f"generating questions ended with {reason}; {len(self.candidates)} candidates are "
                f"in {self.folder}, run it again to continue; see {log.location}"
            )
        if not self.candidates:
            first = next(iter(self.failed.items()))
            raise InputError(f"no reply for {first[0]} ({first[1]}); see {log.location}")

    def _take(self, log: EvalLog) -> None:
        """Keep the complete samples of a run."""
        new = []
        for sample in log.samples or []:
            if sample.error is not None:
                self.failed[str(sample.id)] = " ".join(sample.error.message.split())
            elif CANDIDATE in sample.store:
                new.append(Candidate.model_validate(sample.store[CANDIDATE]))
        before = [one for one in self.candidates.values() if one.outcome == "kept"]
        for one in _without_duplicates(new, before, self.corpus):
            self.candidates[one.id] = one
        self._write()

    def _write(self) -> None:
        write_candidates(self.folder, list(self.candidates.values()), seed=self.seed)

    def _outcomes(self) -> dict[QuestionType, Counter[str]]:
        found: dict[QuestionType, Counter[str]] = {name: Counter() for name in self.wanted}
        for one in self.candidates.values():
            if one.question_type in found:
                outcome = "rejected" if one.id in self.rejected else one.outcome
                found[one.question_type][outcome] += 1
        return found


def _without_duplicates(
    new: Sequence[Candidate], before: Sequence[Candidate], corpus: Corpus
) -> Iterator[Candidate]:
    """Yield new candidates; mark those that repeat an earlier one as duplicates."""
    embedding = corpus.manifest.embedding
    model = embedding_model(embedding.model, embedding.dtype)
    seen = list(before)
    vectors = list(model.encode([one.question for one in seen]))
    for one, vector in zip(new, model.encode([one.question for one in new]), strict=True):
        same = [
            other.id
            for other, known in zip(seen, vectors, strict=True)
            if float(vector @ known) >= _DUPLICATE and _same_matter(one, other)
        ]
        if one.outcome == "kept" and same:
            yield one.model_copy(
                update={"outcome": "duplicate", "reason": f"asks what {same[0]} asks"}
            )
            continue
        if one.outcome == "kept":
            seen.append(one)
            vectors.append(vector)
        yield one


def _same_matter(one: Candidate, other: Candidate) -> bool:
    """Return whether two questions are about one document and have the same figures."""
    if one.question.casefold() == other.question.casefold():
        return True
    figures = figures_agree(one.question, other.question) and figures_agree(
        other.question, one.question
    )
    return figures and not set(one.doc_ids).isdisjoint(other.doc_ids)
