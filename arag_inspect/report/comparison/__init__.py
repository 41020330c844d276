"""Means, pairs and differences of systems on comparable samples, as values."""
