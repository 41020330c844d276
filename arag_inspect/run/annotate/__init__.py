"""Additions of a model to a corpus: facts, questions and references."""
