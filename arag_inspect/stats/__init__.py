"""Statistics of scores."""
