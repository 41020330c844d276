"""Foreign documents to text, in a process of its own."""
