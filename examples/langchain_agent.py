"""A LangChain agent with a LangChain retriever, on the model of the run.

pip install langchain langchain-openai
arag-inspect run earnings_synthetic --systems arag,external --model MODEL \
    -T system_args='{target: "examples/langchain_agent.py:ask", bridge: true}'
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.messages import HumanMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import create_retriever_tool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from arag_inspect import Corpus


class Chunks(BaseRetriever):
    """Your retriever."""

    corpus: Any

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        raise NotImplementedError("ask with ainvoke")

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        hits = await self.corpus.semantic_search(query, 3)
        chunks = [self.corpus.chunk(hit.chunk_id) for hit in hits]
        return [Document(chunk.text, metadata={"chunk_id": chunk.chunk_id}) for chunk in chunks]


async def ask(question: str, corpus: Corpus) -> dict[str, object]:
    """Answer with an agent that searches as often as it wants."""
    search = create_retriever_tool(
        Chunks(corpus=corpus),
        "semantic_search",
        "Find passages about a topic.",
        response_format="content_and_artifact",
    )
    agent = create_agent(ChatOpenAI(model="inspect", api_key=SecretStr("none")), [search])
    messages = (await agent.ainvoke({"messages": [HumanMessage(question)]}))["messages"]
    found = [message.artifact for message in messages if message.type == "tool"]
    return {
        "text": messages[-1].text,
        "passages": [document for documents in found for document in documents],
        "steps": sum(message.type == "ai" for message in messages),
    }
