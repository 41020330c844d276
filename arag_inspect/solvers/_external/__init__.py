"""Targets of the solver `external`: how a live system is asked and what it answers."""
