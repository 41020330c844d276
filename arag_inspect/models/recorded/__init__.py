"""`recorded/NAME`: replies of a model that answered before, from `NAME.jsonl` in this folder or a path."""
