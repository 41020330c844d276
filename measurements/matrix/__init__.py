"""The same figures in every setting of a process; see `python -m measurements.matrix --help`."""
