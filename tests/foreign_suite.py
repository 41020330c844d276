"""A third-party suite that mypy checks against the package's declared types.

Each `type: ignore` marks an error that mypy must find; otherwise it reports the unused comment.
"""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from arag_inspect.corpus import Corpus
from arag_inspect.judge import model_graded
from arag_inspect.scorers import factual_consistency, retrieval_pr, rouge
from arag_inspect.solvers import naive_rag
from arag_inspect.types.sample import SampleMetadata
from arag_inspect.types.trace import RetrievalTrace


@task
def foreign(corpus: str, top_k: int = 3) -> Task:
    metadata = SampleMetadata(corpus=corpus, gold_chunk_ids=(0,)).model_dump()
    return Task(
        dataset=[Sample(id=1, input="What was revenue?", target="$1", metadata=metadata)],
        solver=naive_rag(top_k=top_k, retriever="hybrid"),
        scorer=[factual_consistency(judge=False), rouge(), retrieval_pr()],
    )


def passages(trace: RetrievalTrace, corpus: Corpus) -> list[str]:
    return [corpus.chunk(passage.chunk_id).text for passage in trace.passages]


def wrong(trace: RetrievalTrace) -> int:
    naive_rag(top_k="three")  # type: ignore[arg-type]
    naive_rag(retriever="sparse")  # type: ignore[arg-type]
    rouge(stem=True)  # type: ignore[call-arg]
    model_graded(name="own", prompt="{{answer}}", form=5)  # type: ignore[arg-type]
    return trace.passages[0].text  # type: ignore[return-value]
