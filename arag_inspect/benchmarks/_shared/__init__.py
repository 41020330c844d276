"""What benchmarks share: readers' parts, prepared files, tasks and their scorers."""
