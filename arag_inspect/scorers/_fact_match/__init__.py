"""Parts of `fact_match`."""
