"""Models that need no key, no weights and no network, and the prices of those that need a key."""
