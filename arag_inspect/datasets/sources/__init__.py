"""The data sets, one module or package each, of the same name, with a `DATASET`."""
