"""Whether two figures say the same: values, changes, and what tells equal figures apart."""
