"""Tables of financial texts: their columns, their cells, and statements about these."""
