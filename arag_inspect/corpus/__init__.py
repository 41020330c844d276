"""Documents, chunks, keyword and dense index, and the corpus that opens them.

Independent of Inspect. FAISS, torch, SciPy and PyArrow are imported when they are first used.
"""

from .._util.files import file_digest as file_digest
from .address import is_address as is_address
from .chunking import Document as Document
from .chunking import PageStart as PageStart
from .chunking import Section as Section
from .chunking import chunk_document as chunk_document
from .chunks import Chunk as Chunk
from .corpus import Corpus as Corpus
from .corpus import datasets_folder as datasets_folder
from .embedding.model_files import DEFAULT_MODEL as DEFAULT_MODEL
from .embedding.model_files import packaged_weights as packaged_weights
from .embedding.models import EmbeddingModel as EmbeddingModel
from .embedding.models import embedding_model as embedding_model
from .evidence import Alignment as Alignment
from .evidence import align as align
from .prepared.builder import Extras as Extras
from .prepared.builder import build_corpus as build_corpus
from .prepared.indexing import Indexing as Indexing
from .prepared.manifest import EDITED_FACTS as EDITED_FACTS
from .prepared.manifest import FACTS as FACTS
from .prepared.manifest import GRADER_FACTS as GRADER_FACTS
from .prepared.manifest import Manifest as Manifest
from .prepared.manifest import prepared_corpora as prepared_corpora
from .prepared.manifest import read_manifest as read_manifest
from .prepared.provenance import Provenance as Provenance
from .prepared.provenance import Source as Source
from .prepared.replacement import check_not_less as check_not_less
from .prepared.replacement import check_replaceable as check_replaceable
from .prepared.revision import CorpusDocuments as CorpusDocuments
from .prepared.revision import Revision as Revision
from .prepared.revision import open_revision as open_revision
from .prepared.revision import reuse_corpus as reuse_corpus
from .search.dense_index import DenseIndex as DenseIndex
from .search.filter import EVERYTHING as EVERYTHING
from .search.filter import Filter as Filter
from .search.ranking import Hit as Hit
from .search.ranking import KeywordPage as KeywordPage
