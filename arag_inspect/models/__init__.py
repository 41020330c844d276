"""Models that need no key, and prices of the models that need one."""
