"""Parts of the scorers of two-sided summaries."""
