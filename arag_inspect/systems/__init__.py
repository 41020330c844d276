"""The systems under test, one module each; `arag_inspect.solvers` is their public name."""
