"""The systems under test; `arag_inspect.solvers` is their public name."""
