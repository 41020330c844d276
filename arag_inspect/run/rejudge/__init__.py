"""Judge the answers of a log again."""
