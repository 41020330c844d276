"""The number of samples that a run needs, and its cost."""
