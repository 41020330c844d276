"""The store of large corpora: Lance datasets in a folder or an object store."""

from ...._util.extras import extra

with extra("lance"):
    import pyarrow  # noqa: F401
