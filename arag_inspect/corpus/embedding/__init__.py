"""Embedding models, and checks that two machines produce the same vectors."""
