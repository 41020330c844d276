"""What the words around a number say of it, an attribute or a few in each module."""
