"""How many samples a run needs, and what it costs."""
