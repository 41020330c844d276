"""What faults, attacks and kills do to the package: `python -m benchmarks.faults [--quick]`."""
