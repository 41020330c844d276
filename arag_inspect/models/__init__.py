"""Calls of models: prices, spending, faults, recordings, and models that run offline."""
