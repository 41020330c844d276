"""What a model adds to a corpus: facts, questions and references."""
