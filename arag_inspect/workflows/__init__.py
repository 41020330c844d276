"""Complete evaluations: comparisons, the demo, repeated judging, silver references."""
