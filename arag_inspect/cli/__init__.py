"""The command line, `arag-inspect`: one module a command."""
