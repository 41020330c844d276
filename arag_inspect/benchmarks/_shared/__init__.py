"""Code shared by benchmarks: parts of readers, prepared files, tasks and their scorers."""
