"""Read attributes of a number from the words around it, one or a few in each module."""
