"""The same figures in every setting of a process; see `python -m benchmarks.matrix --help`."""
