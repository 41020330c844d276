"""Files that other tools export: question sets, results and traces, read as records by known names."""
