"""Read logs into frames: the only package that knows the structure of logs."""
