"""Create, replace and edit the fact bank of a prepared folder."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect.benchmark.dataset import Chunks
from arag_inspect.benchmark.prepared_files import SAMPLES
from arag_inspect.corpus import EDITED_FACTS, FACTS, GRADER_FACTS, Manifest, Revision
from arag_inspect.text.sentences import sentences

from .fact_bank import (
    FactRecord,
    Origin,
    bank_fact,
    bank_sentences,
    bank_text,
    count_facts,
    key_facts,
    read_bank,
)


class FactBank:
    """The facts of a prepared folder, with the samples that use them.

    Summaries are scored on the key facts of the origin last requested; facts of other origins stay
    in the bank. Edits by an annotator are adopted when the bank is read, and never replaced.
    """

    def __init__(self, revision: Revision) -> None:
        """Read the bank and adopt the edits.

        Raises:
            InputError: The bank or the samples are unreadable, the bank is empty, or a fact's
                document is unknown.
        """
        self._revision = revision
        path = revision.folder / FACTS
        self.chunks: Chunks = revision.chunks()
        self.samples = _read_samples(revision.folder / SAMPLES, revision.manifest)
        self.facts = read_bank(revision.folder)
        for fact in self.facts:
            if fact.doc_id not in self.chunks:
                raise InputError(
                    f"{path}: {fact.fact_id} is of document {fact.doc_id!r}, "
                    "which the corpus does not have; correct the line"
                )
        previous_ids = _fact_ids(self.samples)
        reused_facts = [fact for fact in self.facts if fact.fact_id in previous_ids]
        first_facts = (reused_facts or self.facts)[:1]
        self.origin = first_facts[0].origin if first_facts else None
        written_digest = revision.manifest.files.get(FACTS)
        self.was_edited = written_digest != (file_digest(path) if path.is_file() else None)
        if self.was_edited and not self.facts and FACTS in revision.manifest.files:
            raise InputError(
                f"{path} is missing or has no facts; restore it, "
                f"or prepare the corpus again with: {revision.manifest.command}"
            )
        self.edits = self._adopt_edits(previous_ids) if self.was_edited else set()
        """Ids of the facts that an annotator has changed, added or removed."""

    @property
    def style(self) -> str:
        """Kind of answer that is scored on the facts."""
        return next(str(s["metadata"].get("style", "")) for s in self.samples if _documents(s))

    def documents_without(self, origin: Origin, *, overwrite: bool = False) -> list[str]:
        """Return the samples' documents without facts of an origin.

        With `overwrite`, documents with unedited facts are included.
        """
        documents_with_facts = {
            fact.doc_id
            for fact in self.facts
            if fact.origin == origin and (fact.edited or not overwrite)
        }
        documents: dict[str, None] = {}
        for sample in self.samples:
            documents |= dict.fromkeys(_documents(sample))
        return [doc_id for doc_id in documents if doc_id not in documents_with_facts]

    def facts_of_references(self, doc_ids: Collection[str]) -> dict[str, list[FactRecord]]:
        """Make facts from the sentences of the references.

        Raises:
            InputError: There are no references, or a document has several.
        """
        texts: dict[str, list[str]] = {}
        for sample in filter(_documents, self.samples):
            doc_id, *other_ids = _documents(sample)
            if other_ids or doc_id in texts:
                raise InputError(
                    f"corpus {self._revision.folder} has references that are not of one document "
                    f"each (sample {sample['id']}); use --origin grader"
                )
            target = sample.get("target", "")
            text = target if isinstance(target, str) else "\n".join(map(str, target))
            texts[doc_id] = sentences(text)
        if doc_ids and not any(texts.values()):
            raise InputError(
                f"corpus {self._revision.folder} has no references; choose another --origin"
            )
        return {
            doc_id: bank_sentences(doc_id, items, "reference", self.chunks[doc_id])
            for doc_id, items in texts.items()
            if doc_id in doc_ids and items
        }

    def select_origin(self, origin: Origin, new_facts: Mapping[str, Sequence[FactRecord]]) -> None:
        """Select the origin of the key facts, after replacing the facts of some documents.

        Args:
            origin: The origin.
            new_facts: New facts of that origin, by document.
        """
        other_facts = [
            fact for fact in self.facts if fact.origin != origin or fact.doc_id not in new_facts
        ]
        self.facts = list(chain(other_facts, *new_facts.values()))
        self.origin = origin

    def write(self) -> Manifest:
        """Write bank, samples and manifest together."""
        facts_by_doc: dict[str, list[FactRecord]] = {}
        for fact in self.facts:
            if fact.origin == self.origin:
                facts_by_doc.setdefault(fact.doc_id, []).append(fact)
        for sample in filter(_documents, self.samples):
            facts: list[FactRecord] = []
            for doc_id in _documents(sample):
                facts += facts_by_doc.get(doc_id, [])
            sample["metadata"]["facts"] = key_facts(facts)
        order = {doc_id: index for index, doc_id in enumerate(self.chunks)}
        self.facts.sort(key=lambda fact: order[fact.doc_id])
        lines = [f"{json.dumps(sample, ensure_ascii=False)}\n" for sample in self.samples]
        counts = {EDITED_FACTS: 0, GRADER_FACTS: 0, **count_facts(self.facts)}
        return self._revision.write({FACTS: bank_text(self.facts), SAMPLES: "".join(lines)}, counts)

    def _adopt_edits(self, previous_ids: Collection[str]) -> set[str]:
        """Adopt an annotator's edits; return the ids of the facts changed, added or removed."""
        changed_ids = {fact.fact_id for fact in self.facts if fact.digest != fact.fingerprint}
        removed = {*previous_ids} - {fact.fact_id for fact in self.facts}
        revised: set[tuple[str, Origin | None]] = {
            (fact.doc_id, fact.origin) for fact in self.facts if fact.fact_id in changed_ids
        }
        for sample in self.samples:
            if any(item["id"] in removed for item in _facts_of(sample)):
                revised |= {(doc_id, self.origin) for doc_id in _documents(sample)}
        for index, fact in enumerate(self.facts):
            if (fact.doc_id, fact.origin) in revised:
                self.facts[index] = self._revise(fact, reread=fact.fact_id in changed_ids)
        return changed_ids | removed

    def _revise(self, fact: FactRecord, *, reread: bool) -> FactRecord:
        revision = {"edited": True, "importance": fact.importance}
        if reread:
            fact = bank_fact(
                fact.fact_id,
                fact.doc_id,
                fact.text,
                fact.origin,
                self.chunks[fact.doc_id],
                sentence=fact.sentence or fact.text,
                kind=fact.kind,
                key=fact.key,
            )
        return fact.model_copy(update=revision)


def _read_samples(path: Path, manifest: Manifest) -> list[dict[str, Any]]:
    """Read the samples, at least one of which summarises a document."""
    if not path.is_file():
        raise InputError(f"{path} is missing; prepare the corpus again with: {manifest.command}")
    lines = path.read_text(encoding="utf-8").split("\n")
    samples = [json.loads(line) for line in lines if line.strip()]
    if not any(_documents(sample) for sample in samples):
        raise InputError(f"{path} has no samples that summarise a document; facts serve them only")
    return samples


def _documents(sample: Mapping[str, Any]) -> list[str]:
    """Return the documents that a sample summarises; empty if it asks a question."""
    metadata = sample.get("metadata") or {}
    return [] if metadata.get("style") == "qa" else list(metadata.get("doc_ids", ()))


def _fact_ids(samples: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the ids of the facts that samples are scored on."""
    ids: set[str] = set()
    for sample in samples:
        ids.update(item["id"] for item in _facts_of(sample))
    return ids


def _facts_of(sample: Mapping[str, Any]) -> list[dict[str, str]]:
    facts: list[dict[str, str]] = (sample.get("metadata") or {}).get("facts", [])
    return facts
