"""Secrets: made at random, shown once, stored as a hash.

A token has 256 random bits, so one round of SHA-256 is as safe as any slow hash: nobody can go
through the tokens.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets


def new_token() -> str:
    """Return a token that nobody has seen."""
    return secrets.token_urlsafe(32)


def token_for(key: str) -> str:
    """Return the token of whoever made a key: the same for the same key, and no way back.

    Examples
    --------
    >>> token_for("made at random") == token_for("made at random"), len(token_for("made at random"))
    (True, 43)
    """
    hashed = hashlib.sha256(b"popout session " + key.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()


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
