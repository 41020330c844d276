"""Short forms of registered names and of addresses."""


def short_name(name: str) -> str:
    """Return the name of a task, solver, scorer or model without its package or provider."""
    return name.rpartition("/")[2]


def file_name(location: str) -> str:
    """Return the last part of a path or of the address of a file or folder."""
    return location.rpartition("/")[2]


def strip_package(name: str) -> str:
    """Remove this package from the name of a task or scorer; names of other packages stay."""
    return name.removeprefix("arag_inspect/")
