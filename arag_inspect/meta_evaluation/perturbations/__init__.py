"""Known errors put into good summaries."""
