"""Files that other tools export: question sets, results and traces, read as records."""
