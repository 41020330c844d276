"""Marks of people: sheets that they fill in, and their values as scores."""
