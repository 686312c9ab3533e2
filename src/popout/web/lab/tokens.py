"""Secrets: made at random, shown once, stored as a hash.

A token has 256 random bits, so one round of SHA-256 is as safe as any slow hash: nobody can go
through the tokens.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets


def new_token() -> str:
    """Return a token that nobody has seen."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """Return the hash of a token.

    Examples
    --------
    >>> len(digest_of("a secret")), is_token("a secret", digest_of("a secret"))
    (64, True)
    >>> is_token("a guess", digest_of("a secret"))
    False
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def is_token(token: str, digest: str) -> bool:
    """Whether a token has this hash; takes as long if it does not."""
    return hmac.compare_digest(digest_of(token), digest)
