"""A report as files: page, Markdown, tables, and the log of runs."""
