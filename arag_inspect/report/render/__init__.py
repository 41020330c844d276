"""Write tables to files."""
