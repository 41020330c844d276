"""Benchmarks built on the core, one folder each.

Removing a folder and its line in `_registry.py` removes the benchmark.
"""
