"""Benchmark harness for Inspect AI: retrieval systems that summarise long financial documents."""
