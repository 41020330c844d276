"""Records to findings."""
