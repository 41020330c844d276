"""A retrieval service of one's own, to be measured: `RAG_CORPUS=mine uvicorn rag_service:app`."""

import os

from fastapi import FastAPI

from arag_inspect import Corpus

app = FastAPI()
corpus = Corpus.open(os.environ["RAG_CORPUS"])


@app.post("/ask")
async def ask(body: dict[str, str]) -> dict[str, object]:
    """Answer from three chunks."""
    hits = await corpus.semantic_search(body["question"], 3)  # your retriever
    passages = [corpus.chunk(hit.chunk_id).text for hit in hits]
    return {"text": passages[0][:300], "passages": passages}  # your generator
