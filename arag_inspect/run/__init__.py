"""Complete evaluations: comparisons, demo, repeated judging, silver references."""
