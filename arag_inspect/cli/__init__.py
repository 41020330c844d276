"""The command line, `arag-inspect`: one module per command."""
