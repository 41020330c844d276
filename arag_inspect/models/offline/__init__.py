"""The offline model: extractive answers and a rule-based judge, for smoke tests."""
