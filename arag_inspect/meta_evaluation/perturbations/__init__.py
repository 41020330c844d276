"""Known errors inserted into good summaries."""
