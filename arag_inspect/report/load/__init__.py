"""Read logs into records."""
