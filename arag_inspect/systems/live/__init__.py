"""Live systems: how they are called, and how their answers are read."""
