"""Documents, chunks, keyword and dense index, and the corpus that opens them.

Independent of Inspect. FAISS, torch, SciPy and PyArrow are imported when they are first used.
"""

from .._util.files import file_digest as file_digest
from .address import is_address as is_address
from .builder import Extras as Extras
from .builder import build_corpus as build_corpus
from .chunking import Document as Document
from .chunking import PageStart as PageStart
from .chunking import Section as Section
from .chunking import chunk_document as chunk_document
from .chunks import Chunk as Chunk
from .corpus import Corpus as Corpus
from .corpus import datasets_folder as datasets_folder
from .dense_index import DenseIndex as DenseIndex
from .embedding_models import EmbeddingModel as EmbeddingModel
from .embedding_models import embedding_model as embedding_model
from .evidence import Alignment as Alignment
from .evidence import align as align
from .filter import Filter as Filter
from .manifest import EDITED_FACTS as EDITED_FACTS
from .manifest import FACTS as FACTS
from .manifest import GRADER_FACTS as GRADER_FACTS
from .manifest import Manifest as Manifest
from .manifest import Source as Source
from .manifest import prepared_corpora as prepared_corpora
from .manifest import read_manifest as read_manifest
from .model_files import DEFAULT_MODEL as DEFAULT_MODEL
from .model_files import packaged_weights as packaged_weights
from .ranking import Hit as Hit
from .ranking import KeywordPage as KeywordPage
from .replacement import Settings as Settings
from .replacement import check_not_less as check_not_less
from .replacement import check_replaceable as check_replaceable
from .revision import CorpusDocuments as CorpusDocuments
from .revision import Revision as Revision
from .revision import open_revision as open_revision
from .revision import reuse_corpus as reuse_corpus
