"""The words about each number: metrics, periods, names, clauses and facets."""
