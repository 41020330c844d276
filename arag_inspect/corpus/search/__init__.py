"""Search of chunks: exact keywords, dense vectors, filters, and how hits are ranked."""
