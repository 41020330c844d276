"""Targets of the solver `external`: how a live system is called and what it returns."""
