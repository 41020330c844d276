"""Extract text from documents in a subprocess."""
