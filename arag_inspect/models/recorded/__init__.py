"""`recorded/NAME`: recorded replies of a model, from `NAME.jsonl` in this folder or a path."""
