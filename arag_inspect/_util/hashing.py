"""Short digests that identify texts."""

import hashlib


def digest(*texts: str, length: int = 12) -> str:
    """Return the first hexadecimal digits of the SHA-256 of some texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:length]
