"""The offline model, which gives extractive answers for smoke tests."""
