"""Secrets: made once, shown once, kept as digests."""

import hashlib
import secrets


def new_secret(prefix: str) -> str:
    """A secret of 40 random signs behind a prefix that tells what it is for."""
    return f"{prefix}-{secrets.token_urlsafe(30)}"


def digest(secret: str) -> str:
    """SHA-256 of a secret, hex: what is kept and compared."""
    return hashlib.sha256(secret.encode()).hexdigest()
