"""Code shared by several scorers."""
