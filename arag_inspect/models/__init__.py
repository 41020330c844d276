"""Models without key, weights or network, and the prices of the models that need a key."""
