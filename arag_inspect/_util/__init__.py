"""General-purpose code without domain knowledge."""
