"""Numbers as they are written: signs, words, currencies, scales, units and ranges."""
