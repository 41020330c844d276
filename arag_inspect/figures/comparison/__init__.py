"""Compare figures: values, changes, and differences of equal figures."""
