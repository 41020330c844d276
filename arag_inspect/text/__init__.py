"""Sentences, words and quotations."""
