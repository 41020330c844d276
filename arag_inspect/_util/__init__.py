"""Small parts without knowledge of the domain."""
