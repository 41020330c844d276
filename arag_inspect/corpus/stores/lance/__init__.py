"""The store of large corpora: Lance datasets in a folder or an object store."""
